/*
 * convpool.c - a convolution of stride 1, max pooling and perhaps ReLU as one layer; fuse.c puts it
 * in their place. What the convolution computes is never stored, and of its gradient only the
 * largest of each window exist.
 *
 * Backward goes over slices of 8 samples, and within them over groups that the first-level cache
 * holds: some samples, or some rows of one. From a group's gradients it makes lists of patches
 * (kernel/convpool.h), which give the slice's part of dW and the samples' dX. Then the slices are
 * added in order. Two runs of the team in all.
 *
 * Not here: which layers are joined (fuse.c), the arithmetic (kernel/).
 */
#include "nn/layers/convpool.h"

#include <string.h>

#include "base/check.h"
#include "nn/layer_options.h"
#include "nn/layers/fused.h"
#include "nn/layers/support.h"
#include "nn/layers/winograd.h"
#include "nn/model_memory.h"

enum {
    WEIGHTS_MAX = 32768, /* beyond, products with whole panels reuse the cache better */
    OUTPUTS_MAX = 128,
    GROUP_FLOATS = 6144, /* 24 KB of input: three quarters of a first-level cache */
};

struct geometry {
    struct convpool_shape shape;
    int64_t pad, height, width; /* of the input */
    int64_t image, bordered;    /* floats of the input, without and with border */
    int64_t patch, weights;     /* floats of one output's padded patch, of all of them */
    int64_t slots;              /* of a pooling window */
    int64_t samples, rows;      /* of a group: several whole images, or rows of one */
    int64_t positions;          /* of a group, at most */
};

/* How much of the input is worked on at once. */
static void choose_group(struct geometry *g)
{
    const struct convpool_shape *s = &g->shape;
    int64_t rows = (GROUP_FLOATS / s->row - s->kernel + 1) / s->pool;

    g->samples = 1;
    while (g->samples < SLICE && 2 * g->samples * g->bordered <= GROUP_FLOATS)
        g->samples *= 2;
    rows = rows < 1 ? 1 : rows < s->out_height ? rows : s->out_height;
    g->rows = g->samples > 1 ? s->out_height : rows;
    g->positions = g->samples * g->rows * s->out_width;
}

static struct geometry geometry_of(const struct layer *l, const struct fusion *f)
{
    const struct conv2d_options *o = l->options;
    const struct shape in = l->in[0];
    struct geometry g = {
        .shape = {.channels = in.channels,
                  .outputs = o->out,
                  .kernel = o->kernel,
                  .row = (in.width + 2 * o->pad) * in.channels,
                  .pool = f->pool,
                  .out_height = (in.height + 2 * o->pad - o->kernel + 1) / f->pool,
                  .out_width = (in.width + 2 * o->pad - o->kernel + 1) / f->pool,
                  .relu = f->relu},
        .pad = o->pad,
        .height = in.height,
        .width = in.width,
        .image = shape_size(in),
        .slots = f->pool * f->pool,
    };

    g.bordered = (in.height + 2 * o->pad) * g.shape.row;
    g.patch = o->kernel * patch_room(convpool_run(&g.shape));
    g.weights = g.patch * o->out;
    g.shape.pairs = !l->is_exact && convpool_can_pair(&g.shape);
    choose_group(&g);
    return g;
}

/* The same for the kernels of a pass, which may have no use for pairs. */
static struct geometry geometry_for(const struct layer_pass *p)
{
    struct geometry g = geometry_of(p->layer, &p->layer->fusion);

    g.shape.pairs = g.shape.pairs && p->kernel->convpool_pairs_pay(&g.shape);
    return g;
}

bool convpool_pays(const struct layer *l, const struct fusion *f)
{
    const struct conv2d_options *o = l->options;
    const struct geometry g = geometry_of(l, f);
    const int64_t k = o->kernel * o->kernel * l->in[0].channels;

    return o->stride == 1 && o->out <= OUTPUTS_MAX && k * o->out <= WEIGHTS_MAX &&
           g.slots <= CONVPOOL_SLOTS_MAX && g.bordered <= INT32_MAX >> CONVPOOL_SLOT_BITS;
}

/* --- scratch --- */

/* Floats of one slice's part of the gradient: the padded weights, then the biases. */
static int64_t part_floats(const struct geometry *g)
{
    return model_memory_round(g->weights + g->shape.outputs);
}

