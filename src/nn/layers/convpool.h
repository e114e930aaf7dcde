/* convpool.h - what convpool.c leaves to another method. */
#ifndef NN_LAYERS_CONVPOOL_H
#define NN_LAYERS_CONVPOOL_H

#include "nn/layer.h"

/* Does this fused convolution compute its output by Winograd? By the shape and what is asked. */
bool convpool_is_winograd(const struct layer *l);

/* Needs the scratch of winograd.h. */
void convpool_winograd_forward(const struct layer_pass *p, const struct convpool_shape *s);

#endif
