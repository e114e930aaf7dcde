/*
 * dense.c - a fully connected layer: out = in W + b.
 *
 * After a flatten the canonical order of its inputs is (channel, y, x), as PyTorch flattens; the
 * stored order is that of the channel-last vector (tensor.h).
 */
#include <math.h>
#include <string.h>

#include "nn/layer_options.h"
#include "nn/layers/support.h"

enum { GRADIENT_BLOCK = 64 }; /* inputs in the smallest piece of dW that a thread takes */

static const char *const dense_inits[] = {"default", "siren", NULL};

static const struct field dense_fields[] = {
    FIELD_INT(struct dense_options, out, 0, 0, 1e7, "outputs (required)"),
    FIELD_BOOL(struct dense_options, bias, true, "add a learnt number to each output"),
    FIELD_CHOICE(struct dense_options, init, "default", dense_inits, "start of the weights"),
    FIELD_LAST,
};

static enum status dense_plan(struct layer *l)
{
    const struct dense_options *o = l->options;
    const int64_t k = shape_size(l->in[0]);
    struct tensor *w;

    if (o->out < 1)
        return layer_fail(l, "out is not given; it is the number of outputs, at least 1");
    if (!l->in[0].is_flat)
        return layer_fail_shape(l, "needs a vector (put flatten before it), gets", l->in[0]);
    l->out = shape_vector(o->out);
    w = layer_add_weights(l, l->in[0], o->out, o->bias);
    w->rank = 2;
    w->dims[0] = o->out;
    w->dims[1] = k;
    if (o->init == DENSE_INIT_SIREN)
        w->bound = sqrt(6.0 / (double)o->out);
    l->scratch_shared_fixed = k * o->out; /* the transposed weights */
    layer_plan_slices(l, o->out, 1);
    l->flops = 2 * k * o->out;
    return STATUS_OK;
}

/* `count` rows of k floats, as the left operand of a product. */
static struct panel_rows rows_of(const float *data, int64_t count, int64_t k)
{
    return (struct panel_rows){.data = data, .count = count, .row_stride = k, .runs = 1, .run = k};
}

static int64_t chunk_end(int64_t begin, int64_t end, int64_t k)
{
    const int64_t next = begin + layer_row_chunk(k);

    return next < end ? next : end;
}

static void forward_rows(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const int64_t k = shape_size(p->layer->in[0]), n = shape_size(p->layer->out);
    const float *bias = p->layer->tensor_count > 1 ? p->tensors[1] : NULL;

    (void)thread;
    for (int64_t next; begin < end; begin = next) {
        next = chunk_end(begin, end, k);
        const struct panel_rows a = rows_of(p->in[0] + begin * k, next - begin, k);
        p->kernel->panel_product(p->out + begin * n, n, &a, p->tensors[0], bias, n);
    }
}

static void dense_forward(const struct layer_pass *p)
{
    layer_split(p, p->batch, forward_rows, p);
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

static void weight_gradient_items(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct gradient_split split = split_of(p);

    (void)thread;
    gradient_clear(&split, begin, end);
    for (int64_t i = 0, next; i < p->batch; i = next) {
        next = chunk_end(i, p->batch, split.k);
        const struct panel_rows a = rows_of(p->in[0] + i * split.k, next - i, split.k);
        gradient_add(&split, &a, p->dout + i * split.columns, (struct item_range){begin, end});
    }
}

static void bias_gradient(const struct layer_pass *p)
{
    const int64_t n = shape_size(p->layer->out);
    double *sums = (double *)(void *)p->scratch_shared;
    const struct slice_sums s = {
        .sums = sums,
        .parts = sums + n,
        .x = p->dout,
        .rows = 1,
        .channels = n,
    };

    layer_sum_slices(p, &s);
    for (int64_t i = 0; i < n; i++)
        p->gradients[1][i] = (float)sums[i];
}

static float *transposed_of(const struct layer_pass *p)
{
    return p->scratch_shared + layer_slice_floats(p->batch, shape_size(p->layer->out), 1);
}

static void input_gradient_rows(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const int64_t k = shape_size(p->layer->in[0]), n = shape_size(p->layer->out);

    (void)thread;
    for (int64_t next; begin < end; begin = next) {
        next = chunk_end(begin, end, n);
        const struct panel_rows a = rows_of(p->dout + begin * n, next - begin, n);
        p->kernel->panel_product(p->din[0] + begin * k, k, &a, transposed_of(p), NULL, k);
    }
}

static void dense_backward(const struct layer_pass *p)
{
    const struct gradient_split split = split_of(p);

    layer_split(p, gradient_items(&split), weight_gradient_items, p);
    if (p->layer->tensor_count > 1)
        bias_gradient(p);
    if (p->din[0] != NULL) {
        p->kernel->panel_transpose(transposed_of(p), p->tensors[0], split.k, split.columns);
        layer_split(p, p->batch, input_gradient_rows, p);
    }
}

const struct layer_ops dense_layer = {
    .entry =
        {
                .name = "dense",
                .summary = "fully connected layer over a vector",
                .fields = dense_fields,
                .options_size = sizeof(struct dense_options),
                },
    .flags = LAYER_NEEDS_INPUT,
    .input_count = 1,
    .plan = dense_plan,
    .forward = dense_forward,
    .backward = dense_backward,
};
