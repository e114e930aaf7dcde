/*
 * conv_direct.c - convolution as products with the weights as they are: any kernel, stride,
 * padding.
 *
 * An image is copied with its zero border first (when pad > 0); then each kernel row is one
 * contiguous run of floats, and a row of outputs is one panel product without a copy. Maps that are
 * narrow but have many channels are gathered instead, many positions at a time, so that a panel of
 * weights is read once for all of them. By the weights: split over threads by parts of the weights,
 * each over the whole batch in order. By the input: products with the transposed weights, scattered
 * into a bordered image.
 *
 * Not here: the products themselves (kernel/).
 */
#include <string.h>

#include "nn/layers/conv.h"
#include "nn/layers/gradient_split.h"
#include "nn/layers/support.h"

/* How positions come to the product, by the shape alone. */
enum access {
    ACCESS_ROWS,      /* a row of outputs, straight from the bordered image */
    ACCESS_GATHERED,  /* many positions, copied side by side */
    ACCESS_POINTWISE, /* 1x1: the input is the matrix */
};

struct geometry {
    struct conv_geometry conv;
    int64_t bordered_width, bordered; /* of the input with its border: pixels, floats */
    int64_t run;                      /* floats of a kernel row */
    int64_t chunk;                    /* positions in a gathered or scattered piece */
    enum access access;
};

static enum access choose_access(const struct conv_geometry *c)
{
    if (c->kernel == 1 && c->stride == 1 && c->pad == 0)
        return ACCESS_POINTWISE;
    if (c->kernel == 1 && c->stride > 1)
        return ACCESS_GATHERED;
    return c->out_width < PANEL && c->out_channels / PANEL >= 2 ? ACCESS_GATHERED : ACCESS_ROWS;
}

static struct geometry geometry_from(const struct conv_geometry *c)
{
    const int64_t bordered_width = c->width + 2 * c->pad;

    return (struct geometry){
        .conv = *c,
        .bordered_width = bordered_width,
        .bordered = (c->height + 2 * c->pad) * bordered_width * c->channels,
        .run = c->kernel * c->channels,
        .chunk = layer_row_chunk(c->k),
        .access = choose_access(c),
    };
}

static struct geometry geometry_of(const struct layer *l)
{
    const struct conv_geometry c = conv2d_geometry(l);

    return geometry_from(&c);
}

static bool direct_applies(const struct conv_geometry *c)
{
    (void)c;
    return true;
}

static void direct_plan(struct layer *l, const struct conv_geometry *c)
{
    const struct geometry g = geometry_from(c);

    l->scratch_per_thread += g.bordered + g.chunk * c->k;
    l->scratch_shared_fixed += c->k * c->out_channels; /* the transposed weights */
}

/* --- positions as rows of a product --- */

/* Goes over the positions next .. end-1 of the whole batch, piece by piece. */
struct cursor {
    const struct geometry *geometry;
    const float *in;
    int64_t next, end;
    float *bordered, *gathered; /* scratch */
    const float *image;         /* of the sample that `next` lies in */
};

static struct cursor cursor_over(const struct layer_pass *p, const struct geometry *g, int thread,
                                 struct item_range samples)
{
    float *scratch = layer_scratch(p, thread);

    return (struct cursor){
        .geometry = g,
        .in = p->in[0],
        .next = samples.begin * g->conv.positions,
        .end = samples.end * g->conv.positions,
        .bordered = scratch,
        .gathered = scratch + g->bordered,
    };
}

static void copy_with_border(float *bordered, const float *image, const struct geometry *g)
{
    const int64_t row = g->conv.width * g->conv.channels,
                  bordered_row = g->bordered_width * g->conv.channels;

    memset(bordered, 0, (size_t)g->bordered * sizeof *bordered);
    bordered += g->conv.pad * (bordered_row + g->conv.channels);
    for (int64_t y = 0; y < g->conv.height; y++)
        memcpy(bordered + y * bordered_row, image + y * row, (size_t)row * sizeof *image);
}

