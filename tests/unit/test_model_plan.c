/* test_model_plan.c - from a net to layers, shapes, tensors, costs and memory; what is rejected. */
#include "base/mem.h"
#include "conf/yaml.h"
#include "nn/model_memory.h"
#include "test.h"

static struct shape image(int64_t channels, int64_t side)
{
    return (struct shape){.height = side, .width = side, .channels = channels};
}

/* A model of layers that are written as in a file; each runs for itself. */
static enum status plan(const char *layers, struct shape in, struct model **m)
{
    const struct model_options options = {.no_fusion = true};
    struct node *list = NULL;
    struct net *net = NULL;
    enum status s = yaml_parse(layers, strlen(layers), "net.yaml", &list);

    *m = NULL;
    if (s == STATUS_OK)
        s = net_read(list, &net);
    if (s == STATUS_OK)
        s = model_new_with("test", net, in, &options, m);
    node_free(list);
    return s;
}

static struct model *planned(const char *layers, struct shape in)
{
    struct model *m;

    EXPECT_OK(plan(layers, in, &m));
    return m;
}

static void expect_shape(const struct model *m, const char *name, const char *shape)
{
    struct text t = {0};

    for (int i = 0; i < m->layer_count; i++)
        if (strcmp(m->layers[i].name, name) == 0)
            shape_text(m->layers[i].out, &t);
    EXPECT_TEXT(text_get(&t), shape);
    text_release(&t);
}

#define LENET                                                                                 \
    "[{conv2d: {out: 6, kernel: 5, pad: 2}}, relu, maxpool, {conv2d: {out: 16, kernel: 5}}, " \
    "relu, maxpool, flatten, {dense: {out: 120}}, relu, {dense: {out: 84}}, relu, "           \
    "{dense: {out: 10}}]"

static void test_lenet_has_its_shapes_parameters_and_flops(void)
{
    struct model *m = planned(LENET, image(1, 28));

    expect_shape(m, "conv1", "6x28x28");
    expect_shape(m, "conv2", "16x10x10");
    expect_shape(m, "maxpool2", "16x5x5");
    expect_shape(m, "flatten1", "400");
    EXPECT_INT(m->param_count, 61706); /* studies.md, S000 */
    EXPECT_INT(m->state_count, 61706);
    /* multiply-adds: 6*25*784, 16*150*100, 400*120, 120*84, 84*10 */
    EXPECT_INT(m->flops_forward, 2 * (117600 + 240000 + 48000 + 10080 + 840));
    EXPECT_INT(m->flops_training, 3 * m->flops_forward - 235200);
    model_free(m);
}

static void test_parameters_come_before_buffers_in_layer_order(void)
{
    struct model *m = planned("[{conv2d: {out: 4, kernel: 3, bias: false, name: c}}, "
                              "{batchnorm: {name: b}}, flatten, {dense: {out: 2, name: d}}]",
                              image(3, 5));
    static const char *const names[] = {"c.weight", "b.weight",       "b.bias",       "d.weight",
                                        "d.bias",   "b.running_mean", "b.running_var"};
    static const int64_t counts[] = {108, 4, 4, 72, 2, 4, 4};
    int64_t offset = 0;

    EXPECT_INT(m->tensor_count, 7);
    for (int i = 0; i < 7; i++) {
        EXPECT_TEXT(m->tensors[i].name, names[i]);
        EXPECT_INT(m->tensors[i].offset, offset);
        EXPECT_INT(m->tensors[i].count, counts[i]);
        offset += counts[i];
    }
    EXPECT_INT(m->param_count, 190);
    EXPECT_INT(m->state_count, 198);
    EXPECT_INT(m->tracked_count, 1);
    EXPECT_INT(m->tensors[0].rows, 4);
    EXPECT_INT(m->tensors[0].columns, 27);
    EXPECT(model_find_tensor(m, "b.bias") == &m->tensors[2]);
    EXPECT(model_find_tensor(m, "e.bias") == NULL);
    model_free(m);
}

