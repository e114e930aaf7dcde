/*
 * ps_case.h - a parameter server with its workers on threads, for tests: a small problem whose
 * gradients can be computed by hand, and a run of a few rounds.
 *
 * Sample s of batch k of worker p pulls parameter j to a target t(p, k, s, j):
 *
 *     f = 1/2 sum_j a_j (x_j - t_j)^2
 *
 * The last parameter is never pulled: its gradient is -0, and its value starts as -0, so that a sum
 * that starts from 0 is found out.
 */
#ifndef TESTS_UNIT_PS_CASE_H
#define TESTS_UNIT_PS_CASE_H

#include "algo/algo.h"
#include "base/mem.h"
#include "base/rng.h"
#include "comm/world.h"
#include "conf/yaml.h"
#include "test.h"

enum { PULL_SIZE = 37, PS_WORKERS_MAX = 8, PS_NUMBERS_MAX = 32 };

struct ps_run;

/* What one endpoint of a run has. */
struct ps_endpoint {
    struct ps_run *run;
    struct worker worker;
    struct optim optim;
    int vector_count;
};

struct ps_run {
    const char *algorithm, *optimizer; /* YAML: "{name: sgd, lr: 0.1}" */
    int workers, slots;                /* slots 0: one for each worker */
    int64_t rounds;
    double clip_norm;
    const char *slow_worker;      /* as --slow-worker */
    const int64_t *client_rounds; /* [workers]: after which each leaves; NULL: all stay */
    int64_t sizes[4];             /* of batches k, k + 1, ... of worker p: sizes[(p + k) % 4] */
    const struct tensor_layout *layout; /* NULL: pull */
    struct problem *(*problem)(struct ps_run *r, int rank);
    void (*before)(struct ps_endpoint *a); /* each round of a worker, if not NULL */
    void (*after)(struct ps_endpoint *a);  /* each update of the server, if not NULL */
    void *context;                         /* for the three */

    /* In: where to start, if is_resumed. Out: where it has come. */
    bool is_resumed;
    float *state; /* [state_count] */
    int64_t numbers[PS_NUMBERS_MAX];
    struct client clients[PS_WORKERS_MAX];
    double loss_sum; /* of all results */
    int64_t samples, gradients;
    double gradient_norm; /* of the last */

    /* Made by ps_run. */
    struct choice algo, optim;
    struct tensor_layout pull_layout;
    struct delays delays;
    struct scratch_pool *scratch;
    int scratch_made; /* vectors of it */
};

/* --- the problem --- */

struct pull {
    struct problem base; /* first */
    const struct ps_run *run;
    int rank;
    int64_t batch; /* the drawn one; -1 at first */
};

/* In [-1, 1], the same for the same arguments. */
static inline float pull_number(int64_t p, int64_t k, int64_t s, int64_t j)
{
    const uint64_t mixed = (uint64_t)(((p * 1009 + k) * 61 + s) * 131 + j) * 0x9E3779B97F4A7C15U;

    return (float)((int64_t)(mixed >> 40) - (1 << 23)) / (float)(1 << 23);
}

static inline float pull_curvature(int64_t j)
{
    return 0.5F + (float)(j % 5) / 4.0F;
}

static inline int64_t pull_batch_size(const struct ps_run *r, int p, int64_t k)
{
    return r->sizes[((int64_t)p + k) % 4];
}

static inline void pull_draw(struct problem *base)
{
    struct pull *p = (struct pull *)base;

    p->batch++;
    base->batch_size = pull_batch_size(p->run, p->rank, p->batch);
    base->batch_total = 0;
    for (int q = 0; q < p->run->workers; q++)
        base->batch_total += pull_batch_size(p->run, q, p->batch);
}

static inline enum status pull_gradient(struct problem *base, float *state, float *gradient,
                                        struct batch_result *result)
{
    const struct pull *p = (const struct pull *)base;
    const int64_t divisor = base->global_batch > 0 ? base->global_batch : base->batch_size;

    *result = (struct batch_result){.samples = base->batch_size, .correct = 1};
    for (int64_t j = 0; j < PULL_SIZE - 1; j++) {
        float sum = 0;

        for (int64_t s = 0; s < base->batch_size; s++) {
            const float off = state[j] - pull_number(p->rank, p->batch, s, j);

            sum += pull_curvature(j) * off;
            result->loss_sum += 0.5 * (double)(pull_curvature(j) * off * off);
        }
        gradient[j] = sum / (float)divisor;
    }
    gradient[PULL_SIZE - 1] = -0.0F;
    return STATUS_OK;
}

