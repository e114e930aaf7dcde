/*
 * batchnorm.c - normalises each channel over the batch, then scales and shifts it.
 *
 *     out = gamma (in - mean) / sqrt(var + eps) + beta
 *
 * Training takes mean and (biased) variance of the batch and moves the running statistics
 * r <- (1-m) r + m s, s with the unbiased variance. Evaluation takes the running statistics. So
 * does a training batch that has one value per channel, which has no variance; it leaves the
 * running statistics alone. Images are normalised per channel, vectors per element.
 *
 * Joined to it by fuse.c, in the same passes over memory: the sum with a shortcut (the second
 * input), then ReLU. The value before the ReLU is never stored: backward finds its sign from the
 * input, or from the output when a shortcut has been added.
 *
 * Sums over the batch are by slices of samples that are added in order, for any number of threads.
 * Each slice is read once: its values are taken from the mean of its first sample, which is near
 * enough to the slice's own for the variance to keep its digits, and the slices' means and squares
 * are joined in double as Chan, Golub and LeVeque do ("Updating formulae", 1979).
 *
 * Ioffe, Szegedy: "Batch Normalization", 2015.
 */
#include <math.h>
#include <string.h>

#include "nn/layer_options.h"
#include "nn/layers/fused.h"
#include "nn/layers/support.h"

enum { GAMMA, BETA, RUNNING_MEAN, RUNNING_VAR };

static const struct field batchnorm_fields[] = {
    FIELD_REAL(struct batchnorm_options, eps, 1e-5, 1e-12, 1.0, "added to the variance"),
    FIELD_REAL(struct batchnorm_options, momentum, 0.1, 0.0, 1.0,
               "weight of a new batch in the running statistics"),
    FIELD_LAST,
};

static int64_t channels_of(const struct layer *l)
{
    return l->in[0].is_flat ? shape_size(l->in[0]) : l->in[0].channels;
}

/* Values of one channel in one sample. */
static int64_t rows_of(const struct layer *l)
{
    return shape_size(l->in[0]) / channels_of(l);
}

static void add_vector(struct layer *l, const char *suffix, enum tensor_kind kind,
                       enum tensor_init init)
{
    struct tensor *t = layer_add_tensor(l, suffix, kind, channels_of(l));

    t->init = init;
    if (l->in[0].is_flat) { /* canonical order is that of the image before the flatten */
        t->panel_out = 1;
        t->panel_height = l->in[0].height;
        t->panel_width = l->in[0].width;
        t->panel_channels = l->in[0].channels;
    }
}

static enum status batchnorm_plan(struct layer *l)
{
    const struct batchnorm_options *o = l->options;
    const int64_t channels = channels_of(l);

    l->out = l->in[0];
    add_vector(l, "weight", TENSOR_NORM, INIT_ONE);
    add_vector(l, "bias", TENSOR_NORM, INIT_ZERO);
    add_vector(l, "running_mean", TENSOR_BUFFER, INIT_ZERO);
    add_vector(l, "running_var", TENSOR_BUFFER, INIT_ONE);
    l->tracked_count = 1;
    for (int t = 0; t < l->tensor_count; t++)
        if (l->tensors[t].kind == TENSOR_BUFFER)
            l->tensors[t].momentum = o->momentum;
    l->saved_fixed = 4 * channels; /* doubles: mean, 1/sqrt(var + eps) */
    layer_plan_slices(l, channels, 2);
    l->scratch_shared_fixed += 5 * channels; /* mean in float, and coefficients */
    l->scratch_per_thread = channels;        /* what a slice's values are taken from */
    return STATUS_OK;
}

/* What is joined to it needs no room of its own. */
static enum status fused_plan(struct layer *l)
{
    l->out = l->in[0];
    return STATUS_OK;
}

/* Everything that one pass looks at, by name. */
struct norm {
    const struct layer_pass *pass;
    int64_t rows, channels;
    double count;                                   /* values per channel in the batch */
    double *mean, *inverse;                         /* [channels], kept for backward */
    double *first, *first_parts;                    /* slices' means, or sums of dz */
    double *second, *second_parts;                  /* sums of (x - mean)^2, or of dz (x - mean) */
    float *mean_f, *scale, *shift, *scale_x, *rest; /* [channels] */
};

