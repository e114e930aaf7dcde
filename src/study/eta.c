/*
 * eta.c - an estimate from the speed so far.
 */
#include "study/eta.h"

#include <math.h>

static const double ENOUGH = 0.02; /* of a run */

/* By its own speed; start-up is most of the first second. */
static double own_seconds(const struct eta_run *r)
{
    const double done = r->now - r->begun;

    return done > 0 && r->seconds > 1 ? r->seconds / done * (1 - r->now) : 0;
}

double eta_seconds(const struct eta *e)
{
    double done = (double)e->done, left = (double)(e->runs - e->done), longest = 0;

    for (int64_t i = 0; i < e->count; i++) {
        done += e->running[i].now - e->running[i].begun;
        left -= e->running[i].now;
        longest = fmax(longest, own_seconds(&e->running[i]));
    }
    if (!(done > ENOUGH) || !(e->seconds > 0))
        return (double)NAN;
    return fmax(fmax(left, 0) * e->seconds / done, longest);
}
