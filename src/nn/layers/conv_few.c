/*
 * conv_few.c - convolution of images with few channels, as a network begins with: any stride and
 * padding.
 *
 * A kernel has so few weights that all of them stay in the first-level cache. Forward, a row of
 * outputs is cut where other columns of the kernel reach out of the image, and every window is
 * multiplied with what lies inside, for all channels at once; the few windows at the left and right
 * are taken together with those below. By the weights, some rows of the output's gradient are taken
 * at a time: they are multiplied with every row of the kernel, and summed for the biases, while
 * they are in the second-level cache. That is fast enough, and the sums of many rows stay in
 * registers.
 *
 * Not here: the products (kernel/), and the gradient by the input, which is that of conv_direct.c.
 */
#include <string.h>

#include "nn/layers/conv.h"
#include "nn/layers/support.h"

enum {
    CHANNELS = 4,
    INPUTS = 256, /* of a whole kernel */
    KERNEL = 16,  /* the widest of that many inputs */
    CACHED = 512, /* positions of FEW_PANELS panels that take little of the second-level cache */
    GROUP = FEW_PANELS * PANEL,
    SEGMENTS = 2 * KERNEL + 1,
    LINES = 32, /* of the output, forward: whole tiles downwards, while a cache holds the lines */
};

static bool few_applies(const struct conv_geometry *c)
{
    return c->channels <= CHANNELS && c->kernel > 1 && c->k <= INPUTS;
}

/* Output channels, filled up to whole groups. */
static int64_t padded_columns(const struct conv_geometry *c, int64_t group)
{
    return (c->out_channels + group - 1) / group * group;
}

static void few_plan(struct layer *l, const struct conv_geometry *c)
{
    conv_direct.plan(l, c); /* for din, and with room for an image in its border */
    l->scratch_per_thread += SEGMENTS * c->k * (int64_t)(sizeof(struct few_tap) / sizeof(float));
    l->scratch_shared_fixed += (c->k + 1) * padded_columns(c, FEW_GROUP_MOST);
}

/* Which rows (columns) of the kernel lie inside an image of that height (width) at a position. */
static struct item_range live_taps(const struct conv_geometry *c, int64_t position, int64_t size)
{
    const int64_t first = position * c->stride - c->pad;
    const struct item_range live = {
        .begin = first < 0 ? -first : 0,
        .end = size - first < c->kernel ? size - first : c->kernel,
    };

    return live.begin < live.end ? live : (struct item_range){0, 0};
}

static bool same_range(struct item_range a, struct item_range b)
{
    return a.begin == b.begin && a.end == b.end;
}

/* The positions from `first` on, at most `most`, that have the same live taps as that one. */
static struct item_range alike(const struct conv_geometry *c, int64_t first, int64_t most,
                               int64_t size)
{
    const struct item_range live = live_taps(c, first, size);
    struct item_range r = {first, first + 1};

    while (r.end - first < most && same_range(live, live_taps(c, r.end, size)))
        r.end++;
    return r;
}

/* --- forward --- */

struct forward {
    const struct layer_pass *pass;
    struct conv_geometry conv;
    struct few_weights weights;
};

/* Positions of a row for which the same columns of the kernel lie inside. */
struct segment {
    struct item_range x;
    const struct few_tap *taps; /* of all rows of the kernel, row by row */
    int64_t row;                /* taps of a row */
};

struct row_cut {
    struct segment segments[SEGMENTS];
    int64_t count;
};

static int64_t list_taps(struct few_tap *taps, const struct forward *f, struct item_range live)
{
    const struct conv_geometry *c = &f->conv;
    int64_t n = 0;

    for (int64_t ky = 0; ky < c->kernel; ky++)
        for (int64_t q = live.begin * c->channels; q < live.end * c->channels; q++)
            taps[n++] = (struct few_tap){
                .x = (int32_t)(ky * c->width * c->channels + q),
                .w = (int32_t)((ky * c->kernel * c->channels + q) * f->weights.group),
            };
    return n;
}

