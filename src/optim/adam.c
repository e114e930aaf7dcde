/*
 * adam.c - Adam.
 *
 *     m <- b1 m + (1 - b1) g;   s <- b2 s + (1 - b2) g^2
 *     x <- x - lr (m / (1 - b1^t)) / (sqrt(s / (1 - b2^t)) + epsilon)
 *
 * Here: options, the count of steps, the bias corrections. Not here: the arithmetic on vectors
 * (kernel/simd/optimizer.c).
 *
 * Kingma, Ba: "Adam: a method for stochastic optimization", 2015, Alg. 1.
 */
#include "optim/adam.h"

#include "base/portable_math.h"
#include "optim/list.h"
#include "optim/parts.h"

enum { ADAM_M, ADAM_S, ADAM_VECTORS };
enum { ADAM_STEPS, ADAM_NUMBERS };

static const struct field adam_fields[] = {
    ADAM_FIELDS,
    FIELD_REAL(struct adam_opts, weight_decay, 0, 0, 1e6, "L2 penalty added to the gradient"),
    ADAM_DECAY_ON_FIELD,
    FIELD_LAST,
};

double adam_lr(const void *options)
{
    return ((const struct adam_opts *)options)->lr;
}

double adam_beta1(const void *options)
{
    return ((const struct adam_opts *)options)->beta1;
}

int adam_vector_count(const void *options)
{
    (void)options;
    return ADAM_VECTORS;
}

int adam_number_count(const void *options)
{
    (void)options;
    return ADAM_NUMBERS;
}

bool adam_is_sound(const struct optim *o)
{
    return o->numbers[ADAM_STEPS] >= 0 && o->numbers[ADAM_STEPS] <= OPTIM_STEPS_MAX;
}

void adam_begin_step(struct optim *o)
{
    (void)optim_vector(o, ADAM_M);
    (void)optim_vector(o, ADAM_S);
    o->numbers[ADAM_STEPS] += 1;
}

static struct adam_rates rates_of(const struct adam_job *j, bool is_weight)
{
    const struct optim *o = j->o;
    const struct adam_opts *opts = o->options;
    const double beta1 = o->rates.momentum >= 0 ? o->rates.momentum : opts->beta1;
    const bool decays = is_weight || opts->weight_decay_on == OPTIM_TENSORS_ALL;
    const double wd = decays ? opts->weight_decay : 0;
    const int64_t t = (int64_t)o->numbers[ADAM_STEPS];

    return (struct adam_rates){
        .lr = (float)o->rates.lr,
        .beta1 = beta1,
        .beta2 = opts->beta2,
        .epsilon = (float)opts->epsilon,
        .correction1 = (float)(1 - portable_power(beta1, t)),
        .correction2 = (float)(1 - portable_power(opts->beta2, t)),
        .weight_decay = j->decay == ADAM_DECAY_GRADIENT ? (float)wd : 0,
        .shrink = j->decay == ADAM_DECAY_APART ? (float)(1 - o->rates.lr * wd) : 1,
    };
}

static void update_part(void *context, const struct optim_part *part)
{
    const struct adam_job *j = context;
    const struct adam_rates r = rates_of(j, part->is_weight);
    float *const *vectors = j->o->vectors;
    const int64_t at = part->begin;

    j->o->kernel->adam(j->x + at, vectors[ADAM_M] + at, vectors[ADAM_S] + at, j->g + at, &r,
                       part->count);
}

void adam_update_range(struct adam_job *job, struct optim_range range)
{
    const struct adam_opts *opts = job->o->options;

    if (opts->weight_decay_on == OPTIM_TENSORS_ALL || !(opts->weight_decay > 0))
        parts_for_alike(job->team, range, update_part, job);
    else
        parts_for_each(job->o, job->team, range, update_part, job);
}

static void adam_update(struct optim *o, struct team *team, float *x, const float *g,
                        struct optim_range range)
{
    struct adam_job job = {.o = o, .team = team, .x = x, .g = g, .decay = ADAM_DECAY_GRADIENT};

    adam_update_range(&job, range);
}

const struct optim_ops adam_optim = {
    .entry = {.name = "adam",
              .summary = "Adam: steps scaled by running means of gradient and square",
              .fields = adam_fields,
              .options_size = sizeof(struct adam_opts)},
    .vector_count = adam_vector_count,
    .number_count = adam_number_count,
    .is_sound = adam_is_sound,
    .lr = adam_lr,
    .momentum = adam_beta1,
    .begin_step = adam_begin_step,
    .update = adam_update,
};
