/*
 * rounds.h - runs the rounds of an algorithm's workers on threads, without train/: no schedule, no
 * evaluation, no files. For algorithms without a server, with responders or without.
 */
#ifndef TESTS_ROUNDS_H
#define TESTS_ROUNDS_H

#include <pthread.h>

#include "algo/algo.h"
#include "algo/desk.h"
#include "algo/shared.h"
#include "base/mem.h"
#include "comm/world.h"
#include "conf/yaml.h"
#include "test.h"

struct rounds {
    const char *algorithm, *optimizer; /* sections: "{name: psgd, common_start: true}" */
    int workers;
    int64_t rounds;
    int64_t rounds_per_epoch; /* 0: 1 */
    int64_t param_count, state_count;
    struct problem *(*problem)(void *context, int worker);
    void *context;
    const struct model *model; /* NULL: none */
    const float *start;        /* [state_count]; NULL: zero */
    const float *starts;       /* [workers][state_count]: each its own; NULL: `start` */
    enum statistics statistics;
    const struct topology *topology; /* NULL: none */
    bool paranoid;
    int slots;                              /* workers that compute at once; 0: as many as cores */
    void (*before_round)(struct worker *w); /* of every worker; NULL: nothing. Breaks things */
    uint64_t seed;

    /* Filled in, to be released. */
    float **states;   /* [workers][state_count], after the last join */
    float *shared;    /* of an algorithm that shares, else NULL */
    int64_t bytes;    /* sent by all endpoints together */
    int64_t *numbers; /* [workers][number_count], after the last round */

    /* Private. */
    struct choice chosen, optim_chosen;
    struct model no_model;
    struct desk *desks;    /* [workers], with responders */
    pthread_mutex_t mutex; /* over bytes */
};

static inline int rounds_count(int (*count)(const void *, int, bool), const struct rounds *r)
{
    return count == NULL ? 0 : count(r->chosen.options, r->workers, false);
}

/* A worker's own memory; the rest is borrowed from r. */
static inline void rounds_worker_init(struct worker *w, struct rounds *r, struct transport *t)
{
    const struct algo_ops *ops = (const struct algo_ops *)(const void *)r->chosen.entry;
    const int vectors = rounds_count(ops->vector_count, r);

    *w = (struct worker){
        .algo = ops,
        .options = r->chosen.options,
        .transport = t,
        .problem = r->problem(r->context, t->rank),
        .optim = MEM_NEW(struct optim),
        .state = r->states[t->rank],
        .gradient = MEM_NEW_N(float, r->param_count),
        .vectors = MEM_NEW_N(float *, vectors),
        .numbers = MEM_NEW_N(int64_t, rounds_count(ops->number_count, r)),
        .shared = r->shared,
        .desk = r->desks == NULL ? NULL : &r->desks[t->rank],
        .model = r->model == NULL ? &r->no_model : r->model,
        .topology = r->topology,
        .paranoid = r->paranoid,
        .rounds = r->rounds,
        .seed = r->seed,
        .statistics = r->statistics,
    };
    for (int i = 0; i < vectors; i++)
        w->vectors[i] = MEM_NEW_N(float, r->state_count);
    optim_init(w->optim, &r->optim_chosen, r->param_count);
    w->rates = (struct optim_rates){.lr = w->optim->ops->lr(w->optim->options), .momentum = -1};
}

static inline void rounds_worker_release(struct worker *w, const struct rounds *r)
{
    for (int i = 0; i < rounds_count(w->algo->vector_count, r); i++)
        mem_free(w->vectors[i]);
    mem_free(w->vectors);
    mem_free(w->numbers);
    mem_free(w->gradient);
    optim_release(w->optim);
    mem_free(w->optim);
    problem_free(w->problem);
}

/* Tells the own responder: 'o' the desk is open, 'c' nobody asks any more. */
static inline enum status rounds_say(struct worker *w, char word)
{
    struct transport *t = w->transport;

    if (t->size == t->workers)
        return STATUS_OK;
    t->account.bytes_sent--;
    return transport_send(t, t->workers + t->rank, ALGO_ASK, &word, 1);
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
        .algo = (const struct algo_ops *)(const void *)r->chosen.entry,
        .transport = t,
        .desk = &r->desks[t->rank - r->workers],
        .model = r->model == NULL ? &r->no_model : r->model,
        .statistics = r->statistics,
    };
    struct envelope e = {0};
    enum status s = transport_recv(t, t->rank - r->workers, ALGO_ASK, &e, room, 1);

    *(char *)room = 0;
    while (s == STATUS_OK && !(e.bytes == 1 && *(char *)room == 'c')) {
        s = transport_recv(t, TRANSPORT_ANY, ALGO_ASK, &e, room,
                           (size_t)r->state_count * sizeof *room);
        if (s == STATUS_OK && e.bytes > 1)
            s = algo_answer(&w, e.from, room, e.bytes);
    }
    mem_free(room);
    return s;
}

