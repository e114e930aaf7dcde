/*
 * kernel_cases.c - the list of kernels that are timed alone, at shapes of the studies' networks.
 *
 * Operations of exp, log, tanh, sigmoid and sine are those of simd/math.h, integer arithmetic and
 * selections not counted: the peak cannot be reached by them.
 *
 * Not here: how they are timed (kernels.c).
 */
#include "bench/kernels.h"

#define RUN(name, ...)                                  \
    static void run_##name(const struct kernel_work *w) \
    {                                                   \
        w->kernel->name(__VA_ARGS__);                   \
    }

/* --- products: m rows, n columns, k summands --- */

static struct panel_rows dense_rows(const struct kernel_work *w)
{
    return (struct panel_rows){
        .data = w->b, .count = w->m, .row_stride = w->k, .runs = 1, .run = w->k};
}

static void run_panel_product(const struct kernel_work *w)
{
    const struct panel_rows rows = dense_rows(w);

    w->kernel->panel_product(w->c, w->n, &rows, w->b, w->a, w->n);
}

static void run_panel_gradient(const struct kernel_work *w)
{
    const struct panel_rows rows = dense_rows(w);

    w->kernel->panel_gradient(w->c, &rows, w->b, w->n, w->n, 0, (w->n + PANEL - 1) / PANEL);
}

RUN(panel_transpose, w->c, w->b, w->m, w->n)

/* One row of m outputs of a 3x3 or 5x5 convolution (k channels, n filters) over an image. */
static struct panel_rows image_rows(const struct kernel_work *w, int64_t side)
{
    return (struct panel_rows){
        .data = w->b,
        .count = w->m,
        .row_stride = w->k,
        .runs = side,
        .run_stride = (w->m + side - 1) * w->k,
        .run = side * w->k,
    };
}

static void run_row3_product(const struct kernel_work *w)
{
    const struct panel_rows rows = image_rows(w, 3);

    w->kernel->panel_product(w->c, w->n, &rows, w->b, w->a, w->n);
}

static void run_row5_product(const struct kernel_work *w)
{
    const struct panel_rows rows = image_rows(w, 5);

    w->kernel->panel_product(w->c, w->n, &rows, w->b, w->a, w->n);
}

/* --- m elements --- */

RUN(relu, w->c, w->b, w->m)
RUN(relu_back, w->c, w->a, w->b, w->m)
RUN(tanh, w->c, w->b, w->m)
RUN(tanh_back, w->c, w->a, w->b, w->m)
RUN(sigmoid, w->c, w->b, w->m)
RUN(sigmoid_back, w->c, w->a, w->b, w->m)
RUN(sine, w->c, w->b, 0.05F, w->m)
RUN(sine_back, w->c, w->a, w->b, 0.05F, w->m)
RUN(exp, w->c, w->b, w->m)

/* m rows of n from k inputs */
static struct dense_sine dense_sine_of(const struct kernel_work *w)
{
    return (struct dense_sine){w->b, w->m, w->k, w->n, w->a, w->a, 0.05F, true};
}

static void run_dense_sine(const struct kernel_work *w)
{
    const struct dense_sine d = dense_sine_of(w);

    w->kernel->dense_sine(w->c, &d);
}

static void run_dense_sine_back(const struct kernel_work *w)
{
    const struct dense_sine d = dense_sine_of(w);

    const struct dense_sine_back b = {
        .dy = w->b, .y = w->b, .dw = w->c, .sums = w->sums, .sets = true, .last = w->n};

    w->kernel->dense_sine_back(&d, &b);
}

RUN(log, w->c, w->a, w->m)
RUN(add, w->c, w->a, w->b, w->m)
RUN(multiply, w->c, w->a, w->b, w->m)
RUN(axpy, w->c, 0.5F, w->b, w->m)
RUN(scale, w->c, 1.0F, w->m)
RUN(dot, w->a, w->b, w->m)
RUN(sum_abs, w->b, w->m)
RUN(max_abs, w->b, w->m)

