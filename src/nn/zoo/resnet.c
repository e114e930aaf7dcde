/*
 * resnet.c - residual networks: ResNet-18 for 32x32 images as study S000 has it, and ResNet-18 and
 * ResNet-50 for ImageNet as torchvision has them. Layers are named as torchvision names them.
 *
 * ImageNet's images are normalised with the usual means 0.485, 0.456, 0.406; study S004 has those
 * of another data set (CINIC) there by mistake.
 *
 * He, Zhang, Ren, Sun: "Deep residual learning for image recognition", 2016.
 */
#include "base/mem.h"
#include "nn/zoo/parts.h"

#define IMAGENET_NORMALIZE "0.485,0.456,0.406,0.229,0.224,0.225"

enum { STAGES = 4, STAGE_WIDTH = 64 };

/* What the networks differ in, behind the stem. */
struct resnet {
    int blocks[STAGES];
    int init;             /* of the convolutions: enum conv2d_init */
    int64_t expansion;    /* a block's outputs over its width: 1 basic, 4 bottleneck */
    const char *shortcut; /* name of a projection's two layers */
};

struct block {
    int64_t width, stride;
    bool projects; /* the shape changes, so the shortcut is a convolution */
};

/* A convolution that keeps the size (up to the stride), and its BatchNorm. */
static void add_unit(struct net *n, struct conv2d_options conv)
{
    conv.pad = conv.kernel / 2;
    add_conv(n, NULL, conv);
    net_add(n, "batchnorm", NULL);
}

static void fill_basic(struct net *body, const struct block *b, int init)
{
    add_unit(body, (struct conv2d_options){
                       .out = b->width, .kernel = 3, .stride = b->stride, .init = init});
    net_add(body, "relu", NULL);
    add_unit(body, (struct conv2d_options){.out = b->width, .kernel = 3, .init = init});
}

/* The stride is in the 3x3 convolution, as in torchvision. */
static void fill_bottleneck(struct net *body, const struct block *b, int init)
{
    add_unit(body, (struct conv2d_options){.out = b->width, .kernel = 1, .init = init});
    net_add(body, "relu", NULL);
    add_unit(body, (struct conv2d_options){
                       .out = b->width, .kernel = 3, .stride = b->stride, .init = init});
    net_add(body, "relu", NULL);
    add_unit(body, (struct conv2d_options){.out = 4 * b->width, .kernel = 1, .init = init});
}

static struct net *new_projection(const struct resnet *r, const struct block *b)
{
    struct net *n = net_new();
    char *conv = text_format("%s.0", r->shortcut), *norm = text_format("%s.1", r->shortcut);

    add_conv(
        n, conv,
        (struct conv2d_options){
            .out = b->width * r->expansion, .kernel = 1, .stride = b->stride, .init = r->init});
    net_add(n, "batchnorm", norm);
    mem_free(conv);
    mem_free(norm);
    return n;
}

static void add_block(struct net *n, const char *name, const struct resnet *r,
                      const struct block *b)
{
    struct net *body = net_new();

    if (r->expansion == 1)
        fill_basic(body, b, r->init);
    else
        fill_bottleneck(body, b, r->init);
    net_add_residual(n, name, body, b->projects ? new_projection(r, b) : NULL);
}

static void add_stages(struct net *n, const struct resnet *r)
{
    int64_t width = STAGE_WIDTH;

    for (int stage = 0; stage < STAGES; stage++, width *= 2)
        for (int i = 0; i < r->blocks[stage]; i++) {
            const bool first = i == 0;
            const struct block b = {
                .width = width,
                .stride = first && stage > 0 ? 2 : 1,
                .projects = first && (stage > 0 || r->expansion > 1),
            };
            char *name = text_format("layer%d.%d", stage + 1, i);

            add_block(n, name, r, &b);
            mem_free(name);
        }
}

static void add_end(struct net *n, const char *name, int64_t outputs)
{
    net_add(n, "global_avgpool", NULL);
    net_add(n, "flatten", NULL);
    add_dense(n, name, outputs);
}

/* On 32x32 the study's average pooling of 4x4 covers the whole map: global pooling is the same. */
static enum status resnet18_cifar_build(struct net *n, const struct zoo_request *request)
{
    static const struct resnet r = {
        .blocks = {2, 2, 2, 2},
        .init = CONV2D_INIT_DEFAULT,
        .expansion = 1,
        .shortcut = "shortcut"
    };

    add_unit(n, (struct conv2d_options){.out = STAGE_WIDTH, .kernel = 3, .init = r.init});
    net_add(n, "relu", NULL);
    add_stages(n, &r);
    add_end(n, "linear", request->outputs);
    return STATUS_OK;
}

static enum status imagenet_build(struct net *n, const struct zoo_request *request,
                                  const struct resnet *r)
{
    add_unit(
        n, (struct conv2d_options){.out = STAGE_WIDTH, .kernel = 7, .stride = 2, .init = r->init});
    net_add(n, "relu", NULL);
    struct pool_options *pool = net_add(n, "maxpool", NULL);

    *pool = (struct pool_options){.kernel = 3, .stride = 2, .pad = 1};
    add_stages(n, r);
    add_end(n, "fc", request->outputs);
    return STATUS_OK;
}

static enum status resnet18_build(struct net *n, const struct zoo_request *request)
{
    static const struct resnet r = {
        .blocks = {2, 2, 2, 2},
        .init = CONV2D_INIT_HE_FAN_OUT,
        .expansion = 1,
        .shortcut = "downsample"
    };

    return imagenet_build(n, request, &r);
}

static enum status resnet50_build(struct net *n, const struct zoo_request *request)
{
    static const struct resnet r = {
        .blocks = {3, 4, 6, 3},
        .init = CONV2D_INIT_HE_FAN_OUT,
        .expansion = 4,
        .shortcut = "downsample"
    };

    return imagenet_build(n, request, &r);
}

const struct zoo_ops resnet18_cifar_zoo = {
    .entry = {.name = "resnet18_cifar", .summary = "ResNet-18 for 32x32 colour (S000)"},
    .in = ZOO_IMAGE(3, 32, 32),
    .outputs = 10,
    .normalize = "set",
    .loss = "nll",
    .any_input = true,
    .build = resnet18_cifar_build,
};

const struct zoo_ops resnet18_zoo = {
    .entry = {.name = "resnet18", .summary = "ResNet-18 for ImageNet (S004)"},
    .in = ZOO_IMAGE(3, 224, 224),
    .outputs = 1000,
    .normalize = IMAGENET_NORMALIZE,
    .loss = "nll",
    .any_input = true,
    .build = resnet18_build,
};

const struct zoo_ops resnet50_zoo = {
    .entry = {.name = "resnet50", .summary = "ResNet-50 for ImageNet"},
    .in = ZOO_IMAGE(3, 224, 224),
    .outputs = 1000,
    .normalize = IMAGENET_NORMALIZE,
    .loss = "nll",
    .any_input = true,
    .build = resnet50_build,
};
