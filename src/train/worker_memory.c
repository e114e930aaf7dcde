/*
 * worker_memory.c - allocates the vectors of a worker or server, all with the same initial weights.
 */
#include "train/worker_memory.h"

#include <math.h>

#include "base/mem.h"
#include "train/epochs.h"
#include "train/initial_weights.h"
#include "train/loop/coordinator.h"

static int count_of(int (*count)(const void *options, int workers, bool is_server),
                    const struct build *b, bool is_server)
{
    return count == NULL ? 0 : count(b->config->algorithm.options, b->workers, is_server);
}

static void make_memory(struct worker_memory *a, bool is_server)
{
    const struct build *b = a->build;

    a->vector_count = count_of(b->algo->vector_count, b, is_server);
    a->number_count = count_of(b->algo->number_count, b, is_server);
    a->vectors = MEM_NEW_N(float *, a->vector_count);
    for (int i = 0; i < a->vector_count; i++)
        a->vectors[i] = MEM_NEW_N(float, b->layout.state_count);
    a->numbers = MEM_NEW_N(int64_t, a->number_count);
    if (b->topology != NULL)
        a->sent = MEM_NEW_N(int64_t,
                            coordinator_of(b->algo)->has_responders ? 2 * b->workers : b->workers);
    if (is_server)
        a->clients = MEM_NEW_N(struct client, b->workers);
    if (is_server && epochs_end_own(b)) {
        a->client_rounds = MEM_NEW_N(int64_t, b->workers);
        for (int w = 0; w < b->workers; w++)
            a->client_rounds[w] = epochs_own_rounds(b, w);
    }
}

static void make_optimizers(struct worker_memory *a, bool is_server)
{
    const struct build *b = a->build;
    const struct choice *outer = algo_outer_optimizer(b->algo, b->config->algorithm.options);

    optim_init(&a->optim, &b->config->optimizer, &b->layout);
    if (outer != NULL && !is_server)
        optim_init(&a->outer, outer, &b->layout);
}

struct worker_memory *worker_memory_new(const struct build *b, int rank)
{
    struct worker_memory *a = MEM_NEW(struct worker_memory);
    const struct run_config *config = b->config;
    const bool is_server = rank == b->workers;

    a->build = b;
    a->rank = rank;
    a->state = MEM_NEW_N(float, b->layout.state_count);
    a->batches_tracked = MEM_NEW_N(int64_t, b->layout.tracked_count);
    initial_weights_copy(b, a->state, a->batches_tracked);
    make_optimizers(a, is_server);
    make_memory(a, is_server);
    if (!is_server)
        a->problem = problem_new(b->plan, rank, a->batches_tracked);
    a->worker = (struct worker){
        .algo = b->algo,
        .options = config->algorithm.options,
        .problem = a->problem,
        .optim = &a->optim,
        .outer = a->outer.ops == NULL ? NULL : &a->outer,
        .state = a->state,
        .scratch = {.pool = b->scratch},
        .teams = b->teams,
        .batches_tracked = a->batches_tracked,
        .vectors = a->vectors,
        .numbers = a->numbers,
        .clients = a->clients,
        .client_rounds = a->client_rounds,
        .layout = &b->layout,
        .delays = &b->delays,
        .topology = b->topology,
        .paranoid = config->train.paranoid,
        .seed = (uint64_t)config->top.seed,
        .statistics = (enum statistics)config->train.statistics,
        .clip_norm = config->train.clip_norm,
        .loss_decay = config->train.loss_decay,
        .moving_loss = (double)NAN,
    };
    return a;
}

void worker_memory_free(struct worker_memory *a)
{
    if (a == NULL)
        return;
    algo_end(&a->worker);
    problem_free(a->problem);
    optim_release(&a->optim);
    optim_release(&a->outer);
    for (int i = 0; i < a->vector_count; i++)
        mem_free(a->vectors[i]);
    mem_free(a->vectors);
    mem_free(a->numbers);
    mem_free(a->clients);
    mem_free(a->client_rounds);
    mem_free(a->sent);
    mem_free(a->state);
    mem_free(a->batches_tracked);
    mem_free(a);
}
