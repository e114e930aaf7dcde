/*
 * rounds.h - runs the rounds of an algorithm, of whatever kind, without train/: no schedule, no
 * evaluation, no files. On threads; or, if asked for, under mpirun with a worker in each process.
 */
#ifndef TESTS_ROUNDS_H
#define TESTS_ROUNDS_H

#include <pthread.h>
#include <stdatomic.h>

#include "algo/algo.h"
#include "algo/parts/atomic_vector.h"
#include "algo/parts/shared_model.h"
#include "base/mem.h"
#include "base/team.h"
#include "comm/control_kinds.h"
#include "comm/world.h"
#include "conf/yaml.h"
#include "rounds_problem.h"
#include "test.h"

/* What a stopped run keeps of an endpoint, as a checkpoint does. The state is in `states`. */
struct rounds_kept {
    float **vectors;
    int64_t *numbers;
    struct optim *optim, *outer;
    struct client *clients;
    int64_t draws, steps;
};

struct rounds {
    const char *algorithm, *optimizer; /* sections: "{name: psgd, common_start: true}" */
    int workers;
    int64_t rounds;
    int64_t rounds_per_epoch; /* 0: 1 */
    int64_t param_count, state_count;
    int64_t grid_count; /* so many parameters from the start are a grid; 0: none */
    struct problem *(*problem)(void *context, int worker);
    void *context;
    const float *start;  /* [state_count]; NULL: zero */
    const float *starts; /* [workers][state_count]: each its own; NULL: `start` */
    enum statistics statistics;
    const struct topology *topology; /* NULL: none */
    bool paranoid;
    int slots;                               /* workers that compute at once; 0: as many as cores */
    void (*before_round)(struct worker *w);  /* of every worker; NULL: nothing. Breaks things */
    void (*before_run)(struct transport *t); /* of every endpoint; NULL: nothing */
    uint64_t seed;
    bool launched;   /* under mpirun: on mpi, `workers` is the number of processes */
    int64_t ahead;   /* how far a worker may be ahead of the slowest one; 0: any number of rounds */
    int64_t stop_at; /* the run stops after so many rounds, to be resumed; 0: it does not */

    /* Filled in, to be released. */
    float **states;   /* [workers + 1][state_count], after the last join; the last: a server's */
    float *shared;    /* of an algorithm with a shared vector, else NULL */
    int64_t bytes;    /* sent by all endpoints together */
    int64_t *numbers; /* [workers][number_count], after the last round */

    /* Private. */
    struct choice chosen, optim_chosen;
    struct tensor_layout layout; /* without tensors, but for a grid */
    struct tensor grid;
    struct shared_model *shared_models; /* [workers], with responders */
    pthread_mutex_t mutex;              /* over bytes */
    int64_t first;                      /* the round to begin with; above 0: the run is resumed */
    struct rounds_kept *kept;           /* [workers + 1] */
    struct scratch_pool *scratch;       /* of this process */
    float *world_states;   /* [workers + 1][state_count]: `states`, for all processes */
    float *world_shared;   /* `shared`, for all processes */
    _Atomic int64_t *done; /* [workers]: rounds, for all processes */
};

static inline const struct algo_ops *rounds_algo(const struct rounds *r)
{
    return (const struct algo_ops *)(const void *)r->chosen.entry;
}

static inline int rounds_count(int (*count)(const void *, int, bool), const struct rounds *r,
                               bool is_server)
{
    return count == NULL ? 0 : count(r->chosen.options, r->workers, is_server);
}

/* What a checkpoint would hold: new, or as the stopped run has left it. */
static inline void rounds_keep_init(struct rounds_kept *k, const struct rounds *r, bool is_server)
{
    const struct algo_ops *ops = rounds_algo(r);
    const struct choice *outer = algo_outer_optimizer(ops, r->chosen.options);
    const int vectors = rounds_count(ops->vector_count, r, is_server);

    if (k->optim != NULL)
        return;
    if (outer != NULL && !is_server) {
        k->outer = MEM_NEW(struct optim);
        optim_init(k->outer, outer, &r->layout);
    }
    k->optim = MEM_NEW(struct optim);
    optim_init(k->optim, &r->optim_chosen, &r->layout);
    k->vectors = MEM_NEW_N(float *, vectors);
    for (int i = 0; i < vectors; i++)
        k->vectors[i] = MEM_NEW_N(float, r->state_count);
    k->numbers = MEM_NEW_N(int64_t, rounds_count(ops->number_count, r, is_server));
    k->clients = is_server ? MEM_NEW_N(struct client, r->workers) : NULL;
}

