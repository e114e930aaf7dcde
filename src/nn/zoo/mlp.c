/*
 * mlp.c - dense layers of any widths on any input; the output is linear.
 */
#include "nn/zoo/parts.h"

struct mlp_options {
    struct field_ints widths;
    int activation;
};

static const char *const activations[] = {"relu", "tanh", "sigmoid", NULL};

static const struct field mlp_fields[] = {
    FIELD_INTS(struct mlp_options, widths, "256", 1, 1000000,
               "units of each hidden layer; none: a linear model"),
    FIELD_CHOICE(struct mlp_options, activation, "relu", activations, "after each hidden layer"),
    FIELD_LAST,
};

static enum status mlp_build(struct net *n, const struct zoo_request *request)
{
    const struct mlp_options *o = request->options;

    if (!request->in.is_flat)
        net_add(n, "flatten", NULL);
    for (int64_t i = 0; i < o->widths.count; i++) {
        add_dense(n, NULL, o->widths.values[i]);
        net_add(n, activations[o->activation], NULL);
    }
    add_dense(n, NULL, request->outputs);
    return STATUS_OK;
}

const struct zoo_ops mlp_zoo = {
    .entry = {.name = "mlp",
              .summary = "dense layers of any widths",
              .fields = mlp_fields,
              .options_size = sizeof(struct mlp_options)},
    .in = ZOO_IMAGE(1, 28, 28),
    .outputs = 10,
    .normalize = "set",
    .loss = "nll",
    .any_input = true,
    .build = mlp_build,
};
