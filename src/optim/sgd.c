/*
 * sgd.c - stochastic gradient descent with momentum, Nesterov's form, and weight decay.
 *
 *     g' = g + wd x;   v <- mu v + g' (v starts as the first g');   x <- x - lr v
 *     Nesterov:        x <- x - lr (g' + mu v)
 *
 * Here: options and which kernel call. Not here: the arithmetic (kernel/simd/optimizer.c).
 */
#include "optim/list.h"

struct sgd_opts {
    double lr, momentum;
    bool nesterov;
    double weight_decay;
};

static const struct field sgd_fields[] = {
    FIELD_REAL(struct sgd_opts, lr, 0.01, 0, 1e6, "learning rate"),
    FIELD_REAL(struct sgd_opts, momentum, 0, 0, 1, "share of the last step that is kept"),
    FIELD_BOOL(struct sgd_opts, nesterov, false, "look ahead along the momentum"),
    FIELD_REAL(struct sgd_opts, weight_decay, 0, 0, 1e6, "L2 penalty added to the gradient"),
    FIELD_LAST,
};

static double sgd_lr(const void *options)
{
    return ((const struct sgd_opts *)options)->lr;
}

static double sgd_momentum(const void *options)
{
    return ((const struct sgd_opts *)options)->momentum;
}

/* Also one without momentum of its own: a schedule may bring some. It is made when needed. */
static int sgd_vector_count(const void *options)
{
    (void)options;
    return 1;
}

static int sgd_number_count(const void *options)
{
    (void)options;
    return 0;
}

static void sgd_update(struct optim *o, float *x, const float *g, struct optim_rates rates)
{
    const struct sgd_opts *opts = o->options;
    const double momentum = rates.momentum >= 0 ? rates.momentum : opts->momentum;
    const struct sgd_rates r = {
        .lr = (float)rates.lr,
        .momentum = (float)momentum,
        .weight_decay = (float)opts->weight_decay,
        .nesterov = opts->nesterov,
        .first = o->vectors[0] == NULL,
    };

    o->kernel->sgd(x, momentum > 0 ? optim_vector(o, 0) : NULL, g, &r, o->n);
}

const struct optim_ops sgd_optim = {
    .entry = {.name = "sgd",
              .summary = "stochastic gradient descent: momentum, Nesterov, weight decay",
              .fields = sgd_fields,
              .options_size = sizeof(struct sgd_opts)},
    .vector_count = sgd_vector_count,
    .number_count = sgd_number_count,
    .lr = sgd_lr,
    .momentum = sgd_momentum,
    .update = sgd_update,
};