static inline void rounds_keep_release(struct rounds_kept *k, const struct rounds *r,
                                       bool is_server)
{
    if (k->optim == NULL)
        return;
    for (int i = 0; i < rounds_count(rounds_algo(r)->vector_count, r, is_server); i++)
        mem_free(k->vectors[i]);
    mem_free(k->vectors);
    mem_free(k->numbers);
    mem_free(k->clients);
    optim_release(k->optim);
    mem_free(k->optim);
    if (k->outer != NULL)
        optim_release(k->outer);
    mem_free(k->outer);
}

/* A worker's own memory; the rest is borrowed from r. */
static inline void rounds_worker_init(struct worker *w, struct rounds *r, struct transport *t)
{
    const bool is_server = t->rank >= r->workers;
    struct rounds_kept *k = &r->kept[t->rank];

    rounds_keep_init(k, r, is_server);
    *w = (struct worker){
        .algo = rounds_algo(r),
        .options = r->chosen.options,
        .transport = t,
        .problem = is_server ? NULL : r->problem(r->context, t->rank),
        .optim = k->optim,
        .outer = k->outer,
        .state = r->world_states + t->rank * r->state_count,
        .scratch = {.pool = r->scratch},
        .vectors = k->vectors,
        .numbers = k->numbers,
        .clients = k->clients,
        .steps = k->steps,
        .shared_vector = r->world_shared,
        .shared_model = r->shared_models == NULL ? NULL : &r->shared_models[t->rank],
        .layout = &r->layout,
        .topology = r->topology,
        .paranoid = r->paranoid,
        .rounds = r->rounds,
        .is_resumed = r->first > 0,
        .seed = r->seed,
        .statistics = r->statistics,
    };
    if (k->draws > 0)
        problem_seek(w->problem, k->draws / w->problem->batches_per_epoch,
                     k->draws % w->problem->batches_per_epoch);
    w->rates = (struct optim_rates){.lr = w->optim->ops->lr(w->optim->options), .momentum = -1};
}

static inline void rounds_worker_release(struct worker *w, struct rounds *r)
{
    struct rounds_kept *k = &r->kept[w->transport->rank];

    k->draws += w->problem == NULL ? 0 : w->problem->draws;
    k->steps = w->steps;
    problem_free(w->problem);
}

/* Tells the own responder: 'o' the shared model is open, 'c' nobody asks any more. */
static inline enum status rounds_say(struct worker *w, char word)
{
    struct transport *t = w->transport;

    if (t->size == t->workers)
        return STATUS_OK;
    return transport_send(t, t->workers + t->rank, CONTROL_COMMAND, &word, 1);
}

static inline enum status rounds_end_asking(struct worker *w)
{
    if (w->algo->answer == NULL)
        return STATUS_OK;
    TRY(transport_barrier(w->transport));
    TRY(rounds_say(w, 'c'));
    return algo_dismiss(w);
}

/* A responder's thread, until its worker says 'c'. */
static inline enum status rounds_respond(struct rounds *r, struct transport *t)
{
    float *room = MEM_NEW_N(float, r->state_count);
    struct worker w = {
        .algo = rounds_algo(r),
        .transport = t,
        .shared_model = &r->shared_models[t->rank - r->workers],
        .layout = &r->layout,
        .statistics = r->statistics,
    };
    struct envelope e = {0};
    const transport_kinds both = transport_kinds_of(ALGO_ASK) | transport_kinds_of(CONTROL_COMMAND);
    const struct incoming place = {room, (size_t)r->state_count * sizeof *room};
    enum status s = transport_recv(t, t->rank - r->workers, CONTROL_COMMAND, &e, room, 1);

    *(char *)room = 0;
    while (s == STATUS_OK && !(e.kind == CONTROL_COMMAND && *(char *)room == 'c')) {
        s = transport_recv_kinds(t, TRANSPORT_ANY, both, &e, &place);
        if (s == STATUS_OK && e.kind == ALGO_ASK)
            s = algo_answer(&w, e.from, room, e.bytes);
    }
    mem_free(room);
    return s;
}

static inline int64_t rounds_end(const struct rounds *r)
{
    return r->stop_at > 0 ? r->stop_at : r->rounds;
}

/* Waits until nobody is more than `ahead` rounds behind, so that no machine lets one run alone. */
static inline enum status rounds_keep_pace(const struct worker *w, const struct rounds *r)
{
    atomic_store(&r->done[worker_rank(w)], w->round);
    for (int i = 0; r->ahead > 0 && i < r->workers; i++)
        while (atomic_load(&r->done[i]) + r->ahead < w->round)
            TRY(transport_sleep(w->transport, 2e-5));
    return STATUS_OK;
}

