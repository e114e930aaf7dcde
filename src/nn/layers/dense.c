/*
 * dense.c - a fully connected layer: out = in W + b.
 *
 * After a flatten the canonical order of its inputs is (channel, y, x), as PyTorch flattens; the
 * stored order is that of the channel-last vector (kernel/tensor.h).
 *
 * Joined to it by fuse.c: sin(scale x) and ReLU behind it, done to a chunk of rows while it is in
 * cache. in W + b is not kept: ReLU's slope is found in the output, and the sine's by computing
 * in W + b again, which with few inputs costs less than reading it back; it is not stored at all,
 * and where nobody needs the gradient by the input, neither are the slopes.
 */
#include <math.h>
#include <string.h>

#include "nn/layer_options.h"
#include "nn/layers/fused.h"
#include "nn/layers/gradient_split.h"
#include "nn/layers/support.h"

enum {
    GRADIENT_BLOCK = 64,    /* inputs in the smallest piece of dW that a thread takes */
    BLOCKS_AT_ONCE = 4,     /* of those: their inputs and 16 KB of dW stay in cache */
    CHUNK_UNIT = 48,        /* rows: whole tiles and whole slices */
    LARGE_WEIGHTS = 262144, /* 1 MB: the second-level cache holds no copy beside them */
    LARGE_CHUNK = 262144,   /* floats of rows that such weights, once read, are used for */
    LARGE_PANELS = 4,       /* of such weights, transposed at once: pieces of 4 KB are read */
};

static const char *const dense_inits[] = {"default", "siren", NULL};

static const struct field dense_fields[] = {
    FIELD_INT(struct dense_options, out, 0, 0, 1e7, "outputs (required)"),
    FIELD_BOOL(struct dense_options, bias, true, "add a bias to each output"),
    FIELD_CHOICE(struct dense_options, init, "default", dense_inits,
                 "initialization of the weights"),
    FIELD_LAST,
};

/* The transposed weights are made a few panels at a time, never as a whole: that would be written
 * to memory and read back. */
static bool is_large(const struct layer *l)
{
    return shape_size(l->in[0]) * shape_size(l->out) > LARGE_WEIGHTS;
}

/* Room for the whole of them, in doubles. */
static int64_t transposed_floats(const struct layer *l)
{
    return is_large(l) ? 0 : (shape_size(l->in[0]) * shape_size(l->out) + 1) / 2 * 2;
}

static enum status dense_plan(struct layer *l)
{
    const struct dense_options *o = l->options;
    const int64_t k = shape_size(l->in[0]);
    struct tensor *w;

    if (o->out < 1)
        return layer_fail(l, "missing out: the number of outputs, at least 1");
    if (!l->in[0].is_flat)
        return layer_fail_shape(l, "needs a vector (put flatten before it), gets", l->in[0]);
    l->out = shape_vector(o->out);
    w = layer_add_weights(l, l->in[0], o->out, o->bias);
    w->rank = 2;
    w->dims[0] = o->out;
    w->dims[1] = k;
    if (o->init == DENSE_INIT_SIREN)
        w->bound = sqrt(6.0 / (double)o->out);
    l->saved_fixed = transposed_floats(l) + 2 * o->out;
    if (is_large(l))
        l->scratch_per_thread = LARGE_PANELS * PANEL * o->out;
    layer_plan_slices(l, o->out, 1);
    l->flops = 2 * k * o->out;
    return STATUS_OK;
}

/* Beside what the layer needs for itself: the gradient by in W + b. */
static enum status fused_plan(struct layer *l)
{
    l->scratch_shared_per_sample += shape_size(l->out);
    return STATUS_OK;
}

