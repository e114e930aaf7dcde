/*
 * lars.c - LARS: SGD with momentum whose learning rate is scaled for each tensor, so that a step is
 * a small part of the tensor's size whatever the gradient is.
 *
 *     local = trust |x| / (|g| + wd |x|)      (1 where |x| or |g| is 0)
 *     v <- mu v + lr local (g + wd x);   x <- x - v
 *
 * Biases and parameters of a normalization have local = 1 and no weight decay, unless adapt_on is
 * all. The learning rate is inside the velocity, as in the paper.
 *
 * You, Gitman, Ginsburg: "Large batch training of convolutional networks", 2017, Alg. 1.
 */
#include <math.h>

#include "optim/list.h"
#include "optim/parallel.h"
#include "optim/parts.h"

struct lars_opts {
    double lr, momentum, trust, weight_decay;
    int adapt_on; /* enum optim_tensors */
};

static const struct field lars_fields[] = {
    FIELD_REAL(struct lars_opts, lr, 1, 0, 1e6,
               "global learning rate; each adapted tensor uses a fraction of it"),
    FIELD_REAL(struct lars_opts, momentum, 0.9, 0, 1,
               "momentum: fraction of the last step that is added"),
    FIELD_REAL(struct lars_opts, trust, 1e-3, 0, 1e6, "size of a step relative to the weights"),
    FIELD_REAL(struct lars_opts, weight_decay, 5e-4, 0, 1e6, "L2 penalty added to the gradient"),
    FIELD_CHOICE(struct lars_opts, adapt_on, "weights", optim_tensors_names,
                 "tensors with a rate of their own and weight decay; the rest has neither"),
    FIELD_LAST,
};

static double lars_lr(const void *options)
{
    return ((const struct lars_opts *)options)->lr;
}

static double lars_momentum(const void *options)
{
    return ((const struct lars_opts *)options)->momentum;
}

static int lars_vector_count(const void *options)
{
    (void)options;
    return 1;
}

static int lars_number_count(const void *options)
{
    (void)options;
    return 0;
}

static double momentum_of(const struct optim *o)
{
    return o->rates.momentum >= 0 ? o->rates.momentum : lars_momentum(o->options);
}

/* Without momentum there is no velocity to keep. */
static void lars_begin_step(struct optim *o)
{
    if (momentum_of(o) > 0)
        (void)optim_vector(o, 0);
}

struct lars_job {
    struct optim *o;
    struct parallel parallel;
    float *x, *velocity;
    const float *g;
};

static bool is_adapted(const struct optim *o, const struct optim_part *part)
{
    return part->is_weight || ((const struct lars_opts *)o->options)->adapt_on == OPTIM_TENSORS_ALL;
}

static void find_scale(void *context, const struct optim_part *tensor)
{
    const struct lars_job *j = context;
    const struct lars_opts *opts = j->o->options;
    const float *x = j->x + tensor->begin, *g = j->g + tensor->begin;
    double scale = 1;

    if (is_adapted(j->o, tensor)) {
        const double x_norm = sqrt(parallel_dot(&j->parallel, x, x, tensor->count));
        const double g_norm = sqrt(parallel_dot(&j->parallel, g, g, tensor->count));
        if (x_norm > 0 && g_norm > 0)
            scale = opts->trust * x_norm / (g_norm + opts->weight_decay * x_norm);
    }
    j->o->tensor_scales[tensor->tensor] = (float)(j->o->rates.lr * scale);
}

static void update_part(void *context, const struct optim_part *part)
{
    const struct lars_job *j = context;
    const struct optim *o = j->o;
    const struct lars_opts *opts = o->options;
    const float decay = is_adapted(o, part) ? (float)opts->weight_decay : 0;
    const float step = o->tensor_scales[part->tensor];
    float *x = j->x + part->begin;
    const float *g = j->g + part->begin;

    if (j->velocity == NULL) {
        const struct sgd_rates r = {.lr = step, .weight_decay = decay};
        o->kernel->sgd(x, NULL, g, &r, part->count);
        return;
    }
    const struct lars_rates r = {
        .step = step, .momentum = (float)momentum_of(o), .weight_decay = decay};
    o->kernel->lars(x, j->velocity + part->begin, g, &r, part->count);
}

static void lars_update(struct optim *o, struct team *team, float *x, const float *g,
                        struct optim_range range)
{
    struct lars_job job = {
        .o = o,
        .parallel = {.kernel = o->kernel, .team = team},
        .x = x,
        .velocity = momentum_of(o) > 0 ? o->vectors[0] : NULL,
        .g = g,
    };

    parts_for_tensors(o, range, find_scale, &job);
    parts_for_each(o, team, range, update_part, &job);
}

const struct optim_ops lars_optim = {
    .entry = {.name = "lars",
              .summary = "SGD with a learning rate for each tensor, for large batches",
              .fields = lars_fields,
              .options_size = sizeof(struct lars_opts)},
    .vector_count = lars_vector_count,
    .number_count = lars_number_count,
    .lr = lars_lr,
    .momentum = lars_momentum,
    .begin_step = lars_begin_step,
    .update = lars_update,
};
