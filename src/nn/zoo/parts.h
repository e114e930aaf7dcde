/*
 * parts.h - the layers that zoo functions add most, in one line each. Names may be NULL: made.
 */
#ifndef NN_ZOO_PARTS_H
#define NN_ZOO_PARTS_H

#include "nn/layer_options.h"
#include "nn/zoo_list.h"

/* The shape of images, channels first as one says it. */
#define ZOO_IMAGE(c, h, w)                           \
    {                                                \
        .height = (h), .width = (w), .channels = (c) \
    }

#define ZOO_VECTOR(n)                                             \
    {                                                             \
        .height = 1, .width = 1, .channels = (n), .is_flat = true \
    }

static inline void add_conv(struct net *n, const char *name, struct conv2d_options given)
{
    struct conv2d_options *o = net_add(n, "conv2d", name);

    if (given.stride == 0)
        given.stride = o->stride;
    *o = given;
}

static inline void add_dense(struct net *n, const char *name, int64_t out)
{
    struct dense_options *o = net_add(n, "dense", name);

    o->out = out;
}

static inline void add_pool(struct net *n, const char *kind, int64_t kernel)
{
    struct pool_options *o = net_add(n, kind, NULL);

    o->kernel = kernel;
}

static inline void add_dropout(struct net *n, double p)
{
    struct dropout_options *o = net_add(n, "dropout", NULL);

    o->p = p;
}

#endif
