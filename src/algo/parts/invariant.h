/*
 * invariant.h - what an algorithm promises, checked at run time under --paranoid: over graphs what
 * is zero over all nodes together, elsewhere that workers hold the same parameters. The sums are
 * control: they are not counted.
 */
#ifndef ALGO_PARTS_INVARIANT_H
#define ALGO_PARTS_INVARIANT_H

#include "algo/algo.h"

/* Coordinate i is in group i % INVARIANT_GROUPS, and groups are added up. */
enum { INVARIANT_GROUPS = 32 };

/* What rounding on this worker may make of each group's sum, in this round. Zero at first. */
struct invariant_slack {
    double by[INVARIANT_GROUPS];
};

/* The sum over all workers of x - y is to be zero in every coordinate. */
struct invariant {
    const char *text;   /* "the duals of all nodes add up to zero" */
    const float *x, *y; /* [count]; y NULL: zero */
    int64_t count;
    struct invariant_slack slack;
};

/* Does nothing unless the worker is paranoid. All workers call it, in the same order. */
enum status invariant_check(struct worker *w, const struct invariant *v);

/* What a check of all rounds remembers of the one before: the groups' sums over all workers. */
struct invariant_past {
    double sums[INVARIANT_GROUPS];
    bool is_known;
};

/*
 * The same where rounding errors of all rounds add up. What this round did to the sums is held
 * against this round's slack, and the sums themselves against the slack of all rounds, which is
 * kept in `number`: it grows, so that alone it would see less and less, but it sees what a
 * checkpoint brought.
 */
enum status invariant_check_kept(struct worker *w, const struct invariant *v,
                                 struct invariant_past *past, int64_t *number);

/*
 * All workers are to hold the same bits in x[count]. Does nothing unless the worker is paranoid.
 * All workers call it, in the same order.
 */
enum status invariant_alike(struct worker *w, const float *x, int64_t count);

/* Adding `terms` terms to each coordinate that are together as large as x, `factor` times. */
struct invariant_rounding {
    const float *x;
    int64_t count;
    int terms;
    double factor;
};

/* More slack, for the rounding errors of that. Does nothing unless the worker is paranoid. */
void invariant_allow(const struct worker *w, struct invariant_slack *slack,
                     const struct invariant_rounding *r);

#endif
