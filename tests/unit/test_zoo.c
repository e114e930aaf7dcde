/*
 * test_zoo.c - the networks of the studies: parameter counts as published or as torch 1.13 counts
 * them, names as torchvision has them, and the way to YAML and back.
 */
#include "base/mem.h"
#include "conf/yaml.h"
#include "nn/model.h"
#include "nn/zoo.h"
#include "test.h"

/* A network by its section of an experiment; NULL sizes are the study's. */
static enum status make(const char *section, const char *input, int64_t outputs,
                        struct model **model)
{
    const struct choice_place place = {0};
    struct choice choice = {0};
    struct node *node = NULL;
    struct net *net = NULL;

    *model = NULL;
    TRY(yaml_parse(section, strlen(section), "test", &node));
    enum status s = choice_read(&choice, &zoo_registry, node, &place);
    if (s == STATUS_OK) {
        const struct zoo_ops *ops = (const struct zoo_ops *)choice.entry;
        struct shape in = ops->in;

        EXPECT(input == NULL || net_parse_input(input, &in));
        s = zoo_build(&choice, in, outputs > 0 ? outputs : ops->outputs, &net);
        if (s == STATUS_OK)
            s = model_new(choice.entry->name, net, in, model);
    }
    choice_release(&choice);
    node_free(node);
    return s;
}

static const struct {
    const char *section, *input;
    int64_t outputs, parameters;
} counts[] = {
    {"lenet5",                                                      NULL,      0,   61706   },
    {"cnn1",                                                        NULL,      0,   1199882 },
    {"cnn2",                                                        NULL,      0,   2122186 },
    {"cnn2",                                                        NULL,      100, 2168356 },
    {"resnet18_cifar",                                              NULL,      0,   11173962},
    {"resnet18_cifar",                                              NULL,      100, 11220132},
    {"lenet_tanh",                                                  NULL,      0,   146156  },
    {"lenet_tanh",                                                  NULL,      500, 103656  },
    {"lenet_tanh",                                                  "1x32x32", 10,  61706   },
    {"psgd_cnn",                                                    NULL,      0,   213194  },
    {"psgd_cnn",                                                    "28x28",   10,  213194  },
 /* 416 + 12832 + (288*512 + 512) + 131328 + 2570 */
    {"{name: psgd_cnn, pad: 2}",                                    "28x28",   10,  295114  },
    {"mnist_conv",                                                  NULL,      0,   28440   },
    {"{name: mnist_conv, num_filters: 4}",                          NULL,      0,   37682   },
    {"mnist_bn",                                                    NULL,      0,   29034   },
    {"fourier_density",                                             NULL,      0,   25601   },
    {"{name: fourier_density, shape: [2,86,32,32,32,1]}",           NULL,      0,   5187    },
    {"{name: fourier_density, shape: [2, 64, 32, 32, 1]}",          NULL,      0,   3361    },
    {"grid_density",                                                NULL,      0,   33089   },
    {"{name: grid_density, cells: 5, features: 3, hidden: [4, 2]}", NULL,      0,   104     },
    {"mlp",                                                         NULL,      0,   203530  },
    {"{name: mlp, widths: []}",                                     NULL,      0,   7850    },
    {"{name: mlp, widths: [16, 16, 16]}",                           "1",       1,   593     },
    {"{name: mlp, widths: [64, 64, 64]}",                           "12",      5,   9477    },
    {"resnet18",                                                    NULL,      0,   11689512},
    {"resnet18",                                                    "3x32x32", 10,  11181642},
    {"resnet50",                                                    NULL,      0,   25557032},
};

static void test_parameter_counts_are_those_of_the_studies(void)
{
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct model *m = NULL;

        if (!EXPECT_OK(make(counts[i].section, counts[i].input, counts[i].outputs, &m)))
            continue;
        EXPECT_INT(m->param_count, counts[i].parameters);
        if (m->param_count != counts[i].parameters)
            printf("# that was %s\n", counts[i].section);
        model_free(m);
    }
}

/* 4800 channels of BatchNorm, each with mean and variance; 20 BatchNorms. */
static void test_resnet18_has_9600_buffers_and_20_batches_tracked(void)
{
    static const char *const names[] = {"resnet18_cifar", "resnet18"};

    for (int i = 0; i < 2; i++) {
        struct model *m = NULL;

        if (!EXPECT_OK(make(names[i], NULL, 0, &m)))
            continue;
        EXPECT_INT(m->state_count - m->param_count, 9600);
        EXPECT_INT(m->tracked_count, 20);
        model_free(m);
    }
}

