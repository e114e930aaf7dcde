/*
 * conv.h - the ways to compute a convolution, behind one table each.
 *
 * conv2d.c is the layer: options, shapes, biases. It chooses a method when it is planned, by the
 * geometry alone, so that bits depend on the network and not on the batch or the threads. A method
 * owns the products: forward with its biases, and the gradients by the input and by the weights.
 */
#ifndef NN_LAYERS_CONV_H
#define NN_LAYERS_CONV_H

#include "nn/layer.h"

struct conv_geometry {
    int64_t channels, out_channels;
    int64_t kernel, stride, pad;
    int64_t height, width;         /* of the input */
    int64_t out_height, out_width; /* of the output */
    int64_t positions;             /* of the output, per sample */
    int64_t image, out_image;      /* floats of an input, of an output */
    int64_t k;                     /* of a whole kernel: kernel * kernel * channels */
};

struct conv_geometry conv2d_geometry(const struct layer *l);

/*
 * The three passes run one after another and may use the same scratch; nothing in it outlives a
 * call. The weights are a panel matrix (kernel/panel.h).
 */
struct conv_method {
    const char *name;
    bool is_exact; /* errors of a plain sum; false: larger ones */
    bool (*applies)(const struct conv_geometry *g);
    /* Adds what the passes need to the layer's scratch. */
    void (*plan)(struct layer *l, const struct conv_geometry *g);
    void (*forward)(const struct layer_pass *p);      /* out, with the biases */
    void (*back_data)(const struct layer_pass *p);    /* din[0] */
    void (*back_weights)(const struct layer_pass *p); /* gradients[0] */
    bool sums_biases; /* back_weights makes gradients[1] too, where there are biases */
    bool adds_input;  /* back_data heeds adds_input of the pass */
};

/* In order of preference; the last one applies to everything. */
#define CONV_METHODS(X) X(conv_winograd) X(conv_strided) X(conv_taps) X(conv_few) X(conv_direct)

#define CONV_METHOD_DECLARE(symbol) extern const struct conv_method symbol;
CONV_METHODS(CONV_METHOD_DECLARE)

/* The layer's biases, NULL without. */
static inline const float *conv_bias(const struct layer_pass *p)
{
    return p->layer->tensor_count > 1 ? p->tensors[1] : NULL;
}

#endif