/* One thread's scratch in backward. */
struct convpool_scratch {
    float *images, *gradients; /* of a group, with borders and room for a vector behind */
    struct patch_lists lists;
    int64_t size; /* floats of all */
};

static float *take_scratch(struct convpool_scratch *r, float *scratch, int64_t floats)
{
    float *part = scratch == NULL ? NULL : scratch + r->size;

    r->size += model_memory_round(floats);
    return part;
}

static int64_t floats_of(int64_t count, size_t size)
{
    return count * (int64_t)(size / sizeof(float));
}

/* Where everything lies in the scratch; NULL: only its size. */
static struct convpool_scratch scratch_in(float *scratch, const struct geometry *g)
{
    const int64_t outputs = g->shape.outputs, windows = g->positions * g->slots;
    const int64_t images = g->samples * g->bordered + PATCH_ALIGN;
    const int64_t all = outputs * g->positions + PATCH_ALIGN;
    struct convpool_scratch r = {0};
    struct patch_lists *l = &r.lists;

    r.images = take_scratch(&r, scratch, images);
    r.gradients = take_scratch(&r, scratch, images);
    l->offsets = (void *)take_scratch(&r, scratch, all);
    l->factors = take_scratch(&r, scratch, all);
    l->outputs = (void *)take_scratch(&r, scratch, floats_of(outputs, sizeof(struct patch_sum)));
    l->output_offsets = (void *)take_scratch(&r, scratch, all);
    l->output_factors = take_scratch(&r, scratch, all);
    l->windows = (void *)take_scratch(&r, scratch, floats_of(windows, sizeof(struct patch_sum)));
    l->window_offsets = (void *)take_scratch(&r, scratch, outputs * windows);
    l->window_factors = take_scratch(&r, scratch, outputs * windows);
    return r;
}

/* Forward by Winograd takes its scratch in place of the other, before backward does. */
static void plan_winograd(struct layer *l)
{
    const int64_t in = l->in[0].channels, out = l->out.channels;
    const int64_t own = winograd_thread_floats(WINOGRAD_POINTS, in, out),
                  shared = winograd_shared_floats(WINOGRAD_POINTS, in, out);

    if (l->scratch_per_thread < own)
        l->scratch_per_thread = own;
    if (l->scratch_shared_fixed < shared)
        l->scratch_shared_fixed = shared;
}

static enum status convpool_plan(struct layer *l)
{
    const struct geometry g = geometry_of(l, &l->fusion);
    const int64_t k = convpool_weight_rows(&g.shape);
    const int64_t forward = g.bordered + convpool_strip(&g.shape), back = scratch_in(NULL, &g).size;
    const int64_t padded = k * (g.shape.outputs + PANEL);

    l->out = (struct shape){
        .height = g.shape.out_height,
        .width = g.shape.out_width,
        .channels = g.shape.outputs,
    };
    l->saved_per_sample = shape_size(l->out);
    l->saved_fixed = 0;
    l->adds_input = false; /* whatever the convolution alone could do */
    l->scratch_per_thread = forward > back ? forward : back;
    /* forward: the padded weights; backward: them as patches, and the parts of all slices */
    l->scratch_shared_per_sample = (part_floats(&g) + SLICE - 1) / SLICE;
    l->scratch_shared_fixed = part_floats(&g) + model_memory_round(g.weights);
    if (l->scratch_shared_fixed < padded)
        l->scratch_shared_fixed = padded;
    if (convpool_is_winograd(l))
        plan_winograd(l);
    return STATUS_OK;
}

/* The border itself is zero already. */
static void copy_with_border(float *bordered, const float *image, const struct geometry *g)
{
    const int64_t row = g->width * g->shape.channels;

    bordered += g->pad * (g->shape.row + g->shape.channels);
    for (int64_t y = 0; y < g->height; y++)
        memcpy(bordered + y * g->shape.row, image + y * row, (size_t)row * sizeof *image);
}

static void copy_without_border(float *image, const float *bordered, const struct geometry *g)
{
    const int64_t row = g->width * g->shape.channels;

    bordered += g->pad * (g->shape.row + g->shape.channels);
    for (int64_t y = 0; y < g->height; y++)
        memcpy(image + y * row, bordered + y * g->shape.row, (size_t)row * sizeof *image);
}

/* --- forward --- */

