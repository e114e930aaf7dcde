/*
 * invariant.c - checks of what is to be zero over all nodes together.
 *
 * Coordinates are added in BUCKETS groups, so that a check costs one short sum whatever the model's
 * size. A violation that cancels within every group is not seen.
 */
#include "algo/invariant.h"

#include <float.h>
#include <math.h>
#include <string.h>

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

/* Of the bits; one that differs anywhere is another one, but for one chance in 2^64. */
static int64_t hash_of(const float *x, int64_t count)
{
    uint64_t hash = 14695981039346656037U;

    for (int64_t i = 0; i < count; i++) {
        uint32_t bits = 0;
        memcpy(&bits, &x[i], sizeof bits);
        hash = (hash ^ bits) * 1099511628211U;
        hash ^= hash >> 29;
    }
    return (int64_t)hash;
}

enum status invariant_alike(struct worker *w, const float *x, int64_t count)
{
    if (!w->paranoid || w->transport->workers == 1)
        return STATUS_OK;

    const int64_t mine = hash_of(x, count);
    int64_t first = worker_rank(w) == 0 ? mine : 0;

    TRY(transport_sum(
        w->transport,
        &(struct sum){.data = &first, .count = 1, .type = SUM_INT64, .is_control = true}));
    if (mine != first)
        return FAIL(STATUS_DIVERGED, "%s, round %lld: worker %d has other parameters than worker 0",
                    w->algo->entry.name, (long long)w->round, worker_rank(w));
    return STATUS_OK;
}