static void enter_sample(struct cursor *c)
{
    const struct geometry *g = c->geometry;

    c->image = c->in + c->next / g->conv.positions * g->conv.image;
    if (g->conv.pad > 0) {
        copy_with_border(c->bordered, c->image, g);
        c->image = c->bordered;
    }
}

/* Where the window of a position begins in the bordered image. */
static int64_t window_of(const struct geometry *g, int64_t position)
{
    const int64_t y = position / g->conv.out_width, x = position % g->conv.out_width;

    return (y * g->bordered_width + x) * g->conv.stride * g->conv.channels;
}

static void gather(struct cursor *c, int64_t count)
{
    const struct geometry *g = c->geometry;

    for (int64_t i = 0; i < count; i++, c->next++) {
        const int64_t position = c->next % g->conv.positions;
        if (position == 0)
            enter_sample(c);
        for (int64_t r = 0; r < g->conv.kernel; r++)
            memcpy(c->gathered + i * g->conv.k + r * g->run,
                   c->image + window_of(g, position) + r * g->bordered_width * g->conv.channels,
                   (size_t)g->run * sizeof *c->gathered);
    }
}

/* One row of outputs. */
static struct panel_rows next_row(struct cursor *c)
{
    const struct geometry *g = c->geometry;
    const int64_t position = c->next % g->conv.positions;

    if (position == 0)
        enter_sample(c);
    c->next += g->conv.out_width;
    return (struct panel_rows){
        .data = c->image + window_of(g, position),
        .count = g->conv.out_width,
        .row_stride = g->conv.stride * g->conv.channels,
        .runs = g->conv.kernel,
        .run_stride = g->bordered_width * g->conv.channels,
        .run = g->run,
    };
}

/* The next piece, whose first position in the batch goes to *first; false at the end. */
static bool cursor_next(struct cursor *c, struct panel_rows *a, int64_t *first)
{
    const struct geometry *g = c->geometry;
    const int64_t left = c->end - c->next, count = left < g->chunk ? left : g->chunk;

    *first = c->next;
    if (left == 0)
        return false;
    switch (g->access) {
    case ACCESS_ROWS:
        *a = next_row(c);
        return true;
    case ACCESS_GATHERED:
        gather(c, count);
        *a = (struct panel_rows){c->gathered, count, g->conv.k, 1, 0, g->conv.k};
        return true;
    case ACCESS_POINTWISE:
        c->next += count;
        *a = (struct panel_rows){c->in + *first * g->conv.k, count, g->conv.k, 1, 0, g->conv.k};
        return true;
    }
    return false;
}

static void forward_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct geometry g = geometry_of(p->layer);
    struct cursor c = cursor_over(p, &g, thread, (struct item_range){begin, end});
    struct panel_rows a;
    int64_t first;

    while (cursor_next(&c, &a, &first))
        p->kernel->panel_product(p->out + first * g.conv.out_channels, g.conv.out_channels, &a,
                                 p->tensors[0], conv_bias(p), g.conv.out_channels);
}

static void direct_forward(const struct layer_pass *p)
{
    layer_split(p, p->batch, forward_samples, p);
}

/* --- by the weights --- */

static struct gradient_split split_of(const struct layer_pass *p, const struct geometry *g)
{
    return (struct gradient_split){
        .kernel = p->kernel,
        .dw = p->gradients[0],
        .k = g->conv.k,
        .columns = g->conv.out_channels,
        .block = g->conv.kernel > 1 ? g->run : PANEL,
    };
}

static void weight_gradient_items(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct geometry g = geometry_of(p->layer);
    const struct gradient_split split = split_of(p, &g);
    struct cursor c = cursor_over(p, &g, thread, (struct item_range){0, p->batch});
    struct panel_rows a;
    int64_t first;

    gradient_split_clear(&split, begin, end);
    while (cursor_next(&c, &a, &first))
        gradient_split_add(&split, &a, p->dout + first * g.conv.out_channels,
                           (struct item_range){begin, end});
}