static inline enum status rounds_train(struct worker *w, const struct rounds *r)
{
    const struct optim_rates rates = w->rates;

    TRY(rounds_say(w, 'o'));
    for (w->round = r->first; w->round < rounds_end(r); w->round++) {
        w->is_last = w->round + 1 == r->rounds;
        w->epoch = (double)w->round / (double)(r->rounds_per_epoch > 0 ? r->rounds_per_epoch : 1);
        w->rates = rates;
        w->clock = (struct schedule_clock){.step = w->round,
                                           .steps_total = r->rounds,
                                           .epoch = (int64_t)w->epoch,
                                           .epochs_total = r->rounds};
        if (r->before_round != NULL)
            r->before_round(w);
        TRY(rounds_keep_pace(w, r));
        TRY(algo_round(w));
        TRY(algo_join(w));
    }
    atomic_store(&r->done[worker_rank(w)], INT64_MAX / 2);
    return rounds_end_asking(w);
}

static inline enum status rounds_serve(struct worker *w, const struct rounds *r)
{
    for (w->round = r->first; w->round < rounds_end(r); w->round++) {
        w->is_last = w->round + 1 == r->rounds;
        TRY(algo_serve(w));
    }
    return algo_dismiss(w);
}

static inline enum status rounds_be_served(struct worker *w)
{
    while (!w->is_stopped)
        TRY(algo_round(w));
    return STATUS_OK;
}

static inline enum status rounds_act(struct worker *w, const struct rounds *r)
{
    TRY(algo_begin(w));
    if (w->algo->kind != ALGO_SERVER_BASED)
        return rounds_train(w, r);
    return worker_is_server(w) ? rounds_serve(w, r) : rounds_be_served(w);
}

/* What is left of a worker for the test to look at. */
static inline void rounds_note(struct rounds *r, const struct worker *w, const struct transport *t)
{
    const int count =
        w == NULL || worker_is_server(w) ? 0 : rounds_count(w->algo->number_count, r, false);

    pthread_mutex_lock(&r->mutex);
    r->bytes += t->counters.bytes_sent;
    if (count > 0)
        memcpy(r->numbers + (int64_t)t->rank * count, w->numbers,
               (size_t)count * sizeof *r->numbers);
    pthread_mutex_unlock(&r->mutex);
}

static inline enum status rounds_body(void *context, struct transport *t)
{
    struct rounds *r = context;
    struct worker w;

    if (r->before_run != NULL)
        r->before_run(t);
    if (t->rank >= t->workers && rounds_algo(r)->answer != NULL) {
        const enum status s = rounds_respond(r, t);
        rounds_note(r, NULL, t);
        return s;
    }
    rounds_worker_init(&w, r, t);
    if (t->rank < t->workers)
        transport_compute_begin(t);
    const enum status s = rounds_act(&w, r);
    if (t->rank < t->workers)
        transport_compute_end(t);
    algo_end(&w);
    rounds_note(r, &w, t);
    rounds_worker_release(&w, r);
    return s;
}

static inline enum status rounds_choose(struct choice *c, const struct registry *registry,
                                        const char *section)
{
    struct node *node = NULL;

    TRY(yaml_parse(section, strlen(section), "test", &node));
    const enum status s = choice_read(c, registry, node, &(struct choice_place){0});
    node_free(node);
    return s;
}

static inline void rounds_allocate(struct rounds *r)
{
    const struct algo_ops *ops = rounds_algo(r);
    const size_t bytes = (size_t)r->state_count * sizeof(float);

    r->layout =
        (struct tensor_layout){.param_count = r->param_count, .state_count = r->state_count};
    r->grid = (struct tensor){.count = r->grid_count, .is_grid = true};
    if (r->grid_count > 0) {
        r->layout.tensors = &r->grid;
        r->layout.tensor_count = 1;
    }
    r->kept = MEM_NEW_N(struct rounds_kept, r->workers + 1);
    r->states = MEM_NEW_N(float *, r->workers + 1);
    for (int i = 0; i <= r->workers; i++) {
        r->states[i] = MEM_NEW_N(float, r->state_count);
        if (r->start != NULL)
            memcpy(r->states[i], r->start, bytes);
        if (r->starts != NULL && i < r->workers)
            memcpy(r->states[i], r->starts + i * r->state_count, bytes);
    }
    r->scratch = scratch_pool_new(&(struct scratch_pool_setup){
        .count = r->state_count,
        .workers = r->launched ? 1 : r->workers,
        .cores = r->slots > 0 ? r->slots : team_cores(),
        .poisons = true,
    });
    r->numbers =
        MEM_NEW_N(int64_t, (int64_t)r->workers * rounds_count(ops->number_count, r, false) + 1);
    r->bytes = 0;
    pthread_mutex_init(&r->mutex, NULL);
    r->shared_models = ops->answer == NULL ? NULL : MEM_NEW_N(struct shared_model, r->workers);
    for (int i = 0; r->shared_models != NULL && i < r->workers; i++)
        shared_model_init(&r->shared_models[i]);
    if (ops->kind != ALGO_SHARED_MEMORY)
        return;
    r->shared = mem_alloc((int64_t)atomic_vector_bytes(r->state_count), 1);
    atomic_vector_init(r->shared, r->states[0], r->state_count);
}

