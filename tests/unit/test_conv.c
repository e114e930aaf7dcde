/*
 * test_conv.c - the methods of convolution agree: Winograd with direct in all three passes, for
 * strides 1 and 2, the others with plain sums; and which one a layer gets follows from its geometry
 * and from what the model asks for.
 */
#include "conv_rig.h"
#include "nn/layers/conv.h"

static const double TOLERANCE = 1e-4; /* of the largest entry */

struct conv_case {
    int64_t channels, out;
    int64_t height, width, pad;
    int64_t kernel, stride; /* 0: 3, 1 */
};

static struct model *model_for(const char *layer, struct shape in, enum convolution convolution)
{
    return model_of_layers(layer, in, &(struct model_options){.convolution = convolution});
}

static const struct conv_method *method_of(const struct model *m)
{
    return m->layers[0].method;
}

static void rig_init_for(struct rig *r, const struct conv_case *c, enum convolution convolution,
                         int threads)
{
    const struct shape in = {.height = c->height, .width = c->width, .channels = c->channels};
    char layer[100];

    snprintf(layer, sizeof layer, "[{conv2d: {out: %lld, kernel: %lld, stride: %lld, pad: %lld}}]",
             (long long)c->out, (long long)(c->kernel == 0 ? 3 : c->kernel),
             (long long)(c->stride == 0 ? 1 : c->stride), (long long)c->pad);
    rig_init(r, model_for(layer, in, convolution), threads);
}

/* Sizes with whole tiles and with every rest; channels that fill their panels and that do not. */
static const int64_t sizes[] = {4, 5, 6, 7, 9, 13, 24, 26};
static const int64_t channels[][2] = {
    {17, 33},
    {20, 24},
    {16, 48},
    {40, 16},
};
enum { SIZES = 8, CHANNELS = 4 };

static void for_each_case(void (*visit)(const struct conv_case *c))
{
    for (int s = 0; s < SIZES; s++)
        for (int n = 0; n < CHANNELS; n++)
            for (int64_t pad = 0; pad <= 2; pad++) {
                const struct conv_case c = {
                    .channels = channels[n][0],
                    .out = channels[n][1],
                    .height = sizes[s] + 2 - 2 * pad, /* so that the output is of that size */
                    .width = sizes[(s + n) % SIZES] + 2 - 2 * pad,
                    .pad = pad,
                };
                if (c.height >= 1 && c.width >= 1)
                    visit(&c);
            }
    visit(&(struct conv_case){.channels = 150, .out = 131, .height = 6, .width = 9, .pad = 1});
    visit(&(struct conv_case){.channels = 16, .out = 16, .height = 41, .width = 37, .pad = 1});
}

/* Of outputs with stride 2: those that fill most of their tiles. */
static const int64_t strided_sizes[][2] = {
    {4,  4 },
    {7,  4 },
    {7,  7 },
    {8,  11},
    {17, 16},
    {16, 18},
};

/* With stride 2 the last row or column of the input may be under no window. */
static void for_each_strided_case(void (*visit)(const struct conv_case *c))
{
    for (size_t s = 0; s < sizeof strided_sizes / sizeof strided_sizes[0]; s++)
        for (int n = 0; n < CHANNELS; n++)
            for (int64_t pad = 0; pad <= 2; pad++)
                visit(&(struct conv_case){
                    .channels = channels[n][0],
                    .out = channels[n][1],
                    .height = 2 * strided_sizes[s][0] + 1 - 2 * pad + n % 2,
                    .width = 2 * strided_sizes[s][1] + 1 - 2 * pad + n / 2,
                    .pad = pad,
                    .stride = 2,
                });
    visit(&(struct conv_case){
        .channels = 150, .out = 131, .height = 14, .width = 15, .pad = 1, .stride = 2});
    visit(&(struct conv_case){
        .channels = 16, .out = 16, .height = 73, .width = 76, .pad = 1, .stride = 2});
}

