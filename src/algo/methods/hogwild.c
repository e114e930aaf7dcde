/*
 * hogwild.c - HogWild: all workers step on one shared vector, and nobody waits for anybody.
 *
 *     x  <-  a copy of the shared s, not locked: others write meanwhile
 *     s  <-  s + (x' - x),  x' what the optimiser makes of x with grad f(x; batch k)
 *
 * Here: the order of things and what is shared. Not here: the reading and writing
 * (parts/atomic_vector.c). Gradients and the optimiser's memory are each worker's own; kernels work
 * on the copy. BatchNorm's running statistics are shared too, but not by differences, which could
 * make a variance negative when a worker is slow: each moves what is there by its own batch's. With
 * `statistics: local` the shared model has worker 0's and the others keep their own.
 *
 * Niu, Recht, Re, Wright: "Hogwild!: A Lock-Free Approach to Parallelizing Stochastic Gradient
 * Descent", 2011.
 */
#include <string.h>

#include "algo/list.h"
#include "algo/parts/atomic_vector.h"
#include "base/check.h"

struct hogwild_options {
    int update; /* enum atomic_vector_update */
};

static const char *const updates[] = {"racy", "atomic", "locked", NULL};

static const struct field hogwild_fields[] = {
    FIELD_CHOICE(struct hogwild_options, update, "racy", updates,
                 "racy may lose others' steps; atomic loses none; locked also reads whole models"),
    FIELD_LAST,
};

enum { READ_VALUES, HOGWILD_VECTORS };

static int hogwild_vector_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return HOGWILD_VECTORS;
}

/* How many floats, from the first on, this worker has in common with the others. */
static int64_t common_count(const struct worker *w)
{
    const struct problem *p = w->problem;

    return w->statistics == STATISTICS_LOCAL && worker_rank(w) > 0 ? p->param_count
                                                                   : p->state_count;
}

/* Whether the statistics are a network's, and this worker moves the shared ones. */
static bool moves_statistics(const struct worker *w)
{
    return tensor_layout_has_statistics(w->layout) && common_count(w) > w->problem->param_count;
}

static enum status hogwild_begin(struct worker *w)
{
    w->problem->raw_statistics = moves_statistics(w);
    return STATUS_OK;
}

static void read_shared(struct worker *w, bool is_locked)
{
    const int64_t state_count = w->problem->state_count;
    const int64_t count = common_count(w);

    if (is_locked)
        atomic_vector_lock(w->shared_vector, state_count);
    atomic_vector_load(w->vectors[READ_VALUES], w->shared_vector, count);
    if (is_locked)
        atomic_vector_unlock(w->shared_vector, state_count);
    memcpy(w->state, w->vectors[READ_VALUES], (size_t)count * sizeof *w->state);
}

/* The state holds the batch's own; those that were read, when it has none. Then what is shared. */
static void move_shared_statistics(struct worker *w)
{
    const int64_t params = w->problem->param_count, count = w->problem->state_count;
    const int64_t from = params - params % 2; /* shared vectors are read by pairs */
    float *now = w->vectors[READ_VALUES];
    const size_t bytes = (size_t)(count - params) * sizeof *now;

    if (memcmp(w->state + params, now + params, bytes) == 0)
        return;
    atomic_vector_load(now + from, w->shared_vector + from, count - from);
    tensor_layout_move_statistics(w->layout, now + params, w->state + params);
    memcpy(w->state + params, now + params, bytes);
    atomic_vector_store(w->shared_vector, now, params, count);
}

static void write_shared(struct worker *w, enum atomic_vector_update how)
{
    const int64_t state_count = w->problem->state_count;
    const struct atomic_vector_step step = {
        .x = w->vectors[READ_VALUES],
        .next = w->state,
        .count = moves_statistics(w) ? w->problem->param_count : common_count(w),
    };

    if (how == ATOMIC_VECTOR_LOCKED)
        atomic_vector_lock(w->shared_vector, state_count);
    atomic_vector_add(w->shared_vector, &step, how);
    if (moves_statistics(w))
        move_shared_statistics(w);
    if (how == ATOMIC_VECTOR_LOCKED)
        atomic_vector_unlock(w->shared_vector, state_count);
}

static enum status hogwild_round(struct worker *w)
{
    const struct hogwild_options *o = w->options;
    const enum atomic_vector_update how = (enum atomic_vector_update)o->update;

    CHECK(w->shared_vector != NULL);
    read_shared(w, how == ATOMIC_VECTOR_LOCKED);
    TRY(worker_local_step(w));
    if (w->result.gradients == 0)
        return STATUS_OK;
    write_shared(w, how);
    return worker_report_vectors(w, &(struct vector_work){w->problem->param_count, 2, 4});
}

const struct algo_ops hogwild_algo = {
    .entry = {.name = "hogwild",
              .summary = "all workers update one shared model without waiting for each other",
              .fields = hogwild_fields,
              .options_size = sizeof(struct hogwild_options)},
    .kind = ALGO_SHARED_MEMORY,
    .run_model = ALGO_RUN_MODEL_SAME,
    .limit = ALGO_LIMIT_BIASED,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "0",
    .vector_count = hogwild_vector_count,
    .begin = hogwild_begin,
    .round = hogwild_round,
};
