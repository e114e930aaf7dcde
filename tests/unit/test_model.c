/*
 * test_model.c - passes over small models against closed forms: convolutions, dense layers after a
 * flatten, BatchNorm's statistics, dropout's masks, initial values, the gradient's ranges.
 */
#include "base/mem.h"
#include "base/rng.h"
#include "conf/yaml.h"
#include "nn/model.h"
#include "test.h"

struct rig {
    struct model *model;
    struct workspace *work;
    struct team *team;
    float *state, *gradient;
    int64_t batches_tracked[8];
    struct model_pass pass;
};

static struct shape image(int64_t channels, int64_t height, int64_t width)
{
    return (struct shape){.height = height, .width = width, .channels = channels};
}

static struct model *model_from(const char *layers, struct shape in)
{
    struct node *list = NULL;
    struct net *net = NULL;
    struct model *m = NULL;

    if (EXPECT_OK(yaml_parse(layers, strlen(layers), "net.yaml", &list)) &&
        EXPECT_OK(net_read(list, &net)))
        EXPECT_OK(model_new("test", net, in, &m));
    node_free(list);
    return m;
}

static void rig_init(struct rig *r, const char *layers, struct shape in, int64_t batch)
{
    *r = (struct rig){.model = model_from(layers, in), .team = team_new(2)};
    r->work = workspace_new(r->model, batch, 2);
    r->state = MEM_NEW_N(float, r->model->state_count);
    r->gradient = MEM_NEW_N(float, r->model->param_count);
    model_initialize(r->model, r->state, 1);
    r->pass = (struct model_pass){
        .team = r->team,
        .work = r->work,
        .batch = batch,
        .state = r->state,
        .seed = 1,
    };
    for (int64_t i = 0; i < batch * shape_size(in); i++)
        workspace_input(r->work)[i] = (float)((i * 37 + 11) % 101 - 50) / 50.0F;
}

static void rig_release(struct rig *r)
{
    workspace_free(r->work);
    team_free(r->team);
    model_free(r->model);
    mem_free(r->state);
    mem_free(r->gradient);
    *r = (struct rig){0};
}