static inline enum status pull_evaluate(struct problem *p, const float *state,
                                        enum problem_part part, struct evaluation_blocks *blocks)
{
    (void)p;
    (void)state;
    (void)part;
    (void)blocks;
    return FAIL(STATUS_BAD_INPUT, "nobody evaluates here");
}

static inline void pull_seek(struct problem *base, int64_t epoch, int64_t batch)
{
    (void)epoch;
    ((struct pull *)base)->batch = batch - 1;
}

static inline void pull_free(struct problem *p)
{
    mem_free(p);
}

static const struct problem_ops pull_ops = {
    .entry = {.name = "pull"},
    .draw = pull_draw,
    .gradient = pull_gradient,
    .evaluate = pull_evaluate,
    .seek = pull_seek,
    .free = pull_free,
};

static inline struct problem *pull_new(struct ps_run *r, int rank)
{
    struct pull *p = MEM_NEW(struct pull);

    p->run = r;
    p->rank = rank;
    p->batch = -1;
    p->base = (struct problem){
        .ops = &pull_ops,
        .param_count = PULL_SIZE,
        .state_count = PULL_SIZE,
        .batches_per_epoch = 4,
    };
    return &p->base;
}

static inline void pull_start(float *state)
{
    for (int64_t j = 0; j < PULL_SIZE; j++)
        state[j] = 2.0F * pull_number(77, 0, 0, j);
    state[PULL_SIZE - 1] = -0.0F;
}

/* --- a run --- */

static inline void ps_choose(struct choice *c, const struct registry *registry, const char *yaml)
{
    static const struct choice_place place = {0};
    struct node *section = NULL;

    EXPECT_OK(yaml_parse(yaml, strlen(yaml), "case", &section));
    EXPECT_OK(choice_read(c, registry, section, &place));
    node_free(section);
}

static inline int ps_count(int (*count)(const void *, int, bool), const struct ps_run *r,
                           bool is_server)
{
    return count == NULL ? 0 : count(r->algo.options, r->workers, is_server);
}

static inline void ps_endpoint_init(struct ps_endpoint *a, struct ps_run *r, struct transport *t)
{
    const struct algo_ops *algo = (const struct algo_ops *)r->algo.entry;
    const bool is_server = t->rank == t->workers;
    struct worker *w = &a->worker;

    *a = (struct ps_endpoint){.run = r};
    optim_init(&a->optim, &r->optim, r->layout);
    a->vector_count = ps_count(algo->vector_count, r, is_server);
    *w = (struct worker){
        .algo = algo,
        .options = r->algo.options,
        .transport = t,
        .problem = is_server ? NULL : r->problem(r, t->rank),
        .optim = &a->optim,
        .state = MEM_NEW_N(float, r->layout->state_count),
        .scratch = {.pool = r->scratch},
        .vectors = MEM_NEW_N(float *, a->vector_count),
        .numbers = MEM_NEW_N(int64_t, PS_NUMBERS_MAX),
        .clients = is_server ? MEM_NEW_N(struct client, r->workers) : NULL,
        .client_rounds = is_server ? r->client_rounds : NULL,
        .layout = r->layout,
        .delays = r->slow_worker == NULL ? NULL : &r->delays,
        .seed = 1,
        .clip_norm = r->clip_norm,
        .rates = { .lr = a->optim.ops->lr(r->optim.options),    .momentum = -1},
    };
    for (int i = 0; i < a->vector_count; i++)
        w->vectors[i] = MEM_NEW_N(float, r->layout->state_count);
    if (is_server || algo->kind != ALGO_SERVER_BASED)
        memcpy(w->state, r->state, (size_t)r->layout->state_count * sizeof *w->state);
    if (is_server && r->is_resumed)
        memcpy(w->numbers, r->numbers, sizeof r->numbers);
}

static inline void ps_endpoint_release(struct ps_endpoint *a)
{
    struct worker *w = &a->worker;

    algo_end(w);
    problem_free(w->problem);
    optim_release(&a->optim);
    for (int i = 0; i < a->vector_count; i++)
        mem_free(w->vectors[i]);
    mem_free(w->vectors);
    mem_free(w->numbers);
    mem_free(w->clients);
    mem_free(w->state);
}