static void check_against_direct(const struct conv_case *c)
{
    struct rig w, d;
    double out, din, gradient;

    rig_init_for(&w, c, CONVOLUTION_AUTO, 1);
    rig_init_for(&d, c, CONVOLUTION_DIRECT, 1);
    EXPECT(method_of(w.model) == (c->stride == 2 ? &conv_strided : &conv_winograd));
    EXPECT(method_of(d.model)->is_exact);
    out = largest_error(rig_run(&w), rig_run(&d), RIG_BATCH * shape_size(w.model->out));
    din = largest_error(w.din, d.din, RIG_BATCH * shape_size(w.model->in));
    gradient = largest_error(w.gradient, d.gradient, w.model->param_count);
    if (!EXPECT(out <= TOLERANCE) || !EXPECT(din <= TOLERANCE) || !EXPECT(gradient <= TOLERANCE))
        printf("# %lld -> %lld, %lldx%lld, pad %lld, stride %lld: %.2g %.2g %.2g\n",
               (long long)c->channels, (long long)c->out, (long long)c->height, (long long)c->width,
               (long long)c->pad, (long long)c->stride, out, din, gradient);
    rig_release(&w);
    rig_release(&d);
}

static void test_winograd_agrees_with_direct_in_all_three_passes(void)
{
    for_each_case(check_against_direct);
    for_each_strided_case(check_against_direct);
}

static void check_threads(const struct conv_case *c)
{
    struct rig one;
    const float *expected;

    rig_init_for(&one, c, CONVOLUTION_AUTO, 1);
    expected = rig_run(&one);
    for (int threads = 2; threads <= 3; threads++) {
        const size_t outputs = (size_t)(RIG_BATCH * shape_size(one.model->out)) * sizeof(float);
        const size_t inputs = (size_t)(RIG_BATCH * shape_size(one.model->in)) * sizeof(float);
        struct rig r;
        rig_init_for(&r, c, CONVOLUTION_AUTO, threads);
        EXPECT(memcmp(rig_run(&r), expected, outputs) == 0);
        EXPECT(memcmp(r.din, one.din, inputs) == 0);
        EXPECT(memcmp(r.gradient, one.gradient, (size_t)one.model->param_count * sizeof(float)) ==
               0);
        rig_release(&r);
    }
    rig_release(&one);
}

static void test_winograd_gives_the_same_bits_for_any_number_of_threads(void)
{
    for_each_case(check_threads);
    for_each_strided_case(check_threads);
}

/* --- exact methods, against plain sums --- */

/* One output of position (y, x): the sum over what lies inside, in double. */
static double plain_sum(const struct rig *r, const struct conv_case *c, const float *image,
                        int64_t y, int64_t x, int64_t n)
{
    const int64_t rows = c->kernel * c->kernel * c->channels;
    double sum = (double)r->state[rows * c->out + n];

    for (int64_t k = 0; k < rows; k++) {
        const int64_t iy = y * c->stride + k / (c->kernel * c->channels) - c->pad;
        const int64_t ix = x * c->stride + k / c->channels % c->kernel - c->pad;
        if (iy < 0 || iy >= c->height || ix < 0 || ix >= c->width)
            continue;
        sum += (double)image[(iy * c->width + ix) * c->channels + k % c->channels] *
               (double)r->state[panel_index(k, n, rows, c->out)];
    }
    return sum;
}