/* --- m rows of n channels --- */

RUN(column_sums, w->sums, w->b, w->m, w->n)
RUN(column_moments, w->sums, w->sums + w->n, w->b, w->a, w->m, w->n)

static void run_norm_map(const struct kernel_work *w)
{
    const struct norm_map map = {.scale = w->a, .shift = w->b, .relu = true};

    w->kernel->norm_map(w->c, w->b, &map, w->m, w->n);
}

/* BatchNorm and ReLU backward: the mask comes from the input. */
static struct norm_gradient norm_gradient_of(const struct kernel_work *w)
{
    return (struct norm_gradient){
        .mask = NORM_MASK_INPUT,
        .dy = w->a,
        .x = w->b,
        .scale = w->a,
        .shift = w->b,
        .mean = w->a,
        .scale_x = w->a,
        .rest = w->b,
    };
}

static void run_norm_sums(const struct kernel_work *w)
{
    const struct norm_gradient g = norm_gradient_of(w);

    w->kernel->norm_sums(w->sums, w->sums + w->n, &g, w->m, w->n);
}

static void run_norm_back(const struct kernel_work *w)
{
    const struct norm_gradient g = norm_gradient_of(w);

    w->kernel->norm_back(w->c, &g, w->m, w->n);
}

/* --- an image of m x m pixels of n channels; windows of k x k --- */

static struct pool_shape pool_of(const struct kernel_work *w)
{
    return (struct pool_shape){
        .height = w->m,
        .width = w->m,
        .channels = w->n,
        .out_height = w->m / w->k,
        .out_width = w->m / w->k,
        .kernel = w->k,
        .stride = w->k,
    };
}

static void run_max_pool(const struct kernel_work *w)
{
    const struct pool_shape s = pool_of(w);

    w->kernel->max_pool(w->c, w->index, w->b, &s);
}

static void run_max_pool_back(const struct kernel_work *w)
{
    const struct pool_shape s = pool_of(w);

    w->kernel->max_pool_back(w->c, w->b, w->index, &s);
}

static void run_avg_pool(const struct kernel_work *w)
{
    const struct pool_shape s = pool_of(w);

    w->kernel->avg_pool(w->c, w->b, &s);
}

static void run_avg_pool_back(const struct kernel_work *w)
{
    const struct pool_shape s = pool_of(w);

    w->kernel->avg_pool_back(w->c, w->b, &s);
}

/* --- m samples of n classes --- */

static void prepare_labels(const struct kernel_work *w)
{
    for (int64_t i = 0; i < w->m; i++)
        w->index[i] = (int32_t)(i % w->n);
}

RUN(softmax_nll, w->d, w->c, w->b, w->index, w->m, w->n, 1.0F)

/* --- m parameters --- */

static void run_sgd(const struct kernel_work *w)
{
    const struct sgd_rates rates = {.lr = 1e-6F, .momentum = 0.9F, .weight_decay = 1e-4F};

    w->kernel->sgd(w->c, w->d, w->b, &rates, w->m);
}

static void run_adam(const struct kernel_work *w)
{
    const struct adam_rates rates = {
        .lr = 1e-6F,
        .epsilon = 1e-8F,
        .beta1 = 0.9,
        .beta2 = 0.999,
        .correction1 = 1.0F,
        .correction2 = 1.0F,
        .shrink = 1.0F,
    };

    w->kernel->adam(w->c, w->d, w->a, w->b, &rates, w->m);
}

/* clang-format off */
#define PRODUCT(rows, columns, depth) { \
    .name = "panel_product", .m = (rows), .n = (columns), .k = (depth), \
    .flops = 2.0 * (rows) * (columns) * (depth), \
    .read = (double)(rows) * (depth) + (double)(columns) * (depth), \
    .written = (double)(rows) * (columns), .run = run_panel_product }
