/*
 * test_net.c - networks as lists of layers: names, reading and writing YAML, and its mistakes.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "nn/layer_options.h"
#include "nn/model.h"
#include "nn/net.h"
#include "test.h"

static enum status read_text(const char *yaml, struct net **net)
{
    struct node *root = NULL;
    struct shape in;

    *net = NULL;
    TRY(yaml_parse(yaml, strlen(yaml), "net.yaml", &root));
    const enum status s = net_read_file(root, net, &in);

    node_free(root);
    return s;
}

/* Reads and plans for 1x28x28. */
static enum status plan_text(const char *yaml)
{
    struct net *net = NULL;
    struct model *model = NULL;
    const struct shape in = {.height = 28, .width = 28, .channels = 1};

    TRY(read_text(yaml, &net));
    TRY(model_new("net", net, in, &model));
    model_free(model);
    return STATUS_OK;
}

static void expect_refused(const char *yaml, const char *part)
{
    struct net *net = NULL;

    EXPECT_FAILS(read_text(yaml, &net), STATUS_BAD_INPUT, part);
    EXPECT(net == NULL);
    net_free(net);
}

static char *print(const struct net *n)
{
    struct text out = {0};

    net_print(n, (struct shape){.height = 28, .width = 28, .channels = 1}, &out);
    return text_take(&out);
}

static void test_names_are_made_from_kind_and_number(void)
{
    struct net *n = net_new();

    net_add(n, "conv2d", NULL);
    net_add(n, "batchnorm", NULL);
    net_add(n, "relu", NULL);
    net_add(n, "conv2d", NULL);
    net_add(n, "dense", NULL);
    EXPECT_TEXT(n->layers[0].name, "conv1");
    EXPECT_TEXT(n->layers[1].name, "bn1");
    EXPECT_TEXT(n->layers[2].name, "relu1");
    EXPECT_TEXT(n->layers[3].name, "conv2");
    EXPECT_TEXT(n->layers[4].name, "dense1");
    net_free(n);
}

static void test_made_names_avoid_given_ones(void)
{
    struct net *n = net_new();

    net_add(n, "conv2d", "conv2");
    net_add(n, "conv2d", NULL);
    EXPECT_TEXT(n->layers[1].name, "conv3");
    net_free(n);
}

static void test_added_layers_have_default_options(void)
{
    struct net *n = net_new();
    const struct conv2d_options *conv = net_add(n, "conv2d", NULL);
    const struct pool_options *pool = net_add(n, "maxpool", NULL);

    EXPECT_INT(conv->stride, 1);
    EXPECT_INT(conv->pad, 0);
    EXPECT(conv->bias);
    EXPECT_INT(pool->kernel, 2);
    net_free(n);
}

static void test_layers_of_a_block_are_called_after_it(void)
{
    struct net *n = net_new(), *body = net_new(), *shortcut = net_new(), *inner = net_new();

    net_add(inner, "relu", NULL);
    net_add(body, "conv2d", NULL);
    net_add_residual(body, NULL, inner, NULL);
    net_add(shortcut, "conv2d", NULL);
    net_add(shortcut, "batchnorm", "norm");
    net_add_residual(n, "layer1.0", body, shortcut);

    const struct net_layer *block = &n->layers[0];
    EXPECT_TEXT(block->name, "layer1.0");
    EXPECT(block->relu);
    EXPECT_TEXT(block->body->layers[0].name, "layer1.0.conv1");
    EXPECT_TEXT(block->body->layers[1].name, "layer1.0.block1");
    EXPECT_TEXT(block->body->layers[1].body->layers[0].name, "layer1.0.block1.relu1");
    EXPECT_TEXT(block->shortcut->layers[0].name, "layer1.0.shortcut.conv1");
    EXPECT_TEXT(block->shortcut->layers[1].name, "layer1.0.norm");
    EXPECT_INT(net_size(n), 6);
    net_free(n);
}

