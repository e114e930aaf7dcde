/*
 * layer_cases.h - the layers and compositions that test_layers.c tests, with their shapes. A new
 * layer adds its line here; the test fails for a layer of the registry without one.
 */
#ifndef TESTS_CONFORM_LAYER_CASES_H
#define TESTS_CONFORM_LAYER_CASES_H

#include <stddef.h>

struct layer_case {
    const char *kind;       /* of the registry; NULL: a composition */
    const char *layers;     /* as in a YAML file */
    const char *in, *large; /* shapes; large: enough work that the team is used */
};

/*
 * Compositions. bn2, the last of a residual's body, has biases of +-6 here, so that the ReLU after
 * the sum keeps its side. In CHAIN every layer may work in place; the plan must find out which may
 * not. A residual block at the very beginning makes the model's input have two readers.
 */
#define CONV(c, s) "{conv2d: {out: " #c ", kernel: 3, pad: 1, stride: " #s ", bias: false}}"
#define BODY(c, s) \
    CONV(c, s) ", {batchnorm: {name: bn1}}, tanh, " CONV(c, 1) ", {batchnorm: {name: bn2}}"
#define SOME "{dropout: {p: 0.4}}"
#define CHAIN                                                                                     \
    "[" CONV(4, 1) ", tanh, " SOME ", sigmoid, flatten, " SOME ", {dense: {out: 6}}, tanh, " SOME \
                   ", {dense: {out: 5}}, sigmoid]"
#define IDENTITY "[{residual: {body: [" BODY(3, 1) "]}}]"
#define PROJECTION                                                                             \
    "[{residual: {body: [" BODY(4, 2) "], shortcut: [{conv2d: {out: 4, kernel: 1, stride: 2, " \
                                      "bias: false}}, batchnorm]}}]"
#define NESTED                                                                                   \
    "[" CONV(4, 1) ", {residual: {relu: false, body: [" CONV(4, 1) ", {residual: {body: [" BODY( \
        4, 1) "]}}, " CONV(4, 1) "]}}, global_avgpool, flatten, {dense: {out: 5}}]"

#define BATCHNORM_RELU \
    "[" CONV(5, 1) ", {batchnorm: {name: bn2}}, relu, flatten, {dense: {out: 3}}]"

static const struct layer_case layer_cases[] = {
    {"conv2d",         "[{conv2d: {out: 5, kernel: 3}}]",                     "2x6x5",  "6x14x14" },
    {"conv2d",         "[{conv2d: {out: 6, kernel: 5, pad: 2}}]",             "1x4x7",  "1x28x28" },
    {"conv2d",         "[{conv2d: {out: 17, kernel: 3, stride: 2, pad: 1}}]", "3x7x6",  "16x17x16"},
    {"conv2d",         "[{conv2d: {out: 35, kernel: 3, bias: false}}]",       "2x6x6",  "16x7x7"  },
    {"conv2d",         "[{conv2d: {out: 35, kernel: 3, pad: 1}}]",            "1x2x18", "4x4x20"  },
    {"conv2d",         "[{conv2d: {out: 35, kernel: 3, pad: 1}}]",            "3x4x4",  "16x5x5"  },
    {"conv2d",         "[{conv2d: {out: 33, kernel: 3, pad: 1}}]",            "17x4x4", "17x24x24"},
    {"conv2d",         "[{conv2d: {out: 24, kernel: 3, pad: 1}}]",            "20x5x5", "20x26x26"},
    {"conv2d",         "[{conv2d: {out: 48, kernel: 3}}]",                    "16x6x6", "16x24x24"},
    {"conv2d",         "[{conv2d: {out: 16, kernel: 3, pad: 1}}]",            "16x7x7", "140x13x9"},
    {"conv2d",         "[{conv2d: {out: 17, kernel: 3, pad: 2}}]",            "16x4x9", "16x26x5" },
    {"conv2d",         "[{conv2d: {out: 20, kernel: 3, bias: false}}]",       "33x7x6", "48x13x13"},
    {"conv2d",         "[{conv2d: {out: 16, kernel: 3}}]",                    "16x9x9", "16x26x26"},
    {"conv2d",         "[{conv2d: {out: 33, kernel: 1}}]",                    "7x3x3",  "40x9x9"  },
    {"conv2d",         "[{conv2d: {out: 4, kernel: 1, stride: 2}}]",          "3x5x5",  "20x9x9"  },
    {"conv2d",         "[{conv2d: {out: 3, kernel: 2, stride: 3}}]",          "2x7x6",  "8x24x24" },
    {"dense",          "[{dense: {out: 19}}]",                                "13",     "700"     },
    {"dense",          "[{dense: {out: 3, bias: false}}]",                    "7",      "3000"    },
    {"dense",          "[flatten, {dense: {out: 37}}]",                       "3x2x3",  "8x9x9"   },
    {"maxpool",        "[maxpool]",                                           "3x7x6",  "9x20x20" },
    {"maxpool",        "[{maxpool: {kernel: 3, stride: 2, pad: 1}}]",         "2x6x7",  "9x20x20" },
    {"avgpool",        "[avgpool]",                                           "3x7x6",  "9x20x20" },
    {"avgpool",        "[{avgpool: {kernel: 3, stride: 1, pad: 1}}]",         "2x5x6",  "9x20x20" },
    {"global_avgpool", "[global_avgpool]",                                    "5x4x3",  "18x16x16"},
    {"relu",           "[relu]",                                              "3x5x5",  "8x16x16" },
    {"tanh",           "[tanh]",                                              "3x5x5",  "8x16x16" },
    {"sigmoid",        "[sigmoid]",                                           "21",     "2049"    },
    {"sine",           "[{sine: {scale: 2.5}}]",                              "21",     "2049"    },
    {"grid",           "[{grid: {channels: 5, height: 3, width: 6}}]",        "2",      "2"       },
    {"grid",           "[{grid: {channels: 300, height: 6, width: 2}}]",      "2",      "2"       },
    {"dropout",        "[" SOME "]",                                          "3x5x5",  "7x17x17" },
    {"batchnorm",      "[batchnorm]",                                         "3x4x5",  "17x11x11"},
    {"batchnorm",      "[batchnorm]",                                         "9",      "1500"    },
    {"batchnorm",      "[flatten, batchnorm]",                                "2x3x2",  "8x12x12" },
    {"flatten",        "[flatten]",                                           "3x2x4",  "8x16x16" },
    {"add",            "[{residual: {body: [flatten]}}]",                     "24",     "2049"    },
    {NULL,             CHAIN,                                                 "2x5x5",  "8x15x15" },
    {NULL,             IDENTITY,                                              "3x4x4",  "3x20x20" },
    {NULL,             PROJECTION,                                            "2x6x6",  "5x20x20" },
    {NULL,             BATCHNORM_RELU,                                        "3x4x5",  "17x11x11"},
    {NULL,             "[{batchnorm: {name: bn2}}, relu]",                    "9",      "1500"    },
    {NULL,             "[{residual: {body: [{batchnorm: {name: bn2}}]}}]",    "3x4x4",  "9x20x20" },
    {NULL,             "[{residual: {relu: false, body: [batchnorm]}}]",      "3x4x4",  "9x20x20" },
    {NULL,             "[{conv2d: {out: 2, kernel: 3}}, relu, maxpool]",      "1x6x5",  "6x14x14" },
    {NULL,             NESTED,                                                "2x4x4",  "3x17x17" },
};

enum { CASES = sizeof layer_cases / sizeof layer_cases[0] };

#endif
