/*
 * rounds.h - runs the rounds of an algorithm's workers on threads, without train/: no schedule, no
 * evaluation, no files. For algorithms without a server.
 */
#ifndef TESTS_ROUNDS_H
#define TESTS_ROUNDS_H

#include "algo/algo.h"
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
    enum statistics statistics;
    const struct topology *topology; /* NULL: none */
    bool paranoid;
    int slots; /* workers that compute at once; 0: as many as cores */
    uint64_t seed;

    /* Filled in, to be released. */
    float **states; /* [workers][state_count], after the last join */
    float *shared;  /* of an algorithm that shares, else NULL */

    /* Private. */
    struct choice chosen, optim_chosen;
    struct model no_model;
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

static inline enum status rounds_train(struct worker *w, const struct rounds *r)
{
    const struct optim_rates rates = w->rates;

    TRY(algo_begin(w));
    for (w->round = 0; w->round < r->rounds; w->round++) {
        w->is_last = w->round + 1 == r->rounds;
        w->epoch = (double)w->round / (double)(r->rounds_per_epoch > 0 ? r->rounds_per_epoch : 1);
        w->rates = rates;
        TRY(algo_round(w));
        TRY(algo_join(w));
    }
    return STATUS_OK;
}

static inline enum status rounds_body(void *context, struct transport *t)
{
    struct rounds *r = context;
    struct worker w;

    rounds_worker_init(&w, r, t);
    transport_compute_begin(t);
    const enum status s = rounds_train(&w, r);
    transport_compute_end(t, 0);
    algo_end(&w);
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
    }
    if (!ops->shares)
        return;
    r->shared = mem_alloc((int64_t)shared_bytes(r->state_count), 1);
    shared_init(r->shared, r->states[0], r->state_count);
}

/* Runs them all; a failure is a failed expectation, or `status` if that is not NULL. */
static inline bool rounds_run(struct rounds *r, enum status *status)
{
    struct world *world = NULL;
    const struct world_request request = {
        .transport = "threads", .workers = r->workers, .slots = r->slots};

    r->chosen = r->optim_chosen = (struct choice){0};
    r->shared = NULL;
    r->states = NULL;
    if (!EXPECT_OK(rounds_choose(&r->chosen, &algo_registry, r->algorithm)) ||
        !EXPECT_OK(rounds_choose(&r->optim_chosen, &optim_registry, r->optimizer)) ||
        !EXPECT_OK(world_open(&request, &world)))
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
    mem_free(r->states);
    mem_free(r->shared);
    choice_release(&r->chosen);
    choice_release(&r->optim_chosen);
    r->states = NULL;
    r->shared = NULL;
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