/* Weights are not taken as they are. */
static bool prepares_weights(const struct geometry *g)
{
    return g->shape.pairs || g->shape.outputs % PANEL != 0;
}

static void forward_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct geometry g = geometry_for(p);
    const int64_t out = shape_size(p->layer->out);
    const float *weights = prepares_weights(&g) ? p->scratch_shared : p->tensors[0];
    const float *bias = p->layer->tensor_count > 1 ? p->tensors[1] : NULL;
    float *bordered = layer_scratch(p, thread), *strip = bordered + g.bordered;

    memset(bordered, 0, (size_t)g.bordered * sizeof *bordered);
    for (int64_t i = begin; i < end; i++) {
        const float *image = p->in[0] + i * g.image;
        int32_t *where = p->mode == PASS_TRAIN ? (int32_t *)(void *)p->saved + i * out : NULL;
        if (g.pad > 0) {
            copy_with_border(bordered, image, &g);
            image = bordered;
        }
        p->kernel->convpool(p->out + i * out, where, image, weights, bias, strip, &g.shape);
    }
}

static void convpool_forward(const struct layer_pass *p)
{
    const struct geometry g = geometry_for(p);

    if (convpool_is_winograd(p->layer)) {
        convpool_winograd_forward(p, &g.shape);
        return;
    }
    if (prepares_weights(&g))
        p->kernel->convpool_weights(p->scratch_shared, p->tensors[0], &g.shape);
    layer_share(p, p->batch, forward_samples, p);
}

/* --- backward --- */

static float *patches_of(const struct layer_pass *p)
{
    return p->scratch_shared;
}

static float *part_of(const struct layer_pass *p, const struct geometry *g, int64_t slice)
{
    return p->scratch_shared + model_memory_round(g->weights) + slice * part_floats(g);
}

/* The weights, output by output, their runs padded with zeros. */
static void make_patches(const struct layer_pass *p, const struct geometry *g)
{
    const int64_t run = convpool_run(&g->shape), room = patch_room(run);
    const int64_t k = g->shape.kernel * run;
    float *to = patches_of(p);

    memset(to, 0, (size_t)g->weights * sizeof *to);
    for (int64_t n = 0; n < g->shape.outputs; n++, to += g->patch) {
        const float *from = p->tensors[0] + panel_index(0, n, k, g->shape.outputs);
        const int64_t step = panel_width(g->shape.outputs, n / PANEL * PANEL);
        for (int64_t y = 0; y < g->shape.kernel; y++)
            for (int64_t q = 0; q < run; q++)
                to[y * room + q] = from[(y * run + q) * step];
    }
}

struct group {
    const struct geometry *geometry;
    struct convpool_scratch room;
    struct item_range samples;
    const float *images;
    int64_t stride; /* from one of the images to the next */
    float *part;    /* of the gradient by the weights, of the slice */
};

/* Vectors are read beyond a run, and behind the last sample of the batch memory may end. */
static void enter_group(struct group *u, const struct layer_pass *p)
{
    const struct geometry *g = u->geometry;

    u->images = p->in[0] + u->samples.begin * g->image;
    u->stride = g->image;
    if (g->pad == 0 && u->samples.end < p->batch)
        return;
    for (int64_t i = u->samples.begin; i < u->samples.end; i++)
        copy_with_border(u->room.images + (i - u->samples.begin) * g->bordered,
                         p->in[0] + i * g->image, g);
    u->images = u->room.images;
    u->stride = g->bordered;
}

static void list_rows(struct group *u, const struct layer_pass *p, struct item_range rows)
{
    const struct convpool_shape *s = &u->geometry->shape;
    const int64_t out = shape_size(p->layer->out), first = rows.begin * s->out_width * s->outputs;

    u->room.lists.positions = u->room.lists.window_count = 0;
    for (int64_t i = u->samples.begin; i < u->samples.end; i++) {
        const struct patch_rows r = {
            .dy = p->dout + i * out + first,
            .where = (const int32_t *)(const void *)p->saved + i * out + first,
            .first = rows.begin,
            .count = rows.end - rows.begin,
            .image = (int32_t)((i - u->samples.begin) * u->stride),
        };
        p->kernel->patch_list(&u->room.lists, &r);
    }
}