/* Memory that the workers of all processes see. It ends with the world. */
static inline enum status rounds_share(struct rounds *r, struct world *world)
{
    const size_t state = (size_t)r->state_count * sizeof(float);
    void *states = NULL, *shared = NULL, *done = NULL;

    TRY(world_share(world, (size_t)(r->workers + 1) * state, &states));
    TRY(world_share(world, (size_t)r->workers * sizeof *r->done, &done));
    r->world_states = states;
    r->done = done;
    for (int i = 0; i <= r->workers; i++)
        memcpy(r->world_states + i * r->state_count, r->states[i], state);
    if (r->shared == NULL)
        return STATUS_OK;
    TRY(world_share(world, atomic_vector_bytes(r->state_count), &shared));
    r->world_shared = shared;
    memcpy(r->world_shared, r->shared, atomic_vector_bytes(r->state_count));
    return STATUS_OK;
}

static inline void rounds_take_results(struct rounds *r)
{
    for (int i = 0; i <= r->workers; i++)
        memcpy(r->states[i], r->world_states + i * r->state_count,
               (size_t)r->state_count * sizeof(float));
    if (r->shared != NULL)
        atomic_vector_load(r->shared, r->world_shared, r->state_count);
}

static inline enum status rounds_run_world(struct rounds *r)
{
    const struct algo_ops *ops = rounds_algo(r);
    struct world *world = NULL;
    struct world_request request = {
        .transport = r->launched ? "mpi" : "threads", .workers = r->workers, .slots = r->slots};
    int64_t ready = 0;

    if (ops->answer != NULL)
        request.server = WORLD_RESPONDERS;
    if (ops->kind == ALGO_SERVER_BASED)
        request.server = WORLD_SERVER_THREAD;
    enum status s = world_open(&request, &world);
    if (s == STATUS_OK)
        s = rounds_share(r, world);
    if (s == STATUS_OK) /* all have written before anybody begins */
        s = world_agree(world, 0, &ready);
    if (s == STATUS_OK)
        s = world_run(world, rounds_body, r);
    if (s == STATUS_OK)
        rounds_take_results(r);
    world_close(world);
    return s;
}

/* Runs them all; a failure is a failed expectation, or `status` if that is not NULL. */
static inline bool rounds_run(struct rounds *r, enum status *status)
{
    r->chosen = r->optim_chosen = (struct choice){0};
    r->shared = r->world_shared = NULL;
    r->states = NULL;
    r->shared_models = NULL;
    r->numbers = NULL;
    r->scratch = NULL;
    r->kept = NULL;
    r->first = 0;
    if (!EXPECT_OK(rounds_choose(&r->chosen, &algo_registry, r->algorithm)) ||
        !EXPECT_OK(rounds_choose(&r->optim_chosen, &optim_registry, r->optimizer)))
        return false;
    rounds_allocate(r);
    const enum status s = rounds_run_world(r);
    if (status != NULL)
        *status = s;
    return status != NULL || EXPECT_OK(s);
}

/* The rest of a run that has stopped at stop_at, in another world. */
static inline bool rounds_resume(struct rounds *r)
{
    for (int i = 0; r->shared_models != NULL && i < r->workers; i++) {
        shared_model_release(&r->shared_models[i]);
        shared_model_init(&r->shared_models[i]);
    }
    r->first = r->stop_at;
    r->stop_at = 0;
    return EXPECT_OK(rounds_run_world(r));
}

static inline void rounds_release(struct rounds *r)
{
    for (int i = 0; r->kept != NULL && i <= r->workers; i++)
        rounds_keep_release(&r->kept[i], r, i == r->workers);
    for (int i = 0; r->states != NULL && i <= r->workers; i++)
        mem_free(r->states[i]);
    for (int i = 0; r->shared_models != NULL && i < r->workers; i++)
        shared_model_release(&r->shared_models[i]);
    mem_free(r->shared_models);
    mem_free(r->numbers);
    scratch_pool_free(r->scratch);
    mem_free(r->kept);
    mem_free(r->states);
    mem_free(r->shared);
    choice_release(&r->chosen);
    choice_release(&r->optim_chosen);
    r->states = NULL;
    r->shared = NULL;
    r->shared_models = NULL;
    r->numbers = NULL;
    r->scratch = NULL;
    r->kept = NULL;
}

static inline bool rounds_same_bits(const float *a, const float *b, int64_t count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

#endif