static void cut_row(struct row_cut *cut, const struct forward *f, struct few_tap *taps)
{
    const struct conv_geometry *c = &f->conv;

    cut->count = 0;
    for (int64_t x = 0; x < c->out_width; x = cut->segments[cut->count++].x.end) {
        struct segment *s = &cut->segments[cut->count];
        *s = (struct segment){.x = alike(c, x, c->out_width - x, c->width), .taps = taps};
        s->row = list_taps(taps, f, live_taps(c, x, c->width)) / c->kernel;
        taps += s->row * c->kernel;
    }
}

/* Weights and biases in the shared scratch, in groups that are filled up with zeros. */
static struct few_weights pack_weights(const struct layer_pass *p, const struct conv_geometry *c)
{
    const int64_t group = p->kernel->few_group, padded = padded_columns(c, group);
    float *weights = p->scratch_shared, *bias = weights + c->k * padded;

    memset(weights, 0, (size_t)((c->k + 1) * padded) * sizeof *weights);
    for (int64_t n = 0; n < c->out_channels; n += PANEL)
        for (int64_t k = 0; k < c->k; k++)
            memcpy(weights + (n - n % group) * c->k + k * group + n % group,
                   p->tensors[0] + panel_index(k, n, c->k, c->out_channels),
                   (size_t)panel_width(c->out_channels, n) * sizeof *weights);
    if (conv_bias(p) != NULL)
        memcpy(bias, conv_bias(p), (size_t)c->out_channels * sizeof *bias);
    return (struct few_weights){weights, bias, c->out_channels, group, c->k};
}

static bool goes_down(const struct segment *s, struct item_range y)
{
    return y.end - y.begin > s->x.end - s->x.begin;
}

/* A segment of some rows. Lines of windows go the long way: beside each other, or below. */
static void forward_segment(const struct forward *f, const struct segment *s, int64_t sample,
                            struct item_range y)
{
    const struct conv_geometry *c = &f->conv;
    const int64_t width = s->x.end - s->x.begin, height = y.end - y.begin;
    const int64_t top = y.begin * c->stride - c->pad, left = s->x.begin * c->stride - c->pad;
    const int64_t right = c->stride * c->channels, below = right * c->width;
    const int64_t out_right = c->out_channels, out_below = out_right * c->out_width;
    const struct item_range rows = live_taps(c, y.begin, c->height);
    const bool down = goes_down(s, y);
    const struct few_windows windows = {
        .image = f->pass->in[0] + sample * c->image,
        .first = (top * c->width + left) * c->channels,
        .step = down ? below : right,
        .count = down ? height : width,
        .out_step = down ? out_below : out_right,
        .lines = down ? width : height,
        .line = down ? right : below,
        .out_line = down ? out_right : out_below,
        .taps = s->taps + rows.begin * s->row,
        .tap_count = (rows.end - rows.begin) * s->row,
    };

    f->pass->kernel->few_product(f->pass->out + sample * c->out_image +
                                     (y.begin * c->out_width + s->x.begin) * c->out_channels,
                                 &windows, &f->weights);
}

/*
 * Rows for which the same rows of the kernel lie inside. What goes down comes last: by then the
 * processor has fetched those outputs with their neighbours.
 */
static void forward_rows(const struct forward *f, const struct row_cut *cut, int64_t sample,
                         struct item_range y)
{
    for (int64_t i = 0; i < cut->count; i++)
        if (!goes_down(&cut->segments[i], y))
            forward_segment(f, &cut->segments[i], sample, y);
    for (int64_t i = 0; i < cut->count; i++)
        if (goes_down(&cut->segments[i], y))
            forward_segment(f, &cut->segments[i], sample, y);
}

static void forward_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct forward *f = context;
    const struct conv_geometry *c = &f->conv;
    struct row_cut cut;
    struct item_range y;

    cut_row(&cut, f, (struct few_tap *)(void *)layer_scratch(f->pass, thread));
    for (int64_t i = begin; i < end; i++)
        for (int64_t first = 0; first < c->out_height; first = y.end) {
            const int64_t left = c->out_height - first;
            y = alike(c, first, left < LINES ? left : LINES, c->height);
            forward_rows(f, &cut, i, y);
        }
}