static struct norm norm_of(const struct layer_pass *p)
{
    const int64_t channels = channels_of(p->layer), rows = rows_of(p->layer);
    double *doubles = (double *)(void *)p->scratch_shared;
    double *saved = (double *)(void *)p->saved_fixed;
    float *floats = p->scratch_shared + layer_slice_floats(p->batch, channels, 2);

    return (struct norm){
        .pass = p,
        .rows = rows,
        .channels = channels,
        .count = (double)(p->batch * rows),
        .mean = saved,
        .inverse = saved + channels,
        .first = doubles,
        .second = doubles + channels,
        .first_parts = doubles + 2 * channels,
        .second_parts = doubles + (2 + layer_slices(p->batch)) * channels,
        .mean_f = floats,
        .scale = floats + channels,
        .shift = floats + 2 * channels,
        .scale_x = floats + 3 * channels,
        .rest = floats + 4 * channels,
    };
}

static bool has_batch_statistics(const struct norm *b)
{
    return b->pass->mode == PASS_TRAIN && b->count > 1.0;
}

static bool adds_shortcut(const struct norm *b)
{
    return b->pass->layer->input_count > 1;
}

/* The rows of slice i. */
static struct item_range slice_rows(const struct norm *b, int64_t i)
{
    const int64_t first = i * SLICE, last = first + SLICE;

    return (struct item_range){first * b->rows,
                               (last < b->pass->batch ? last : b->pass->batch) * b->rows};
}

/* The map from input to output, as floats: the same in forward and backward. */
static void find_map(const struct norm *b)
{
    for (int64_t c = 0; c < b->channels; c++) {
        const double scale = (double)b->pass->tensors[GAMMA][c] * b->inverse[c];
        b->scale[c] = (float)scale;
        b->shift[c] = (float)((double)b->pass->tensors[BETA][c] - b->mean[c] * scale);
    }
}

/* --- forward --- */

/* The mean of the slice's first sample, in float. */
static void find_center(const struct norm *b, float *center, const float *x, double *sums)
{
    memset(sums, 0, (size_t)b->channels * sizeof *sums);
    b->pass->kernel->column_sums(sums, x, b->rows, b->channels);
    for (int64_t c = 0; c < b->channels; c++)
        center[c] = (float)(sums[c] / (double)b->rows);
}

/* Mean, and sum of squared distances from it, of each slice. */
static void moment_slices(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct norm *b = context;
    const size_t bytes = (size_t)b->channels * sizeof(double);
    float *center = layer_scratch(b->pass, thread);

    for (int64_t i = begin; i < end; i++) {
        const struct item_range r = slice_rows(b, i);
        const float *x = b->pass->in[0] + r.begin * b->channels;
        const double n = (double)(r.end - r.begin);
        double *mean = b->first_parts + i * b->channels;
        double *squares = b->second_parts + i * b->channels;
        find_center(b, center, x, mean);
        memset(mean, 0, bytes);
        memset(squares, 0, bytes);
        b->pass->kernel->column_moments(mean, squares, x, center, r.end - r.begin, b->channels);
        for (int64_t c = 0; c < b->channels; c++) {
            const double off = mean[c] / n;
            squares[c] = fmax(squares[c] - mean[c] * off, 0.0);
            mean[c] = (double)center[c] + off;
        }
    }
}

/* All slices' means and squares in one, in their order; first becomes the mean. */
static void join_slices(const struct norm *b)
{
    const int64_t slices = layer_slices(b->pass->batch);
    double before = 0.0;

    memset(b->first, 0, (size_t)b->channels * sizeof *b->first);
    memset(b->second, 0, (size_t)b->channels * sizeof *b->second);
    for (int64_t i = 0; i < slices; i++) {
        const struct item_range r = slice_rows(b, i);
        const double n = (double)(r.end - r.begin), part = n / (before + n);
        const double *mean = b->first_parts + i * b->channels;
        const double *squares = b->second_parts + i * b->channels;
        for (int64_t c = 0; c < b->channels; c++) {
            const double off = mean[c] - b->first[c];
            b->first[c] += off * part;
            b->second[c] += squares[c] + off * off * before * part;
        }
        before += n;
    }
}

