/*
 * fourier.c - the density network of study S001: from a point in the plane to how likely it is
 * occupied.
 *
 *     relu(sin(scale * (W x + b))), then dense layers with ReLU, then a sigmoid
 *
 * W of the first layer is uniform on +-sqrt(6/out), as the study has it (SIREN has sqrt(6/in)).
 */
#include "nn/zoo/parts.h"

struct fourier_options {
    struct field_ints shape;
    double scale;
};

static const struct field fourier_fields[] = {
    FIELD_INTS(struct fourier_options, shape, "2,256,64,64,64,1", 1, 65536,
               "widths from input to output"),
    FIELD_REAL(struct fourier_options, scale, 0.05, 1e-9, 1e9, "factor inside the sine"),
    FIELD_LAST,
};

static enum status check_shape(const struct field_ints *shape, const struct zoo_request *request)
{
    const int64_t inputs = shape_size(request->in);

    if (shape->count < 3)
        return FAIL(STATUS_BAD_INPUT,
                    "model.shape: needs at least three widths (input, sines, output), has %lld",
                    (long long)shape->count);
    if (shape->values[0] != inputs)
        return FAIL(STATUS_BAD_INPUT, "model.shape: starts with %lld, but the data has %lld inputs",
                    (long long)shape->values[0], (long long)inputs);
    if (shape->values[shape->count - 1] != request->outputs)
        return FAIL(STATUS_BAD_INPUT, "model.shape: ends with %lld, but the data has %lld outputs",
                    (long long)shape->values[shape->count - 1], (long long)request->outputs);
    return STATUS_OK;
}

static enum status fourier_build(struct net *n, const struct zoo_request *request)
{
    const struct fourier_options *o = request->options;
    const struct field_ints *shape = &o->shape;

    TRY(check_shape(shape, request));
    if (!request->in.is_flat)
        net_add(n, "flatten", NULL);
    struct dense_options *first = net_add(n, "dense", NULL);

    first->out = shape->values[1];
    first->init = DENSE_INIT_SIREN;
    struct sine_options *sine = net_add(n, "sine", NULL);

    sine->scale = o->scale;
    for (int64_t i = 2; i < shape->count; i++) {
        net_add(n, "relu", NULL);
        add_dense(n, NULL, shape->values[i]);
    }
    net_add(n, "sigmoid", NULL);
    return STATUS_OK;
}

const struct zoo_ops fourier_density_zoo = {
    .entry = {.name = "fourier_density",
              .summary = "sine features and dense layers to a density (S001)",
              .fields = fourier_fields,
              .options_size = sizeof(struct fourier_options)},
    .in = ZOO_VECTOR(2),
    .outputs = 1,
    .normalize = "none",
    .loss = "bce",
    .build = fourier_build,
};