static void test_a_residual_block_becomes_body_shortcut_sum_and_relu(void)
{
    struct model *m = planned("[{residual: {name: layer1.0, body: [{conv2d: {out: 8, kernel: 3, "
                              "pad: 1, stride: 2, name: conv1}}, relu], shortcut: [{conv2d: {out: "
                              "8, kernel: 1, stride: 2, name: downsample.0}}]}}]",
                              image(3, 6));
    static const char *const names[] = {"layer1.0.conv1", "layer1.0.relu1", "layer1.0.downsample.0",
                                        "layer1.0.add", "layer1.0.add_relu"};

    EXPECT_INT(m->layer_count, 5);
    for (int i = 0; i < 5; i++)
        EXPECT_TEXT(m->layers[i].name, names[i]);
    EXPECT_INT(m->layers[2].inputs[0], -1);
    EXPECT_INT(m->layers[3].inputs[0], 1);
    EXPECT_INT(m->layers[3].inputs[1], 2);
    EXPECT(model_find_tensor(m, "layer1.0.conv1.weight") != NULL);
    model_free(m);
}

/* --- memory --- */

static void test_layers_work_in_place_where_nobody_reads_the_input_later(void)
{
    /* 0 conv, 1 relu, 2 dropout, 3 conv, 4 sine, 5 flatten, 6 tanh */
    struct model *m = planned("[{conv2d: {out: 4, kernel: 3}}, relu, dropout, "
                              "{conv2d: {out: 4, kernel: 3}}, sine, flatten, tanh]",
                              image(1, 8));
    const struct layer_memory *l = m->memory->layers;

    EXPECT(l[1].out == l[0].out); /* a convolution does not need its output */
    EXPECT(l[2].out != l[1].out); /* but ReLU does */
    EXPECT(l[4].out != l[3].out); /* sine needs its input */
    EXPECT(l[5].out == l[4].out); /* flatten moves nothing */
    EXPECT(l[6].out == l[5].out); /* and tanh may overwrite what sine made */
    EXPECT(l[1].inputs[0].din == l[1].gradient);
    EXPECT(l[6].inputs[0].din != l[6].gradient); /* the gradient by the output stays */
    EXPECT(!l[0].inputs[0].is_wanted && l[3].inputs[0].is_wanted);
    model_free(m);
}

static void test_the_input_is_never_overwritten(void)
{
    struct model *m = planned("[relu, flatten, {dense: {out: 3}}, relu]", image(1, 4));

    EXPECT(m->memory->layers[0].out != m->memory->input);
    model_free(m);
}

static void test_only_the_second_reader_of_a_value_writes_its_gradient_aside(void)
{
    /* 0 conv, 1 body conv, 2 add, 3 relu: value 0 is read by 1 and 2 */
    struct model *m = planned("[{conv2d: {out: 2, kernel: 1}}, {residual: {body: [{conv2d: {out: "
                              "2, kernel: 1}}]}}]",
                              image(2, 4));
    const struct layer_memory *l = m->memory->layers;

    EXPECT(!l[2].inputs[0].is_added && !l[2].inputs[1].is_added);
    EXPECT(l[1].inputs[0].is_added);
    EXPECT(l[2].inputs[1].din == l[0].gradient);
    EXPECT(l[1].inputs[0].din != l[0].gradient);
    EXPECT(l[2].inputs[1].din != l[2].inputs[0].din);
    model_free(m);
}

#define BLOCK                                                                                   \
    "{residual: {body: [{conv2d: {out: 16, kernel: 3, pad: 1, bias: false}}, batchnorm, relu, " \
    "{conv2d: {out: 16, kernel: 3, pad: 1, bias: false}}, batchnorm]}}"

static void test_memory_is_what_backward_needs_and_little_more(void)
{
    struct model *m = planned("[{conv2d: {out: 16, kernel: 3, pad: 1}}, relu, " BLOCK ", " BLOCK
                              ", " BLOCK ", " BLOCK ", global_avgpool, flatten, {dense: {out: "
                              "10}}]",
                              image(3, 16));
    const int64_t map = 4096; /* 16x16x16 */

    /*
     * Backward reads the first ReLU's output and, of each block, both convolutions' outputs (the
     * norms' inputs), the inner ReLU's and the last one's: 1 + 4*4 maps. Gradients need at most
     * three maps at once (of the sum, of the branch, of the branch's input), beside the small rest:
     * input, means, outputs.
     */
    EXPECT(m->memory->per_sample >= 17 * map);
    EXPECT(m->memory->per_sample <= 20 * map + 1024);
    EXPECT_INT(workspace_bytes(m, 8, 2) - workspace_bytes(m, 8, 1),
               m->memory->scratch_per_thread * 4);
    EXPECT(workspace_bytes(m, 8, 1) >= 8 * m->memory->per_sample * 4);
    model_free(m);
}

