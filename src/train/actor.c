/*
 * actor.c - makes an actor's vectors, all with the same initial weights.
 */
#include "train/actor.h"

#include <math.h>

#include "base/mem.h"

static int count_of(int (*count)(const void *options, int workers, bool is_server),
                    const struct build *b, bool is_server)
{
    return count == NULL ? 0 : count(b->experiment->algorithm.options, b->workers, is_server);
}

static void make_memory(struct actor *a, bool is_server)
{
    const struct build *b = a->build;

    a->vector_count = count_of(b->algo->vector_count, b, is_server);
    a->number_count = count_of(b->algo->number_count, b, is_server);
    a->vectors = MEM_NEW_N(float *, a->vector_count);
    for (int i = 0; i < a->vector_count; i++)
        a->vectors[i] = MEM_NEW_N(float, b->model->state_count);
    a->numbers = MEM_NEW_N(int64_t, a->number_count);
    if (b->topology != NULL)
        a->sent = MEM_NEW_N(int64_t, b->algo->answer == NULL ? b->workers : 2 * b->workers);
    if (is_server)
        a->clients = MEM_NEW_N(struct client, b->workers);
}

struct actor *actor_new(const struct build *b, int rank)
{
    struct actor *a = MEM_NEW(struct actor);
    const struct experiment *e = b->experiment;
    const bool is_server = rank == b->workers;

    a->build = b;
    a->state = MEM_NEW_N(float, b->model->state_count);
    a->gradient = MEM_NEW_N(float, b->model->param_count);
    a->counters = MEM_NEW_N(int64_t, b->model->counter_count);
    model_initialize(b->model, a->state, (uint64_t)e->top.seed);
    optim_init(&a->optim, &e->optimizer, b->model->param_count);
    make_memory(a, is_server);
    if (!is_server)
        a->problem = build_problem(b, rank, a->counters);
    a->worker = (struct worker){
        .algo = b->algo,
        .options = e->algorithm.options,
        .problem = a->problem,
        .optim = &a->optim,
        .state = a->state,
        .gradient = a->gradient,
        .counters = a->counters,
        .vectors = a->vectors,
        .numbers = a->numbers,
        .clients = a->clients,
        .model = b->model,
        .delays = &b->delays,
        .topology = b->topology,
        .paranoid = e->train.paranoid,
        .seed = (uint64_t)e->top.seed,
        .statistics = (enum statistics)e->train.statistics,
        .clip_norm = e->train.clip_norm,
        .loss_decay = e->train.loss_decay,
        .moving_loss = (double)NAN,
    };
    return a;
}

void actor_free(struct actor *a)
{
    if (a == NULL)
        return;
    algo_end(&a->worker);
    problem_free(a->problem);
    optim_release(&a->optim);
    for (int i = 0; i < a->vector_count; i++)
        mem_free(a->vectors[i]);
    mem_free(a->vectors);
    mem_free(a->numbers);
    mem_free(a->clients);
    mem_free(a->sent);
    mem_free(a->state);
    mem_free(a->gradient);
    mem_free(a->counters);
    mem_free(a);
}