static void update_running(const struct norm *b, int64_t c, double variance)
{
    const struct layer_pass *p = b->pass;
    const struct batchnorm_options *o = p->layer->options;
    const float mean = (float)b->mean[c];
    const float unbiased = (float)(variance * b->count / (b->count - 1.0));

    if (p->buffers[RUNNING_MEAN] == NULL)
        return;
    p->buffers[RUNNING_MEAN][c] =
        p->raw_statistics ? mean
                          : tensor_move_statistic(o->momentum, p->tensors[RUNNING_MEAN][c], mean);
    p->buffers[RUNNING_VAR][c] =
        p->raw_statistics
            ? unbiased
            : tensor_move_statistic(o->momentum, p->tensors[RUNNING_VAR][c], unbiased);
}

static void batch_statistics(const struct norm *b)
{
    const struct layer_pass *p = b->pass;
    const struct batchnorm_options *o = p->layer->options;

    layer_split(p, layer_slices(p->batch), moment_slices, b);
    join_slices(b);
    for (int64_t c = 0; c < b->channels; c++) {
        const double variance = b->second[c] / b->count;
        b->mean[c] = b->first[c];
        b->inverse[c] = 1.0 / sqrt(variance + o->eps);
        update_running(b, c, variance);
    }
    if (p->batches_tracked != NULL)
        p->batches_tracked[0]++;
}

static void running_statistics(const struct norm *b)
{
    const struct layer_pass *p = b->pass;
    const struct batchnorm_options *o = p->layer->options;

    for (int64_t c = 0; c < b->channels; c++) {
        b->mean[c] = (double)p->tensors[RUNNING_MEAN][c];
        b->inverse[c] = 1.0 / sqrt((double)p->tensors[RUNNING_VAR][c] + o->eps);
    }
}

static void normalize_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct norm *b = context;
    const struct layer_pass *p = b->pass;
    const int64_t from = begin * b->rows * b->channels;
    const struct norm_map map = {
        .scale = b->scale,
        .shift = b->shift,
        .other = adds_shortcut(b) ? p->in[1] + from : NULL,
        .relu = p->layer->fusion.relu,
    };

    (void)thread;
    p->kernel->norm_map(p->out + from, p->in[0] + from, &map, (end - begin) * b->rows, b->channels);
}

static void batchnorm_forward(const struct layer_pass *p)
{
    const struct norm b = norm_of(p);

    if (has_batch_statistics(&b))
        batch_statistics(&b);
    else
        running_statistics(&b);
    find_map(&b);
    layer_split(p, p->batch, normalize_samples, &b);
}

/* --- backward --- */

/* The gradient's view of the elements from `from` on; dz is dout behind the ReLU. */
static struct norm_gradient gradient_at(const struct norm *b, int64_t from)
{
    const struct layer_pass *p = b->pass;
    const bool relu = p->layer->fusion.relu;

    return (struct norm_gradient){
        .mask = !relu              ? NORM_MASK_NONE
                : adds_shortcut(b) ? NORM_MASK_OUTPUT
                                   : NORM_MASK_INPUT,
        .dy = p->dout + from,
        .x = p->in[0] + from,
        .y = p->out + from,
        .scale = b->scale,
        .shift = b->shift,
        .mean = b->mean_f,
        .scale_x = b->scale_x,
        .rest = b->rest,
    };
}

/* The shortcut's gradient is dz itself, written while it is summed. */
static void sum_slices(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct norm *b = context;
    const struct layer_pass *p = b->pass;
    const size_t bytes = (size_t)b->channels * sizeof(double);

    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const struct item_range r = slice_rows(b, i);
        const int64_t from = r.begin * b->channels;
        struct norm_gradient g = gradient_at(b, from);
        double *sums = b->first_parts + i * b->channels;
        double *products = b->second_parts + i * b->channels;
        if (adds_shortcut(b) && p->din[1] != NULL)
            g.dz = p->din[1] + from;
        memset(sums, 0, bytes);
        memset(products, 0, bytes);
        p->kernel->norm_sums(sums, products, &g, r.end - r.begin, b->channels);
    }
}

