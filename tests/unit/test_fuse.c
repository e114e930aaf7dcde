/*
 * test_fuse.c - BatchNorm and dense layers joined with what stands behind them compute what the
 * layers compute one by one; a batch in pieces has the bits of the whole.
 *
 * The expected values are those of the same net without fusion, whose layers have tests of their
 * own (conform/test_layers.c, golden/).
 */
#include <math.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/team.h"
#include "conf/yaml.h"
#include "nn/model_memory.h"
#include "test.h"

enum { BATCH_MAX = 107 };

/* --- a net with all that passes need --- */

struct rig {
    struct model *model;
    struct workspace *work;
    struct team *team;
    int64_t batch, inputs, outputs;
    float *state, *gradient, *din, *dout, *x;
    int64_t batches_tracked[8];
};

static double noise(uint32_t stream, int64_t i)
{
    const struct rng r = rng_make(9, RNG_TEST, stream);

    return 2.0 * rng_uniform(&r, (uint64_t)i, 0) - 1.0;
}

static float *noise_new(int64_t n, uint32_t stream)
{
    float *x = MEM_NEW_N(float, n);

    for (int64_t i = 0; i < n; i++)
        x[i] = (float)noise(stream, i);
    return x;
}

static struct model *model_with(const char *layers, struct shape in,
                                const struct model_options *options)
{
    struct node *list = NULL;
    struct net *net = NULL;
    struct model *m = NULL;

    if (EXPECT_OK(yaml_parse(layers, strlen(layers), "case", &list)) &&
        EXPECT_OK(net_read(list, &net)))
        EXPECT_OK(model_new_with(layers, net, in, options, &m));
    node_free(list);
    return m;
}

static struct model *model_from(const char *layers, struct shape in, bool no_fusion)
{
    const struct model_options options = {.convolution = CONVOLUTION_DIRECT,
                                          .no_fusion = no_fusion};

    return model_with(layers, in, &options);
}

static void rig_init(struct rig *r, struct model *m, int64_t batch, int threads)
{
    *r = (struct rig){
        .model = m,
        .work = workspace_new(m, batch, threads),
        .team = team_new(threads),
        .batch = batch,
        .inputs = shape_size(m->in),
        .outputs = shape_size(m->out),
        .state = MEM_NEW_N(float, m->state_count),
        .gradient = MEM_NEW_N(float, m->param_count),
        .din = MEM_NEW_N(float, batch *shape_size(m->in)),
        .x = noise_new(batch * shape_size(m->in), 1),
        .dout = noise_new(batch * shape_size(m->out), 2),
    };
    CHECK(m->tracked_count <= 8);
    memset(r->work->blocks, 0xff, (size_t)workspace_bytes(m, batch, threads));
    model_initialize(m, r->state, 4);
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
    mem_free(r->x);
}

static struct model_pass pass_of(struct rig *r)
{
    return (struct model_pass){
        .team = r->team,
        .work = r->work,
        .batch = r->batch,
        .state = r->state,
        .update_state = r->state,
        .batches_tracked = r->batches_tracked,
    };
}

static const float *run_forward(struct rig *r, enum pass_mode mode)
{
    const struct model_pass pass = pass_of(r);

    memcpy(workspace_input(r->work), r->x, (size_t)(r->batch * r->inputs) * sizeof(float));
    return model_forward(r->model, &pass, mode);
}

static void run_backward(struct rig *r)
{
    const struct model_pass pass = pass_of(r);

    model_backward(r->model, &pass, r->dout, r->gradient, NULL, r->din);
}

static double largest(const float *x, int64_t n)
{
    double most = 0.0;

    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs((double)x[i]));
    return most;
}

static void expect_within(double share, const char *what, const float *a, const float *b, int64_t n)
{
    const double bound = share * (1.0 + largest(b, n));
    const int failures = test_failures;

    for (int64_t i = 0; i < n && test_failures == failures; i++) {
        EXPECT_NEAR((double)a[i], (double)b[i], bound);
        if (test_failures > failures)
            printf("# %s, element %lld of %lld\n", what, (long long)i, (long long)n);
    }
}

static void expect_same(const char *what, const float *a, const float *b, int64_t n)
{
    expect_within(4e-6, what, a, b, n);
}

/* --- fused and not --- */

#define CONV(c, s)  "{conv2d: {out: " #c ", kernel: 3, pad: 1, stride: " #s ", bias: false}}"
#define BODY(c, s)  CONV(c, s) ", batchnorm, relu, " CONV(c, 1) ", batchnorm"
#define SHORTCUT(c) "[{conv2d: {out: " #c ", kernel: 1, stride: 2, bias: false}}, batchnorm]"

