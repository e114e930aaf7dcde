/*
 * adam.h - what Adam and AdamW share; private to the two.
 */
#ifndef OPTIM_ADAM_H
#define OPTIM_ADAM_H

#include "optim/optim.h"

struct adam_opts {
    double lr, beta1, beta2, epsilon, weight_decay;
    int weight_decay_on; /* enum optim_tensors */
};

/* The rows of both tables of options but for the weight decay, which means something else. */
#define ADAM_FIELDS                                                  \
    FIELD_REAL(struct adam_opts, lr, 1e-3, 0, 1e6, "learning rate"), \
        FIELD_REAL(struct adam_opts, beta1, 0.9, 0, 0.999999,        \
                   "decay rate of the running mean of gradients"),   \
        FIELD_REAL(struct adam_opts, beta2, 0.999, 0, 0.999999,      \
                   "decay rate of the running mean of squares"),     \
        FIELD_REAL(struct adam_opts, epsilon, 1e-8, 0, 1, "added to the root of the squares")

#define ADAM_DECAY_ON_FIELD                                                     \
    FIELD_CHOICE(struct adam_opts, weight_decay_on, "all", optim_tensors_names, \
                 "tensors with weight decay; weights: no biases and norm parameters")

/* Weight decay as a part of the gradient (Adam), or as a shrinking of x beside it (AdamW). */
enum adam_decay { ADAM_DECAY_GRADIENT, ADAM_DECAY_APART };

double adam_lr(const void *options);
double adam_beta1(const void *options);
int adam_vector_count(const void *options);
int adam_number_count(const void *options);

/* Whether its count of steps is one. */
bool adam_is_sound(const struct optim *o);

/* Makes the two means and counts the step. */
void adam_begin_step(struct optim *o);

/* One update of a range. */
struct adam_job {
    struct optim *o;
    struct team *team;
    float *x;
    const float *g;
    enum adam_decay decay;
};
void adam_update_range(struct adam_job *job, struct optim_range range);

#endif
