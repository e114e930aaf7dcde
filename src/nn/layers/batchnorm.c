/*
 * batchnorm.c - normalises each channel over the batch, then scales and shifts it.
 *
 *     out = gamma (in - mean) / sqrt(var + eps) + beta
 *
 * Training takes mean and (biased) variance of the batch, by two passes in double, and moves the
 * running statistics r <- (1-m) r + m s, s with the unbiased variance. Evaluation takes the running
 * statistics. So does a training batch that has one value per channel, which has no variance; it
 * leaves the running statistics alone. Images are normalised per channel, vectors per element.
 *
 * Sums over the batch are by slices of samples that are added in order, for any number of threads.
 *
 * Ioffe, Szegedy: "Batch Normalization", 2015.
 */
#include <math.h>
#include <string.h>

#include "nn/layer_options.h"
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
    const int64_t channels = channels_of(l);

    l->out = l->in[0];
    add_vector(l, "weight", TENSOR_NORM, INIT_ONE);
    add_vector(l, "bias", TENSOR_NORM, INIT_ZERO);
    add_vector(l, "running_mean", TENSOR_BUFFER, INIT_ZERO);
    add_vector(l, "running_var", TENSOR_BUFFER, INIT_ONE);
    l->counters = 1;
    l->saved_fixed = 4 * channels; /* doubles: mean, 1/sqrt(var + eps) */
    layer_plan_slices(l, channels, 2);
    l->scratch_shared_fixed += 4 * channels; /* mean in float, and coefficients */
    return STATUS_OK;
}

/* Everything that one pass looks at, by name. */
struct norm {
    const struct layer_pass *pass;
    int64_t rows, channels;
    double count;                            /* values per channel in the batch */
    double *mean, *inverse;                  /* [channels], kept for backward */
    double *first, *first_parts;             /* sums of x, or of dout */
    double *second, *second_parts;           /* sums of squares, or of dout * (x - mean) */
    float *mean_f, *scale, *shift, *scale_x; /* [channels] */
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
    };
}

static bool has_batch_statistics(const struct norm *b)
{
    return b->pass->mode == PASS_TRAIN && b->count > 1.0;
}

/* The elements of slice i. */
static struct item_range slice_rows(const struct norm *b, int64_t i)
{
    const int64_t first = i * SLICE, last = first + SLICE;

    return (struct item_range){first * b->rows,
                               (last < b->pass->batch ? last : b->pass->batch) * b->rows};
}

static void round_means(const struct norm *b)
{
    for (int64_t c = 0; c < b->channels; c++)
        b->mean_f[c] = (float)b->mean[c];
}

/* --- forward --- */

static void square_slices(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct norm *b = context;

    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const struct item_range r = slice_rows(b, i);
        double *part = b->second_parts + i * b->channels;
        memset(part, 0, (size_t)b->channels * sizeof *part);
        b->pass->kernel->column_squares(part, b->pass->in[0] + r.begin * b->channels, b->mean_f,
                                        r.end - r.begin, b->channels);
    }
}

static void update_running(const struct norm *b, int64_t c, double variance)
{
    const struct layer_pass *p = b->pass;
    const struct batchnorm_options *o = p->layer->options;
    const double m = o->momentum, unbiased = variance * b->count / (b->count - 1.0);

    if (p->buffers[RUNNING_MEAN] == NULL)
        return;
    p->buffers[RUNNING_MEAN][c] =
        (float)((1.0 - m) * (double)p->tensors[RUNNING_MEAN][c] + m * b->mean[c]);
    p->buffers[RUNNING_VAR][c] =
        (float)((1.0 - m) * (double)p->tensors[RUNNING_VAR][c] + m * unbiased);
}

static void batch_statistics(const struct norm *b)
{
    const struct layer_pass *p = b->pass;
    const struct batchnorm_options *o = p->layer->options;
    const struct slice_sums sums = {b->first, b->first_parts, p->in[0], b->rows, b->channels};
    const struct slice_sums squares = {b->second, b->second_parts, NULL, b->rows, b->channels};

    layer_sum_slices(p, &sums);
    for (int64_t c = 0; c < b->channels; c++)
        b->mean[c] = b->first[c] / b->count;
    round_means(b);
    layer_split(p, layer_slices(p->batch), square_slices, b);
    layer_add_slices(p, &squares);
    for (int64_t c = 0; c < b->channels; c++) {
        /* sum (x - m')^2 = sum (x - m)^2 + count (m - m')^2, m' the mean rounded to float */
        const double off = b->mean[c] - (double)b->mean_f[c];
        const double variance = fmax(b->second[c] / b->count - off * off, 0.0);
        b->inverse[c] = 1.0 / sqrt(variance + o->eps);
        update_running(b, c, variance);
    }
    if (p->counters != NULL)
        p->counters[0]++;
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
    const int64_t size = b->rows * b->channels;

    (void)thread;
    b->pass->kernel->column_affine(b->pass->out + begin * size, b->pass->in[0] + begin * size,
                                   b->scale, b->shift, (end - begin) * b->rows, b->channels);
}