static inline enum status rounds_train(struct worker *w, const struct rounds *r)
{
    const struct optim_rates rates = w->rates;

    TRY(algo_begin(w));
    TRY(rounds_say(w, 'o'));
    for (w->round = 0; w->round < r->rounds; w->round++) {
        w->is_last = w->round + 1 == r->rounds;
        w->epoch = (double)w->round / (double)(r->rounds_per_epoch > 0 ? r->rounds_per_epoch : 1);
        w->rates = rates;
        if (r->before_round != NULL)
            r->before_round(w);
        TRY(algo_round(w));
        TRY(algo_join(w));
    }
    return rounds_end_asking(w);
}

/* What is left of a worker for the test to look at. */
static inline void rounds_note(struct rounds *r, const struct worker *w, const struct transport *t)
{
    const int count =
        w == NULL || w->algo->number_count == NULL ? 0 : rounds_count(w->algo->number_count, r);

    pthread_mutex_lock(&r->mutex);
    r->bytes += t->account.bytes_sent;
    if (count > 0)
        memcpy(r->numbers + (int64_t)t->rank * count, w->numbers,
               (size_t)count * sizeof *r->numbers);
    pthread_mutex_unlock(&r->mutex);
}

static inline enum status rounds_body(void *context, struct transport *t)
{
    struct rounds *r = context;
    struct worker w;

    if (t->rank >= t->workers) {
        const enum status s = rounds_respond(r, t);
        rounds_note(r, NULL, t);
        return s;
    }
    rounds_worker_init(&w, r, t);
    transport_compute_begin(t);
    const enum status s = rounds_train(&w, r);
    transport_compute_end(t, 0);
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
    const struct algo_ops *ops = (const struct algo_ops *)(const void *)r->chosen.entry;
    const size_t bytes = (size_t)r->state_count * sizeof(float);

    r->no_model.param_count = r->param_count;
    r->no_model.state_count = r->state_count;
    r->states = MEM_NEW_N(float *, r->workers);
    for (int i = 0; i < r->workers; i++) {
        r->states[i] = MEM_NEW_N(float, r->state_count);
        if (r->start != NULL)
            memcpy(r->states[i], r->start, bytes);
        if (r->starts != NULL)
            memcpy(r->states[i], r->starts + i * r->state_count, bytes);
    }
    r->numbers = MEM_NEW_N(int64_t, (int64_t)r->workers * rounds_count(ops->number_count, r) + 1);
    r->bytes = 0;
    pthread_mutex_init(&r->mutex, NULL);
    r->desks = ops->answer == NULL ? NULL : MEM_NEW_N(struct desk, r->workers);
    for (int i = 0; r->desks != NULL && i < r->workers; i++)
        desk_init(&r->desks[i]);
    if (!ops->shares)
        return;
    r->shared = mem_alloc((int64_t)shared_bytes(r->state_count), 1);
    shared_init(r->shared, r->states[0], r->state_count);
}

/* Runs them all; a failure is a failed expectation, or `status` if that is not NULL. */
static inline bool rounds_run(struct rounds *r, enum status *status)
{
    struct world *world = NULL;
    struct world_request request = {
        .transport = "threads", .workers = r->workers, .slots = r->slots};

    r->chosen = r->optim_chosen = (struct choice){0};
    r->shared = NULL;
    r->states = NULL;
    r->desks = NULL;
    r->numbers = NULL;
    if (!EXPECT_OK(rounds_choose(&r->chosen, &algo_registry, r->algorithm)) ||
        !EXPECT_OK(rounds_choose(&r->optim_chosen, &optim_registry, r->optimizer)))
        return false;
    if (((const struct algo_ops *)(const void *)r->chosen.entry)->answer != NULL)
        request.server = WORLD_RESPONDERS;
    if (!EXPECT_OK(world_open(&request, &world)))
        return false;
    rounds_allocate(r);
    const enum status s = world_run(world, rounds_body, r);
    world_close(world);
    if (status != NULL)
        *status = s;
    return status != NULL || EXPECT_OK(s);
}

static inline void rounds_release(struct rounds *r)
{
    for (int i = 0; r->states != NULL && i < r->workers; i++)
        mem_free(r->states[i]);
    for (int i = 0; r->desks != NULL && i < r->workers; i++)
        desk_release(&r->desks[i]);
    mem_free(r->desks);
    mem_free(r->numbers);
    mem_free(r->states);
    mem_free(r->shared);
    choice_release(&r->chosen);
    choice_release(&r->optim_chosen);
    r->states = NULL;
    r->shared = NULL;
    r->desks = NULL;
    r->numbers = NULL;
}

static inline bool rounds_same_bits(const float *a, const float *b, int64_t count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/* --- the quadratic behind a problem that also has a buffer, and may run out of data --- */

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

static inline void rounds_problem_gradient(struct problem *p, float *state, float *gradient,
                                           struct batch_result *result)
{
    struct rounds_problem *own = (struct rounds_problem *)p;

    own->inner->global_batch = p->global_batch;
    problem_gradient(own->inner, state, gradient, result);
    state[p->param_count] += (float)(own->worker + 1);
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
        .name = "quadratic with a buffer",
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