#define GRADIENT(rows, columns, depth) { \
    .name = "panel_gradient", .m = (rows), .n = (columns), .k = (depth), \
    .flops = 2.0 * (rows) * (columns) * (depth), \
    .read = (double)(rows) * ((depth) + (columns)) + (double)(columns) * (depth), \
    .written = (double)(columns) * (depth), .run = run_panel_gradient }
#define ROW(side, outputs, filters, channels) { \
    .name = "panel_product, " #side "x" #side " row", \
    .m = (outputs), .n = (filters), .k = (channels), \
    .flops = 2.0 * (outputs) * (filters) * (channels) * (side) * (side), \
    .read = ((double)((outputs) + (side) - 1) + (double)(filters) * (side)) * (channels) * (side), \
    .written = (double)(outputs) * (filters), .run = run_row##side##_product }
/* The last three are per element. */
#define ELEMENTS(member, count, flop, reads, writes) { \
    .name = #member, .m = (count), .flops = (flop) * (double)(count), \
    .read = (reads) * (double)(count), .written = (writes) * (double)(count), \
    .run = run_##member }
/* What is written is read before. */
#define IN_PLACE(member, count, flop, reads, writes) { \
    .name = #member, .m = (count), .flops = (flop) * (double)(count), \
    .read = (reads) * (double)(count), .written = (writes) * (double)(count), \
    .touched = (reads) * (double)(count), .run = run_##member }
#define COLUMNS(member, rows, channels, flop, reads, writes) { \
    .name = #member, .m = (rows), .n = (channels), .flops = (flop) * (double)(rows) * (channels), \
    .read = (reads) * (double)(rows) * (channels), \
    .written = (writes) * (double)(rows) * (channels), .run = run_##member }
/* 64 rows of 256 from 2 inputs; the last three are per output. */
#define DENSE_SINE(member, flop, reads, writes) { \
    .name = #member, .m = 64, .n = 256, .k = 2, .flops = (4.0 + (flop)) * 64 * 256, \
    .read = (reads) * 64 * 256 + 64 * 2, .written = (writes) * 64 * 256, .run = run_##member }
/* Labels are set before. */
#define LOSS(member, samples, classes, flop) { \
    .name = #member, .m = (samples), .n = (classes), \
    .flops = (flop) * (double)(samples) * (classes), .read = (double)(samples) * (classes), \
    .written = (double)(samples) * (classes), .run = run_##member, .prepare = prepare_labels }
/* Maxima are found before, for the backward pass. */
#define POOL(member, side, channels, reads, writes) { \
    .name = #member, .m = (side), .n = (channels), .k = 2, \
    .read = (reads) * (double)(side) * (side) * (channels), \
    .written = (writes) * (double)(side) * (side) * (channels), \
    .run = run_##member, .prepare = run_max_pool }

enum { SOME = 16384, MANY = 11173962 /* the parameters of resnet18_cifar */ };

