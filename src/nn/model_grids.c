/*
 * model_grids.c - numbers for each value of a model's grids, as a function of the model's input.
 */
#include "nn/layers/grid.h"
#include "nn/list.h"
#include "nn/model.h"

static bool is_grid(const struct layer *l)
{
    return l->kind == &grid_layer;
}

/* Only of such a grid it is known which input belongs to which place. */
static bool is_over_input(const struct layer *l)
{
    return is_grid(l) && l->inputs[0] < 0;
}

int model_input_grids(const struct model *m)
{
    int count = 0;

    for (int i = 0; i < m->layer_count; i++)
        count += is_over_input(&m->layers[i]);
    return count;
}

double model_grid_mean(const struct model *m, const float *values, const float *point)
{
    double sum = 0;

    for (int i = 0; i < m->layer_count; i++) {
        const struct layer *l = &m->layers[i];

        if (is_over_input(l))
            sum += grid_mean_at(l->options, values, point);
        if (is_grid(l))
            values += l->tensors[0].count;
    }
    return sum / model_input_grids(m);
}