bool dense_sine_pays(const struct layer *l)
{
    return shape_size(l->in[0]) <= DENSE_SINE_INPUTS;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* `most` in whole units, but at least one. */
static int64_t whole_units(int64_t most, int64_t unit)
{
    return most < unit ? unit : most / unit * unit;
}

/* Rows that go through all of a layer's work while they are in cache; whole tiles and slices. */
static int64_t chunk_end(const struct layer *l, int64_t begin, int64_t end)
{
    const int64_t floats = shape_size(l->in[0]) + shape_size(l->out);
    const int64_t rows = is_large(l) ? LARGE_CHUNK / floats : layer_row_chunk(floats);

    return least(begin + whole_units(rows, CHUNK_UNIT), end);
}

/* `count` rows of k floats, as the left operand of a product. */
static struct panel_rows rows_of(const float *data, int64_t count, int64_t k)
{
    return (struct panel_rows){.data = data, .count = count, .row_stride = k, .runs = 1, .run = k};
}

static bool has_activation(const struct layer *l)
{
    return l->fusion.relu || l->fusion.sine != 0.0F;
}

/* --- forward --- */

/* Rows begin .. end-1 of in W + b, to `to`. */
static void product_rows(const struct layer_pass *p, float *to, int64_t begin, int64_t end)
{
    const int64_t k = shape_size(p->layer->in[0]), n = shape_size(p->layer->out);
    const float *bias = p->layer->tensor_count > 1 ? p->tensors[1] : NULL;
    const struct panel_rows a = rows_of(p->in[0] + begin * k, end - begin, k);

    p->kernel->panel_product(to, n, &a, p->tensors[0], bias, n);
}

/* The same rows for the kernel that does all at once. */
static struct dense_sine sine_rows(const struct layer_pass *p, int64_t begin, int64_t end)
{
    const int64_t k = shape_size(p->layer->in[0]);

    return (struct dense_sine){
        .x = p->in[0] + begin * k,
        .rows = end - begin,
        .inputs = k,
        .columns = shape_size(p->layer->out),
        .weights = p->tensors[0],
        .bias = p->layer->tensor_count > 1 ? p->tensors[1] : NULL,
        .scale = p->layer->fusion.sine,
        .relu = p->layer->fusion.relu,
    };
}

static void forward_rows(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct fusion *f = &p->layer->fusion;
    const int64_t n = shape_size(p->layer->out);

    (void)thread;
    if (f->sine != 0.0F) {
        const struct dense_sine d = sine_rows(p, begin, end);
        p->kernel->dense_sine(p->out + begin * n, &d);
        return;
    }
    for (int64_t next; begin < end; begin = next) {
        float *out = p->out + begin * n;
        next = chunk_end(p->layer, begin, end);
        product_rows(p, out, begin, next);
        if (f->relu)
            p->kernel->relu(out, out, (next - begin) * n);
    }
}

static void dense_forward(const struct layer_pass *p)
{
    layer_split(p, p->batch, forward_rows, p);
}

/* --- backward --- */

/* What stays for the pieces of a batch: transposed weights, the sums of biases. */
static float *transposed_of(const struct layer_pass *p)
{
    return p->saved_fixed;
}

static double *sums_of(const struct layer_pass *p)
{
    return (double *)(void *)(p->saved_fixed + transposed_floats(p->layer));
}

/* What backward has in the shared scratch: slices of biases, slopes. */
static double *slices_of(const struct layer_pass *p)
{
    return (double *)(void *)p->scratch_shared;
}

static float *slopes_of(const struct layer_pass *p)
{
    return p->scratch_shared + layer_slice_floats(p->batch, shape_size(p->layer->out), 1);
}

/* The gradient by in W + b, with ReLU behind it, of rows begin .. end-1, to dz. */
static void slope_rows(const struct layer_pass *p, float *dz, int64_t begin, int64_t end)
{
    const int64_t n = shape_size(p->layer->out);

    p->kernel->relu_back(dz, p->dout + begin * n, p->out + begin * n, (end - begin) * n);
}

static void input_gradient_rows(const struct layer_pass *p, const float *dz, int64_t begin,
                                int64_t end)
{
    const int64_t k = shape_size(p->layer->in[0]), n = shape_size(p->layer->out);
    const struct panel_rows a = rows_of(dz, end - begin, n);

    if (p->din[0] != NULL && !is_large(p->layer))
        p->kernel->panel_product(p->din[0] + begin * k, k, &a, transposed_of(p), NULL, k);
}

static struct gradient_split split_of(const struct layer_pass *p)
{
    return (struct gradient_split){
        .kernel = p->kernel,
        .dw = p->gradients[0],
        .k = shape_size(p->layer->in[0]),
        .columns = shape_size(p->layer->out),
        .block = GRADIENT_BLOCK,
    };
}

/*
 * Adds some rows to some items of dW, which begin at 0 with the batch's first row. Panel after
 * panel for a few blocks of inputs, so that those stay in cache; an item's sums are its own.
 */
static void weight_gradient_rows(const struct layer_pass *p, const float *dz,
                                 struct item_range rows, struct item_range items)
{
    struct gradient_split split = split_of(p);
    const int64_t blocks = (split.k + GRADIENT_BLOCK - 1) / GRADIENT_BLOCK;
    const struct panel_rows a =
        rows_of(p->in[0] + rows.begin * split.k, rows.end - rows.begin, split.k);

    split.sets = rows.begin == 0 && !p->adds;
    for (int64_t b = 0; b < blocks; b += BLOCKS_AT_ONCE)
        for (int64_t panel = items.begin / blocks; panel * blocks < items.end; panel++) {
            const int64_t first = panel * blocks + b;
            const struct item_range r = {
                first > items.begin ? first : items.begin,
                least(least(first + BLOCKS_AT_ONCE, (panel + 1) * blocks), items.end),
            };
            if (r.begin < r.end)
                gradient_split_add(&split, &a, dz, r);
        }
}

/* The same sums as by slices, which have one block each. */
static void bias_gradient_rows(const struct layer_pass *p, const float *dz, int64_t count)
{
    const int64_t n = shape_size(p->layer->out);

    for (int64_t i = 0; i < count; i += SLICE)
        p->kernel->column_sums(sums_of(p), dz + i * n, count - i < SLICE ? count - i : SLICE, n);
}

/* One thread does all for a chunk of rows while its slopes are in cache. */
static void backward_alone(const struct layer_pass *p)
{
    const struct gradient_split split = split_of(p);
    const struct item_range items = {0, gradient_split_items(&split)};

    for (int64_t i = 0, next; i < p->batch; i = next) {
        const float *dz = p->dout + i * split.columns;
        next = chunk_end(p->layer, i, p->batch);
        if (has_activation(p->layer)) {
            slope_rows(p, slopes_of(p), i, next);
            dz = slopes_of(p);
        }
        input_gradient_rows(p, dz, i, next);
        weight_gradient_rows(p, dz, (struct item_range){i, next}, items);
        if (p->layer->tensor_count > 1)
            bias_gradient_rows(p, dz, next - i);
    }
}

/* What dW and the biases sum over. */
static const float *all_slopes(const struct layer_pass *p)
{
    return has_activation(p->layer) ? slopes_of(p) : p->dout;
}

static void backward_rows(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const int64_t n = shape_size(p->layer->out);

    (void)thread;
    for (int64_t next; begin < end; begin = next) {
        next = chunk_end(p->layer, begin, end);
        if (has_activation(p->layer))
            slope_rows(p, slopes_of(p) + begin * n, begin, next);
        input_gradient_rows(p, all_slopes(p) + begin * n, begin, next);
    }
}

/* The gradient by some panels of the inputs, for all rows. */
static void input_gradient_panels(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const int64_t k = shape_size(p->layer->in[0]), n = shape_size(p->layer->out);
    const struct panel_rows a = rows_of(all_slopes(p), p->batch, n);
    float *transposed = layer_scratch(p, thread);

    for (int64_t panel = begin, next; panel < end; panel = next) {
        const int64_t first = panel * PANEL;
        next = least(panel + LARGE_PANELS, end);
        p->kernel->panel_transpose_part(transposed, p->tensors[0], k, n, panel, next);
        p->kernel->panel_product(p->din[0] + first, k, &a, transposed, NULL,
                                 least(k - first, (next - panel) * PANEL));
    }
}

static void backward_items(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const int64_t n = shape_size(p->layer->out);

    (void)thread;
    for (int64_t i = 0, next; i < p->batch; i = next) {
        next = chunk_end(p->layer, i, p->batch);
        weight_gradient_rows(p, all_slopes(p) + i * n, (struct item_range){i, next},
                             (struct item_range){begin, end});
    }
}

static void bias_gradient_together(const struct layer_pass *p)
{
    const int64_t n = shape_size(p->layer->out), slices = layer_slices(p->batch);
    const struct slice_sums s = {
        .sums = slices_of(p),
        .parts = slices_of(p) + n,
        .x = all_slopes(p),
        .rows = 1,
        .channels = n,
    };

    layer_sum_slices(p, &s);
    for (int64_t i = 0; i < slices; i++) /* on top of the piece before */
        for (int64_t c = 0; c < n; c++)
            sums_of(p)[c] += s.parts[i * n + c];
}

/* Threads share the rows for slopes and input, or the inputs, then the items of dW. */
static void backward_together(const struct layer_pass *p)
{
    const struct gradient_split split = split_of(p);

    layer_split(p, p->batch, backward_rows, p);
    if (p->din[0] != NULL && is_large(p->layer))
        layer_split(p, (split.k + PANEL - 1) / PANEL, input_gradient_panels, p);
    layer_split(p, gradient_split_items(&split), backward_items, p);
    if (p->layer->tensor_count > 1)
        bias_gradient_together(p);
}

/* All but the gradient by the input, for some panels of the outputs. */
static void sine_panels(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct dense_sine d = sine_rows(p, 0, p->batch);
    const struct dense_sine_back b = {
        .dy = p->dout,
        .y = p->out,
        .dz = p->din[0] == NULL ? NULL : slopes_of(p),
        .dw = p->gradients[0],
        .sums = sums_of(p),
        .sets = !p->adds,
        .first = begin * PANEL,
        .last = least(end * PANEL, d.columns),
    };

    (void)thread;
    p->kernel->dense_sine_back(&d, &b);
}

static void input_gradient_part(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;

    (void)thread;
    input_gradient_rows(p, slopes_of(p) + begin * shape_size(p->layer->out), begin, end);
}

static void backward_sine(const struct layer_pass *p)
{
    const int64_t k = shape_size(p->layer->in[0]), n = shape_size(p->layer->out);

    layer_split(p, (n + PANEL - 1) / PANEL, sine_panels, p);
    if (p->din[0] == NULL)
        return;
    if (is_large(p->layer))
        layer_split(p, (k + PANEL - 1) / PANEL, input_gradient_panels, p);
    else
        layer_split(p, p->batch, input_gradient_part, p);
}

static void dense_backward(const struct layer_pass *p)
{
    const int64_t k = shape_size(p->layer->in[0]), n = shape_size(p->layer->out);

    if (p->din[0] != NULL && !is_large(p->layer) && !p->adds)
        p->kernel->panel_transpose(transposed_of(p), p->tensors[0], k, n);
    if (!p->adds)
        memset(sums_of(p), 0, (size_t)n * sizeof(double));
    if (p->layer->fusion.sine != 0.0F)
        backward_sine(p);
    else if (team_size(p->team) == 1 && !is_large(p->layer))
        backward_alone(p);
    else
        backward_together(p);
    for (int64_t i = 0; p->layer->tensor_count > 1 && i < n; i++)
        p->gradients[1][i] = (float)sums_of(p)[i];
}

const struct layer_ops dense_layer = {
    .entry = {.name = "dense",
              .summary = "fully connected layer over a vector",
              .fields = dense_fields,
              .options_size = sizeof(struct dense_options)},
    .flags = LAYER_NEEDS_INPUT | LAYER_ADDS,
    .input_count = 1,
    .plan = dense_plan,
    .forward = dense_forward,
    .backward = dense_backward,
};

const struct layer_ops dense_relu_layer = {
    .entry = {.name = "dense_relu", .summary = "dense, sine if asked, relu"},
    .flags = LAYER_NEEDS_INPUT | LAYER_NEEDS_OUTPUT | LAYER_ADDS,
    .input_count = 1,
    .plan = fused_plan,
    .forward = dense_forward,
    .backward = dense_backward,
};

const struct layer_ops dense_sine_layer = {
    .entry = {.name = "dense_sine", .summary = "dense, sine"},
    .flags = LAYER_NEEDS_INPUT | LAYER_ADDS,
    .input_count = 1,
    .plan = fused_plan,
    .forward = dense_forward,
    .backward = dense_backward,
};
