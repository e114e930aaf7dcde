/*
 * quadratic_case.h - runs of algorithms on quadratics whose optimum is another one at every node.
 */
#ifndef TESTS_QUADRATIC_CASE_H
#define TESTS_QUADRATIC_CASE_H

#include "problem/quadratic.h"
#include "rounds.h"

/* For `problem` of struct rounds; the context is the quadratic. */
static inline struct problem *quadratic_problem(void *context, int worker)
{
    return quadratic_new(context, worker);
}

/* Without noise: gradients are exact. */
static inline void quadratic_make(struct quadratic *q, int size, int nodes)
{
    quadratic_init(
        q, &(struct quadratic_options){.size = size, .workers = nodes, .seed = 3, .spread = 1});
}

/* 20 rounds, under --paranoid too: the invariants are checked in every round of every test. */
static inline struct rounds quadratic_rounds(struct quadratic *q, const struct topology *t,
                                             const char *algorithm, const char *optimizer)
{
    return (struct rounds){
        .algorithm = algorithm,
        .optimizer = optimizer,
        .workers = q->options.workers,
        .rounds = 20,
        .param_count = q->options.size,
        .state_count = q->options.size,
        .problem = quadratic_problem,
        .context = q,
        .topology = t,
        .paranoid = true,
        .seed = 1,
    };
}

/* The largest distance of any node's coordinate from the optimum. */
static inline double distance_to_optimum(const struct rounds *r, const struct quadratic *q)
{
    const double *optimum = quadratic_optimum(q);
    double largest = 0;

    for (int i = 0; i < r->workers; i++)
        for (int64_t j = 0; j < q->options.size; j++)
            largest = fmax(largest, fabs((double)r->states[i][j] - optimum[j]));
    return largest;
}

static inline bool has_same_states(const struct rounds *a, const struct rounds *b)
{
    bool is_same = true;

    for (int i = 0; i < a->workers; i++)
        is_same = is_same && rounds_same_bits(a->states[i], b->states[i], a->state_count);
    return is_same;
}

/* That a run which stops after some rounds and is resumed ends as one that does not. */
static inline void expect_resumed(struct rounds *whole, struct rounds *part, int64_t stop_at)
{
    part->stop_at = stop_at;
    if (rounds_run(whole, NULL) && rounds_run(part, NULL) && rounds_resume(part) &&
        !EXPECT(has_same_states(whole, part)))
        printf("# that was %s\n", whole->algorithm);
}

/* That a run ends with this status; if it fails, its message has this part. */
static inline void expect_end(struct rounds *r, enum status expected, const char *part)
{
    enum status s = STATUS_OK;

    if (rounds_run(r, &s))
        EXPECT_INT(s, expected);
    if (s != STATUS_OK)
        EXPECT_HAS(status_message(), part);
}

#endif