static void few_forward(const struct layer_pass *p)
{
    struct forward f = {.pass = p, .conv = conv2d_geometry(p->layer)};

    f.weights = pack_weights(p, &f.conv);
    layer_split(p, p->batch, forward_samples, &f);
}

/* --- by the weights and biases; an item is a group of panels and a row of the kernel --- */

struct gradient {
    const struct layer_pass *pass;
    struct conv_geometry conv;
    int64_t row;   /* floats of a row of an image with its border at the left and right */
    int64_t run;   /* floats of a row of the kernel */
    int64_t ahead; /* floats of the next piece that are fetched with a window */
    double *sums;  /* by the biases; NULL without */
};

/* A piece of one image's outputs. */
struct piece {
    const float *image, *dout;
    struct item_range y, x;
    const float *next; /* read after this */
};

/* The row of the kernel that the biases are summed with: it meets all lines, or most of them. */
static int64_t row_of_sums(const struct conv_geometry *c)
{
    return c->pad < c->kernel ? c->pad : c->kernel - 1;
}

static void clear_item(const struct gradient *g, int64_t item)
{
    const struct conv_geometry *c = &g->conv;
    const int64_t first = item / c->kernel * GROUP, r = item % c->kernel, k = r * g->run;

    for (int64_t n = first; n < first + GROUP && n < c->out_channels; n += PANEL) {
        const int64_t width = panel_width(c->out_channels, n);
        memset(g->pass->gradients[0] + panel_index(k, n, c->k, c->out_channels), 0,
               (size_t)(g->run * width) * sizeof(float));
        if (r == row_of_sums(c) && g->sums != NULL)
            memset(g->sums + n, 0, (size_t)width * sizeof *g->sums);
    }
}

/* The channels from n on and row r of the kernel; some lines of a piece. */
struct part {
    int64_t n, r;
    struct item_range y;
    bool lives; /* or does the row lie outside of the image, and only sums are wanted? */
};

static void add_part(const struct gradient *g, const struct piece *p, const struct part *t)
{
    const struct conv_geometry *c = &g->conv;
    const int64_t top = t->y.begin * c->stride - c->pad + t->r;
    const int64_t dw = panel_index(t->r * g->run, t->n, c->k, c->out_channels);
    const int64_t rest = c->out_channels - t->n;
    const bool sums = t->r == row_of_sums(c) && g->sums != NULL;
    const struct few_inputs a = {
        .x = t->lives ? p->image + top * g->row + p->x.begin * c->stride * c->channels : NULL,
        .lines = t->y.end - t->y.begin,
        .line = c->stride * g->row,
        .count = p->x.end - p->x.begin,
        .step = c->stride * c->channels,
        .run = t->lives ? g->run : 0,
    };
    const struct few_output dc = {
        .data = p->dout + (t->y.begin * c->out_width + p->x.begin) * c->out_channels + t->n,
        .stride = c->out_channels,
        .columns = rest < GROUP ? rest : GROUP,
        .next = p->next,
        .ahead = g->ahead,
    };

    if (a.lines > 0 && (t->lives || sums))
        g->pass->kernel->few_gradient(
            g->pass->gradients[0] + dw,
            rest > PANEL ? panel_index(t->r * g->run, t->n + PANEL, c->k, c->out_channels) - dw : 0,
            sums ? g->sums + t->n : NULL, &a, &dc);
}

static bool row_lives(const struct conv_geometry *c, int64_t y, int64_t r)
{
    const struct item_range live = live_taps(c, y, c->height);

    return live.begin <= r && r < live.end;
}

