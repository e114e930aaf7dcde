/*
 * test_conv.c - the methods of convolution agree: Winograd with direct in all three passes, and
 * which one a layer gets follows from its geometry and from what the model asks for.
 */
#include "base/mem.h"
#include "base/rng.h"
#include "conf/yaml.h"
#include "nn/layers/conv.h"
#include "nn/memory.h"
#include "test.h"

static const double TOLERANCE = 1e-4; /* of the largest entry */

struct conv_case {
    int64_t channels, out;
    int64_t height, width, pad;
};

struct rig {
    struct model *model;
    struct workspace *work;
    struct team *team;
    int64_t batch;
    float *state, *gradient, *din, *dout;
};

static float *noise_new(int64_t n, uint32_t stream)
{
    const struct rng r = rng_make(11, RNG_TEST, stream);
    float *x = MEM_NEW_N(float, n);

    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(2.0 * rng_uniform(&r, (uint64_t)i, 0) - 1.0);
    return x;
}

static struct model *model_for(const char *layer, struct shape in, enum convolution convolution)
{
    const struct model_options options = {.convolution = convolution};
    struct node *list = NULL;
    struct net *net = NULL;
    struct model *m = NULL;

    if (EXPECT_OK(yaml_parse(layer, strlen(layer), "case", &list)) &&
        EXPECT_OK(net_read(list, &net)))
        EXPECT_OK(model_new_with("conv", net, in, &options, &m));
    node_free(list);
    return m;
}

static const struct conv_method *method_of(const struct model *m)
{
    return m->layers[0].method;
}

static void rig_init(struct rig *r, const struct conv_case *c, enum convolution convolution,
                     int threads)
{
    const struct shape in = {.height = c->height, .width = c->width, .channels = c->channels};
    char layer[100];
    float *x;

    snprintf(layer, sizeof layer, "[{conv2d: {out: %lld, kernel: 3, pad: %lld}}]",
             (long long)c->out, (long long)c->pad);
    *r = (struct rig){.model = model_for(layer, in, convolution), .batch = 5};
    r->team = team_new(threads);
    r->work = workspace_new(r->model, r->batch, threads);
    /* Nobody may read what nobody has written: all NaN. */
    memset(r->work->blocks, 0xff, (size_t)workspace_bytes(r->model, r->batch, threads));
    r->state = noise_new(r->model->state_count, 1);
    r->gradient = MEM_NEW_N(float, r->model->param_count);
    r->din = MEM_NEW_N(float, r->batch *shape_size(in));
    r->dout = noise_new(r->batch * shape_size(r->model->out), 2);
    x = noise_new(r->batch * shape_size(in), 3);
    memcpy(workspace_input(r->work), x, (size_t)(r->batch * shape_size(in)) * sizeof *x);
    mem_free(x);
}

static void rig_release(struct rig *r)
{
    workspace_free(r->work);
    team_free(r->team);
    model_free(r->model);
    mem_free(r->state);
    mem_free(r->gradient);
    mem_free(r->din);
    mem_free(r->dout);
}

/* All three passes; answers the output. */
static const float *run(struct rig *r)
{
    const struct model_pass pass = {
        .team = r->team, .work = r->work, .batch = r->batch, .state = r->state};
    const float *out = model_forward(r->model, &pass, PASS_TRAIN);

    model_backward(r->model, &pass, r->dout, r->gradient, NULL, r->din);
    return out;
}

static double largest_error(const float *a, const float *b, int64_t n)
{
    double error = 0.0, largest = 0.0;

    for (int64_t i = 0; i < n; i++) {
        const double e = fabs((double)a[i] - (double)b[i]);
        if (!(e <= error))
            error = e;
        largest = fmax(largest, fabs((double)b[i]));
    }
    return error / largest;
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

static void check_against_direct(const struct conv_case *c)
{
    struct rig w, d;
    double out, din, gradient;

    rig_init(&w, c, CONVOLUTION_AUTO, 1);
    rig_init(&d, c, CONVOLUTION_DIRECT, 1);
    EXPECT(method_of(w.model) == &conv_winograd && method_of(d.model) == &conv_direct);
    out = largest_error(run(&w), run(&d), w.batch * shape_size(w.model->out));
    din = largest_error(w.din, d.din, w.batch * shape_size(w.model->in));
    gradient = largest_error(w.gradient, d.gradient, w.model->param_count);
    if (!EXPECT(out <= TOLERANCE) || !EXPECT(din <= TOLERANCE) || !EXPECT(gradient <= TOLERANCE))
        printf("# %lld -> %lld, %lldx%lld, pad %lld: %.2g %.2g %.2g\n", (long long)c->channels,
               (long long)c->out, (long long)c->height, (long long)c->width, (long long)c->pad, out,
               din, gradient);
    rig_release(&w);
    rig_release(&d);
}

static void test_winograd_agrees_with_direct_in_all_three_passes(void)
{
    for_each_case(check_against_direct);
}

static void check_threads(const struct conv_case *c)
{
    struct rig one;
    const float *expected;

    rig_init(&one, c, CONVOLUTION_AUTO, 1);
    expected = run(&one);
    for (int threads = 2; threads <= 3; threads++) {
        const size_t outputs = (size_t)(one.batch * shape_size(one.model->out)) * sizeof(float);
        const size_t inputs = (size_t)(one.batch * shape_size(one.model->in)) * sizeof(float);
        struct rig r;
        rig_init(&r, c, CONVOLUTION_AUTO, threads);
        EXPECT(memcmp(run(&r), expected, outputs) == 0);
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
    const struct shape map = {.height = 8, .width = 8, .channels = 32};
    const struct shape small = {.height = 3, .width = 8, .channels = 32};
    const struct shape stem = {.height = 32, .width = 32, .channels = 3};

    EXPECT(method_for(plain, map, CONVOLUTION_AUTO) == &conv_winograd);
    EXPECT(method_for(plain, map, CONVOLUTION_DIRECT)->is_exact);
    EXPECT(method_for(plain, small, CONVOLUTION_AUTO)->is_exact);
    EXPECT(method_for(plain, stem, CONVOLUTION_AUTO)->is_exact);
    EXPECT(
        method_for("[{conv2d: {out: 32, kernel: 3, stride: 2}}]", map, CONVOLUTION_AUTO)->is_exact);
    EXPECT(method_for("[{conv2d: {out: 32, kernel: 5, pad: 2}}]", map, CONVOLUTION_AUTO)->is_exact);
    EXPECT(method_for("[{conv2d: {out: 8, kernel: 3}}]", map, CONVOLUTION_AUTO)->is_exact);
}

TEST_MAIN(TEST(test_winograd_agrees_with_direct_in_all_three_passes),
          TEST(test_winograd_gives_the_same_bits_for_any_number_of_threads),
          TEST(test_the_method_follows_from_the_geometry))