static inline void ps_take_result(struct ps_endpoint *a)
{
    struct ps_run *r = a->run;

    r->loss_sum += a->worker.result.batch.loss_sum;
    r->samples += a->worker.result.batch.samples;
    r->gradients += a->worker.result.gradients;
    r->gradient_norm = a->worker.result.gradient_norm;
}

static inline enum status ps_lead(struct ps_endpoint *a)
{
    struct worker *w = &a->worker;
    struct ps_run *r = a->run;

    for (int64_t k = 0; k < r->rounds; k++) {
        w->round = k;
        w->is_last = k + 1 == r->rounds;
        TRY(algo_serve(w));
        ps_take_result(a);
        if (r->after != NULL)
            r->after(a);
    }
    return algo_dismiss(w);
}

static inline enum status ps_follow(struct ps_endpoint *a)
{
    while (!a->worker.is_stopped) {
        if (a->run->before != NULL)
            a->run->before(a);
        TRY(algo_round(&a->worker));
    }
    return STATUS_OK;
}

/* Without a server: worker 0 tells. */
static inline enum status ps_march(struct ps_endpoint *a)
{
    for (int64_t k = 0; k < a->run->rounds; k++) {
        a->worker.round = k;
        TRY(algo_round(&a->worker));
        if (worker_rank(&a->worker) == 0)
            ps_take_result(a);
    }
    return STATUS_OK;
}

static inline enum status ps_act(struct ps_endpoint *a)
{
    TRY(algo_begin(&a->worker));
    if (a->worker.algo->kind != ALGO_SERVER_BASED)
        return ps_march(a);
    return worker_is_server(&a->worker) ? ps_lead(a) : ps_follow(a);
}

static inline enum status ps_body(void *context, struct transport *t)
{
    struct ps_run *r = context;
    struct ps_endpoint a;

    ps_endpoint_init(&a, r, t);
    transport_compute_begin(t);
    const enum status s = ps_act(&a);
    transport_compute_end(t);

    if (t->rank == t->size - 1) { /* the server, or one of workers that are all alike */
        memcpy(r->state, a.worker.state, (size_t)r->layout->state_count * sizeof *r->state);
        memcpy(r->numbers, a.worker.numbers, sizeof r->numbers);
        if (a.worker.clients != NULL)
            memcpy(r->clients, a.worker.clients, (size_t)r->workers * sizeof *r->clients);
    }
    ps_endpoint_release(&a);
    return s;
}

/* Runs it from r->state, or from pull's start; then r->state is the caller's to free. */
static inline enum status ps_run(struct ps_run *r)
{
    struct world *world = NULL;
    enum status s;

    r->pull_layout = (struct tensor_layout){.param_count = PULL_SIZE, .state_count = PULL_SIZE};
    if (r->layout == NULL)
        r->layout = &r->pull_layout;
    if (r->problem == NULL)
        r->problem = pull_new;
    if (r->state == NULL) {
        r->state = MEM_NEW_N(float, r->layout->state_count);
        pull_start(r->state);
    }
    ps_choose(&r->algo, &algo_registry, r->algorithm);
    ps_choose(&r->optim, &optim_registry, r->optimizer);
    EXPECT_OK(delays_init(&r->delays, NULL, r->slow_worker, r->workers));

    const bool is_server_based =
        ((const struct algo_ops *)r->algo.entry)->kind == ALGO_SERVER_BASED;
    const struct world_request request = {
        .transport = "threads",
        .workers = r->workers,
        .server = is_server_based ? WORLD_SERVER_THREAD : WORLD_NO_SERVER,
        .slots = r->slots > 0 ? r->slots : r->workers + 1,
    };

    r->scratch = scratch_pool_new(&(struct scratch_pool_setup){.count = r->layout->state_count,
                                                               .workers = r->workers,
                                                               .cores = request.slots,
                                                               .poisons = true});
    s = world_open(&request, &world);
    if (s == STATUS_OK)
        s = world_run(world, ps_body, r);
    world_close(world);
    r->scratch_made = scratch_pool_made(r->scratch);
    scratch_pool_free(r->scratch);
    delays_release(&r->delays);
    choice_release(&r->algo);
    choice_release(&r->optim);
    return s;
}

/* Two runs of the same problem end with the same bits. */
static inline bool ps_same_bits(const struct ps_run *a, const struct ps_run *b)
{
    return memcmp(a->state, b->state, (size_t)a->layout->state_count * sizeof *a->state) == 0;
}

#endif