const struct kernel_case kernel_cases[] = {
    PRODUCT(32, 120, 400),
    PRODUCT(32, 84, 120),
    PRODUCT(32, 10, 84),
    PRODUCT(32, 256, 784),
    PRODUCT(32, 512, 4096),
    PRODUCT(64, 128, 9216),
    PRODUCT(256, 120, 400),
    PRODUCT(12500, 64, 64),
    PRODUCT(12500, 256, 2),
    ROW(5, 24, 3, 1),
    ROW(5, 28, 6, 1),
    ROW(5, 10, 16, 6),
    ROW(3, 24, 64, 32),
    ROW(3, 32, 64, 64),
    GRADIENT(32, 120, 400),
    GRADIENT(32, 84, 120),
    GRADIENT(32, 10, 84),
    GRADIENT(32, 256, 784),
    GRADIENT(32, 512, 4096),
    GRADIENT(64, 128, 9216),
    GRADIENT(256, 120, 400),
    GRADIENT(12500, 64, 64),
    COLUMNS(panel_transpose, 400, 120, 0.0, 1.0, 1.0),
    COLUMNS(panel_transpose, 4096, 512, 0.0, 1.0, 1.0),
    ELEMENTS(relu, SOME, 0.0, 1.0, 1.0),
    ELEMENTS(relu_back, SOME, 0.0, 2.0, 1.0),
    ELEMENTS(tanh, SOME, 40.0, 1.0, 1.0),
    ELEMENTS(tanh_back, SOME, 3.0, 2.0, 1.0),
    ELEMENTS(sigmoid, SOME, 26.0, 1.0, 1.0),
    ELEMENTS(sigmoid_back, SOME, 3.0, 2.0, 1.0),
    ELEMENTS(sine, SOME, 21.0, 1.0, 1.0),
    ELEMENTS(sine_back, SOME, 25.0, 2.0, 1.0),
    DENSE_SINE(dense_sine, 13.0, 0.0, 1.0),
    DENSE_SINE(dense_sine_back, 18.0, 2.0, 0.0),
    ELEMENTS(exp, SOME, 23.0, 1.0, 1.0),
    ELEMENTS(log, SOME, 29.0, 1.0, 1.0),
    ELEMENTS(add, SOME, 1.0, 2.0, 1.0),
    ELEMENTS(add, MANY, 1.0, 2.0, 1.0),
    ELEMENTS(multiply, SOME, 1.0, 2.0, 1.0),
    IN_PLACE(axpy, SOME, 2.0, 2.0, 1.0),
    IN_PLACE(axpy, MANY, 2.0, 2.0, 1.0),
    IN_PLACE(scale, SOME, 1.0, 1.0, 1.0),
    ELEMENTS(dot, SOME, 2.0, 2.0, 0.0),
    ELEMENTS(dot, MANY, 2.0, 2.0, 0.0),
    ELEMENTS(sum_abs, SOME, 1.0, 1.0, 0.0),
    ELEMENTS(max_abs, SOME, 0.0, 1.0, 0.0),
    COLUMNS(column_sums, 32768, 64, 1.0, 1.0, 0.0),
    COLUMNS(column_sums, 512, 512, 1.0, 1.0, 0.0),
    COLUMNS(column_moments, 32768, 64, 4.0, 1.0, 0.0),
    COLUMNS(column_moments, 512, 512, 4.0, 1.0, 0.0),
    COLUMNS(norm_map, 32768, 64, 2.0, 1.0, 1.0),
    COLUMNS(norm_map, 512, 512, 2.0, 1.0, 1.0),
    COLUMNS(norm_sums, 32768, 64, 6.0, 2.0, 0.0),
    COLUMNS(norm_sums, 512, 512, 6.0, 2.0, 0.0),
    COLUMNS(norm_back, 32768, 64, 6.0, 2.0, 1.0),
    COLUMNS(norm_back, 512, 512, 6.0, 2.0, 1.0),
    POOL(max_pool, 28, 6, 1.0, 0.5),
    POOL(max_pool, 24, 64, 1.0, 0.5),
    POOL(max_pool_back, 28, 6, 0.5, 1.0),
    POOL(max_pool_back, 24, 64, 0.5, 1.0),
    POOL(avg_pool, 28, 6, 1.0, 0.25),
    POOL(avg_pool, 24, 64, 1.0, 0.25),
    POOL(avg_pool_back, 28, 6, 0.25, 1.0),
    POOL(avg_pool_back, 24, 64, 0.25, 1.0),
    LOSS(softmax_nll, 32, 10, 28.0),
    LOSS(softmax_nll, 64, 1000, 28.0),
    IN_PLACE(sgd, 61706, 6.0, 3.0, 2.0),
    IN_PLACE(sgd, MANY, 6.0, 3.0, 2.0),
    IN_PLACE(adam, 61706, 14.0, 4.0, 3.0),
    IN_PLACE(adam, MANY, 14.0, 4.0, 3.0),
    {0},
};
/* clang-format on */
