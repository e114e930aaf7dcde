/*
 * test_golden_networks.c - loss and gradient of whole networks of the zoo against PyTorch in
 * float64.
 *
 * Networks without many BatchNorms agree entry by entry. In the ResNets a ReLU whose input is near
 * zero falls to the other side in float now and then, and BatchNorm over few values spreads that:
 * there the direction and length of each tensor's gradient are compared. Of networks with more than
 * 100 000 parameters a summary per tensor is stored: norm, largest entry, 4 projections on noise,
 * 64 entries.
 *
 * A network in which Winograd computes is judged with it and with direct convolution. Its forward
 * errs ten times as much, so ten times as many ReLUs change sides: lengths may differ by 5 % then
 * instead of 2 %. (Behind the forward of direct convolution its gradients stay within the 1e-6.)
 */
#include "golden/golden_zoo.h"
#include "nn/layers/conv.h"
#include "nn/loss.h"

static const double loss_tolerance = 1e-4;  /* relative */
static const double entry_tolerance = 1e-4; /* of the tensor's largest entry */
static const double cosine_min = 0.995, norm_tolerance = 0.02, winograd_norm_tolerance = 0.05;

/* Position of the parts of a summary. */
enum { NORM, LARGEST, PROJECTIONS, PROJECTION_COUNT = 4, ENTRIES = PROJECTIONS + 4 };

struct summary {
    const struct golden_record *expected;
    double norm_tolerance;
    double actual[ENTRIES + 64];
};

static double norm_of(const float *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sqrt(sum);
}

static double projection(const float *x, int64_t n, const char *stream)
{
    const uint64_t key = golden_key(stream);
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += (double)(float)golden_noise(key, i) * (double)x[i];
    return sum;
}

static void summarize(struct summary *s, const float *x, int64_t n, const char *name, int index)
{
    const int64_t entries = s->expected->count - ENTRIES;

    s->actual[NORM] = norm_of(x, n);
    for (int k = 0; k < PROJECTION_COUNT; k++) {
        char *stream = text_format("%s/projection/%d/%d", name, index, k);
        s->actual[PROJECTIONS + k] = projection(x, n, stream);
        mem_free(stream);
    }
    EXPECT_INT(entries, n < 64 ? n : 64);
    for (int64_t j = 0; j < entries; j++)
        s->actual[ENTRIES + j] = (double)x[j * n / entries];
}

/* Each number of the summary as near as the rule for entries makes it. */
static void compare_entries(const struct summary *s, const char *tensor)
{
    const double *expected = s->expected->numbers;
    const int failures = test_failures;

    EXPECT_NEAR(s->actual[NORM], expected[NORM], entry_tolerance * expected[NORM]);
    for (int k = 0; k < PROJECTION_COUNT; k++)
        EXPECT_NEAR(s->actual[PROJECTIONS + k], expected[PROJECTIONS + k],
                    entry_tolerance * expected[NORM]);
    for (int64_t j = ENTRIES; j < s->expected->count; j++)
        EXPECT_NEAR(s->actual[j], expected[j], entry_tolerance * expected[LARGEST]);
    if (test_failures > failures)
        printf("# that was the tensor %s\n", tensor);
}

static double cosine(const double *a, const double *b, int64_t n)
{
    double ab = 0, aa = 0, bb = 0;

    for (int64_t i = 0; i < n; i++) {
        ab += a[i] * b[i];
        aa += a[i] * a[i];
        bb += b[i] * b[i];
    }
    return aa == 0 && bb == 0 ? 1 : ab / sqrt(aa * bb);
}

/*
 * A cosine of c with equal length is a difference of sqrt(2 - 2c) times the norm; its projection on
 * noise of variance 1/3 stays within four standard deviations.
 */
static void compare_direction(const struct summary *s, const char *tensor)
{
    const double *expected = s->expected->numbers;
    const double spread = 4 * sqrt((2 - 2 * cosine_min) / 3) * expected[NORM];
    const int failures = test_failures;

    EXPECT_NEAR(s->actual[NORM], expected[NORM], s->norm_tolerance * expected[NORM]);
    EXPECT(cosine(s->actual + ENTRIES, expected + ENTRIES, s->expected->count - ENTRIES) >=
           cosine_min);
    for (int k = 0; k < PROJECTION_COUNT; k++)
        EXPECT_NEAR(s->actual[PROJECTIONS + k], expected[PROJECTIONS + k], spread);
    if (test_failures > failures)
        printf("# that was the tensor %s\n", tensor);
}

static bool uses_winograd(const struct model *m)
{
    for (int i = 0; i < m->layer_count; i++)
        if (m->layers[i].method == &conv_winograd || m->layers[i].method == &conv_strided)
            return true;
    return false;
}

