/*
 * kernel_cases_conv.c - the kernels of convolutions, timed alone: Winograd's transforms and
 * products, and those of convolution, pooling and ReLU in one.
 *
 * The gradient's lists of patches depend on where the maxima are, and on what ReLU lets pass. Here
 * nearly all pass, and operations are counted as if all did.
 *
 * Operations of a transform are those of its one-dimensional parts, about 12 for six values.
 */
#include "bench/kernels.h"

/* --- Winograd: an image of m x m pixels of n channels, with its border --- */

static int64_t tiles_of(const struct kernel_work *w)
{
    return w->m / WINOGRAD_TILE * (w->m / WINOGRAD_TILE);
}

static struct winograd_strides strides_of(const struct kernel_work *w)
{
    return (struct winograd_strides){
        .point = winograd_stride(w->n * tiles_of(w)),
        .panel = tiles_of(w) * PANEL,
    };
}

/* A whole tile, or patch, of `side` pixels. */
static struct winograd_window window_of(const struct kernel_work *w, int64_t side)
{
    return (struct winograd_window){
        .row = (w->m + 2) * w->n, .pixel = w->n, .bottom = side, .right = side};
}

/* Where tile i begins in the image. */
static int64_t tile_at(const struct kernel_work *w, int64_t i)
{
    const int64_t across = w->m / WINOGRAD_TILE;

    return (i / across * (w->m + 2) + i % across) * WINOGRAD_TILE * w->n;
}

static void run_winograd_input(const struct kernel_work *w)
{
    const struct winograd_strides strides = strides_of(w);
    const struct winograd_window window = window_of(w, WINOGRAD_PATCH);

    for (int64_t i = 0; i < tiles_of(w); i++)
        w->kernel->winograd_input(w->c + i * PANEL, &strides, w->b + tile_at(w, i), &window, w->n);
}

static void run_winograd_output_gradient(const struct kernel_work *w)
{
    const struct winograd_strides strides = strides_of(w);
    const struct winograd_window window = window_of(w, WINOGRAD_TILE);

    for (int64_t i = 0; i < tiles_of(w); i++)
        w->kernel->winograd_output_gradient(w->c + i * PANEL, &strides, w->b + tile_at(w, i),
                                            &window, w->n);
}

static void run_winograd_output(const struct kernel_work *w)
{
    const struct winograd_strides strides = strides_of(w);
    const struct winograd_window window = window_of(w, WINOGRAD_TILE);

    for (int64_t n = 0; n < w->n; n += PANEL)
        for (int64_t i = 0; i < tiles_of(w); i++) {
            const struct winograd_sources s = {
                .m = w->b + n / PANEL * strides.panel + i * PANEL,
                .point = strides.point,
                .bias = w->a,
            };
            w->kernel->winograd_output(w->c + tile_at(w, i) + n, &window, &s, PANEL);
        }
}

/* The same tiles pooled 2x2, as convpool's outputs. */
static void run_winograd_pool(const struct kernel_work *w)
{
    const struct winograd_strides strides = strides_of(w);
    const int64_t across = w->m / WINOGRAD_TILE, side = WINOGRAD_TILE / 2;
    struct winograd_pooling p = {
        .pool = 2,
        .rows = side,
        .columns = side,
        .row = across * side * w->n,
        .pixel = w->n,
        .origin_row = (w->m + 2) * w->n,
        .origin_pixel = w->n,
        .relu = true,
    };

    for (int64_t n = 0; n < w->n; n += PANEL)
        for (int64_t i = 0; i < tiles_of(w); i++) {
            const int64_t at = i / across * side * p.row + i % across * side * w->n + n;
            p.origin = tile_at(w, i);
            w->kernel->winograd_pool(w->c + at, w->index + at, &p,
                                     w->b + n / PANEL * strides.panel + i * PANEL, strides.point,
                                     w->a, PANEL);
        }
}

/* --- Winograd's weights: m rows of 16 columns --- */

static void run_winograd_weights(const struct kernel_work *w)
{
    w->kernel->winograd_weights(w->c, winograd_stride(w->m * PANEL), w->b, w->m * PANEL, w->m);
}

static void run_winograd_weight_gradient(const struct kernel_work *w)
{
    w->kernel->winograd_weight_gradient(w->c, w->m * PANEL, w->b, winograd_stride(w->m * PANEL),
                                        w->m, PANEL, false);
}

/* --- Winograd's products at one point: m tiles, n channels --- */

static void run_winograd_product(const struct kernel_work *w)
{
    w->kernel->winograd_product(w->c, w->b, w->m * PANEL, w->a, w->m, w->n, false);
}