/* The method that the case gets, against loops in double. */
static void check_exact(const struct conv_case *c, const struct conv_method *method)
{
    struct rig r;
    float *x = noise_new(RIG_BATCH * c->height * c->width * c->channels, 3), *weights;
    const float *out;
    double error = 0.0, by_output = 0.0, by_input = 0.0, by_weights = 0.0;

    rig_init_for(&r, c, CONVOLUTION_DIRECT, 1);
    EXPECT(method_of(r.model) == method);
    out = rig_run(&r);
    for (int64_t i = 0; i < RIG_BATCH * shape_size(r.model->out); i++) {
        const struct shape o = r.model->out;
        const int64_t at = i % shape_size(o), position = at / o.channels;
        const double expected = plain_sum(&r, c, x + i / shape_size(o) * shape_size(r.model->in),
                                          position / o.width, position % o.width, at % o.channels);
        error = fmax(error, fabs((double)out[i] - expected));
        by_output +=
            (double)r.dout[i] *
            ((double)out[i] - (double)r.state[r.model->param_count - o.channels + i % o.channels]);
    }
    EXPECT(error <= 1e-5);
    /* The output is linear in either, so that gradients must give the same number. */
    weights = r.state;
    for (int64_t i = 0; i < RIG_BATCH * shape_size(r.model->in); i++)
        by_input += (double)r.din[i] * (double)x[i];
    for (int64_t i = 0; i < r.model->param_count - r.model->out.channels; i++)
        by_weights += (double)r.gradient[i] * (double)weights[i];
    EXPECT_NEAR(by_input, by_output, 1e-4 * (1.0 + fabs(by_output)));
    EXPECT_NEAR(by_weights, by_output, 1e-4 * (1.0 + fabs(by_output)));
    mem_free(x);
    rig_release(&r);
}

/* --- small maps: only the taps that touch them --- */

static const struct conv_case small_maps[] = {
    {.channels = 32, .out = 48, .height = 1, .width = 1, .pad = 1, .kernel = 3, .stride = 1},
    {.channels = 48, .out = 32, .height = 2, .width = 2, .pad = 1, .kernel = 3, .stride = 1},
    {.channels = 16, .out = 16, .height = 1, .width = 2, .pad = 1, .kernel = 3, .stride = 1},
    {.channels = 16, .out = 32, .height = 2, .width = 2, .pad = 1, .kernel = 3, .stride = 2},
    {.channels = 16, .out = 16, .height = 3, .width = 2, .pad = 2, .kernel = 5, .stride = 1},
    {.channels = 16, .out = 16, .height = 2, .width = 3, .pad = 4, .kernel = 3, .stride = 2},
};

static void test_taps_that_lie_outside_count_nothing(void)
{
    for (size_t i = 0; i < sizeof small_maps / sizeof small_maps[0]; i++) {
        check_exact(&small_maps[i], &conv_taps);
        check_threads(&small_maps[i]);
    }
}

/* --- few channels --- */

/* Borders that are wider than the image or the kernel, rows and maps larger than what is taken at
 * once. */
static const struct conv_case few_channels[] = {
    {.channels = 3, .out = 64, .height = 18, .width = 32,  .pad = 1,  .kernel = 3,  .stride = 1},
    {.channels = 3, .out = 40, .height = 16, .width = 15,  .pad = 3,  .kernel = 7,  .stride = 2},
    {.channels = 1, .out = 33, .height = 7,  .width = 6,   .pad = 0,  .kernel = 5,  .stride = 1},
    {.channels = 4, .out = 16, .height = 3,  .width = 530, .pad = 1,  .kernel = 3,  .stride = 1},
    {.channels = 2, .out = 97, .height = 5,  .width = 4,   .pad = 5,  .kernel = 4,  .stride = 3},
    {.channels = 3, .out = 8,  .height = 1,  .width = 1,   .pad = 1,  .kernel = 3,  .stride = 1},
    {.channels = 2, .out = 20, .height = 2,  .width = 3,   .pad = 10, .kernel = 11, .stride = 1},
    {.channels = 1, .out = 5,  .height = 20, .width = 20,  .pad = 15, .kernel = 16, .stride = 1},
};

static void test_few_channels_give_the_plain_sums_and_the_same_bits_for_any_threads(void)
{
    for (size_t i = 0; i < sizeof few_channels / sizeof few_channels[0]; i++) {
        check_exact(&few_channels[i], &conv_few);
        check_threads(&few_channels[i]);
    }
}

