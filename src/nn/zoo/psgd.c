/*
 * psgd.c - the network of the averaging study (S003), on 32x32 or 28x28. Pooling stands before the
 * ReLU, as there; the third pooling after the dropout.
 */
#include "nn/zoo/parts.h"

struct psgd_options {
    double dropout;
    int64_t pad;
};

static const struct field psgd_fields[] = {
    FIELD_REAL(struct psgd_options, dropout, 0.4, 0, 0.99, "dropout after the convolutions"),
    FIELD_INT(struct psgd_options, pad, 0, 0, 4, "zeros around the image of both convolutions"),
    FIELD_LAST,
};

static enum status psgd_build(struct net *n, const struct zoo_request *request)
{
    const struct psgd_options *o = request->options;

    add_conv(n, NULL, (struct conv2d_options){.out = 16, .kernel = 5, .pad = o->pad, .bias = true});
    add_pool(n, "maxpool", 2);
    net_add(n, "relu", NULL);
    add_conv(n, NULL, (struct conv2d_options){.out = 32, .kernel = 5, .pad = o->pad, .bias = true});
    add_pool(n, "maxpool", 2);
    net_add(n, "relu", NULL);
    add_dropout(n, o->dropout);
    add_pool(n, "maxpool", 2);
    net_add(n, "flatten", NULL);
    add_dense(n, "fc1", 512);
    net_add(n, "relu", NULL);
    add_dense(n, "fc2", 256);
    add_dense(n, "fc3", request->outputs);
    return STATUS_OK;
}

const struct zoo_ops psgd_cnn_zoo = {
    .entry = {.name = "psgd_cnn",
              .summary = "two convolutions, three dense layers (S003)",
              .fields = psgd_fields,
              .options_size = sizeof(struct psgd_options)},
    .in = ZOO_IMAGE(1, 32, 32),
    .outputs = 10,
    .normalize = "none",
    .loss = "nll",
    .build = psgd_build,
};
