/*
 * lamb.c - LAMB: Adam's direction with a learning rate that is scaled for each tensor, so that a
 * step is a small part of the tensor's size.
 *
 *     m, s: the means of adam.c, from the gradient alone
 *     u = (m / (1 - b1^t)) / (sqrt(s / (1 - b2^t)) + epsilon) + wd x
 *     x <- x - lr (|x| / |u|) u               (without the factor where |x| or |u| is 0)
 *
 * Biases and parameters of a normalization have no factor and no weight decay (a step of Adam),
 * unless adapt_on is all. u is computed twice, for its norm and for the step, rather than stored.
 *
 * You et al.: "Large batch optimization for deep learning: training BERT in 76 minutes", 2020,
 * Alg. 2 with phi(z) = z.
 */
#include <math.h>

#include "base/portable_math.h"
#include "optim/list.h"
#include "optim/parallel.h"
#include "optim/parts.h"

struct lamb_opts {
    double lr, beta1, beta2, epsilon, weight_decay;
    int adapt_on; /* enum optim_tensors */
};

enum { LAMB_M, LAMB_S, LAMB_VECTORS };
enum { LAMB_STEPS, LAMB_NUMBERS };
enum { CHUNK = 1024 }; /* of u, on the stack */

static const struct field lamb_fields[] = {
    FIELD_REAL(struct lamb_opts, lr, 5e-3, 0, 1e6, "size of a step relative to the weights"),
    FIELD_REAL(struct lamb_opts, beta1, 0.9, 0, 0.999999,
               "decay rate of the running mean of gradients"),
    FIELD_REAL(struct lamb_opts, beta2, 0.999, 0, 0.999999,
               "decay rate of the running mean of squares"),
    FIELD_REAL(struct lamb_opts, epsilon, 1e-6, 0, 1, "added to the root of the squares"),
    FIELD_REAL(struct lamb_opts, weight_decay, 0.01, 0, 1e6, "decay, added to the direction"),
    FIELD_CHOICE(struct lamb_opts, adapt_on, "weights", optim_tensors_names,
                 "tensors with a rate of their own and weight decay; the rest has neither"),
    FIELD_LAST,
};

static double lamb_lr(const void *options)
{
    return ((const struct lamb_opts *)options)->lr;
}

static double lamb_beta1(const void *options)
{
    return ((const struct lamb_opts *)options)->beta1;
}

static int lamb_vector_count(const void *options)
{
    (void)options;
    return LAMB_VECTORS;
}

static int lamb_number_count(const void *options)
{
    (void)options;
    return LAMB_NUMBERS;
}

static bool lamb_is_sound(const struct optim *o)
{
    return o->numbers[LAMB_STEPS] >= 0 && o->numbers[LAMB_STEPS] <= OPTIM_STEPS_MAX;
}

static void lamb_begin_step(struct optim *o)
{
    (void)optim_vector(o, LAMB_M);
    (void)optim_vector(o, LAMB_S);
    o->numbers[LAMB_STEPS] += 1;
}

struct lamb_job {
    struct optim *o;
    struct parallel parallel;
    float *x;
    const float *g;
    struct adam_rates adapted, plain; /* of tensors with and without a factor */
};

static struct adam_rates rates_of(const struct optim *o, double weight_decay)
{
    const struct lamb_opts *opts = o->options;
    const double beta1 = o->rates.momentum >= 0 ? o->rates.momentum : opts->beta1;
    const int64_t t = (int64_t)o->numbers[LAMB_STEPS];

    return (struct adam_rates){
        .beta1 = beta1,
        .beta2 = opts->beta2,
        .epsilon = (float)opts->epsilon,
        .correction1 = (float)(1 - portable_power(beta1, t)),
        .correction2 = (float)(1 - portable_power(opts->beta2, t)),
        .weight_decay = (float)weight_decay,
    };
}

