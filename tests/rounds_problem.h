/*
 * rounds_problem.h - a problem around another one that also has a buffer, and may run out of data.
 */
#ifndef TESTS_ROUNDS_PROBLEM_H
#define TESTS_ROUNDS_PROBLEM_H

#include "base/mem.h"
#include "problem/problem.h"

/*
 * The state is the quadratic's parameters and one buffer, which each gradient raises by the
 * worker's number + 1. From batch `until` on a worker's batches are empty.
 */
struct rounds_problem {
    struct problem base; /* first */
    struct problem *inner;
    int worker;
    int64_t next, until;
};

static inline void rounds_problem_draw(struct problem *p)
{
    struct rounds_problem *own = (struct rounds_problem *)p;

    problem_draw(own->inner);
    p->batch_size = own->next++ < own->until ? 1 : 0;
    p->batch_total = own->inner->batch_total;
}

static inline enum status rounds_problem_gradient(struct problem *p, float *state, float *gradient,
                                                  struct batch_result *result)
{
    struct rounds_problem *own = (struct rounds_problem *)p;

    own->inner->global_batch = p->global_batch;
    TRY(problem_gradient(own->inner, state, gradient, result));
    state[p->param_count] += (float)(own->worker + 1);
    return STATUS_OK;
}

static inline void rounds_problem_free(struct problem *p)
{
    problem_free(((struct rounds_problem *)p)->inner);
    mem_free(p);
}

/* Takes the inner problem. */
static inline struct problem *rounds_problem_new(struct problem *inner, int worker, int64_t until)
{
    static const struct problem_ops ops = {
        .entry = {.name = "quadratic with a buffer"},
        .draw = rounds_problem_draw,
        .gradient = rounds_problem_gradient,
        .free = rounds_problem_free,
    };
    struct rounds_problem *p = MEM_NEW(struct rounds_problem);

    p->base = *inner;
    p->base.ops = &ops;
    p->base.state_count = inner->param_count + 1;
    p->inner = inner;
    p->worker = worker;
    p->until = until;
    return &p->base;
}

#endif
