/*
 * grid.c - a grid of features over the plane: a point gets those of the four nearest grid points,
 * interpolated bilinearly.
 *
 *     out[c] = sum over the corners of the cell: weight * grid[y][x][c]
 *
 * The grid covers [-extent, extent] in both coordinates: its first column is at x = -extent, its
 * last at x = extent. Points outside get the features of the border. This is PyTorch's grid_sample
 * with align_corners and border padding; the tensor is canonical [1][channels][height][width].
 *
 * A sample moves the gradient of four grid points only: all others are exactly 0.
 */
#include "nn/layers/grid.h"

#include <string.h>

#include "nn/layers/support.h"

static const struct field grid_fields[] = {
    FIELD_INT(struct grid_options, channels, 8, 1, 4096, "number of features of a grid point"),
    FIELD_INT(struct grid_options, height, 64, 2, 16384, "number of grid points along y"),
    FIELD_INT(struct grid_options, width, 64, 2, 16384, "number of grid points along x"),
    FIELD_REAL(struct grid_options, extent, 1, 1e-9, 1e9,
               "largest coordinate; the grid covers the square from -extent to extent"),
    FIELD_REAL(struct grid_options, bound, 0.1, 0, 1e6,
               "initial features are uniform between -bound and bound"),
    FIELD_LAST,
};

static enum status grid_plan(struct layer *l)
{
    const struct grid_options *o = l->options;

    if (shape_size(l->in[0]) != 2)
        return layer_fail_shape(l, "needs points (x, y), gets", l->in[0]);
    struct tensor *t =
        layer_add_tensor(l, "weight", TENSOR_WEIGHT, o->channels * o->height * o->width);

    t->rank = 4;
    t->dims[0] = 1;
    t->dims[1] = t->panel_channels = o->channels;
    t->dims[2] = t->panel_height = o->height;
    t->dims[3] = t->panel_width = o->width;
    t->panel_out = 1;
    t->is_grid = true;
    t->init = INIT_UNIFORM;
    t->bound = o->bound;
    l->out = shape_vector(o->channels);
    l->flops = 8 * o->channels;
    return STATUS_OK;
}

/* Where a coordinate lies: between grid points `first` and first + 1, `part` of the way. */
struct place {
    int64_t first;
    float part;
    float slope; /* of the way by the coordinate; 0 outside of the grid */
};

static struct place place_of(float value, double extent, int64_t points)
{
    const float slope = (float)((double)(points - 1) / (2 * extent));
    const float way = (value + (float)extent) * slope, last = (float)(points - 1);

    if (!(way > 0))
        return (struct place){.first = 0};
    if (!(way < last))
        return (struct place){.first = points - 2, .part = 1};
    const int64_t first = (int64_t)way;
    return (struct place){.first = first, .part = way - (float)first, .slope = slope};
}

/* The four corners around a sample, by offset into the grid, and their weights. */
struct cell {
    struct place x, y;
    int64_t corners[4]; /* upper left, upper right, lower left, lower right */
    float weights[4];
};

static struct cell cell_at(const struct grid_options *o, const float *point)
{
    struct cell c = {
        .x = place_of(point[0], o->extent, o->width),
        .y = place_of(point[1], o->extent, o->height),
    };

    for (int k = 0; k < 4; k++) {
        const int64_t column = c.x.first + k % 2, row = c.y.first + k / 2;

        c.corners[k] = (row * o->width + column) * o->channels;
        c.weights[k] =
            (k % 2 == 0 ? 1.0F - c.x.part : c.x.part) * (k / 2 == 0 ? 1.0F - c.y.part : c.y.part);
    }
    return c;
}

static struct cell cell_of(const struct layer_pass *p, int64_t sample)
{
    return cell_at(p->layer->options, p->in[0] + 2 * sample);
}

double grid_mean_at(const struct grid_options *o, const float *values, const float *point)
{
    const struct cell cell = cell_at(o, point);
    double sum = 0;

    for (int k = 0; k < 4; k++)
        for (int64_t c = 0; c < o->channels; c++)
            sum += (double)cell.weights[k] * (double)values[cell.corners[k] + c];
    return sum / (double)o->channels;
}

static void forward_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const int64_t channels = p->layer->out.channels;

    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const struct cell cell = cell_of(p, i);
        float *out = p->out + i * channels;

        memset(out, 0, (size_t)channels * sizeof *out);
        for (int k = 0; k < 4; k++)
            p->kernel->axpy(out, cell.weights[k], p->tensors[0] + cell.corners[k], channels);
    }
}

static void grid_forward(const struct layer_pass *p)
{
    layer_split(p, p->batch, forward_samples, p);
}

/* Some channels of all samples in order: so the sums have the same bits for any team. */
static void gradient_channels(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct grid_options *o = p->layer->options;
    const int64_t points = o->height * o->width;

    (void)thread;
    for (int64_t i = 0; i < points && !p->adds; i++)
        memset(p->gradients[0] + i * o->channels + begin, 0, (size_t)(end - begin) * sizeof(float));
    for (int64_t i = 0; i < p->batch; i++) {
        const struct cell cell = cell_of(p, i);
        const float *dout = p->dout + i * o->channels;

        for (int k = 0; k < 4; k++)
            p->kernel->axpy(p->gradients[0] + cell.corners[k] + begin, cell.weights[k],
                            dout + begin, end - begin);
    }
}

/* By the coordinates: what a step to the next column, or row, would change. */
static void input_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const int64_t channels = p->layer->out.channels;

    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const struct cell cell = cell_of(p, i);
        float sums[4] = {0};

        for (int k = 0; k < 4; k++)
            for (int64_t c = 0; c < channels; c++)
                sums[k] += p->dout[i * channels + c] * p->tensors[0][cell.corners[k] + c];
        p->din[0][2 * i] = cell.x.slope * ((1.0F - cell.y.part) * (sums[1] - sums[0]) +
                                           cell.y.part * (sums[3] - sums[2]));
        p->din[0][2 * i + 1] = cell.y.slope * ((1.0F - cell.x.part) * (sums[2] - sums[0]) +
                                               cell.x.part * (sums[3] - sums[1]));
    }
}

static void grid_backward(const struct layer_pass *p)
{
    layer_split(p, p->layer->out.channels, gradient_channels, p);
    if (p->din[0] != NULL)
        layer_split(p, p->batch, input_samples, p);
}

const struct layer_ops grid_layer = {
    .entry = {.name = "grid",
              .summary = "features of points in the plane, interpolated from a grid",
              .fields = grid_fields,
              .options_size = sizeof(struct grid_options)},
    .flags = LAYER_NEEDS_INPUT | LAYER_ADDS,
    .input_count = 1,
    .plan = grid_plan,
    .forward = grid_forward,
    .backward = grid_backward,
};