static void gradient_sums(const struct norm *b)
{
    const struct layer_pass *p = b->pass;
    const struct slice_sums sums = {b->first, b->first_parts, NULL, b->rows, b->channels};
    const struct slice_sums products = {b->second, b->second_parts, NULL, b->rows, b->channels};

    for (int64_t c = 0; c < b->channels; c++)
        b->mean_f[c] = (float)b->mean[c];
    layer_split(p, layer_slices(p->batch), sum_slices, b);
    layer_add_slices(p, &sums);
    layer_add_slices(p, &products);
    for (int64_t c = 0; c < b->channels; c++) /* by the mean, not by the mean rounded to float */
        b->second[c] -= (b->mean[c] - (double)b->mean_f[c]) * b->first[c];
}

static void input_gradient_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct norm *b = context;
    const struct layer_pass *p = b->pass;
    const int64_t from = begin * b->rows * b->channels;
    struct norm_gradient g = gradient_at(b, from);

    (void)thread;
    if (adds_shortcut(b) && p->din[1] != NULL) {
        g.dy = p->din[1] + from;
        g.mask = NORM_MASK_NONE;
    }
    p->kernel->norm_back(p->din[0] + from, &g, (end - begin) * b->rows, b->channels);
}

/*
 * With xhat = (x - mean) inverse:  dx = gamma inverse (dz - mean(dz) - xhat mean(dz xhat)),
 * written as scale dz + scale_x x + rest. Fixed statistics leave the first term alone.
 */
static void input_gradient(const struct norm *b)
{
    const bool through_statistics = has_batch_statistics(b);

    for (int64_t c = 0; c < b->channels; c++) {
        const double scale = (double)b->pass->tensors[GAMMA][c] * b->inverse[c];
        const double scale_x =
            through_statistics ? -scale * b->inverse[c] * b->inverse[c] * b->second[c] / b->count
                               : 0.0;
        const double rest =
            through_statistics ? -scale * b->first[c] / b->count - scale_x * b->mean[c] : 0.0;
        b->scale_x[c] = (float)scale_x;
        b->rest[c] = (float)rest;
    }
    layer_split(b->pass, b->pass->batch, input_gradient_samples, b);
}

static void batchnorm_backward(const struct layer_pass *p)
{
    const struct norm b = norm_of(p);

    find_map(&b);
    gradient_sums(&b);
    for (int64_t c = 0; c < b.channels; c++) {
        p->gradients[GAMMA][c] = (float)(b.second[c] * b.inverse[c]);
        p->gradients[BETA][c] = (float)b.first[c];
    }
    if (p->din[0] != NULL)
        input_gradient(&b);
}

const struct layer_ops batchnorm_layer = {
    .entry = {.name = "batchnorm",
              .summary = "normalises each channel over the batch",
              .fields = batchnorm_fields,
              .options_size = sizeof(struct batchnorm_options)},
    .flags = LAYER_NEEDS_INPUT,
    .input_count = 1,
    .plan = batchnorm_plan,
    .forward = batchnorm_forward,
    .backward = batchnorm_backward,
};

const struct layer_ops batchnorm_relu_layer = {
    .entry = {.name = "batchnorm_relu", .summary = "batchnorm, then relu"},
    .flags = LAYER_NEEDS_INPUT,
    .input_count = 1,
    .plan = fused_plan,
    .forward = batchnorm_forward,
    .backward = batchnorm_backward,
};

const struct layer_ops batchnorm_add_layer = {
    .entry = {.name = "batchnorm_add", .summary = "batchnorm, then the sum with a shortcut"},
    .flags = LAYER_NEEDS_INPUT,
    .input_count = 2,
    .plan = fused_plan,
    .forward = batchnorm_forward,
    .backward = batchnorm_backward,
};

const struct layer_ops batchnorm_add_relu_layer = {
    .entry = {.name = "batchnorm_add_relu", .summary = "batchnorm, sum with a shortcut, relu"},
    .flags = LAYER_NEEDS_INPUT | LAYER_NEEDS_OUTPUT,
    .input_count = 2,
    .plan = fused_plan,
    .forward = batchnorm_forward,
    .backward = batchnorm_backward,
};