static void run_winograd_gradient(const struct kernel_work *w)
{
    w->kernel->winograd_gradient(w->c, w->b, w->a, w->m, w->n, false);
}

/* --- convolution 5x5, max pooling 2x2 and ReLU to m x m positions of n, from k channels --- */

enum { SIDE = 5, POOL = 2 };

static struct convpool_shape convpool_of(const struct kernel_work *w)
{
    struct convpool_shape s = {
        .channels = w->k,
        .outputs = w->n,
        .kernel = SIDE,
        .row = (w->m * POOL + SIDE - 1) * w->k,
        .pool = POOL,
        .out_height = w->m,
        .out_width = w->m,
        .relu = true,
    };

    s.pairs = w->kernel->convpool_pairs_pay(&s);
    return s;
}

static void run_convpool_weights(const struct kernel_work *w)
{
    const struct convpool_shape s = convpool_of(w);

    w->kernel->convpool_weights(w->d, w->b, &s);
}

static void run_convpool(const struct kernel_work *w)
{
    const struct convpool_shape s = convpool_of(w);

    w->kernel->convpool(w->c, w->index, w->b, w->d, w->a, w->e, &s);
}

/* --- its gradient: the same image, b as the gradient by the outputs --- */

static void *take_room(float **room, int64_t floats)
{
    float *part = *room;

    *room += (floats + PANEL - 1) / PANEL * PANEL;
    return part;
}

/* Lists without content, in e. */
static struct patch_lists lists_of(const struct kernel_work *w, const struct convpool_shape *s)
{
    const int64_t positions = w->m * w->m, windows = positions * POOL * POOL;
    const int64_t all = positions * w->n + PATCH_ALIGN;
    const int64_t sum = (int64_t)(sizeof(struct patch_sum) / sizeof(float));
    float *room = w->e;

    return (struct patch_lists){
        .shape = s,
        .weights = s->kernel * patch_room(convpool_run(s)),
        .offsets = take_room(&room, all),
        .factors = take_room(&room, all),
        .sums = take_room(&room, w->n),
        .outputs = take_room(&room, w->n * sum),
        .output_offsets = take_room(&room, all),
        .output_factors = take_room(&room, all),
        .windows = take_room(&room, windows * sum),
        .window_offsets = take_room(&room, windows * w->n),
        .window_factors = take_room(&room, windows * w->n),
    };
}

static struct patch_lists list_patches(const struct kernel_work *w, const struct convpool_shape *s)
{
    const struct patch_rows rows = {.dy = w->b, .where = w->index, .count = w->m};
    struct patch_lists l = lists_of(w, s);

    w->kernel->patch_list(&l, &rows);
    return l;
}

static void run_patch_list(const struct kernel_work *w)
{
    const struct convpool_shape s = convpool_of(w);

    list_patches(w, &s);
}

/* Lists with content; sums[0] keeps the number of windows. */
static void prepare_patches(const struct kernel_work *w)
{
    const struct convpool_shape s = convpool_of(w);

    run_convpool_weights(w);
    run_convpool(w);
    w->sums[0] = (double)list_patches(w, &s).window_count;
}

static void run_patch_gradient(const struct kernel_work *w)
{
    const struct convpool_shape s = convpool_of(w);
    struct patch_lists l = lists_of(w, &s);

    l.positions = w->m * w->m;
    w->kernel->patch_gradient(w->c, w->b, &l);
}

static void run_patch_sums(const struct kernel_work *w)
{
    const struct convpool_shape s = convpool_of(w);
    const struct patch_lists l = lists_of(w, &s);
    const struct patches by_window = {l.window_offsets, l.window_factors, 1};
    const int64_t run = convpool_run(&s);
    const struct patch_shape shape = {SIDE, run, s.row, patch_room(run)};

    w->kernel->patch_sums(w->c, w->b, &shape, l.windows, (int64_t)w->sums[0], &by_window);
}

/* clang-format off */
/* The last three are per tile and channel. */
#define TRANSFORM(member, side, channels, flop, reads, writes) { \
    .name = #member, .m = (side), .n = (channels), \
    .flops = (flop) * (double)(side) * (side) / 16 * (channels), \
    .read = (reads) * (double)(side) * (side) / 16 * (channels), \
    .written = (writes) * (double)(side) * (side) / 16 * (channels), .run = run_##member }
/* The last three are per row. */
#define ROWS(member, rows, columns, flop, reads, writes) { \
    .name = #member, .m = (rows), .n = (columns), .flops = (flop) * (double)(rows), \
    .read = (reads) * (double)(rows), .written = (writes) * (double)(rows), .run = run_##member }
