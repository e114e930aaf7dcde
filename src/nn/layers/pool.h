/* pool.h - what maxpool and avgpool share: their options and the geometry. Only they include it. */
#ifndef NN_LAYERS_POOL_H
#define NN_LAYERS_POOL_H

#include "nn/layers/support.h"

extern const struct field pool_fields[];

/* Checks options and input and fills l->out; a border is at most half a window, as in PyTorch. */
enum status pool_plan(struct layer *l);

struct pool_shape pool_shape_of(const struct layer *l);

#endif
