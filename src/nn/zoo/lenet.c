/*
 * lenet.c - the two LeNets: ReLU and max pooling on 28x28 (study S000), tanh and average pooling on
 * 32x32 (study S002).
 */
#include "nn/zoo/parts.h"

static enum status lenet5_build(struct net *n, const struct zoo_request *request)
{
    add_conv(n, NULL, (struct conv2d_options){.out = 6, .kernel = 5, .pad = 2, .bias = true});
    net_add(n, "relu", NULL);
    add_pool(n, "maxpool", 2);
    add_conv(n, NULL, (struct conv2d_options){.out = 16, .kernel = 5, .bias = true});
    net_add(n, "relu", NULL);
    add_pool(n, "maxpool", 2);
    net_add(n, "flatten", NULL);
    add_dense(n, "fc1", 120);
    net_add(n, "relu", NULL);
    add_dense(n, "fc2", 84);
    net_add(n, "relu", NULL);
    add_dense(n, "fc3", request->outputs);
    return STATUS_OK;
}

static enum status lenet_tanh_build(struct net *n, const struct zoo_request *request)
{
    add_conv(n, NULL, (struct conv2d_options){.out = 6, .kernel = 5, .bias = true});
    net_add(n, "tanh", NULL);
    add_pool(n, "avgpool", 2);
    add_conv(n, NULL, (struct conv2d_options){.out = 16, .kernel = 5, .bias = true});
    net_add(n, "tanh", NULL);
    add_pool(n, "avgpool", 2);
    add_conv(n, NULL, (struct conv2d_options){.out = 120, .kernel = 5, .bias = true});
    net_add(n, "tanh", NULL);
    net_add(n, "flatten", NULL);
    add_dense(n, "fc1", 84);
    net_add(n, "tanh", NULL);
    add_dense(n, "fc2", request->outputs);
    return STATUS_OK;
}

const struct zoo_ops lenet5_zoo = {
    .entry = {.name = "lenet5", .summary = "LeNet-5 with ReLU and max pooling (S000)"},
    .in = ZOO_IMAGE(1, 28, 28),
    .outputs = 10,
    .normalize = "set",
    .loss = "nll",
    .build = lenet5_build,
};

const struct zoo_ops lenet_tanh_zoo = {
    .entry = {.name = "lenet_tanh", .summary = "LeNet-5 with tanh and average pooling (S002)"},
    .in = ZOO_IMAGE(3, 32, 32),
    .outputs = 1000,
    .normalize = "none",
    .loss = "nll",
    .build = lenet_tanh_build,
};
