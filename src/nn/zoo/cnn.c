/*
 * cnn.c - the two small convolutional networks with dropout of study S000: cnn1 for 28x28 grey
 * images, cnn2 for 32x32 colour images.
 */
#include "nn/zoo/parts.h"

struct cnn_options {
    double dropout, dropout_dense;
};

static const struct field cnn_fields[] = {
    FIELD_REAL(struct cnn_options, dropout, 0.25, 0, 0.99, "dropout after the last pooling"),
    FIELD_REAL(struct cnn_options, dropout_dense, 0.5, 0, 0.99,
               "dropout before the last dense layer"),
    FIELD_LAST,
};

/* Both end alike. */
static void add_head(struct net *n, const struct zoo_request *request, int64_t width)
{
    const struct cnn_options *o = request->options;

    add_pool(n, "maxpool", 2);
    add_dropout(n, o->dropout);
    net_add(n, "flatten", NULL);
    add_dense(n, "fc1", width);
    net_add(n, "relu", NULL);
    add_dropout(n, o->dropout_dense);
    add_dense(n, "fc2", request->outputs);
}

/* The study has no ReLU after the second convolution. */
static enum status cnn1_build(struct net *n, const struct zoo_request *request)
{
    add_conv(n, NULL, (struct conv2d_options){.out = 32, .kernel = 3, .bias = true});
    net_add(n, "relu", NULL);
    add_conv(n, NULL, (struct conv2d_options){.out = 64, .kernel = 3, .bias = true});
    add_head(n, request, 128);
    return STATUS_OK;
}

static enum status cnn2_build(struct net *n, const struct zoo_request *request)
{
    add_conv(n, NULL, (struct conv2d_options){.out = 32, .kernel = 3, .pad = 1, .bias = true});
    net_add(n, "relu", NULL);
    add_pool(n, "maxpool", 2);
    add_conv(n, NULL, (struct conv2d_options){.out = 64, .kernel = 3, .pad = 1, .bias = true});
    net_add(n, "relu", NULL);
    add_head(n, request, 512);
    return STATUS_OK;
}

const struct zoo_ops cnn1_zoo = {
    .entry = {.name = "cnn1",
              .summary = "two convolutions with dropout, for 28x28 (S000)",
              .fields = cnn_fields,
              .options_size = sizeof(struct cnn_options)},
    .in = ZOO_IMAGE(1, 28, 28),
    .outputs = 10,
    .normalize = "set",
    .loss = "nll",
    .build = cnn1_build,
};

const struct zoo_ops cnn2_zoo = {
    .entry = {.name = "cnn2",
              .summary = "two convolutions with dropout, for 32x32 colour (S000)",
              .fields = cnn_fields,
              .options_size = sizeof(struct cnn_options)},
    .in = ZOO_IMAGE(3, 32, 32),
    .outputs = 10,
    .normalize = "set",
    .loss = "nll",
    .build = cnn2_build,
};