static const char example[] = "input: 1x28x28\n"
                              "layers:\n"
                              "  - conv2d: {name: stem, out: 8, kernel: 3, pad: 1, bias: false}\n"
                              "  - batchnorm\n"
                              "  - residual:\n"
                              "      name: first\n"
                              "      body:\n"
                              "        - conv2d: {out: 16, kernel: 3, stride: 2, pad: 1}\n"
                              "        - dropout: {p: 0.1}\n"
                              "        - residual:\n"
                              "            body:\n"
                              "              - tanh\n"
                              "      shortcut:\n"
                              "        - conv2d: {out: 16, kernel: 1, stride: 2}\n"
                              "        - batchnorm: {name: norm}\n"
                              "      relu: false\n"
                              "  - global_avgpool\n"
                              "  - flatten\n"
                              "  - dense: {name: last, out: 10}\n";

static void test_what_is_read_is_written_the_same(void)
{
    struct net *n = NULL;

    if (!EXPECT_OK(read_text(example, &n)))
        return;
    char *text = print(n);

    EXPECT_TEXT(text, example);
    EXPECT(!n->layers[2].relu);
    EXPECT_INT(n->layers[2].where->line, 5);
    mem_free(text);
    net_free(n);
}

static void test_defaults_and_made_names_are_not_written(void)
{
    struct net *n = NULL;

    if (!EXPECT_OK(read_text("[{conv2d: {out: 6, kernel: 5, stride: 1, bias: true}}, relu: ]", &n)))
        return;
    char *text = print(n);

    EXPECT_TEXT(text, "input: 1x28x28\nlayers:\n  - conv2d: {out: 6, kernel: 5}\n  - relu\n");
    mem_free(text);
    net_free(n);
}

static void test_nodes_of_a_net_read_back(void)
{
    struct net *first = NULL, *second = NULL;
    struct node *list = NULL;

    if (!EXPECT_OK(read_text(example, &first)))
        return;
    list = net_write(first);
    if (EXPECT_OK(net_read(list, &second))) {
        char *a = print(first), *b = print(second);

        EXPECT_TEXT(a, b);
        mem_free(a);
        mem_free(b);
    }
    node_free(list);
    net_free(first);
    net_free(second);
}

static void test_unknown_kinds_get_a_suggestion(void)
{
    expect_refused("- relu\n- conv2: {out: 6}\n", "net.yaml:2:3: ");
    expect_refused("- relu\n- conv2: {out: 6}\n", "did you mean conv2d?");
    expect_refused("- residul: {body: [relu]}\n", "did you mean residual?");
    expect_refused("- transformer\n", "choose one of residual, conv2d");
    expect_refused("- add\n", "use residual");
}

static void test_unknown_options_get_a_suggestion(void)
{
    expect_refused("- conv2d: {out: 6, kernell: 5}\n", "net.yaml:1:");
    expect_refused("- conv2d: {out: 6, kernell: 5}\n", "kernel");
    expect_refused("- relu: {slope: 1}\n", "slope");
    expect_refused("- residual: {bodi: [relu]}\n", "did you mean body");
    expect_refused("layer: [relu]\n", "did you mean layers");
    expect_refused("- conv2d: {out: six}\n", "six");
}

static void test_lists_of_the_wrong_form_are_refused(void)
{
    expect_refused("relu\n", "list");
    expect_refused("[]\n", "empty");
    expect_refused("layers: []\n", "empty");
    expect_refused("{input: 3x32x32}\n", "layers");
    expect_refused("- [relu]\n", "a layer is a kind");
    expect_refused("- conv2d:\n  out: 6\n", "indented");
    expect_refused("- conv2d: 6\n", "conv2d: its options must be a map");
    expect_refused("- residual: {shortcut: [relu]}\n", "residual.body");
    expect_refused("- residual\n", "residual.body");
    expect_refused("- residual: {body: []}\n", "residual.body");
    expect_refused("- residual: {body: [relu], relu: perhaps}\n", "perhaps");
    expect_refused("{input: big, layers: [relu]}\n", "\"big\" is not a shape");
}

static void test_names_must_be_plain_and_unique(void)
{
    expect_refused("- relu: {name: a}\n- tanh: {name: a}\n", "net.yaml:2:3: name: two layers");
    expect_refused("- relu\n- tanh: {name: relu1}\n", "two layers are called \"relu1\"");
    expect_refused("- residual: {name: b, body: [relu]}\n- tanh: {name: b.relu1}\n",
                   "two layers are called \"b.relu1\"");
    expect_refused("- relu: {name: \"a b\"}\n", "\"a b\" must have letters");
    expect_refused("- relu: {name: \"\"}\n", "must be a word");
}