static const struct {
    const char *layers;
    int64_t channels, side; /* side 0: a vector */
    int absorbed;           /* layers that the fusion does away with */
} nets[] = {
    {"[" CONV(5,                                                             1) ", batchnorm, relu]", 3,                                                 6,                                                                                  1},
    {"[batchnorm, relu, {dense: {out: 4}}]",                                                                      11,                                                        0,                                  1                                                           },
    {"[{residual: {body: [" BODY(3,                                                                      1) "]}}]",                                                                 3,                                    5,3},
    {"[{residual: {relu: false, body: [" BODY(3,                                                                     1) "]}}]",                                                                                            3,                                                                                                    5,                                                                                                                2},
    {"[{residual: {body: [" BODY(4,                                                                     2) "], shortcut: " SHORTCUT(4) "}}]",                                                                                           3,                                         6,3},
    {"[{residual: {body: [batchnorm]}}, " CONV(2,                                                                     1) "]", 3,         4,                                                                                                            2},
    {"[{dense: {out: 21}}, relu, {dense: {out: 3}}]",9,                  0,                                                          1                               },
    {"[{dense: {out: 37}}, {sine: {scale: 3}}, relu, {dense: {out: 1}}]",                        2,                                                   0,                                                                                  2                                                                                                         },
    {"[{dense: {out: 37}}, {sine: {scale: 3}}, {dense: {out: 1}}, sigmoid]",    2,   0, 1},
    {"[{dense: {out: 8}}, {sine: {scale: 3}}, relu, {dense: {out: 1}}]", 40,                    0,                                                                  0                                                                                                                                                  },
    {"[{dense: {out: 8, bias: false}}, relu, {dense: {out: 5}}, relu, tanh]",     4,                          0,                                                       2                                                                      },
};

enum { NETS = sizeof nets / sizeof nets[0] };

static struct shape shape_of(int i)
{
    if (nets[i].side == 0)
        return shape_vector(nets[i].channels);
    return (struct shape){
        .height = nets[i].side, .width = nets[i].side, .channels = nets[i].channels};
}

static int count_changed(const struct model *m)
{
    int changed = 0;

    for (int i = 0; i < m->layer_count; i++)
        changed += m->layers[i].ops != m->layers[i].kind &&
                   (m->layers[i].ops->flags & LAYER_IDENTITY) != 0;
    return changed;
}

static void compare(int net, int64_t batch)
{
    struct rig fused, plain;
    const char *name = nets[net].layers;

    rig_init(&fused, model_from(name, shape_of(net), false), batch, 2);
    rig_init(&plain, model_from(name, shape_of(net), true), batch, 1);
    EXPECT_INT(nets[net].absorbed, count_changed(fused.model));
    EXPECT_INT(0, count_changed(plain.model));
    expect_same(name, run_forward(&fused, PASS_TRAIN), run_forward(&plain, PASS_TRAIN),
                batch * plain.outputs);
    run_backward(&fused);
    run_backward(&plain);
    expect_same(name, fused.gradient, plain.gradient, plain.model->param_count);
    expect_same(name, fused.din, plain.din, batch * plain.inputs);
    expect_same(name, fused.state, plain.state, plain.model->state_count);
    EXPECT(memcmp(fused.batches_tracked, plain.batches_tracked, sizeof plain.batches_tracked) == 0);
    expect_same(name, run_forward(&fused, PASS_EVAL), run_forward(&plain, PASS_EVAL),
                batch * plain.outputs);
    EXPECT(memcmp(fused.batches_tracked, plain.batches_tracked, sizeof plain.batches_tracked) == 0);
    rig_release(&fused);
    rig_release(&plain);
}

static void test_fused_layers_compute_what_the_layers_do_one_by_one(void)
{
    static const int64_t batches[] = {1, 3, 8, 11};

    for (int i = 0; i < NETS; i++)
        for (int b = 0; b < 4; b++)
            compare(i, batches[b]);
}

/* --- a value that two layers read --- */

#define WIDE(c, s) "{conv2d: {out: " #c ", kernel: 3, pad: 1, stride: " #s "}}"