static void add_rows(struct group *u, const struct layer_pass *p)
{
    const struct convpool_shape *s = &u->geometry->shape;
    const struct patch_lists *l = &u->room.lists;
    const struct patches by_window = {l->window_offsets, l->window_factors, 1};
    const int64_t run = convpool_run(s), room = patch_room(run);
    const struct patch_shape by_input = {s->kernel, run, s->row, room};

    p->kernel->patch_gradient(u->part, u->images, l);
    if (p->din[0] != NULL)
        p->kernel->patch_sums(u->room.gradients, patches_of(p), &by_input, l->windows,
                              l->window_count, &by_window);
}

static void run_group(struct group *u, const struct layer_pass *p)
{
    const struct geometry *g = u->geometry;
    const int64_t count = u->samples.end - u->samples.begin;

    enter_group(u, p);
    if (p->din[0] != NULL)
        memset(u->room.gradients, 0, (size_t)(count * g->bordered + PATCH_ALIGN) * sizeof(float));
    for (int64_t y = 0; y < g->shape.out_height; y += g->rows) {
        const int64_t end = y + g->rows < g->shape.out_height ? y + g->rows : g->shape.out_height;
        list_rows(u, p, (struct item_range){y, end});
        add_rows(u, p);
    }
    for (int64_t i = 0; p->din[0] != NULL && i < count; i++)
        copy_without_border(p->din[0] + (u->samples.begin + i) * g->image,
                            u->room.gradients + i * u->stride, g);
}

static void backward_slices(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct geometry g = geometry_of(p->layer, &p->layer->fusion);
    struct group u = {.geometry = &g, .room = scratch_in(layer_scratch(p, thread), &g)};

    memset(u.room.images, 0, (size_t)(g.samples * g.bordered) * sizeof *u.room.images);
    u.room.lists.shape = &g.shape;
    u.room.lists.weights = g.patch;
    if (p->din[0] == NULL)
        u.room.lists.windows = NULL;
    for (int64_t slice = begin; slice < end; slice++) {
        const int64_t stop = (slice + 1) * SLICE < p->batch ? (slice + 1) * SLICE : p->batch;
        u.part = part_of(p, &g, slice);
        u.room.lists.sums = u.part + g.weights;
        memset(u.part, 0, (size_t)part_floats(&g) * sizeof *u.part);
        for (int64_t i = slice * SLICE; i < stop; i += g.samples) {
            u.samples = (struct item_range){i, i + g.samples < stop ? i + g.samples : stop};
            run_group(&u, p);
        }
    }
}

/* Adds the slices' parts for some outputs, in order, and writes them to the flat gradient. */
static void finish_outputs(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct geometry g = geometry_of(p->layer, &p->layer->fusion);
    const int64_t run = convpool_run(&g.shape), room = patch_room(run), k = g.shape.kernel * run;

    (void)thread;
    for (int64_t n = begin; n < end; n++) {
        float *sum = part_of(p, &g, 0), *bias = sum + g.weights + n;
        float *dw = p->gradients[0] + panel_index(0, n, k, g.shape.outputs);
        const int64_t step = panel_width(g.shape.outputs, n / PANEL * PANEL);
        sum += n * g.patch;
        for (int64_t s = 1; s < layer_slices(p->batch); s++) {
            const float *part = part_of(p, &g, s);
            p->kernel->add(sum, sum, part + n * g.patch, g.patch);
            *bias += part[g.weights + n];
        }
        for (int64_t y = 0; y < g.shape.kernel; y++)
            for (int64_t q = 0; q < run; q++)
                dw[(y * run + q) * step] = sum[y * room + q];
        if (p->layer->tensor_count > 1)
            p->gradients[1][n] = *bias;
    }
}

static void convpool_backward(const struct layer_pass *p)
{
    const struct geometry g = geometry_of(p->layer, &p->layer->fusion);

    if (p->din[0] != NULL)
        make_patches(p, &g);
    layer_share(p, layer_slices(p->batch), backward_slices, p);
    layer_split(p, g.shape.outputs, finish_outputs, p);
}

const struct layer_ops convpool_layer = {
    .entry = {.name = "convpool", .summary = "convolution, max pooling and ReLU in one"},
    .flags = LAYER_NEEDS_INPUT,
    .input_count = 1,
    .plan = convpool_plan,
    .forward = convpool_forward,
    .backward = convpool_backward,
};