/* The lines of the piece that row r of the kernel meets, in one go. */
static void add_item(const struct gradient *g, const struct piece *p, int64_t n, int64_t r)
{
    struct item_range y = p->y;

    while (y.begin < y.end && !row_lives(&g->conv, y.begin, r))
        y.begin++;
    while (y.begin < y.end && !row_lives(&g->conv, y.end - 1, r))
        y.end--;
    const struct item_range above = {p->y.begin, y.begin}, below = {y.end, p->y.end};
    add_part(g, p, &(struct part){n, r, above, false});
    add_part(g, p, &(struct part){n, r, y, true});
    add_part(g, p, &(struct part){n, r, below, false});
}

/* All items fetch equal parts of the piece after this one: none of them waits for memory. */
static void add_piece(const struct gradient *g, struct piece *p, struct item_range items)
{
    const struct conv_geometry *c = &g->conv;
    const int64_t windows = (p->y.end - p->y.begin) * (p->x.end - p->x.begin);
    int64_t n = items.begin / c->kernel * GROUP, r = items.begin % c->kernel;

    p->next = p->dout + (p->y.begin * c->out_width + p->x.begin + windows) * c->out_channels;
    for (int64_t item = items.begin; item < items.end; item++) {
        add_item(g, p, n, r);
        p->next += windows * g->ahead;
        if (++r == c->kernel) {
            r = 0;
            n += GROUP;
        }
    }
}

static void add_image(const struct gradient *g, struct piece p, struct item_range items)
{
    const struct conv_geometry *c = &g->conv;
    const int64_t lines = c->out_width < CACHED ? CACHED / c->out_width : 1;

    for (int64_t y = 0; y < c->out_height; y = p.y.end) {
        const int64_t left = c->out_height - y;
        p.y = (struct item_range){y, y + (left < lines ? left : lines)};
        for (int64_t x = 0; x < c->out_width; x = p.x.end) {
            p.x = (struct item_range){x, x + CACHED < c->out_width ? x + CACHED : c->out_width};
            add_piece(g, &p, items);
        }
    }
}

/* Copies an image between its left and right borders, which are there. */
static void copy_between_borders(const struct gradient *g, float *to, const float *image)
{
    const int64_t row = g->conv.width * g->conv.channels;

    to += g->conv.pad * g->conv.channels;
    for (int64_t y = 0; y < g->conv.height; y++)
        memcpy(to + y * g->row, image + y * row, (size_t)row * sizeof *image);
}

static void gradient_items_of(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct gradient *g = context;
    const struct conv_geometry *c = &g->conv;
    float *bordered = layer_scratch(g->pass, thread);

    memset(bordered, 0, (size_t)(c->height * g->row) * sizeof *bordered);
    for (int64_t item = begin; item < end; item++)
        clear_item(g, item);
    for (int64_t i = 0; i < g->pass->batch; i++) {
        const float *image = g->pass->in[0] + i * c->image;
        const struct piece p = {
            .image = c->pad > 0 ? bordered : image,
            .dout = g->pass->dout + i * c->out_image,
        };
        if (c->pad > 0)
            copy_between_borders(g, bordered, image);
        add_image(g, p, (struct item_range){begin, end});
    }
}

static void few_back_weights(const struct layer_pass *p)
{
    const struct conv_geometry c = conv2d_geometry(p->layer);
    const int64_t items = (c.out_channels + GROUP - 1) / GROUP * c.kernel;
    const struct gradient g = {
        .pass = p,
        .conv = c,
        .row = (c.width + 2 * c.pad) * c.channels,
        .run = c.kernel * c.channels,
        .ahead = (c.out_channels + items - 1) / items,
        .sums = conv_bias(p) == NULL ? NULL : (double *)(void *)p->scratch_shared,
    };

    layer_split(p, items, gradient_items_of, &g);
    for (int64_t n = 0; n < c.out_channels && g.sums != NULL; n++)
        p->gradients[1][n] = (float)g.sums[n];
}

/* --- by the input --- */

static void few_back_data(const struct layer_pass *p)
{
    conv_direct.back_data(p);
}

const struct conv_method conv_few = {
    .name = "few",
    .is_exact = true,
    .applies = few_applies,
    .plan = few_plan,
    .forward = few_forward,
    .back_data = few_back_data,
    .back_weights = few_back_weights,
    .sums_biases = true,
};