/* --- what is refused --- */

static void refuses(const char *layers, struct shape in, const char *part)
{
    struct model *m;

    EXPECT_FAILS(plan(layers, in, &m), STATUS_BAD_INPUT, part);
    EXPECT(m == NULL);
    model_free(m);
}

static void test_shape_errors_name_the_layer_and_the_sizes(void)
{
    const struct shape in = image(1, 12);

    refuses("[{conv2d: {out: 16, kernel: 10}}, {conv2d: {out: 2, kernel: 5}}]", in,
            "conv2 (conv2d): kernel 5 does not fit an input of 16x3x3");
    refuses("[{conv2d: {out: 4, kernel: 99, pad: 2}}]", in, "with pad 2 does not fit");
    refuses("[{dense: {out: 4}}]", in, "an input of 1x12x12");
    refuses("[flatten, {conv2d: {out: 4, kernel: 1}}]", in, "an input of 144");
    refuses("[flatten, maxpool]", in, "needs an image");
    refuses("[flatten, global_avgpool]", in, "needs an image");
    refuses("[{avgpool: {kernel: 13}}]", in, "kernel 13 does not fit an input of 1x12x12");
    refuses("[{maxpool: {kernel: 3, pad: 2}}]", in, "pad 2 is more than half of kernel 3");
    refuses("[{residual: {body: [{conv2d: {out: 2, kernel: 3}}]}}]", in,
            "the body ends with 2x10x10, the shortcut with 1x12x12");
}

static void test_missing_sizes_doubled_names_and_empty_nets_are_refused(void)
{
    struct model *m;

    refuses("[{conv2d: {kernel: 3}}]", image(1, 4), "missing out");
    refuses("[{conv2d: {out: 3}}]", image(1, 4), "missing kernel");
    refuses("[flatten, {dense: {}}]", image(1, 4), "missing out");
    EXPECT_FAILS(model_new("none", net_new(), image(1, 4), &m), STATUS_BAD_INPUT, "no layers");
    EXPECT(m == NULL);
}

static void test_an_error_in_a_file_names_its_line(void)
{
    refuses("- relu\n- conv2d: {out: 2, kernel: 7}\n", image(1, 4), "net.yaml:2:");
}

static void test_layers_made_by_code_are_checked_too(void)
{
    struct net *twice = net_new(), *two_inputs = net_new();
    struct model *m;

    net_add(twice, "relu", "a");
    net_add(twice, "tanh", "a");
    EXPECT_FAILS(model_new("twice", twice, image(1, 4), &m), STATUS_BAD_INPUT,
                 "two layers are named a");
    net_add(two_inputs, "add", "sum");
    EXPECT_FAILS(model_new("add", two_inputs, image(1, 4), &m), STATUS_BAD_INPUT,
                 "use a residual block");
}

TEST_MAIN(TEST(test_lenet_has_its_shapes_parameters_and_flops),
          TEST(test_parameters_come_before_buffers_in_layer_order),
          TEST(test_a_residual_block_becomes_body_shortcut_sum_and_relu),
          TEST(test_layers_work_in_place_where_nobody_reads_the_input_later),
          TEST(test_the_input_is_never_overwritten),
          TEST(test_only_the_second_reader_of_a_value_writes_its_gradient_aside),
          TEST(test_memory_is_what_backward_needs_and_little_more),
          TEST(test_shape_errors_name_the_layer_and_the_sizes),
          TEST(test_missing_sizes_doubled_names_and_empty_nets_are_refused),
          TEST(test_an_error_in_a_file_names_its_line),
          TEST(test_layers_made_by_code_are_checked_too))
