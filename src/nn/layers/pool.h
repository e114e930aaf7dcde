/*
 * pool.h - what maxpool and avgpool share: their options, the geometry and the passes. Only they
 * and pool.c include it.
 */
#ifndef NN_LAYERS_POOL_H
#define NN_LAYERS_POOL_H

#include "nn/layers/support.h"

extern const struct field pool_fields[];

/* Checks options and input and fills l->out; a border is at most half a window, as in PyTorch. */
enum status pool_plan(struct layer *l);

/* The maximum where the layer keeps places (saved_per_sample), else the mean. */
void pool_forward(const struct layer_pass *p);
void pool_backward(const struct layer_pass *p);

#endif