static bool is_adapted(const struct optim *o, const struct optim_part *part)
{
    return part->is_weight || ((const struct lamb_opts *)o->options)->adapt_on == OPTIM_TENSORS_ALL;
}

static void move_means(void *context, const struct optim_part *part)
{
    const struct lamb_job *j = context;
    const struct optim *o = j->o;
    const int64_t at = part->begin;

    o->kernel->adam_means(o->vectors[LAMB_M] + at, o->vectors[LAMB_S] + at, j->g + at, &j->plain,
                          part->count);
}

/* u of `count` elements from `at` on, at most CHUNK. */
static void find_direction(const struct lamb_job *j, float *u, int64_t at, int64_t count,
                           const struct adam_rates *r)
{
    const struct optim *o = j->o;

    o->kernel->lamb_direction(u, o->vectors[LAMB_M] + at, o->vectors[LAMB_S] + at, j->x + at, r,
                              count);
}

static int64_t chunk_of(int64_t rest)
{
    return rest < CHUNK ? rest : CHUNK;
}

struct lamb_tensor {
    const struct lamb_job *job;
    int64_t begin;
};

/* |u|^2 over a piece of an adapted tensor. */
static double square_of_piece(void *context, int64_t begin, int64_t count)
{
    const struct lamb_tensor *t = context;
    const struct lamb_job *j = t->job;
    float u[CHUNK];
    double sum = 0;

    for (int64_t done = 0; done < count; done += CHUNK) {
        const int64_t n = chunk_of(count - done);
        find_direction(j, u, t->begin + begin + done, n, &j->adapted);
        sum += j->o->kernel->dot(u, u, n);
    }
    return sum;
}

static void find_scale(void *context, const struct optim_part *tensor)
{
    const struct lamb_job *j = context;
    const float *x = j->x + tensor->begin;
    struct lamb_tensor t = {.job = j, .begin = tensor->begin};
    double scale = 1;

    if (is_adapted(j->o, tensor)) {
        const double x_norm = sqrt(parallel_dot(&j->parallel, x, x, tensor->count));
        const double u_norm =
            sqrt(parallel_sum(j->parallel.team, tensor->count, square_of_piece, &t));
        if (x_norm > 0 && u_norm > 0)
            scale = x_norm / u_norm;
    }
    j->o->tensor_scales[tensor->tensor] = (float)(j->o->rates.lr * scale);
}

static void step_part(void *context, const struct optim_part *part)
{
    const struct lamb_job *j = context;
    const struct optim *o = j->o;
    const float step = -o->tensor_scales[part->tensor];
    float u[CHUNK];

    for (int64_t done = 0; done < part->count; done += CHUNK) {
        const int64_t n = chunk_of(part->count - done), at = part->begin + done;
        find_direction(j, u, at, n, is_adapted(o, part) ? &j->adapted : &j->plain);
        o->kernel->axpy(j->x + at, step, u, n);
    }
}

static void lamb_update(struct optim *o, struct team *team, float *x, const float *g,
                        struct optim_range range)
{
    struct lamb_job job = {
        .o = o,
        .parallel = {.kernel = o->kernel, .team = team},
        .x = x,
        .g = g,
        .adapted = rates_of(o, ((const struct lamb_opts *)o->options)->weight_decay),
        .plain = rates_of(o, 0),
    };

    parts_for_each(o, team, range, move_means, &job);
    parts_for_tensors(o, range, find_scale, &job);
    parts_for_each(o, team, range, step_part, &job);
}

const struct optim_ops lamb_optim = {
    .entry = {.name = "lamb",
              .summary = "Adam with a learning rate for each tensor, for large batches",
              .fields = lamb_fields,
              .options_size = sizeof(struct lamb_opts)},
    .vector_count = lamb_vector_count,
    .number_count = lamb_number_count,
    .is_sound = lamb_is_sound,
    .lr = lamb_lr,
    .momentum = lamb_beta1,
    .begin_step = lamb_begin_step,
    .update = lamb_update,
};