static bool same_bits(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

/* --- products --- */

struct conv_case {
    int64_t out, kernel, stride, pad;
    struct shape in;
};

/* One output by the definition, in double; w is canonical [out][channel][y][x], b behind it. */
static double naive(const struct conv_case *c, const float *x, const float *w, const int64_t at[3])
{
    const int64_t weights = c->in.channels * c->kernel * c->kernel;
    double sum = (double)w[c->out * weights + at[2]];

    for (int64_t k = 0; k < weights; k++) {
        const int64_t channel = k / (c->kernel * c->kernel), rest = k % (c->kernel * c->kernel);
        const int64_t y = at[0] * c->stride + rest / c->kernel - c->pad;
        const int64_t x0 = at[1] * c->stride + rest % c->kernel - c->pad;
        if (y >= 0 && y < c->in.height && x0 >= 0 && x0 < c->in.width)
            sum += (double)w[at[2] * weights + k] *
                   (double)x[(y * c->in.width + x0) * c->in.channels + channel];
    }
    return sum;
}

static void check_conv(const struct conv_case *c)
{
    char *layers = text_format("[{conv2d: {out: %lld, kernel: %lld, stride: %lld, pad: %lld}}]",
                               (long long)c->out, (long long)c->kernel, (long long)c->stride,
                               (long long)c->pad);
    struct rig r;
    double worst = 0.0;

    rig_init(&r, layers, c->in, 3);
    const struct shape s = r.model->out;
    float *canonical = MEM_NEW_N(float, r.model->param_count);
    const float *out = model_forward(r.model, &r.pass, PASS_EVAL);
    model_to_canonical(r.model, canonical, r.state, r.model->param_count);
    for (int64_t i = 0; i < 3 * shape_size(s); i++) {
        const int64_t position = i % shape_size(s) / s.channels;
        const int64_t at[3] = {position / s.width, position % s.width, i % s.channels};
        const float *x = workspace_input(r.work) + i / shape_size(s) * shape_size(c->in);
        worst = fmax(worst, fabs((double)out[i] - naive(c, x, canonical, at)));
    }
    /* sums of K products of size 1/sqrt(K) each: the error stays far below K units of 2^-24 */
    EXPECT_NEAR(worst, 0.0, (double)(c->in.channels * c->kernel * c->kernel) / 16777216.0 + 1e-6);
    mem_free(canonical);
    mem_free(layers);
    rig_release(&r);
}

static void test_convolution_is_its_definition(void)
{
    static const struct conv_case all[] = {
        {5,  3, 1, 0, {.height = 9, .width = 7, .channels = 3}  },
        {6,  5, 1, 2, {.height = 28, .width = 28, .channels = 1}},
        {33, 3, 2, 1, {.height = 9, .width = 8, .channels = 5}  },
        {40, 3, 1, 1, {.height = 4, .width = 4, .channels = 33} },
        {64, 3, 1, 1, {.height = 1, .width = 1, .channels = 8}  },
        {40, 1, 1, 0, {.height = 6, .width = 6, .channels = 20} },
        {18, 1, 2, 0, {.height = 7, .width = 7, .channels = 4}  },
        {3,  7, 2, 3, {.height = 16, .width = 18, .channels = 3}},
        {2,  2, 3, 0, {.height = 9, .width = 10, .channels = 2} },
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        check_conv(&all[i]);
}

static void test_a_dense_layer_after_a_flatten_counts_channels_first(void)
{
    const struct shape in = image(3, 2, 4);
    struct rig r;
    float canonical[24];

    rig_init(&r, "[flatten, {dense: {out: 1, bias: false, name: d}}]", in, 1);
    for (int i = 0; i < 24; i++)
        canonical[i] = (float)(1 << (i % 12)) * (i < 12 ? 1.0F : 3.0F);
    model_from_canonical(r.model, r.state, canonical, r.model->param_count);
    double expected = 0.0; /* input (c, y, x) is at (y, x, c) in memory */
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 8; k++)
            expected += (double)canonical[c * 8 + k] * (double)workspace_input(r.work)[k * 3 + c];
    const float *out = model_forward(r.model, &r.pass, PASS_EVAL);
    EXPECT_NEAR((double)out[0], expected, 24 * 4096.0 * 3.0 / 16777216.0);
    rig_release(&r);
}

/* --- BatchNorm --- */

/* Channel 0 of two images of two pixels: 1, 3, 5, 7; channel 1: 10 times that. */
static void fill_norm_input(struct rig *r)
{
    for (int64_t i = 0; i < 4; i++) {
        workspace_input(r->work)[2 * i] = (float)(2 * i + 1);
        workspace_input(r->work)[2 * i + 1] = (float)(20 * i + 10);
    }
}

static void test_batchnorm_normalises_and_keeps_running_statistics(void)
{
    struct rig r;
    const float *out;

    rig_init(&r, "[{batchnorm: {name: b}}]", image(2, 1, 2), 2);
    fill_norm_input(&r);
    r.pass.update_state = r.state;
    r.pass.batches_tracked = r.batches_tracked;
    out = model_forward(r.model, &r.pass, PASS_TRAIN);
    /* mean 4, biased variance 5, unbiased 20/3; float results, hence 1e-6 */
    for (int64_t i = 0; i < 4; i++) {
        const double off = (double)(2 * i - 3);
        EXPECT_NEAR((double)out[2 * i], off / sqrt(5.0 + 1e-5), 1e-6);
        EXPECT_NEAR((double)out[2 * i + 1], 10.0 * off / sqrt(500.0 + 1e-5), 1e-6);
    }
    const float *mean = r.state + model_find_tensor(r.model, "b.running_mean")->offset;
    const float *var = r.state + model_find_tensor(r.model, "b.running_var")->offset;
    EXPECT_NEAR((double)mean[0], 0.4, 1e-7);
    EXPECT_NEAR((double)mean[1], 4.0, 1e-6);
    EXPECT_NEAR((double)var[0], 0.9 + 0.1 * 20.0 / 3.0, 1e-6);
    EXPECT_NEAR((double)var[1], 0.9 + 0.1 * 2000.0 / 3.0, 1e-5);
    EXPECT_INT(r.batches_tracked[0], 1);

    out = model_forward(r.model, &r.pass, PASS_EVAL);
    EXPECT_NEAR((double)out[2], (3.0 - 0.4) / sqrt(0.9 + 2.0 / 3.0 + 1e-5), 1e-6);
    EXPECT_NEAR((double)mean[0], 0.4, 1e-7);
    EXPECT_INT(r.batches_tracked[0], 1);
    rig_release(&r);
}

static void test_batchnorm_without_a_place_for_updates_changes_nothing(void)
{
    struct rig r;

    rig_init(&r, "[batchnorm]", image(2, 1, 2), 2);
    fill_norm_input(&r);
    model_forward(r.model, &r.pass, PASS_TRAIN);
    EXPECT(r.state[4] == 0.0F && r.state[5] == 0.0F && r.state[6] == 1.0F && r.state[7] == 1.0F);
    EXPECT_INT(r.batches_tracked[0], 0);
    rig_release(&r);
}

static void test_batchnorm_of_one_value_takes_the_running_statistics(void)
{
    struct rig r;
    const float *out;

    rig_init(&r, "[batchnorm]", shape_vector(2), 1);
    r.state[4] = 3.0F; /* running mean */
    r.state[6] = 4.0F; /* running variance */
    r.pass.update_state = r.state;
    r.pass.batches_tracked = r.batches_tracked;
    workspace_input(r.work)[0] = 5.0F;
    out = model_forward(r.model, &r.pass, PASS_TRAIN);
    EXPECT_NEAR((double)out[0], 2.0 / sqrt(4.0 + 1e-5), 1e-6);
    EXPECT(r.state[4] == 3.0F && r.state[6] == 4.0F);
    EXPECT_INT(r.batches_tracked[0], 0);
    rig_release(&r);
}

static void test_batchnorm_keeps_its_digits_when_the_mean_is_large(void)
{
    struct rig r;

    rig_init(&r, "[{batchnorm: {momentum: 1}}]", shape_vector(1), 8);
    r.pass.update_state = r.state;
    r.pass.batches_tracked = r.batches_tracked;
    for (int i = 0; i < 8; i++)
        workspace_input(r.work)[i] = 4096.0F + (float)i / 8.0F; /* exact floats */
    model_forward(r.model, &r.pass, PASS_TRAIN);
    /* the unbiased variance of 0..7 is 6; 1/64 of it. E[x^2] - E[x]^2 in float would be noise. */
    EXPECT_NEAR((double)r.state[3], 6.0 / 64.0, 1e-7);
    rig_release(&r);
}

/* --- dropout --- */

static void test_dropout_drops_by_sample_epoch_and_layer_alone(void)
{
    static const int64_t samples[2] = {40, 7}, swapped[2] = {7, 40};
    const int64_t n = 4000;
    struct rig r;
    float *first = MEM_NEW_N(float, 2 * n);
    int64_t kept = 0, differ = 0;

    rig_init(&r, "[{dropout: {p: 0.3}}]", shape_vector(n), 2);
    for (int64_t i = 0; i < 2 * n; i++)
        workspace_input(r.work)[i] = 1.0F;
    r.pass.samples = samples;
    memcpy(first, model_forward(r.model, &r.pass, PASS_TRAIN), (size_t)(2 * n) * sizeof *first);
    for (int64_t i = 0; i < 2 * n; i++) {
        kept += first[i] != 0.0F;
        EXPECT(first[i] == 0.0F || first[i] == (float)(1.0 / 0.7));
    }
    /* binomial: 5600 of 8000, standard deviation 41; four of them */
    EXPECT_NEAR((double)kept, 5600.0, 164.0);

    r.pass.samples = swapped;
    const float *out = model_forward(r.model, &r.pass, PASS_TRAIN);
    EXPECT(same_bits(out, first + n, (size_t)n * sizeof *out));
    EXPECT(same_bits(out + n, first, (size_t)n * sizeof *out));
    r.pass.epoch = 1;
    out = model_forward(r.model, &r.pass, PASS_TRAIN);
    for (int64_t i = 0; i < n; i++)
        differ += out[i] != first[n + i];
    EXPECT_NEAR((double)differ, 2 * 0.3 * 0.7 * (double)n, 126.0); /* four deviations again */
    out = model_forward(r.model, &r.pass, PASS_EVAL);
    for (int64_t i = 0; i < 2 * n; i++)
        EXPECT(out[i] == 1.0F);
    mem_free(first);
    rig_release(&r);
}

static void test_two_dropout_layers_drop_different_units(void)
{
    const int64_t n = 4000;
    struct rig r;
    int64_t kept = 0;

    rig_init(&r, "[dropout, dropout]", shape_vector(n), 1);
    for (int64_t i = 0; i < n; i++)
        workspace_input(r.work)[i] = 1.0F;
    const float *out = model_forward(r.model, &r.pass, PASS_TRAIN);
    for (int64_t i = 0; i < n; i++)
        kept += out[i] != 0.0F;
    EXPECT_NEAR((double)kept, (double)n / 4.0, 110.0); /* four deviations of 27.4 */
    rig_release(&r);
}

/* --- initial values --- */

static void test_initial_values_are_drawn_by_canonical_index(void)
{
    const struct rng g = rng_make(9, RNG_INIT, 0);
    struct model *m = model_from("[{conv2d: {out: 18, kernel: 3, name: c}}, flatten, "
                                 "{dense: {out: 5, name: d}}, batchnorm]",
                                 image(2, 4, 4));
    float *state = MEM_NEW_N(float, m->state_count), *canonical = MEM_NEW_N(float, m->state_count);

    model_initialize(m, state, 9);
    model_to_canonical(m, canonical, state, m->state_count);
    for (int t = 0; t < 4; t++) { /* weights and biases of c (fan-in 18) and d (fan-in 72) */
        const struct tensor *tensor = &m->tensors[t];
        const double bound = 1.0 / sqrt(t < 2 ? 18.0 : 72.0);
        for (int64_t i = tensor->offset; i < tensor->offset + tensor->count; i++)
            EXPECT(canonical[i] == (float)(bound * (2.0 * rng_uniform(&g, (uint64_t)i, 0) - 1.0)));
    }
    static const float norms[] = {1.0F, 0.0F, 0.0F, 1.0F}; /* gamma, beta, running mean and var */
    for (int t = 4; t < 8; t++)
        for (int64_t i = 0; i < 5; i++)
            EXPECT(canonical[m->tensors[t].offset + i] == norms[t - 4]);
    mem_free(state);
    mem_free(canonical);
    model_free(m);
}

static void test_he_and_siren_starts_have_their_spread(void)
{
    struct model *m = model_from("[{conv2d: {out: 32, kernel: 3, init: he_fan_out, bias: false}}, "
                                 "flatten, {dense: {out: 64, init: siren, bias: false}}]",
                                 image(30, 3, 3));
    float *state = MEM_NEW_N(float, m->state_count);
    double square = 0.0, largest = 0.0;

    model_initialize(m, state, 2);
    for (int64_t i = 0; i < 8640; i++)
        square += (double)state[i] * (double)state[i];
    /* variance 2/(32*9); the mean of 8640 squares deviates by sqrt(2/8640) = 1.5 %, four times */
    EXPECT_NEAR(square / 8640.0 * 144.0, 1.0, 0.061);
    for (int64_t i = 8640; i < m->param_count; i++)
        largest = fmax(largest, fabs((double)state[i]));
    /* sqrt(6/64) = 0.306; of 2048 draws the largest lies within 1 % of the bound */
    EXPECT(largest <= sqrt(6.0 / 64.0) && largest > 0.99 * sqrt(6.0 / 64.0));
    mem_free(state);
    model_free(m);
}

/* --- backward --- */

#define NETWORK                                                                                   \
    "[{conv2d: {out: 6, kernel: 3}}, relu, {residual: {body: [{conv2d: {out: 6, kernel: 3, pad: " \
    "1}}, batchnorm]}}, maxpool, flatten, {dropout: {p: 0.2}}, {dense: {out: 9}}, relu, "         \
    "{dense: {out: 4}}]"

struct ranges {
    int count;
    int64_t next, total; /* where the next range must end; elements so far */
    bool in_order;
};

static void note_range(void *context, int64_t offset, int64_t count)
{
    struct ranges *r = context;

    r->in_order = r->in_order && offset + count == r->next;
    r->next = offset;
    r->total += count;
    r->count++;
}

static void run_network(struct rig *r, const float *doutput, float *din,
                        const struct gradient_hook *hook)
{
    model_forward(r->model, &r->pass, PASS_TRAIN);
    model_backward(r->model, &r->pass, doutput, r->gradient, hook, din);
}

static void test_finished_ranges_cover_the_gradient_from_the_end(void)
{
    const float doutput[12] = {1.0F, -1.0F, 0.5F};
    struct rig r;

    rig_init(&r, NETWORK, image(2, 8, 8), 3);
    struct ranges seen = {.next = r.model->param_count, .in_order = true};
    run_network(&r, doutput, NULL, &(struct gradient_hook){note_range, &seen});
    EXPECT(seen.in_order);
    EXPECT_INT(seen.count, 5);
    EXPECT_INT(seen.total, r.model->param_count);
    EXPECT_INT(seen.next, 0);
    rig_release(&r);
}

static void test_the_gradient_depends_neither_on_din_nor_on_the_place_of_doutput(void)
{
    const float doutput[12] = {1.0F, -1.0F, 0.5F, 2.0F, 0.25F, -3.0F, 1.5F};
    struct rig r;

    rig_init(&r, NETWORK, image(2, 8, 8), 3);
    const size_t bytes = (size_t)r.model->param_count * sizeof(float);
    float *expected = MEM_NEW_N(float, r.model->param_count), *din = MEM_NEW_N(float, 384);
    run_network(&r, doutput, NULL, NULL);
    memcpy(expected, r.gradient, bytes);
    run_network(&r, doutput, din, NULL);
    EXPECT(same_bits(expected, r.gradient, bytes));
    memcpy(workspace_output_gradient(r.work), doutput, sizeof doutput);
    run_network(&r, workspace_output_gradient(r.work), NULL, NULL);
    EXPECT(same_bits(expected, r.gradient, bytes));
    EXPECT(same_bits(workspace_output_gradient(r.work), doutput, sizeof doutput));
    mem_free(expected);
    mem_free(din);
    rig_release(&r);
}

static void test_a_small_batch_in_a_large_workspace_has_the_same_bits(void)
{
    const float doutput[12] = {1.0F, -1.0F, 0.5F, 2.0F, 0.25F, -3.0F, 1.5F};
    struct rig exact, roomy;

    rig_init(&exact, NETWORK, image(2, 8, 8), 3);
    rig_init(&roomy, NETWORK, image(2, 8, 8), 13);
    roomy.pass.batch = 3;
    run_network(&exact, doutput, NULL, NULL);
    run_network(&roomy, doutput, NULL, NULL);
    EXPECT(same_bits(exact.gradient, roomy.gradient,
                     (size_t)exact.model->param_count * sizeof(float)));
    rig_release(&exact);
    rig_release(&roomy);
}

TEST_MAIN(TEST(test_convolution_is_its_definition),
          TEST(test_a_dense_layer_after_a_flatten_counts_channels_first),
          TEST(test_batchnorm_normalises_and_keeps_running_statistics),
          TEST(test_batchnorm_without_a_place_for_updates_changes_nothing),
          TEST(test_batchnorm_of_one_value_takes_the_running_statistics),
          TEST(test_batchnorm_keeps_its_digits_when_the_mean_is_large),
          TEST(test_dropout_drops_by_sample_epoch_and_layer_alone),
          TEST(test_two_dropout_layers_drop_different_units),
          TEST(test_initial_values_are_drawn_by_canonical_index),
          TEST(test_he_and_siren_starts_have_their_spread),
          TEST(test_finished_ranges_cover_the_gradient_from_the_end),
          TEST(test_the_gradient_depends_neither_on_din_nor_on_the_place_of_doutput),
          TEST(test_a_small_batch_in_a_large_workspace_has_the_same_bits))
