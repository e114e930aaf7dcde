/*
 * invariant.c - checks of what is to be zero over all nodes together.
 *
 * Coordinates are added in groups, so that a check costs one short sum whatever the model's size. A
 * violation that cancels within every group is not seen.
 */
#include "algo/parts/invariant.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "algo/parts/stored_real.h"

enum { GROUPS = INVARIANT_GROUPS };

/* Over all workers; one sum of doubles. */
struct totals {
    double sums[GROUPS], slack[GROUPS];
    double kept; /* slack of all rounds, the largest of any group */
};

enum { TOTALS = sizeof(struct totals) / sizeof(double) };

void invariant_allow(const struct worker *w, struct invariant_slack *slack,
                     const struct invariant_rounding *r)
{
    const double unit = 4.0 * (double)FLT_EPSILON * (r->terms + 2) * r->factor;

    for (int64_t i = 0; w->paranoid && i < r->count; i++)
        slack->by[i % GROUPS] += unit * fabs((double)r->x[i]);
}

static enum status add_up(struct worker *w, const struct invariant *v, double kept,
                          struct totals *t)
{
    *t = (struct totals){.kept = kept};
    memcpy(t->slack, v->slack.by, sizeof t->slack);
    for (int64_t i = 0; i < v->count; i++)
        t->sums[i % GROUPS] += (double)v->x[i] - (v->y == NULL ? 0.0 : (double)v->y[i]);
    return transport_sum(
        w->transport,
        &(struct sum){.data = t, .count = TOTALS, .type = SUM_DOUBLE, .is_control = true});
}

/* What the sums have moved by, which only rounding does; from zero if the past is not known. */
static enum status check_move(const struct worker *w, const struct invariant *v,
                              const struct totals *t, const struct invariant_past *past)
{
    for (int i = 0; i < GROUPS; i++) {
        const double before = past != NULL ? past->sums[i] : 0;

        if (!(fabs(t->sums[i] - before) <= t->slack[i]))
            return FAIL(STATUS_DIVERGED,
                        "%s, round %lld: %s, but a sum of them is %g%s where rounding explains %g",
                        w->algo->entry.name, (long long)w->round, v->text, t->sums[i] - before,
                        past != NULL ? " more than before" : "", t->slack[i]);
    }
    return STATUS_OK;
}

enum status invariant_check(struct worker *w, const struct invariant *v)
{
    struct totals t;

    if (!w->paranoid)
        return STATUS_OK;
    TRY(add_up(w, v, 0, &t));
    return check_move(w, v, &t, NULL);
}

static double largest(const struct invariant_slack *slack)
{
    double most = 0;

    for (int i = 0; i < GROUPS; i++)
        most = fmax(most, slack->by[i]);
    return most;
}

enum status invariant_check_kept(struct worker *w, const struct invariant *v,
                                 struct invariant_past *past, int64_t *number)
{
    struct totals t;

    if (!w->paranoid)
        return STATUS_OK;
    stored_real_set(number, stored_real_get(number) + largest(&v->slack));
    TRY(add_up(w, v, stored_real_get(number), &t));
    if (past->is_known)
        TRY(check_move(w, v, &t, past));
    memcpy(past->sums, t.sums, sizeof past->sums);
    past->is_known = true;
    for (int i = 0; i < GROUPS; i++)
        t.slack[i] = t.kept;
    return check_move(w, v, &t, NULL);
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
