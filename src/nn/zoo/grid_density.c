/*
 * grid_density.c - a map as a grid of features and a small decoder: from a point in the plane to
 * how likely it is occupied.
 *
 *     grid features, then dense layers with ReLU, then a sigmoid
 */
#include "nn/zoo/parts.h"

struct grid_density_options {
    int64_t features, cells;
    double extent;
    struct field_ints hidden;
};

static const struct field grid_density_fields[] = {
    FIELD_INT(struct grid_density_options, features, 8, 1, 4096,
              "number of features of a grid point"),
    FIELD_INT(struct grid_density_options, cells, 64, 2, 16384,
              "number of grid points along each side"),
    FIELD_REAL(struct grid_density_options, extent, 1080, 1e-9, 1e9,
               "largest coordinate; the grid covers the square from -extent to extent"),
    FIELD_INTS(struct grid_density_options, hidden, "32", 1, 65536,
               "widths of the decoder's hidden layers"),
    FIELD_LAST,
};

static enum status grid_density_build(struct net *n, const struct zoo_request *request)
{
    const struct grid_density_options *o = request->options;

    if (shape_size(request->in) != 2)
        return FAIL(STATUS_BAD_INPUT,
                    "model.name: grid_density needs points with 2 coordinates, the data has %lld "
                    "inputs",
                    (long long)shape_size(request->in));
    struct grid_options *grid = net_add(n, "grid", NULL);

    grid->channels = o->features;
    grid->height = grid->width = o->cells;
    grid->extent = o->extent;
    for (int64_t i = 0; i < o->hidden.count; i++) {
        add_dense(n, NULL, o->hidden.values[i]);
        net_add(n, "relu", NULL);
    }
    add_dense(n, NULL, request->outputs);
    net_add(n, "sigmoid", NULL);
    return STATUS_OK;
}

const struct zoo_ops grid_density_zoo = {
    .entry = {.name = "grid_density",
              .summary = "a grid of features and a small decoder to a density",
              .fields = grid_density_fields,
              .options_size = sizeof(struct grid_density_options)},
    .in = ZOO_VECTOR(2),
    .outputs = 1,
    .normalize = "none",
    .loss = "bce",
    .build = grid_density_build,
};
