/*
 * memory_estimate.c - counts the vectors, messages, contexts and samples of a run.
 *
 * Scratch belongs to cores (algo/scratch.h), all else to workers. The numbers of bytes at the top
 * are measured: what a thread has besides its vectors, and what the program has without any.
 */
#include "train/memory_estimate.h"

#include "base/team.h"
#include "graph/topology.h"
#include "optim/schedule.h"
#include "train/build_steps.h"
#include "train/loop/loop.h"

static const double program_bytes = 6e6;
static const double thread_bytes = 32e3; /* pages of its stack, its mailbox, its problem */
static const double pair_bytes = 600;    /* what a mailbox has for a sender, and a message */

static int own_workers(const struct build_size *size)
{
    return size->own_workers > 0 ? size->own_workers : size->host_workers;
}

/* --- vectors of a worker --- */

/* The most of them that are ever made: without momentum, sgd makes none. */
static double made_vectors(const struct choice *chosen, const struct choice *schedule)
{
    const struct optim_ops *optim = (const struct optim_ops *)chosen->entry;
    const struct schedule_clock clock = {.steps_total = 1, .epochs_total = 1};
    const int count = optim->vector_count(chosen->options);

    if (optim->momentum == NULL || count != 1)
        return count;
    const struct optim_rates rates = schedule_rates(
        schedule, &clock,
        (struct optim_rates){optim->lr(chosen->options), optim->momentum(chosen->options)});
    return rates.momentum > 0 ? count : 0;
}

/* Made vectors, and work space. */
static double vectors_of(const struct choice *chosen, const struct choice *schedule)
{
    const struct optim_ops *optim = (const struct optim_ops *)chosen->entry;
    const int scratch = optim->scratch_count == NULL ? 0 : optim->scratch_count(chosen->options);

    return made_vectors(chosen, schedule) + scratch;
}

/* A server makes the steps, so that only it has an optimiser's vectors. */
static double optimizer_vectors(const struct build *b, bool is_server)
{
    if (coordinator_of(b->algo)->has_server && !is_server)
        return 0;
    return vectors_of(&b->config->optimizer, &b->config->schedule);
}

/* Of the algorithm's second optimiser. Its schedule is the algorithm's own, and is taken to keep
 * the momentum. */
static double outer_vectors(const struct build *b)
{
    const struct choice *outer = algo_outer_optimizer(b->algo, b->config->algorithm.options);
    struct choice constant = {0};

    if (outer == NULL)
        return 0;
    choice_init(&constant, registry_find(&schedule_registry, "constant"));
    const double count = vectors_of(outer, &constant);
    choice_release(&constant);
    return count;
}

static double algorithm_vectors(const struct build *b, bool is_server)
{
    return b->algo->vector_count == NULL
               ? 0
               : b->algo->vector_count(b->config->algorithm.options, b->workers, is_server);
}

/* What a worker sends to several neighbours is there once for all that are in its process. */
static double message_vectors(const struct build *b, const struct build_size *size)
{
    const bool copies_each = own_workers(size) == 1 && build_is_synchronous(b);

    if (b->workers == 1)
        return 0;
    return b->algo->message_count *
           (copies_each && b->topology_facts.nodes > 0 ? b->topology_facts.degree_max : 1);
}

/* A gradient is held while a worker sleeps for a delay, or waits for neighbours that get running
 * statistics only after it. */
static bool holds_gradient(const struct build *b)
{
    const bool has_delays =
        b->config->delays.delay != NULL || b->config->delays.slow_worker != NULL;
    const bool mixes_statistics = b->topology_facts.nodes > 0 &&
                                  b->config->train.statistics == STATISTICS_AVERAGE &&
                                  b->layout.state_count > b->layout.param_count;

    return has_delays || mixes_statistics;
}

/* Whether all workers send to all others at evaluations. */
static bool measures_pairs(const struct build *b)
{
    return b->workers > 1 && coordinator_of(b->algo)->evaluate_workers != NULL &&
           algo_has_node_models(b->algo) && consensus_measures_pairs(b);
}

/* What a worker needs while the run model and the distances are measured. */
static double evaluation_vectors(const struct build *b)
{
    const double count = (double)b->layout.param_count;

    if (b->workers == 1 || coordinator_of(b->algo)->evaluate_workers == NULL ||
        !algo_models_differ(b->algo))
        return 0;
    if (measures_pairs(b))
        return 3; /* its distance from the mean, a slice of all others, and messages */
    const double slice = (double)run_model_slice(b->layout.param_count);
    return (slice < count ? slice : count) / count;
}

static double worker_vectors(const struct build *b, const struct build_size *size)
{
    return 1 + optimizer_vectors(b, false) + outer_vectors(b) + algorithm_vectors(b, false) +
           b->algo->work_count + message_vectors(b, size) + holds_gradient(b) +
           evaluation_vectors(b);
}

/* --- of the host --- */

static double scratch_vectors(const struct build *b, const struct build_size *size)
{
    const int own = own_workers(size), cores = team_cores();
    const double at_once = b->algo->scratch_count > 0 ? b->algo->scratch_count : 1;
    const int holders = own <= SCRATCH_PER_CORE * cores ? own : cores;

    return at_once * holders * size->host_workers / own;
}

/* State, gradient and sum of a server; the run model of a leader, and its snapshot. */
static double leader_vectors(const struct build *b)
{
    const double snapshot = b->config->train.saves_per_epoch > 0 ? 1 : 0;

    if (coordinator_of(b->algo)->has_server)
        return 3 + optimizer_vectors(b, true) + algorithm_vectors(b, true) + snapshot;
    return (b->workers > 1) + snapshot;
}

double memory_estimate_vectors(const struct build *b, const struct build_size *size)
{
    return worker_vectors(b, size) * size->host_workers + scratch_vectors(b, size) +
           leader_vectors(b) + (b->config->train.init != NULL);
}

/* What every worker has about all others: the bytes sent to each. */
static double table_bytes(const struct build *b, const struct build_size *size)
{
    const double row =
        (b->topology_facts.nodes > 0 ? sizeof(int64_t) : 0) + (measures_pairs(b) ? pair_bytes : 0);

    return (double)size->host_workers * b->workers * row;
}

static double context_bytes(const struct build *b, const struct build_size *size,
                            struct problem_batch batch)
{
    const int cores = team_cores();
    const double contexts = size->host_workers < cores ? size->host_workers : cores;

    return contexts * problem_memory(b->plan, batch, b->threads) +
           problem_memory(b->plan, batch, build_step_wide_threads(b));
}

struct memory_estimate memory_estimate(const struct build *b, const struct build_size *size)
{
    return memory_estimate_with(b, size,
                                (struct problem_batch){b->plan->batch, b->plan->micro_batch});
}

struct memory_estimate memory_estimate_with(const struct build *b, const struct build_size *size,
                                            struct problem_batch batch)
{
    return (struct memory_estimate){
        .states = memory_estimate_vectors(b, size) * (double)b->layout.state_count * sizeof(float),
        .work = context_bytes(b, size, batch),
        .data = b->plan->data_bytes + problem_memory_ahead(b->plan, batch),
        .rest = program_bytes + thread_bytes * size->host_workers + table_bytes(b, size),
    };
}

double memory_estimate_total(const struct memory_estimate *m)
{
    return m->states + m->work + m->data + m->rest;
}
