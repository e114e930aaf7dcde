/*
 * fuse.h - joins planned layers that compute faster as one. Private to model_plan.c and its tests.
 *
 * The first layer of a chain gets the ops of a fused kind, which is in no registry, and computes
 * what the chain does; the others become identities. Names, indices (dropout's streams depend on
 * them), tensors and flops stay what they are, so that state vectors and random numbers are the
 * same with and without.
 */
#ifndef NN_FUSE_H
#define NN_FUSE_H

#include "nn/model.h"

/* Between the planning of layers and that of memory. Does nothing if the options say so. */
void fuse_layers(struct model *m);

#endif
