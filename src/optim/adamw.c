/*
 * adamw.c - AdamW: Adam whose weight decay is no part of the gradient.
 *
 *     x <- x (1 - lr wd), then Adam's step with the gradient alone
 *
 * Loshchilov, Hutter: "Decoupled weight decay regularization", 2019, Alg. 2.
 */
#include "optim/adam.h"
#include "optim/list.h"

static const struct field adamw_fields[] = {
    ADAM_FIELDS,
    FIELD_REAL(struct adam_opts, weight_decay, 0.01, 0, 1e6,
               "decoupled weight decay, multiplied by lr"),
    ADAM_DECAY_ON_FIELD,
    FIELD_LAST,
};

static void adamw_update(struct optim *o, struct team *team, float *x, const float *g,
                         struct optim_range range)
{
    struct adam_job job = {.o = o, .team = team, .x = x, .g = g, .decay = ADAM_DECAY_APART};

    adam_update_range(&job, range);
}

const struct optim_ops adamw_optim = {
    .entry = {.name = "adamw",
              .summary = "Adam with decoupled weight decay",
              .fields = adamw_fields,
              .options_size = sizeof(struct adam_opts)},
    .vector_count = adam_vector_count,
    .number_count = adam_number_count,
    .is_sound = adam_is_sound,
    .lr = adam_lr,
    .momentum = adam_beta1,
    .begin_step = adam_begin_step,
    .update = adamw_update,
};
