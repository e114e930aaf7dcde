/*
 * sgd.c - stochastic gradient descent with momentum, Nesterov's form, and weight decay.
 *
 *     g' = g + wd x;   v <- mu v + g' (v starts as the first g');   x <- x - lr v
 *     Nesterov:        x <- x - lr (g' + mu v)
 *
 * Here: options and which kernel call. Not here: the arithmetic (kernel/simd/optimizer.c).
 */
#include "optim/list.h"
#include "optim/parts.h"

struct sgd_opts {
    double lr, momentum;
    bool nesterov;
    double weight_decay;
    int weight_decay_on; /* enum optim_tensors */
};

static const struct field sgd_fields[] = {
    FIELD_REAL(struct sgd_opts, lr, 0.01, 0, 1e6, "learning rate"),
    FIELD_REAL(struct sgd_opts, momentum, 0, 0, 1,
               "momentum: fraction of the last step that is added"),
    FIELD_BOOL(struct sgd_opts, nesterov, false, "look ahead along the momentum"),
    FIELD_REAL(struct sgd_opts, weight_decay, 0, 0, 1e6, "L2 penalty added to the gradient"),
    FIELD_CHOICE(struct sgd_opts, weight_decay_on, "all", optim_tensors_names,
                 "tensors with weight decay; weights: no biases and norm parameters"),
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

static double momentum_of(const struct optim *o)
{
    return o->rates.momentum >= 0 ? o->rates.momentum : sgd_momentum(o->options);
}

static void sgd_begin_step(struct optim *o)
{
    if (momentum_of(o) > 0)
        (void)optim_vector(o, 0);
}

struct sgd_job {
    const struct optim *o;
    float *x, *velocity;
    const float *g;
};

static void update_part(void *context, const struct optim_part *part)
{
    const struct sgd_job *j = context;
    const struct optim *o = j->o;
    const struct sgd_opts *opts = o->options;
    const bool decays = part->is_weight || opts->weight_decay_on == OPTIM_TENSORS_ALL;
    const struct sgd_rates r = {
        .lr = (float)o->rates.lr,
        .momentum = (float)momentum_of(o),
        .weight_decay = decays ? (float)opts->weight_decay : 0,
        .nesterov = opts->nesterov,
        .first = o->is_fresh,
    };
    const int64_t at = part->begin;

    o->kernel->sgd(j->x + at, j->velocity == NULL ? NULL : j->velocity + at, j->g + at, &r,
                   part->count);
}

static void sgd_update(struct optim *o, struct team *team, float *x, const float *g,
                       struct optim_range range)
{
    const struct sgd_opts *opts = o->options;
    float *velocity = momentum_of(o) > 0 ? o->vectors[0] : NULL;
    struct sgd_job job = {.o = o, .x = x, .velocity = velocity, .g = g};

    if (opts->weight_decay_on == OPTIM_TENSORS_ALL || !(opts->weight_decay > 0))
        parts_for_alike(team, range, update_part, &job);
    else
        parts_for_each(o, team, range, update_part, &job);
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
    .begin_step = sgd_begin_step,
    .update = sgd_update,
};
