/*
 * zoo_list.h - the networks that are known by name. Adding one: its function, and its line here.
 */
#ifndef NN_ZOO_LIST_H
#define NN_ZOO_LIST_H

#include "nn/zoo.h"

#define ZOO_LIST(X)        \
    X(lenet5_zoo)          \
    X(cnn1_zoo)            \
    X(cnn2_zoo)            \
    X(resnet18_cifar_zoo)  \
    X(mnist_conv_zoo)      \
    X(fourier_density_zoo) \
    X(grid_density_zoo)    \
    X(mlp_zoo)             \
    X(lenet_tanh_zoo)      \
    X(psgd_cnn_zoo)        \
    X(mnist_bn_zoo)        \
    X(resnet18_zoo)        \
    X(resnet50_zoo)

#define ZOO_DECLARE(symbol) extern const struct zoo_ops symbol;
ZOO_LIST(ZOO_DECLARE)
#undef ZOO_DECLARE

#endif
