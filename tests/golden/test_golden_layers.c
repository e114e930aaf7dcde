/*
 * test_golden_layers.c - each layer and the residual block alone, fed the golden input and upstream
 * gradient: output, gradient by the input, by every parameter, and running statistics.
 */
#include "golden/golden_model.h"

/* Of the largest entry: some tens of roundings in float. */
static const struct golden_tolerance tolerance = {.relative = 1e-5};

static void compare_batch(const char *what, const float *actual, struct shape s,
                          const struct golden_model *m, const struct golden_record *expected)
{
    float *first = MEM_NEW_N(float, m->batch *shape_size(s));

    EXPECT_INT(m->batch * shape_size(s), expected->count);
    if (m->batch * shape_size(s) == expected->count) {
        golden_channels_first(first, actual, s, m->batch);
        golden_compare(what, first, expected, tolerance);
    }
    mem_free(first);
}

static void compare_tensors(const struct golden *g, const char *name, const struct golden_model *m)
{
    int parameters = 0, buffers = 0;

    for (int i = 0; i < m->model->tensor_count; i++) {
        const struct tensor *t = &m->model->tensors[i];
        const bool is_buffer = t->kind == TENSOR_BUFFER;
        const struct golden_record *expected = golden_get_indexed(
            g, name, is_buffer ? "buffer" : "gradient", is_buffer ? buffers++ : parameters++);
        float *actual = golden_canonical(t, is_buffer ? m->state : m->gradient);
        EXPECT_INT(t->count, expected->count);
        if (t->count == expected->count)
            golden_compare(t->name, actual, expected, tolerance);
        mem_free(actual);
    }
}

static void compute_and_compare(const struct golden *g, const char *name, struct golden_model *m)
{
    const struct model *model = m->model;
    const struct model_pass pass = golden_pass(m);
    float *doutput = MEM_NEW_N(float, m->batch *shape_size(model->out));
    float *din = MEM_NEW_N(float, m->batch *shape_size(model->in));
    char *input = text_format("%s/input", name), *upstream = text_format("%s/upstream", name);

    golden_fill_batch(workspace_input(m->work), model->in, m->batch, input, 2);
    const float *output = model_forward(model, &pass, PASS_TRAIN);
    compare_batch("output", output, model->out, m, golden_get(g, name, "output"));
    golden_fill_batch(doutput, model->out, m->batch, upstream, 1);
    model_backward(model, &pass, doutput, m->gradient, NULL, din);
    compare_batch("dx", din, model->in, m, golden_get(g, name, "dx"));
    compare_tensors(g, name, m);
    mem_free(input);
    mem_free(upstream);
    mem_free(doutput);
    mem_free(din);
}

static void check_layer(const struct golden *g, const char *name)
{
    const struct golden_record *shape = golden_get(g, name, "shape");
    struct node *list = golden_yaml(g, name, "net");
    struct net *net = NULL;
    struct model *model = NULL;

    if (EXPECT_OK(net_read(list, &net)) &&
        EXPECT_OK(model_new(name, net, golden_shape(shape), &model))) {
        struct golden_model m;
        golden_model_init(&m, model, name, (int64_t)shape->numbers[0]);
        compute_and_compare(g, name, &m);
        golden_model_release(&m);
    }
    node_free(list);
}

static void test_every_layer_agrees_with_pytorch(void)
{
    struct golden g = golden_load("layers");

    EXPECT(golden_for_cases(&g, "cases", check_layer) >= 26);
    golden_release(&g);
}

static void test_one_wrong_sign_is_noticed(void)
{
    struct golden g = golden_load("layers");
    const struct golden_record *r = golden_get(&g, "conv_k3_pad1", "gradient/0");
    float *copy = MEM_NEW_N(float, r->count);

    for (int64_t i = 0; i < r->count; i++)
        copy[i] = (float)r->numbers[i];
    EXPECT(golden_compare("a copy", copy, r, tolerance));
    copy[r->count / 2] = -copy[r->count / 2];
    const int failures = test_failures;
    const bool agrees = golden_compare("a copy with one sign flipped", copy, r, tolerance);
    test_failures = failures;
    EXPECT(!agrees);
    mem_free(copy);
    golden_release(&g);
}

TEST_MAIN(TEST(test_every_layer_agrees_with_pytorch), TEST(test_one_wrong_sign_is_noticed))
