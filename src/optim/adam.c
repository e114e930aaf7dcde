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

enum { ADAM_M, ADAM_S, ADAM_VECTORS };
enum { ADAM_STEPS, ADAM_NUMBERS };

static const struct field adam_fields[] = {
    ADAM_FIELDS,
    FIELD_REAL(struct adam_opts, weight_decay, 0, 0, 1e6, "L2 penalty added to the gradient"),
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

void adam_step(struct optim *o, float *x, const float *g, struct optim_rates rates,
               enum adam_decay decay)
{
    const struct adam_opts *opts = o->options;
    const double beta1 = rates.momentum >= 0 ? rates.momentum : opts->beta1;
    const double wd = opts->weight_decay;

    o->numbers[ADAM_STEPS] += 1;
    const int64_t t = (int64_t)o->numbers[ADAM_STEPS];
    const struct adam_rates r = {
        .lr = (float)rates.lr,
        .beta1 = beta1,
        .beta2 = opts->beta2,
        .epsilon = (float)opts->epsilon,
        .correction1 = (float)(1 - portable_power(beta1, t)),
        .correction2 = (float)(1 - portable_power(opts->beta2, t)),
        .weight_decay = decay == ADAM_DECAY_GRADIENT ? (float)wd : 0,
        .shrink = decay == ADAM_DECAY_APART ? (float)(1 - rates.lr * wd) : 1,
    };

    o->kernel->adam(x, optim_vector(o, ADAM_M), optim_vector(o, ADAM_S), g, &r, o->n);
}

static void adam_update(struct optim *o, float *x, const float *g, struct optim_rates rates)
{
    adam_step(o, x, g, rates, ADAM_DECAY_GRADIENT);
}

const struct optim_ops adam_optim = {
    .entry = {.name = "adam",
              .summary = "Adam: steps scaled by running means of gradient and square",
              .fields = adam_fields,
              .options_size = sizeof(struct adam_opts)},
    .vector_count = adam_vector_count,
    .number_count = adam_number_count,
    .lr = adam_lr,
    .momentum = adam_beta1,
    .update = adam_update,
};