static void check_biases(const struct conv_case *c)
{
    struct rig r;

    rig_init_for(&r, c, CONVOLUTION_DIRECT, 2);
    rig_run(&r);
    for (int64_t n = 0; n < c->out; n++) {
        double sum = 0.0;
        for (int64_t i = n; i < RIG_BATCH * shape_size(r.model->out); i += c->out)
            sum += (double)r.dout[i];
        EXPECT_NEAR((double)r.gradient[r.model->param_count - c->out + n], sum, 1e-4);
    }
    rig_release(&r);
}

static void test_the_biases_of_few_channels_get_the_sums_of_their_outputs(void)
{
    for (size_t i = 0; i < sizeof few_channels / sizeof few_channels[0]; i++)
        check_biases(&few_channels[i]);
}

static const struct conv_method *method_for(const char *layer, struct shape in,
                                            enum convolution convolution)
{
    struct model *m = model_for(layer, in, convolution);
    const struct conv_method *method = m == NULL ? NULL : method_of(m);

    model_free(m);
    return method;
}

static void test_the_method_follows_from_the_geometry(void)
{
    static const char plain[] = "[{conv2d: {out: 32, kernel: 3, pad: 1}}]";
    static const char strided[] = "[{conv2d: {out: 32, kernel: 3, stride: 2, pad: 1}}]";
    const struct shape uneven = {.height = 11, .width = 11, .channels = 32};
    const struct shape large = {.height = 16, .width = 16, .channels = 32};
    const struct shape map = {.height = 8, .width = 8, .channels = 32};
    const struct shape small = {.height = 3, .width = 8, .channels = 32};
    const struct shape stem = {.height = 32, .width = 32, .channels = 3};

    EXPECT(method_for(plain, map, CONVOLUTION_AUTO) == &conv_winograd);
    EXPECT(method_for(plain, map, CONVOLUTION_DIRECT)->is_exact);
    EXPECT(method_for(plain, small, CONVOLUTION_AUTO)->is_exact);
    EXPECT(method_for(strided, map, CONVOLUTION_AUTO) == &conv_strided);
    EXPECT(method_for(strided, uneven, CONVOLUTION_AUTO)->is_exact);
    EXPECT(method_for(strided, map, CONVOLUTION_DIRECT)->is_exact);
    EXPECT(method_for(plain, stem, CONVOLUTION_AUTO) == &conv_few);
    EXPECT(method_for("[{conv2d: {out: 32, kernel: 1}}]", stem, CONVOLUTION_AUTO) == &conv_direct);
    EXPECT(method_for("[{conv2d: {out: 32, kernel: 10}}]", stem, CONVOLUTION_AUTO) == &conv_direct);
    EXPECT(
        method_for("[{conv2d: {out: 32, kernel: 3, stride: 2}}]", map, CONVOLUTION_AUTO)->is_exact);
    EXPECT(
        method_for("[{conv2d: {out: 32, kernel: 3, stride: 3, pad: 2}}]", large, CONVOLUTION_AUTO)
            ->is_exact);
    EXPECT(method_for("[{conv2d: {out: 32, kernel: 5, pad: 2}}]", map, CONVOLUTION_AUTO)->is_exact);
    EXPECT(method_for("[{conv2d: {out: 8, kernel: 3}}]", map, CONVOLUTION_AUTO)->is_exact);
}

TEST_MAIN(TEST(test_winograd_agrees_with_direct_in_all_three_passes),
          TEST(test_winograd_gives_the_same_bits_for_any_number_of_threads),
          TEST(test_taps_that_lie_outside_count_nothing),
          TEST(test_few_channels_give_the_plain_sums_and_the_same_bits_for_any_threads),
          TEST(test_the_biases_of_few_channels_get_the_sums_of_their_outputs),
          TEST(test_the_method_follows_from_the_geometry))
