/*
 * mnist.c - two small networks for MNIST: one convolution with settable sizes (study S001), and two
 * convolutions with BatchNorm (the data-parallel demonstration of study S004).
 */
#include "nn/zoo/parts.h"

struct mnist_conv_options {
    int64_t num_filters, kernel_size, linear_width;
};

static const struct field mnist_conv_fields[] = {
    FIELD_INT(struct mnist_conv_options, num_filters, 3, 1, 4096, "filters of the convolution"),
    FIELD_INT(struct mnist_conv_options, kernel_size, 5, 1, 64, "width of a filter in pixels"),
    FIELD_INT(struct mnist_conv_options, linear_width, 64, 1, 65536, "units of the hidden layer"),
    FIELD_LAST,
};

/* Told by the option, not by the layer that would not fit: what is behind the convolution is at
 * least as large as a window of the pooling. */
static enum status check_kernel(int64_t kernel, struct shape in)
{
    const int64_t shorter = in.height < in.width ? in.height : in.width;
    struct text image = {0};

    if (in.is_flat || kernel < shorter)
        return STATUS_OK;
    shape_text(in, &image);
    const enum status s = FAIL(
        STATUS_BAD_INPUT,
        "model.kernel_size: %lld does not fit an input of %s followed by pooling; at most %lld",
        (long long)kernel, text_get(&image), (long long)shorter - 1);
    text_release(&image);
    return s;
}

static enum status mnist_conv_build(struct net *n, const struct zoo_request *request)
{
    const struct mnist_conv_options *o = request->options;

    TRY(check_kernel(o->kernel_size, request->in));
    add_conv(
        n, NULL,
        (struct conv2d_options){.out = o->num_filters, .kernel = o->kernel_size, .bias = true});
    net_add(n, "relu", NULL);
    add_pool(n, "maxpool", 2);
    net_add(n, "flatten", NULL);
    add_dense(n, "fc1", o->linear_width);
    net_add(n, "relu", NULL);
    add_dense(n, "fc2", request->outputs);
    return STATUS_OK;
}

static void add_normed_conv(struct net *n, int64_t out)
{
    add_conv(n, NULL, (struct conv2d_options){.out = out, .kernel = 5, .pad = 2, .bias = true});
    net_add(n, "batchnorm", NULL);
    net_add(n, "relu", NULL);
    add_pool(n, "maxpool", 2);
}

static enum status mnist_bn_build(struct net *n, const struct zoo_request *request)
{
    add_normed_conv(n, 16);
    add_normed_conv(n, 32);
    net_add(n, "flatten", NULL);
    add_dense(n, "fc", request->outputs);
    return STATUS_OK;
}

const struct zoo_ops mnist_conv_zoo = {
    .entry = {.name = "mnist_conv",
              .summary = "one small convolution, two dense layers (S001)",
              .fields = mnist_conv_fields,
              .options_size = sizeof(struct mnist_conv_options)},
    .in = ZOO_IMAGE(1, 28, 28),
    .outputs = 10,
    .normalize = "0.1307,0.3081",
    .loss = "nll",
    .build = mnist_conv_build,
};

const struct zoo_ops mnist_bn_zoo = {
    .entry = {.name = "mnist_bn", .summary = "two convolutions with BatchNorm (S004)"},
    .in = ZOO_IMAGE(1, 28, 28),
    .outputs = 10,
    .normalize = "none",
    .loss = "nll",
    .build = mnist_bn_build,
};
