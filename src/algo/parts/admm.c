/*
 * admm.c - the penalty, and the primal steps of methods of consensus ADMM.
 */
#include "algo/parts/admm.h"

#include <string.h>

#include "algo/parts/stored_real.h"
#include "base/check.h"
#include "base/portable_math.h"

const char *const admm_optimizers[] = {"adam", "adamw", "sgd", NULL};

enum decay { DECAY_CONSTANT, DECAY_LINEAR, DECAY_LOG };
const char *const admm_decays[] = {"constant", "linear", "log", NULL};

enum { MOMENT_1 = ADMM_DUAL + 1, MOMENT_2, ADMM_VECTORS };

int admm_vector_count(const struct admm_options *o)
{
    return o->persistent_primal_opt ? ADMM_VECTORS : ADMM_DUAL + 1;
}

enum algo_one_way admm_one_way(const void *options)
{
    const struct admm_options *o = options;

    return o->exchange == ADMM_CONFIRMED ? ALGO_ONE_WAY_EXACT : ALGO_ONE_WAY_BIASED;
}

int64_t admm_draws(const void *options, int64_t own_batches)
{
    const struct admm_options *o = options;

    (void)own_batches;
    return o->primal_iterations;
}

const char *admm_optimizer(const void *options)
{
    const struct admm_options *o = options;

    return admm_optimizers[o->primal_optimizer];
}

bool admm_spans_run(const void *options)
{
    const struct admm_options *o = options;

    return o->lr_decay != DECAY_CONSTANT && !o->persistent_primal_opt;
}

enum status admm_check(const struct algo_setting *s)
{
    const struct admm_options *o = s->options;

    TRY(mixing_check_plain(s));
    if (o->lr_decay == DECAY_CONSTANT)
        return STATUS_OK;
    if (!(o->primal_lr > 0) || !(o->primal_lr_end > 0))
        return FAIL(STATUS_BAD_INPUT,
                    "algorithm.lr_decay: %s needs primal_lr and primal_lr_end, both above 0",
                    admm_decays[o->lr_decay]);
    if (s->is_open_ended)
        return FAIL(STATUS_BAD_INPUT,
                    "algorithm.lr_decay: %s needs a known number of rounds, which a budget of "
                    "bytes or seconds does not give",
                    admm_decays[o->lr_decay]);
    return STATUS_OK;
}

/* A persistent optimiser's memory is the worker's, so that checkpoints have it. */
static void lend_memory(struct admm *a, struct worker *w)
{
    CHECK(a->primal.vector_count <= ADMM_VECTORS - MOMENT_1 && a->primal.number_count <= 1);
    for (int i = 0; i < a->primal.vector_count; i++)
        a->primal.vectors[i] = w->vectors[MOMENT_1 + i];
    if (a->primal.number_count > 0)
        a->primal.numbers[0] = stored_real_get(&w->numbers[ADMM_STEPS]);
}

void admm_init(struct admm *a, struct worker *w)
{
    const struct admm_options *o = w->options;

    mixing_init(&a->mixing, w);
    a->mixing.is_confirmed = o->exchange == ADMM_CONFIRMED;
    if (a->mixing.is_confirmed)
        a->mixing.keeps_mean = true;
    choice_init(&a->chosen, registry_find(&optim_registry, admm_optimizers[o->primal_optimizer]));
    optim_init(&a->primal, &a->chosen, w->layout);
    if (o->persistent_primal_opt)
        lend_memory(a, w);
    if (!w->is_resumed)
        stored_real_set(&w->numbers[ADMM_RHO], o->rho_init);
}

void admm_release(struct admm *a)
{
    for (int i = 0; i < a->primal.vector_count; i++)
        a->primal.vectors[i] = NULL; /* the worker's, or scratch */
    optim_release(&a->primal);
    choice_release(&a->chosen);
}

