/*
 * fused.h - the kinds of layer that fuse.c puts in the place of chains. They stand in no registry:
 * a net cannot name them. Each says by shape alone whether it pays.
 */
#ifndef NN_LAYERS_FUSED_H
#define NN_LAYERS_FUSED_H

#include "nn/layer.h"

/* Convolution, max pooling and, if asked, ReLU. May this planned convolution be joined so? */
bool convpool_pays(const struct layer *l, const struct fusion *f);
extern const struct layer_ops convpool_layer;

/* BatchNorm with what stands behind it; those with a sum read the shortcut as second input. */
extern const struct layer_ops batchnorm_relu_layer, batchnorm_add_layer, batchnorm_add_relu_layer;

/* Dense with sine and ReLU. May this planned layer do the sine behind it too? */
bool dense_sine_pays(const struct layer *l);
extern const struct layer_ops dense_relu_layer, dense_sine_layer;

#endif
