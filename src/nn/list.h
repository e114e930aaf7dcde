/* list.h - the list of layers. Adding one: its file under layers/, and its line here. */
#ifndef NN_LIST_H
#define NN_LIST_H

#include "nn/layer.h"

#define LAYER_LIST(X)       \
    X(conv2d_layer)         \
    X(dense_layer)          \
    X(maxpool_layer)        \
    X(avgpool_layer)        \
    X(global_avgpool_layer) \
    X(relu_layer)           \
    X(tanh_layer)           \
    X(sigmoid_layer)        \
    X(sine_layer)           \
    X(grid_layer)           \
    X(dropout_layer)        \
    X(batchnorm_layer)      \
    X(flatten_layer)        \
    X(add_layer)

#define LAYER_DECLARE(symbol) extern const struct layer_ops symbol;
LAYER_LIST(LAYER_DECLARE)
#undef LAYER_DECLARE

#endif