double admm_start_round(struct admm *a, struct worker *w)
{
    const struct admm_options *o = w->options;
    const double rho = stored_real_get(&w->numbers[ADMM_RHO]) * o->rho_scaling;

    stored_real_set(&w->numbers[ADMM_RHO], rho);
    mixing_find_neighbours(&a->mixing, w);
    return rho;
}

/* An optimiser that restarts in every round keeps its vectors in scratch. */
void admm_start_steps(struct admm *a, struct worker *w)
{
    const struct admm_options *o = w->options;
    struct optim *primal = &a->primal;

    a->start = scratch_take(&w->scratch);
    memcpy(a->start, w->state, (size_t)a->mixing.params * sizeof *a->start);
    if (o->persistent_primal_opt)
        return;
    for (int i = 0; i < primal->vector_count; i++) {
        primal->vectors[i] = scratch_take(&w->scratch);
        memset(primal->vectors[i], 0, (size_t)primal->n * sizeof **primal->vectors);
    }
    for (int i = 0; i < primal->number_count; i++)
        primal->numbers[i] = 0;
}

/* The rate of a round, between the first and the last one of the run. */
static double primal_rate(const struct worker *w)
{
    const struct admm_options *o = w->options;
    const int64_t round = o->persistent_primal_opt ? 0 : w->round;
    const double done = w->rounds > 1 ? (double)round / (double)(w->rounds - 1) : 0;

    switch ((enum decay)o->lr_decay) {
    case DECAY_CONSTANT:
        return o->primal_lr > 0 ? o->primal_lr : w->rates.lr;
    case DECAY_LINEAR:
        return o->primal_lr + (o->primal_lr_end - o->primal_lr) * done;
    case DECAY_LOG:
        return o->primal_lr * portable_pow(o->primal_lr_end / o->primal_lr, done);
    }
    BUG("decay out of range");
}

/* gradient += p + 2 rho d (x - start) - rho lag, with d neighbours in the lag */
static void add_penalty(struct worker *w, const struct admm *a, double rho)
{
    const struct mixing *m = &a->mixing;
    const float pull = (float)(2 * rho * m->used), push = (float)rho;
    const float *p = w->vectors[ADMM_DUAL];

    for (int64_t i = 0; i < m->params; i++)
        w->gradient[i] += p[i] + pull * (w->state[i] - a->start[i]) - push * m->lag[i];
}

/* The same with a weight of each coordinate in the place of d. */
static void add_weighted_penalty(struct worker *w, const struct admm *a, double rho)
{
    const struct mixing *m = &a->mixing;
    const float push = (float)rho;
    const float *p = w->vectors[ADMM_DUAL];

    for (int64_t i = 0; i < m->params; i++) {
        const float pull = (float)(2 * rho * (double)a->weights[i]);

        w->gradient[i] += p[i] + pull * (w->state[i] - a->start[i]) - push * m->lag[i];
    }
}

enum status admm_step(struct admm *a, struct worker *w, double rho)
{
    const struct optim_rates rates = {.lr = primal_rate(w), .momentum = -1};

    if (a->weights == NULL)
        add_penalty(w, a, rho);
    else
        add_weighted_penalty(w, a, rho);
    TRY(worker_report_vectors(w, &(struct vector_work){a->mixing.params, 6, 6}));
    worker_apply(w, &a->primal, w->state, w->gradient, rates);
    return worker_report_update(w, &a->primal);
}

void admm_end_steps(struct admm *a, struct worker *w)
{
    const struct admm_options *o = w->options;

    if (a->primal.number_count > 0)
        stored_real_set(&w->numbers[ADMM_STEPS], a->primal.numbers[0]);
    for (int i = 0; i < a->primal.vector_count && !o->persistent_primal_opt; i++) {
        scratch_give(&w->scratch, a->primal.vectors[i]);
        a->primal.vectors[i] = NULL;
    }
    scratch_give(&w->scratch, a->start);
    a->start = NULL;
    if (a->weights != NULL)
        scratch_give(&w->scratch, a->weights);
    a->weights = NULL;
    mixing_end_lag(&a->mixing, w);
}