static void test_too_many_layers_are_refused(void)
{
    struct text yaml = {0};

    for (int i = 0; i < NET_LAYERS_MAX; i++)
        text_add(&yaml, "- relu\n");
    struct net *n = NULL;

    EXPECT_OK(read_text(text_get(&yaml), &n));
    net_free(n);
    text_add(&yaml, "- relu\n");
    expect_refused(text_get(&yaml), "at most 4096 layers");
    text_release(&yaml);
}

static void test_shape_errors_name_the_layer_and_the_sizes(void)
{
    EXPECT_FAILS(plan_text("- conv2d: {out: 6, kernel: 31, name: wide}\n"), STATUS_BAD_INPUT,
                 "wide");
    EXPECT_FAILS(plan_text("- conv2d: {out: 6, kernel: 31, name: wide}\n"), STATUS_BAD_INPUT, "28");
    EXPECT_FAILS(plan_text("- conv2d: {out: 6, kernel: 31, name: wide}\n"), STATUS_BAD_INPUT,
                 "net.yaml:1:");
    EXPECT_FAILS(plan_text("- residual: {body: [{conv2d: {out: 6, kernel: 3}}]}\n"),
                 STATUS_BAD_INPUT, "block1");
    EXPECT_FAILS(plan_text("- conv2d: {kernel: 3}\n"), STATUS_BAD_INPUT, "out");
}

static void test_inputs_are_channels_first(void)
{
    struct shape s = {0};

    EXPECT(net_parse_input("3x32x48", &s));
    EXPECT_INT(s.channels, 3);
    EXPECT_INT(s.height, 32);
    EXPECT_INT(s.width, 48);
    EXPECT(net_parse_input("28x20", &s));
    EXPECT_INT(s.channels, 1);
    EXPECT_INT(s.height, 28);
    EXPECT(net_parse_input("2", &s));
    EXPECT(s.is_flat);
    EXPECT_INT(shape_size(s), 2);
}

static void test_what_is_no_shape_is_refused(void)
{
    static const char *const bad[] = {
        "",        "x",
        "3x",      "x3",
        "0",       "3x0x3",
        "1x2x3x4", "-1",
        "3x 3",    "99999999999999999999",
        "1e3",     "100000x100000",
    };
    struct shape s = {0};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (!EXPECT(!net_parse_input(bad[i], &s)))
            printf("# accepted: \"%s\"\n", bad[i]);
}

static void test_a_file_is_loaded_with_its_input(void)
{
    char *path = text_format("/tmp/muster_test_net_%ld.yaml", (long)getpid());
    struct net *n = NULL;
    struct shape in = {0};

    EXPECT_OK(file_write_text(path, example));
    EXPECT_OK(net_load(path, &n, &in));
    EXPECT_INT(in.height, 28);
    net_free(n);
    n = NULL;
    EXPECT_OK(file_write_text(path, "- relu\n"));
    EXPECT_OK(net_load(path, &n, &in));
    EXPECT_INT(shape_size(in), 0);
    net_free(n);
    EXPECT_OK(file_remove(path));
    EXPECT(net_load(path, &n, &in) != STATUS_OK);
    EXPECT_HAS(status_message(), path);
    mem_free(path);
}

TEST_MAIN(TEST(test_names_are_made_from_kind_and_number), TEST(test_made_names_avoid_given_ones),
          TEST(test_added_layers_have_default_options),
          TEST(test_layers_of_a_block_are_called_after_it),
          TEST(test_what_is_read_is_written_the_same),
          TEST(test_defaults_and_made_names_are_not_written), TEST(test_nodes_of_a_net_read_back),
          TEST(test_unknown_kinds_get_a_suggestion), TEST(test_unknown_options_get_a_suggestion),
          TEST(test_lists_of_the_wrong_form_are_refused), TEST(test_names_must_be_plain_and_unique),
          TEST(test_too_many_layers_are_refused),
          TEST(test_shape_errors_name_the_layer_and_the_sizes),
          TEST(test_inputs_are_channels_first), TEST(test_what_is_no_shape_is_refused),
          TEST(test_a_file_is_loaded_with_its_input))