/* Winograd adds its part of the gradient itself, with both strides; pooling behind it does not. */
static void test_a_value_gets_the_gradients_of_all_that_read_it(void)
{
    static const char layers[] =
        "[" WIDE(17, 1) ", {residual: {body: [" WIDE(19, 1) ", maxpool, relu], shortcut: [" WIDE(
            19, 2) "]}}, {residual: {body: [" WIDE(19,
                                                   1) ", relu, " WIDE(19,
                                                                      1) "]}}, "
                                                                         "{residual: {body: [" WIDE(
                                                                             33,
                                                                             2) "], shortcut: "
                                                                                "[" WIDE(33,
                                                                                         1) ", "
                                                                                            "avgpoo"
                                                                                            "l]}}]";
    const struct model_options fast = {0};
    const struct shape in = {.height = 16, .width = 16, .channels = 16};
    struct rig quick, plain;

    rig_init(&quick, model_with(layers, in, &fast), 3, 2);
    rig_init(&plain, model_from(layers, in, true), 3, 1);
    expect_within(1e-4, layers, run_forward(&quick, PASS_TRAIN), run_forward(&plain, PASS_TRAIN),
                  3 * plain.outputs);
    run_backward(&quick);
    run_backward(&plain);
    expect_within(1e-4, layers, quick.gradient, plain.gradient, plain.model->param_count);
    expect_within(1e-4, layers, quick.din, plain.din, 3 * plain.inputs);
    rig_release(&quick);
    rig_release(&plain);
}

/* --- statistics --- */

/* One channel of 1000 + a small number: its variance is that of the small numbers. */
static void test_batchnorm_keeps_its_digits_far_from_zero(void)
{
    struct rig r;
    double mean = 0.0, variance = 0.0;

    rig_init(&r, model_from("[batchnorm]", (struct shape){5, 5, 1, false}, false), 19, 2);
    for (int64_t i = 0; i < 19 * 25; i++)
        r.x[i] = 1000.0F + (float)(i / 25 % 3) + 0.125F * (float)(i % 8);
    for (int64_t i = 0; i < 19 * 25; i++)
        mean += (double)r.x[i] / (19 * 25);
    for (int64_t i = 0; i < 19 * 25; i++)
        variance += ((double)r.x[i] - mean) * ((double)r.x[i] - mean) / (19 * 25);
    const float *y = run_forward(&r, PASS_TRAIN);
    /* The input is exact, the shift -mean/sqrt(var) a float of some 1000: that bounds the error. */
    for (int64_t i = 0; i < 19 * 25; i++)
        EXPECT_NEAR((double)y[i], ((double)r.x[i] - mean) / sqrt(variance + 1e-5), 2e-4);
    EXPECT_NEAR((double)r.state[2], 0.1 * mean, 1e-5);
    EXPECT_NEAR((double)r.state[3], 0.9 + 0.1 * variance * 475 / 474, 1e-6);
    rig_release(&r);
}

/* --- pieces --- */

static void gradient_in_pieces(struct rig *r, int64_t piece)
{
    for (int64_t first = 0; first < BATCH_MAX; first += piece) {
        struct model_pass pass = pass_of(r);
        pass.batch = BATCH_MAX - first < piece ? BATCH_MAX - first : piece;
        pass.adds = first > 0;
        memcpy(workspace_input(r->work), r->x + first * r->inputs,
               (size_t)(pass.batch * r->inputs) * sizeof(float));
        model_forward(r->model, &pass, PASS_TRAIN);
        model_backward(r->model, &pass, r->dout + first * r->outputs, r->gradient, NULL, NULL);
    }
}

static void test_a_batch_in_pieces_has_the_bits_of_the_whole(void)
{
    static const char layers[] = "[{dense: {out: 150}}, {sine: {scale: 2}}, relu, {dropout: {p: 0}}"
                                 ", {dense: {out: 70}}, relu, {dense: {out: 3}}, sigmoid]";

    for (int threads = 1; threads <= 3; threads++) {
        struct rig whole, pieces;
        rig_init(&whole, model_from(layers, shape_vector(2), false), BATCH_MAX, 1);
        rig_init(&pieces, model_from(layers, shape_vector(2), false), BATCH_MAX, threads);
        EXPECT(model_piece(whole.model) < INT64_MAX && model_piece(whole.model) % SLICE == 0);
        run_forward(&whole, PASS_TRAIN);
        run_backward(&whole);
        for (int64_t piece = SLICE; piece <= 48; piece += 40) {
            gradient_in_pieces(&pieces, piece);
            EXPECT(memcmp(pieces.gradient, whole.gradient,
                          (size_t)whole.model->param_count * sizeof(float)) == 0);
        }
        rig_release(&whole);
        rig_release(&pieces);
    }
}

static void test_a_net_with_batchnorm_has_no_pieces(void)
{
    struct model *m = model_from("[batchnorm, relu]", shape_vector(3), false);

    EXPECT(model_piece(m) == INT64_MAX);
    model_free(m);
}

TEST_MAIN(TEST(test_fused_layers_compute_what_the_layers_do_one_by_one),
          TEST(test_a_value_gets_the_gradients_of_all_that_read_it),
          TEST(test_batchnorm_keeps_its_digits_far_from_zero),
          TEST(test_a_batch_in_pieces_has_the_bits_of_the_whole),
          TEST(test_a_net_with_batchnorm_has_no_pieces))
