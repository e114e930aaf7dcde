/*
 * test_convpool.c - a convolution by Winograd that is joined with ReLU and max pooling computes
 * what the layers compute one by one, directly; for any number of threads with the same bits.
 *
 * Where two values of a window are equal but for rounding, the winner may be another one. So
 * outputs are held to a bound each, gradients by their norm.
 */
#include "conv_rig.h"
#include "nn/layers/convpool.h"

struct pool_case {
    int64_t channels, out, height, width, pad, pool;
    bool relu;
};

static struct model *model_for(const struct pool_case *c, const struct model_options *options)
{
    const struct shape in = {.height = c->height, .width = c->width, .channels = c->channels};
    char layers[150];

    snprintf(layers, sizeof layers,
             "[{conv2d: {out: %lld, kernel: 3, pad: %lld}}, %s{maxpool: {kernel: %lld}}]",
             (long long)c->out, (long long)c->pad, c->relu ? "relu, " : "", (long long)c->pool);
    return model_of_layers(layers, in, options);
}

/* The norm of the difference, relative to the norm. */
static double norm_error(const float *a, const float *b, int64_t n)
{
    double error = 0.0, norm = 0.0;

    for (int64_t i = 0; i < n; i++) {
        error += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        norm += (double)b[i] * (double)b[i];
    }
    return sqrt(error / norm);
}

static void check_against_layers(const struct pool_case *c)
{
    const struct model_options plain = {.convolution = CONVOLUTION_DIRECT, .no_fusion = true};
    const struct model_options fused = {.convolution = CONVOLUTION_AUTO};
    struct rig f, p;
    double out, din, gradient;

    rig_init(&f, model_for(c, &fused), 1);
    rig_init(&p, model_for(c, &plain), 1);
    EXPECT(convpool_is_winograd(&f.model->layers[0]));
    out = largest_error(rig_run(&f), rig_run(&p), RIG_BATCH * shape_size(p.model->out));
    din = norm_error(f.din, p.din, RIG_BATCH * shape_size(p.model->in));
    gradient = norm_error(f.gradient, p.gradient, p.model->param_count);
    if (!EXPECT(out <= 1e-4) || !EXPECT(din <= 1e-3) || !EXPECT(gradient <= 1e-3))
        printf("# %lld -> %lld, %lldx%lld, pad %lld, pool %lld: %.2g %.2g %.2g\n",
               (long long)c->channels, (long long)c->out, (long long)c->height, (long long)c->width,
               (long long)c->pad, (long long)c->pool, out, din, gradient);
    rig_release(&f);
    rig_release(&p);
}

static void check_threads(const struct pool_case *c)
{
    const struct model_options fused = {.convolution = CONVOLUTION_AUTO};
    struct rig one;
    const float *expected;

    rig_init(&one, model_for(c, &fused), 1);
    expected = rig_run(&one);
    for (int threads = 2; threads <= 3; threads++) {
        const size_t outputs = (size_t)(RIG_BATCH * shape_size(one.model->out)) * sizeof(float);
        const size_t inputs = (size_t)(RIG_BATCH * shape_size(one.model->in)) * sizeof(float);
        struct rig r;
        rig_init(&r, model_for(c, &fused), threads);
        EXPECT(memcmp(rig_run(&r), expected, outputs) == 0);
        EXPECT(memcmp(r.din, one.din, inputs) == 0);
        EXPECT(memcmp(r.gradient, one.gradient, (size_t)one.model->param_count * sizeof(float)) ==
               0);
        rig_release(&r);
    }
    rig_release(&one);
}

/* Sizes of the convolution's output: whole tiles and every rest. */
static const int64_t sizes[] = {4, 5, 6, 7, 9, 13, 24, 26};
static const int64_t channels[][2] = {
    {17, 33},
    {20, 24},
    {32, 64},
};
enum { SIZES = 8, CHANNELS = 3 };

static void for_each_case(void (*visit)(const struct pool_case *c))
{
    for (int s = 0; s < SIZES; s++)
        for (int n = 0; n < CHANNELS; n++)
            for (int64_t pad = 0; pad <= 1; pad++) {
                const struct pool_case c = {
                    .channels = channels[n][0],
                    .out = channels[n][1],
                    .height = sizes[s] + 2 - 2 * pad,
                    .width = sizes[(s + n) % SIZES] + 2 - 2 * pad,
                    .pad = pad,
                    .pool = (s + n) % 3 == 2 ? 4 : 2,
                    .relu = (s + n + pad) % 2 == 0,
                };
                visit(&c);
            }
}

static void test_pooled_winograd_agrees_with_the_layers_one_by_one(void)
{
    for_each_case(check_against_layers);
}

static void test_pooled_winograd_gives_the_same_bits_for_any_number_of_threads(void)
{
    for_each_case(check_threads);
}

static void test_winograd_is_pooled_only_where_asked_and_where_windows_fill_tiles(void)
{
    const struct model_options direct = {.convolution = CONVOLUTION_DIRECT}, any = {0};
    struct pool_case c = {.channels = 16, .out = 16, .height = 14, .width = 14, .pool = 2};
    struct model *m = model_for(&c, &any);

    EXPECT(convpool_is_winograd(&m->layers[0]));
    model_free(m);
    m = model_for(&c, &direct);
    EXPECT(!convpool_is_winograd(&m->layers[0]));
    model_free(m);
    c.pool = 3;
    m = model_for(&c, &any);
    EXPECT(!convpool_is_winograd(&m->layers[0]));
    model_free(m);
}

TEST_MAIN(TEST(test_pooled_winograd_agrees_with_the_layers_one_by_one),
          TEST(test_pooled_winograd_gives_the_same_bits_for_any_number_of_threads),
          TEST(test_winograd_is_pooled_only_where_asked_and_where_windows_fill_tiles))
