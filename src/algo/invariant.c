/*
 * invariant.c - checks of what is to be zero over all nodes together.
 *
 * Coordinates are added in BUCKETS groups, so that a check costs one short sum whatever the model's
 * size. A violation that cancels within every group is not seen.
 */
#include "algo/invariant.h"

#include <float.h>
#include <math.h>

#include "algo/number.h"

enum { BUCKETS = 32 };

double invariant_slack(const struct worker *w, const float *x, int64_t count, int terms)
{
    if (!w->paranoid)
        return 0;
    return 4.0 * (double)FLT_EPSILON * (terms + 2) * w->optim->kernel->sum_abs(x, count);
}

enum status invariant_check(struct worker *w, const struct invariant *v)
{
    double sums[BUCKETS + 1] = {0}; /* the last one is the slack */

    if (!w->paranoid)
        return STATUS_OK;
    for (int64_t i = 0; i < v->count; i++)
        sums[i % BUCKETS] += (double)v->x[i] - (v->y == NULL ? 0.0 : (double)v->y[i]);
    sums[BUCKETS] = v->slack;
    TRY(transport_sum(
        w->transport,
        &(struct sum){.data = sums, .count = BUCKETS + 1, .type = SUM_DOUBLE, .is_control = true}));
    for (int i = 0; i < BUCKETS; i++)
        if (!(fabs(sums[i]) <= sums[BUCKETS]))
            return FAIL(STATUS_DIVERGED,
                        "%s, round %lld: %s, but a sum of them is %g where rounding explains %g",
                        w->algo->entry.name, (long long)w->round, v->text, sums[i], sums[BUCKETS]);
    return STATUS_OK;
}

enum status invariant_check_kept(struct worker *w, const struct invariant *v, int64_t *number)
{
    struct invariant kept = *v;

    kept.slack += number_real(number);
    number_set_real(number, kept.slack);
    return invariant_check(w, &kept);
}