static void batchnorm_forward(const struct layer_pass *p)
{
    const struct norm b = norm_of(p);

    if (has_batch_statistics(&b))
        batch_statistics(&b);
    else
        running_statistics(&b);
    for (int64_t c = 0; c < b.channels; c++) {
        const double scale = (double)p->tensors[GAMMA][c] * b.inverse[c];
        b.scale[c] = (float)scale;
        b.shift[c] = (float)((double)p->tensors[BETA][c] - b.mean[c] * scale);
    }
    layer_split(p, p->batch, normalize_samples, &b);
}

/* --- backward --- */

static void product_slices(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct norm *b = context;
    const struct layer_pass *p = b->pass;

    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const struct item_range r = slice_rows(b, i);
        double *part = b->second_parts + i * b->channels;
        memset(part, 0, (size_t)b->channels * sizeof *part);
        p->kernel->column_products(part, p->dout + r.begin * b->channels,
                                   p->in[0] + r.begin * b->channels, b->mean_f, r.end - r.begin,
                                   b->channels);
    }
}

static void gradient_sums(const struct norm *b)
{
    const struct layer_pass *p = b->pass;
    const struct slice_sums sums = {b->first, b->first_parts, p->dout, b->rows, b->channels};
    const struct slice_sums products = {b->second, b->second_parts, NULL, b->rows, b->channels};

    layer_sum_slices(p, &sums);
    round_means(b);
    layer_split(p, layer_slices(p->batch), product_slices, b);
    layer_add_slices(p, &products);
    for (int64_t c = 0; c < b->channels; c++)
        b->second[c] -= (b->mean[c] - (double)b->mean_f[c]) * b->first[c];
}

static void input_gradient_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct norm *b = context;
    const struct layer_pass *p = b->pass;
    const int64_t from = begin * b->rows * b->channels;

    (void)thread;
    p->kernel->column_affine2(p->din[0] + from, p->dout + from, b->scale, p->in[0] + from,
                              b->scale_x, b->shift, (end - begin) * b->rows, b->channels);
}

/*
 * With xhat = (x - mean) inverse:  dx = gamma inverse (dout - mean(dout) - xhat mean(dout xhat)),
 * written as scale dout + scale_x x + shift. Fixed statistics leave the first term alone.
 */
static void input_gradient(const struct norm *b)
{
    const bool through_statistics = has_batch_statistics(b);

    for (int64_t c = 0; c < b->channels; c++) {
        const double scale = (double)b->pass->tensors[GAMMA][c] * b->inverse[c];
        const double scale_x =
            through_statistics ? -scale * b->inverse[c] * b->inverse[c] * b->second[c] / b->count
                               : 0.0;
        const double shift =
            through_statistics ? -scale * b->first[c] / b->count - scale_x * b->mean[c] : 0.0;
        b->scale[c] = (float)scale;
        b->scale_x[c] = (float)scale_x;
        b->shift[c] = (float)shift;
    }
    layer_split(b->pass, b->pass->batch, input_gradient_samples, b);
}

static void batchnorm_backward(const struct layer_pass *p)
{
    const struct norm b = norm_of(p);

    gradient_sums(&b);
    for (int64_t c = 0; c < b.channels; c++) {
        p->gradients[GAMMA][c] = (float)(b.second[c] * b.inverse[c]);
        p->gradients[BETA][c] = (float)b.first[c];
    }
    if (p->din[0] != NULL)
        input_gradient(&b);
}

const struct layer_ops batchnorm_layer = {
    .entry =
        {
                .name = "batchnorm",
                .summary = "normalises each channel over the batch",
                .fields = batchnorm_fields,
                .options_size = sizeof(struct batchnorm_options),
                },
    .flags = LAYER_NEEDS_INPUT,
    .input_count = 1,
    .plan = batchnorm_plan,
    .forward = batchnorm_forward,
    .backward = batchnorm_backward,
};