static void compare_tensor(const struct golden *g, const char *name, const struct golden_model *m,
                           int index)
{
    const struct tensor *t = &m->model->tensors[index];
    char *full = text_format("gradient/%d", index);
    const struct golden_record *whole = golden_find(g, name, full);
    float *actual = golden_canonical(t, m->gradient);

    if (whole != NULL) {
        /* A bias before BatchNorm has no gradient but rounding: hence the floor. */
        EXPECT_INT(t->count, whole->count);
        golden_compare(t->name, actual, whole,
                       (struct golden_tolerance){.relative = entry_tolerance, .floor = 1e-3});
    } else {
        struct summary s = {
            .expected = golden_get_indexed(g, name, "summary", index),
            .norm_tolerance = uses_winograd(m->model) ? winograd_norm_tolerance : norm_tolerance,
        };
        summarize(&s, actual, t->count, name, index);
        if (strcmp(golden_get(g, name, "rule")->text, "direction") == 0)
            compare_direction(&s, t->name);
        else
            compare_entries(&s, t->name);
    }
    mem_free(actual);
    mem_free(full);
}

/* Answers the mean loss and leaves the gradient by the output in the workspace. */
static double compute_loss(const struct golden *g, const char *name, const struct golden_model *m,
                           const float *output)
{
    const struct loss_ops *loss = (const struct loss_ops *)(const void *)registry_find(
        &loss_registry, golden_get(g, name, "loss_name")->text);
    const int64_t outputs = shape_size(m->model->out);
    int32_t *labels = MEM_NEW_N(int32_t, m->batch);
    float *targets = MEM_NEW_N(float, m->batch *outputs);
    float *losses = MEM_NEW_N(float, m->batch);
    char *label = text_format("%s/label", name), *target = text_format("%s/target", name);

    golden_labels(labels, m->batch, label, outputs);
    golden_fill(targets, m->batch * outputs, target, (struct golden_range){0.5, 0.5});
    loss->compute(&(struct loss_batch){
        .kernel = kernel_get(),
        .team = m->team,
        .batch = m->batch,
        .outputs = outputs,
        .output = output,
        .labels = loss->wants_labels ? labels : NULL,
        .targets = loss->wants_labels ? NULL : targets,
        .losses = losses,
        .doutput = workspace_output_gradient(m->work),
        .scale = 1 / (double)m->batch,
    });
    const double mean = loss_sum(losses, m->batch) / (double)m->batch;
    mem_free(labels);
    mem_free(targets);
    mem_free(losses);
    mem_free(label);
    mem_free(target);
    return mean;
}

static void compute_and_compare(const struct golden *g, const char *name, struct golden_model *m)
{
    const struct model_pass pass = golden_pass(m);
    const double input_scale = golden_get(g, name, "input_scale")->numbers[0];
    const double expected = golden_get(g, name, "loss")->numbers[0];
    char *input = text_format("%s/input", name);

    golden_fill_batch(workspace_input(m->work), m->model->in, m->batch, input, input_scale);
    const float *output = model_forward(m->model, &pass, PASS_TRAIN);
    const double loss = compute_loss(g, name, m, output);
    EXPECT_NEAR(loss, expected, loss_tolerance * expected);
    model_backward(m->model, &pass, workspace_output_gradient(m->work), m->gradient, NULL, NULL);
    for (int i = 0; i < m->model->tensor_count; i++) {
        if (m->model->tensors[i].kind != TENSOR_BUFFER)
            compare_tensor(g, name, m, i);
    }
    mem_free(input);
}

/* Answers whether Winograd took part. */
static bool check_with(const struct golden *g, const char *name, enum convolution convolution)
{
    struct choice c = {0};
    struct model *model = NULL;
    bool by_winograd = false;

    if (EXPECT_OK(golden_zoo_model(g, name, &c, convolution, &model))) {
        struct golden_model m;
        by_winograd = uses_winograd(model);
        golden_model_init(&m, model, name, (int64_t)golden_get(g, name, "shape")->numbers[0]);
        compute_and_compare(g, name, &m);
        golden_model_release(&m);
    }
    choice_release(&c);
    return by_winograd;
}

static void check_network(const struct golden *g, const char *name)
{
    if (check_with(g, name, CONVOLUTION_AUTO))
        EXPECT(!check_with(g, name, CONVOLUTION_DIRECT));
}

static void test_every_network_agrees_with_pytorch(void)
{
    struct golden g = golden_load("networks");

    EXPECT(golden_for_cases(&g, "cases", check_network) >= 12);
    golden_release(&g);
}

TEST_MAIN(TEST(test_every_network_agrees_with_pytorch))