#define CONVPOOL(side, outputs, channels) { \
    .name = "convpool", .m = (side), .n = (outputs), .k = (channels), \
    .flops = 2.0 * POOL * POOL * SIDE * SIDE * (side) * (side) * (outputs) * (channels), \
    .read = (double)(2 * (side) + 4) * (2 * (side) + 4) * (channels) + 25.0 * (channels) * (outputs), \
    .written = 2.0 * (side) * (side) * (outputs), \
    .run = run_convpool, .prepare = run_convpool_weights }
#define CONVPOOL_WEIGHTS(side, outputs, channels) { \
    .name = "convpool_weights", .m = (side), .n = (outputs), .k = (channels), \
    .read = 25.0 * (channels) * (outputs), .written = 25.0 * (channels) * (outputs), \
    .run = run_convpool_weights }
/* The last two are per output and position. */
#define PATCHES(member, side, outputs, channels, reads, writes) { \
    .name = #member, .m = (side), .n = (outputs), .k = (channels), \
    .read = (reads) * (double)(side) * (side) * (outputs), \
    .written = (writes) * (double)(side) * (side) * (outputs), \
    .run = run_##member, .prepare = prepare_patches }
#define PATCH_SUMS(member, side, outputs, channels) { \
    .name = #member, .m = (side), .n = (outputs), .k = (channels), \
    .flops = 2.0 * SIDE * SIDE * (side) * (side) * (outputs) * (channels), \
    .read = (double)(2 * (side) + 4) * (2 * (side) + 4) * (channels), \
    .written = 25.0 * (channels) * (outputs), \
    .run = run_##member, .prepare = prepare_patches }

const struct kernel_case kernel_conv_cases[] = {
    TRANSFORM(winograd_input, 32, 64, 144.0, 16.0, 36.0),
    TRANSFORM(winograd_input, 8, 256, 144.0, 16.0, 36.0),
    TRANSFORM(winograd_output_gradient, 32, 64, 100.0, 16.0, 36.0),
    TRANSFORM(winograd_output_gradient, 8, 256, 100.0, 16.0, 36.0),
    TRANSFORM(winograd_output, 32, 64, 100.0, 36.0, 16.0),
    TRANSFORM(winograd_output, 8, 256, 100.0, 36.0, 16.0),
    TRANSFORM(winograd_pool, 32, 64, 100.0, 36.0, 8.0),
    TRANSFORM(winograd_pool, 8, 256, 100.0, 36.0, 8.0),
    ROWS(winograd_weights, 64, 0, 72.0 * PANEL, 9.0 * PANEL, 36.0 * PANEL),
    ROWS(winograd_weights, 512, 0, 72.0 * PANEL, 9.0 * PANEL, 36.0 * PANEL),
    ROWS(winograd_weight_gradient, 64, 0, 90.0 * PANEL, 36.0 * PANEL, 9.0 * PANEL),
    ROWS(winograd_weight_gradient, 512, 0, 90.0 * PANEL, 36.0 * PANEL, 9.0 * PANEL),
    ROWS(winograd_product, 48, 64, 2.0 * PANEL * 64, 64.0 + PANEL * 64 / 48.0, PANEL),
    ROWS(winograd_product, 48, 256, 2.0 * PANEL * 256, 256.0 + PANEL * 256 / 48.0, PANEL),
    ROWS(winograd_gradient, 64, 16, 2.0 * PANEL * 16, 2.0 * PANEL, PANEL * 16 / 64.0),
    ROWS(winograd_gradient, 512, 16, 2.0 * PANEL * 16, 2.0 * PANEL, PANEL * 16 / 512.0),
    CONVPOOL(12, 3, 1),
    CONVPOOL(14, 6, 1),
    CONVPOOL(5, 16, 6),
    CONVPOOL(12, 16, 1),
    CONVPOOL(4, 32, 16),
    CONVPOOL_WEIGHTS(5, 16, 6),
    PATCHES(patch_list, 14, 6, 1, 2.0, 4.0),
    PATCHES(patch_list, 5, 16, 6, 2.0, 4.0),
    PATCH_SUMS(patch_gradient, 14, 6, 1),
    PATCH_SUMS(patch_gradient, 5, 16, 6),
    PATCH_SUMS(patch_gradient, 4, 32, 16),
    PATCH_SUMS(patch_sums, 5, 16, 6),
    PATCH_SUMS(patch_sums, 4, 32, 16),
    {0},
};
/* clang-format on */
