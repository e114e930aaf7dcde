/*
 * layer_options.h - the options of each kind of layer, as the registry's field tables describe
 * them. Zoo functions fill them in; layers only read them. Defaults and ranges stand in the field
 * tables beside each layer (layers/), not here. ReLU, tanh, sigmoid, flatten, add and
 * global_avgpool have no options.
 */
#ifndef NN_LAYER_OPTIONS_H
#define NN_LAYER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Positions in the choices of `init`. */
enum conv2d_init {
    CONV2D_INIT_DEFAULT,    /* uniform on +-1/sqrt(fan_in) */
    CONV2D_INIT_HE_FAN_OUT, /* weights N(0, 2/(out*kernel*kernel)); biases as default */
};

enum dense_init {
    DENSE_INIT_DEFAULT, /* uniform on +-1/sqrt(inputs) */
    DENSE_INIT_SIREN,   /* weights uniform on +-sqrt(6/out); biases as default */
};

struct conv2d_options {
    int64_t out, kernel; /* required: their defaults, 0, are refused by the plan */
    int64_t stride, pad; /* 1, 0 */
    bool bias;           /* true */
    int init;            /* enum conv2d_init */
};

struct dense_options {
    int64_t out; /* required, as above */
    bool bias;   /* true */
    int init;    /* enum dense_init */
};

/* maxpool and avgpool */
struct pool_options {
    int64_t kernel; /* 2 */
    int64_t stride; /* 0: the same as kernel */
    int64_t pad;    /* 0 */
};

struct dropout_options {
    double p; /* 0.5: the chance that a unit is dropped */
};

struct sine_options {
    double scale; /* 1: out = sin(scale * in) */
};

struct grid_options {
    int64_t channels, height, width; /* 8, 64, 64 */
    double extent;                   /* 1: the grid covers [-extent, extent] */
    double bound;                    /* 0.1: of initial values */
};

struct batchnorm_options {
    double eps;      /* 1e-5 */
    double momentum; /* 0.1: r <- (1 - momentum) r + momentum s */
};

#endif