static void direct_back_weights(const struct layer_pass *p)
{
    const struct geometry g = geometry_of(p->layer);
    const struct gradient_split split = split_of(p, &g);

    layer_split(p, gradient_split_items(&split), weight_gradient_items, p);
}

/* --- by the input --- */

/* Adds the window of one position to the bordered image. */
static void scatter(const struct layer_pass *p, const struct geometry *g, float *window,
                    const float *values)
{
    for (int64_t r = 0; r < g->conv.kernel; r++) {
        float *row = window + r * g->bordered_width * g->conv.channels;
        p->kernel->add(row, row, values + r * g->run, g->run);
    }
}

static void copy_without_border(float *image, const float *bordered, const struct geometry *g)
{
    const int64_t row = g->conv.width * g->conv.channels,
                  bordered_row = g->bordered_width * g->conv.channels;

    bordered += g->conv.pad * (bordered_row + g->conv.channels);
    for (int64_t y = 0; y < g->conv.height; y++)
        memcpy(image + y * row, bordered + y * bordered_row, (size_t)row * sizeof *image);
}

/* The same where windows are single pixels, which no other touches: straight to the image. */
static void scatter_pixels(const struct layer_pass *p, const struct geometry *g,
                           const float *values, struct item_range positions)
{
    for (int64_t q = positions.begin; q < positions.end; q++, values += g->conv.k) {
        const int64_t position = q % g->conv.positions;
        float *image = p->din[0] + q / g->conv.positions * g->conv.image;
        if (position == 0)
            memset(image, 0, (size_t)g->conv.image * sizeof *image);
        memcpy(image + window_of(g, position), values, (size_t)g->conv.k * sizeof *image);
    }
}

/* Scatters the positions first .. first+count-1 of the batch; a sample's last one completes it. */
static void scatter_piece(const struct layer_pass *p, const struct geometry *g, float *scratch,
                          struct item_range positions)
{
    float *bordered = scratch, *values = scratch + g->bordered;

    for (int64_t q = positions.begin; q < positions.end; q++, values += g->conv.k) {
        const int64_t position = q % g->conv.positions;
        if (position == 0)
            memset(bordered, 0, (size_t)g->bordered * sizeof *bordered);
        scatter(p, g, bordered + window_of(g, position), values);
        if (position == g->conv.positions - 1)
            copy_without_border(p->din[0] + q / g->conv.positions * g->conv.image, bordered, g);
    }
}

static void input_gradient_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct geometry g = geometry_of(p->layer);
    const int64_t last = end * g.conv.positions;
    float *scratch = layer_scratch(p, thread);

    for (int64_t q = begin * g.conv.positions; q < last; q += g.chunk) {
        const int64_t count = last - q < g.chunk ? last - q : g.chunk;
        const struct panel_rows a = {
            .data = p->dout + q * g.conv.out_channels,
            .count = count,
            .row_stride = g.conv.out_channels,
            .runs = 1,
            .run = g.conv.out_channels,
        };
        const bool direct = g.access == ACCESS_POINTWISE;
        float *to = direct ? p->din[0] + q * g.conv.k : scratch + g.bordered;
        p->kernel->panel_product(to, g.conv.k, &a, p->scratch_shared, NULL, g.conv.k);
        if (direct)
            continue;
        if (g.conv.kernel == 1 && g.conv.pad == 0)
            scatter_pixels(p, &g, to, (struct item_range){q, q + count});
        else
            scatter_piece(p, &g, scratch, (struct item_range){q, q + count});
    }
}

static void direct_back_data(const struct layer_pass *p)
{
    const struct geometry g = geometry_of(p->layer);

    p->kernel->panel_transpose(p->scratch_shared, p->tensors[0], g.conv.k, g.conv.out_channels);
    layer_split(p, p->batch, input_gradient_samples, p);
}

const struct conv_method conv_direct = {
    .name = "direct",
    .is_exact = true,
    .applies = direct_applies,
    .plan = direct_plan,
    .forward = direct_forward,
    .back_data = direct_back_data,
    .back_weights = direct_back_weights,
};