static void expect_tensor(const struct model *m, const char *name, const int64_t dims[4])
{
    const struct tensor *t = model_find_tensor(m, name);

    if (!EXPECT(t != NULL)) {
        printf("# no tensor %s\n", name);
        return;
    }
    for (int i = 0; i < 4; i++)
        EXPECT_INT(i < t->rank ? t->dims[i] : 0, dims[i]);
}

static void test_resnet50_names_are_those_of_torchvision(void)
{
    struct model *m = NULL;

    if (!EXPECT_OK(make("resnet50", NULL, 0, &m)))
        return;
    expect_tensor(m, "conv1.weight", (int64_t[]){64, 3, 7, 7});
    expect_tensor(m, "bn1.running_mean", (int64_t[]){64, 0, 0, 0});
    expect_tensor(m, "layer1.0.conv1.weight", (int64_t[]){64, 64, 1, 1});
    expect_tensor(m, "layer1.0.downsample.0.weight", (int64_t[]){256, 64, 1, 1});
    expect_tensor(m, "layer1.0.downsample.1.weight", (int64_t[]){256, 0, 0, 0});
    expect_tensor(m, "layer3.5.bn3.running_var", (int64_t[]){1024, 0, 0, 0});
    expect_tensor(m, "layer4.2.conv2.weight", (int64_t[]){512, 512, 3, 3});
    expect_tensor(m, "fc.weight", (int64_t[]){1000, 2048, 0, 0});
    expect_tensor(m, "fc.bias", (int64_t[]){1000, 0, 0, 0});
    EXPECT(model_find_tensor(m, "conv1.bias") == NULL);
    EXPECT(model_find_tensor(m, "layer1.1.downsample.0.weight") == NULL);
    model_free(m);
}

static void test_cifar_and_lenet_names_are_those_of_the_study(void)
{
    struct model *m = NULL;

    if (!EXPECT_OK(make("resnet18_cifar", NULL, 0, &m)))
        return;
    expect_tensor(m, "conv1.weight", (int64_t[]){64, 3, 3, 3});
    expect_tensor(m, "layer2.0.conv1.weight", (int64_t[]){128, 64, 3, 3});
    expect_tensor(m, "layer2.0.shortcut.0.weight", (int64_t[]){128, 64, 1, 1});
    expect_tensor(m, "layer4.1.bn2.bias", (int64_t[]){512, 0, 0, 0});
    expect_tensor(m, "linear.weight", (int64_t[]){10, 512, 0, 0});
    model_free(m);
    if (!EXPECT_OK(make("lenet5", NULL, 0, &m)))
        return;
    expect_tensor(m, "conv2.weight", (int64_t[]){16, 6, 5, 5});
    expect_tensor(m, "fc1.weight", (int64_t[]){120, 400, 0, 0});
    expect_tensor(m, "fc3.bias", (int64_t[]){10, 0, 0, 0});
    model_free(m);
}

/* sqrt(2/(64*7*7)), sqrt(6/256), 1/sqrt(1*5*5): part 0 of the studies. */
static void test_initial_values_are_those_of_the_studies(void)
{
    struct model *m = NULL;

    if (!EXPECT_OK(make("resnet18", NULL, 0, &m)))
        return;
    EXPECT_INT(model_find_tensor(m, "conv1.weight")->init, INIT_NORMAL);
    EXPECT_NEAR(model_find_tensor(m, "conv1.weight")->bound, 0.025253813613805267, 1e-12);
    model_free(m);
    if (!EXPECT_OK(make("fourier_density", NULL, 0, &m)))
        return;
    EXPECT_INT(model_find_tensor(m, "dense1.weight")->init, INIT_UNIFORM);
    EXPECT_NEAR(model_find_tensor(m, "dense1.weight")->bound, 0.15309310892394862, 1e-12);
    EXPECT_NEAR(model_find_tensor(m, "dense1.bias")->bound, 0.70710678118654752, 1e-12);
    model_free(m);
    if (!EXPECT_OK(make("lenet5", NULL, 0, &m)))
        return;
    EXPECT_INT(model_find_tensor(m, "conv1.weight")->init, INIT_UNIFORM);
    EXPECT_NEAR(model_find_tensor(m, "conv1.weight")->bound, 0.2, 1e-12);
    model_free(m);
}

