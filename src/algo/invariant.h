/*
 * invariant.h - what an algorithm promises, checked at run time under --paranoid: over graphs what
 * is zero over all nodes together, elsewhere that workers hold the same parameters. The sums are
 * control: they are in no account.
 */
#ifndef ALGO_INVARIANT_H
#define ALGO_INVARIANT_H

#include "algo/algo.h"

/* The sum over all workers of x - y is to be zero in every coordinate. */
struct invariant {
    const char *text;   /* "the duals of all nodes add up to zero" */
    const float *x, *y; /* [count]; y NULL: zero */
    int64_t count;
    double slack; /* what rounding on this worker may make of it, over all coordinates together */
};

/* Does nothing unless the worker is paranoid. All workers call it, in the same order. */
enum status invariant_check(struct worker *w, const struct invariant *v);

/*
 * The same where rounding errors of all rounds add up: the slack of this round goes on top of those
 * before, which are kept in `number`.
 */
enum status invariant_check_kept(struct worker *w, const struct invariant *v, int64_t *number);

/*
 * All workers are to hold the same bits in x[count]. Does nothing unless the worker is paranoid.
 * All workers call it, in the same order.
 */
enum status invariant_alike(struct worker *w, const float *x, int64_t count);

/* The rounding error of adding `terms` terms that are together as large as x. */
double invariant_slack(const struct worker *w, const float *x, int64_t count, int terms);

#endif
