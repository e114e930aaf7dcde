/*
 * next_sync.c - after which round workers in lockstep exchange counters, if nothing is due before.
 */
#include <math.h>

#include "base/clock.h"
#include "train/loop/lockstep.h"

static const double SECONDS_BETWEEN_SYNCS = 1.0;

/*
 * Rounds in which what is left of a budget of bytes cannot be used up: as many as would use it if
 * all of them sent as much as any has sent so far. So the run ends with the first round that uses
 * it up, and does so again when it is repeated. Over a graph that changes a later round may send
 * more, and every round is looked at.
 */
static double rounds_of_bytes(const struct loop *l, struct lockstep *s, double bytes)
{
    const double rounds = (double)(l->round - s->synced_round);

    if (rounds > 0) {
        s->round_bytes = fmax(s->round_bytes, (bytes - s->synced_bytes) / rounds);
        s->synced_bytes = bytes;
    }
    if (l->build->topology_facts.changes || !(s->round_bytes > 0))
        return 1;
    return floor((l->build->budget.value - bytes) / s->round_bytes);
}

int64_t next_sync_plan(struct loop *l, const struct counters *totals)
{
    struct lockstep *s = l->coordination;
    const struct amount *budget = &l->build->budget;
    const double now = clock_seconds();
    const double passed = now - s->synced_at;
    const double rate = passed > 0 ? (double)(l->round - s->synced_round) / passed : 1;
    double rounds = rate * SECONDS_BETWEEN_SYNCS;

    if (budget->unit == AMOUNT_BYTES)
        rounds = fmin(rounds, rounds_of_bytes(l, s, totals->bytes));
    else if (budget->unit == AMOUNT_SECONDS)
        rounds = fmin(rounds, rate * (budget->value - totals->seconds));
    s->synced_at = now;
    s->synced_round = l->round;
    return l->round + (int64_t)fmin(fmax(rounds, 1), 1e9);
}
