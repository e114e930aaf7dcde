/*
 * adam.h - what Adam and AdamW share; private to the two.
 */
#ifndef OPTIM_ADAM_H
#define OPTIM_ADAM_H

#include "optim/optim.h"

struct adam_opts {
    double lr, beta1, beta2, epsilon, weight_decay;
};

/* Weight decay as a part of the gradient (Adam), or as a shrinking of x beside it (AdamW). */
enum adam_decay { ADAM_DECAY_GRADIENT, ADAM_DECAY_APART };

double adam_lr(const void *options);
double adam_beta1(const void *options);
int adam_vector_count(const void *options);
int adam_number_count(const void *options);
void adam_step(struct optim *o, float *x, const float *g, struct optim_rates rates,
               enum adam_decay decay);

#endif