static void expect_same_tensors(const struct model *a, const struct model *b)
{
    EXPECT_INT(a->tensor_count, b->tensor_count);
    for (int i = 0; i < a->tensor_count && i < b->tensor_count; i++) {
        const struct tensor *s = &a->tensors[i], *t = &b->tensors[i];

        EXPECT_TEXT(s->name, t->name);
        EXPECT_INT(s->offset, t->offset);
        EXPECT(s->kind == t->kind && s->rank == t->rank && s->init == t->init);
        EXPECT(memcmp(s->dims, t->dims, sizeof s->dims) == 0);
        EXPECT(s->bound == t->bound);
    }
    EXPECT_INT(a->layer_count, b->layer_count);
    for (int i = 0; i < a->layer_count && i < b->layer_count; i++) {
        EXPECT_TEXT(a->layers[i].name, b->layers[i].name);
        EXPECT(a->layers[i].ops == b->layers[i].ops);
        EXPECT_INT(a->layers[i].flops, b->layers[i].flops);
    }
}

static void round_trip(const struct model *m)
{
    struct text first = {0}, second = {0};
    struct node *root = NULL;
    struct net *net = NULL;
    struct shape in = {0};
    struct model *again = NULL;

    net_print(m->net, m->in, &first);
    EXPECT_OK(yaml_parse(text_get(&first), first.length, "printed", &root));
    if (root != NULL && EXPECT_OK(net_read_file(root, &net, &in)) &&
        EXPECT_OK(model_new(m->name, net, in, &again))) {
        expect_same_tensors(m, again);
        net_print(again->net, again->in, &second);
        EXPECT_TEXT(text_get(&second), text_get(&first));
        model_free(again);
    }
    node_free(root);
    text_release(&first);
    text_release(&second);
}

static void test_every_network_is_the_same_after_yaml(void)
{
    for (int i = 0; zoo_registry.entries[i] != NULL; i++) {
        struct model *m = NULL;

        if (EXPECT_OK(make(zoo_registry.entries[i]->name, NULL, 0, &m)))
            round_trip(m);
        model_free(m);
    }
}

static void test_options_reach_the_layers(void)
{
    struct model *m = NULL;
    struct text out = {0};

    if (!EXPECT_OK(make("{name: psgd_cnn, dropout: 0.125}", NULL, 0, &m)))
        return;
    net_print(m->net, m->in, &out);
    EXPECT_HAS(text_get(&out), "dropout: {p: 0.125}");
    model_free(m);
    text_clear(&out);
    if (EXPECT_OK(make("{name: mlp, widths: [8, 9], activation: tanh}", "2", 1, &m)))
        net_print(m->net, m->in, &out);
    EXPECT_HAS(text_get(&out), "out: 9}\n  - tanh\n");
    EXPECT(strstr(text_get(&out), "flatten") == NULL);
    model_free(m);
    text_release(&out);
}

static void test_sizes_that_do_not_fit_are_refused(void)
{
    struct model *m = NULL;

    EXPECT_FAILS(make("grid_density", "3", 1, &m), STATUS_BAD_INPUT,
                 "grid_density needs points with 2 coordinates");
    EXPECT_FAILS(make("fourier_density", "3", 1, &m), STATUS_BAD_INPUT,
                 "starts with 2, but the data has 3 inputs");
    EXPECT_FAILS(make("fourier_density", "2", 4, &m), STATUS_BAD_INPUT,
                 "ends with 1, but the data has 4 outputs");
    EXPECT_FAILS(make("{name: fourier_density, shape: [2, 1]}", "2", 1, &m), STATUS_BAD_INPUT,
                 "at least three widths");
    EXPECT_FAILS(make("lenet5", "1x4x4", 10, &m), STATUS_BAD_INPUT, "conv2");
    EXPECT_FAILS(make("lenet6", NULL, 0, &m), STATUS_BAD_INPUT, "lenet5");
    EXPECT_FAILS(make("{name: lenet5, dropout: 0.5}", NULL, 0, &m), STATUS_BAD_INPUT, "dropout");
}

TEST_MAIN(TEST(test_parameter_counts_are_those_of_the_studies),
          TEST(test_resnet18_has_9600_buffers_and_20_batches_tracked),
          TEST(test_resnet50_names_are_those_of_torchvision),
          TEST(test_cifar_and_lenet_names_are_those_of_the_study),
          TEST(test_initial_values_are_those_of_the_studies),
          TEST(test_every_network_is_the_same_after_yaml), TEST(test_options_reach_the_layers),
          TEST(test_sizes_that_do_not_fit_are_refused))
