/*
 * activation.c - functions of one element: ReLU, tanh, sigmoid, and sin(scale * x).
 *
 * The first three find their derivative in the output and may work in place; sine needs its input.
 */
#include "nn/layer_options.h"
#include "nn/layers/support.h"

enum { BLOCK = 1024 }; /* elements in the smallest piece that a thread takes */

static const struct field sine_fields[] = {
    FIELD_REAL(struct sine_options, scale, 1.0, -1e6, 1e6, "factor inside the sine"),
    FIELD_LAST,
};

static enum status same_shape(struct layer *l)
{
    l->out = l->in[0];
    return STATUS_OK;
}

/* One function, or its derivative, over all elements of a pass. */
struct job {
    const struct layer_pass *pass;
    void (*forward)(float *y, const float *x, int64_t n);
    void (*backward)(float *dx, const float *dy, const float *y, int64_t n);
    float scale; /* of sine */
};

/* The elements of the blocks begin .. end-1. */
static struct item_range elements_of(const struct layer_pass *p, int64_t begin, int64_t end)
{
    const int64_t all = p->batch * shape_size(p->layer->out);

    return (struct item_range){begin * BLOCK, end * BLOCK < all ? end * BLOCK : all};
}

static void run_blocks(const struct job *job, layer_body *body)
{
    const int64_t elements = job->pass->batch * shape_size(job->pass->layer->out);

    layer_split(job->pass, (elements + BLOCK - 1) / BLOCK, body, job);
}

static void forward_blocks(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct job *job = context;
    const struct layer_pass *p = job->pass;
    const struct item_range e = elements_of(p, begin, end);

    (void)thread;
    job->forward(p->out + e.begin, p->in[0] + e.begin, e.end - e.begin);
}

static void backward_blocks(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct job *job = context;
    const struct layer_pass *p = job->pass;
    const struct item_range e = elements_of(p, begin, end);

    (void)thread;
    job->backward(p->din[0] + e.begin, p->dout + e.begin, p->out + e.begin, e.end - e.begin);
}

static void relu_forward(const struct layer_pass *p)
{
    run_blocks(&(struct job){.pass = p, .forward = p->kernel->relu}, forward_blocks);
}

static void relu_backward(const struct layer_pass *p)
{
    run_blocks(&(struct job){.pass = p, .backward = p->kernel->relu_back}, backward_blocks);
}

static void tanh_forward(const struct layer_pass *p)
{
    run_blocks(&(struct job){.pass = p, .forward = p->kernel->tanh}, forward_blocks);
}

static void tanh_backward(const struct layer_pass *p)
{
    run_blocks(&(struct job){.pass = p, .backward = p->kernel->tanh_back}, backward_blocks);
}

static void sigmoid_forward(const struct layer_pass *p)
{
    run_blocks(&(struct job){.pass = p, .forward = p->kernel->sigmoid}, forward_blocks);
}

static void sigmoid_backward(const struct layer_pass *p)
{
    run_blocks(&(struct job){.pass = p, .backward = p->kernel->sigmoid_back}, backward_blocks);
}

static struct job sine_job(const struct layer_pass *p)
{
    const struct sine_options *o = p->layer->options;

    return (struct job){.pass = p, .scale = (float)o->scale};
}

static void sine_forward_blocks(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct job *job = context;
    const struct layer_pass *p = job->pass;
    const struct item_range e = elements_of(p, begin, end);

    (void)thread;
    p->kernel->sine(p->out + e.begin, p->in[0] + e.begin, job->scale, e.end - e.begin);
}

static void sine_backward_blocks(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct job *job = context;
    const struct layer_pass *p = job->pass;
    const struct item_range e = elements_of(p, begin, end);

    (void)thread;
    p->kernel->sine_back(p->din[0] + e.begin, p->dout + e.begin, p->in[0] + e.begin, job->scale,
                         e.end - e.begin);
}

static void sine_forward(const struct layer_pass *p)
{
    const struct job job = sine_job(p);

    run_blocks(&job, sine_forward_blocks);
}

static void sine_backward(const struct layer_pass *p)
{
    const struct job job = sine_job(p);

    run_blocks(&job, sine_backward_blocks);
}

const struct layer_ops relu_layer = {
    .entry = {.name = "relu", .summary = "max(0, x)"},
    .flags = LAYER_NEEDS_OUTPUT | LAYER_IN_PLACE,
    .input_count = 1,
    .plan = same_shape,
    .forward = relu_forward,
    .backward = relu_backward,
};

const struct layer_ops tanh_layer = {
    .entry = {.name = "tanh", .summary = "hyperbolic tangent"},
    .flags = LAYER_NEEDS_OUTPUT | LAYER_IN_PLACE,
    .input_count = 1,
    .plan = same_shape,
    .forward = tanh_forward,
    .backward = tanh_backward,
};

const struct layer_ops sigmoid_layer = {
    .entry = {.name = "sigmoid", .summary = "1 / (1 + exp(-x))"},
    .flags = LAYER_NEEDS_OUTPUT | LAYER_IN_PLACE,
    .input_count = 1,
    .plan = same_shape,
    .forward = sigmoid_forward,
    .backward = sigmoid_backward,
};

const struct layer_ops sine_layer = {
    .entry = {.name = "sine",
              .summary = "sin(scale * x)",
              .fields = sine_fields,
              .options_size = sizeof(struct sine_options)},
    .flags = LAYER_NEEDS_INPUT,
    .input_count = 1,
    .plan = same_shape,
    .forward = sine_forward,
    .backward = sine_backward,
};
