/*
 * test_loss.c - the losses against their formulas in double, with libm, and against differences of
 * those.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "nn/loss.h"
#include "test.h"

enum { BATCH = 13, OUTPUTS = 70 }; /* a part of a slice; more than one chunk of outputs */

struct fixture {
    float output[BATCH * OUTPUTS], targets[BATCH * OUTPUTS], doutput[BATCH * OUTPUTS];
    float losses[BATCH];
    int32_t labels[BATCH];
};

static const struct loss_ops *get(const char *name)
{
    return (const struct loss_ops *)registry_find(&loss_registry, name);
}

/* Outputs in (0.02, 0.98), so that they are probabilities too, and are far from every kink. */
static void fill(struct fixture *f)
{
    const struct rng r = rng_make(1, RNG_TEST, 0);

    for (int64_t i = 0; i < BATCH * OUTPUTS; i++) {
        f->output[i] = (float)(0.02 + 0.96 * rng_uniform(&r, (uint64_t)i, 0));
        f->targets[i] = (float)rng_uniform(&r, (uint64_t)i, 1);
    }
    for (int64_t i = 0; i < BATCH; i++)
        f->labels[i] = (int32_t)rng_below(&r, (uint64_t)i, 2, OUTPUTS);
}

static struct loss_batch batch_of(struct fixture *f, struct team *team)
{
    return (struct loss_batch){
        .kernel = kernel_get(),
        .team = team,
        .batch = BATCH,
        .outputs = OUTPUTS,
        .output = f->output,
        .labels = f->labels,
        .targets = f->targets,
        .losses = f->losses,
        .doutput = f->doutput,
        .scale = 1,
    };
}

/* One small sample by hand; answers its loss. */
static float one(const char *name, const float *output, const float *targets, int32_t label,
                 float *doutput, int64_t outputs)
{
    struct team *team = team_new(1);
    float loss = -1;
    const struct loss_batch b = {
        .kernel = kernel_get(),
        .team = team,
        .batch = 1,
        .outputs = outputs,
        .output = output,
        .labels = &label,
        .targets = targets,
        .losses = &loss,
        .doutput = doutput,
        .scale = 1,
    };

    get(name)->compute(&b);
    team_free(team);
    return loss;
}

/* ----------------------------------------------------------------- the formulas, in double */

static double nll_formula(const double *z, const float *targets, int32_t label)
{
    double sum = 0;

    (void)targets;
    for (int i = 0; i < OUTPUTS; i++)
        sum += exp(z[i]);
    return log(sum) - z[label];
}

static double bce_formula(const double *p, const float *t, int32_t label)
{
    double sum = 0;

    (void)label;
    for (int i = 0; i < OUTPUTS; i++)
        sum -= (double)t[i] * log(p[i]) + (1 - (double)t[i]) * log(1 - p[i]);
    return sum / OUTPUTS;
}

static double mse_formula(const double *x, const float *t, int32_t label)
{
    double sum = 0;

    (void)label;
    for (int i = 0; i < OUTPUTS; i++)
        sum += (x[i] - (double)t[i]) * (x[i] - (double)t[i]);
    return sum / OUTPUTS;
}

static double l1_formula(const double *x, const float *t, int32_t label)
{
    double sum = 0;

    (void)label;
    for (int i = 0; i < OUTPUTS; i++)
        sum += fabs(x[i] - (double)t[i]);
    return sum / OUTPUTS;
}

static const struct {
    const char *name;
    double (*formula)(const double *, const float *, int32_t);
} formulas[] = {
    {"nll", nll_formula},
    {"bce", bce_formula},
    {"mse", mse_formula},
    {"l1",  l1_formula },
};

static void check_sample(const struct fixture *f, int loss, int i, double scale)
{
    const double step = 1e-6;
    double x[OUTPUTS], worst = 0, largest = 0;

    for (int k = 0; k < OUTPUTS; k++)
        x[k] = (double)f->output[i * OUTPUTS + k];
    const float *t = f->targets + (ptrdiff_t)i * OUTPUTS;
    const double value = formulas[loss].formula(x, t, f->labels[i]);

    /* float rounding of a sum of 70 terms of which the result is the size */
    EXPECT_NEAR((double)f->losses[i], value, 1e-6 * (1 + value));
    for (int k = 0; k < OUTPUTS; k++) {
        const double at = x[k];

        x[k] = at + step;
        const double above = formulas[loss].formula(x, t, f->labels[i]);
        x[k] = at - step;
        const double below = formulas[loss].formula(x, t, f->labels[i]);
        x[k] = at;
        const double expected = scale * (above - below) / (2 * step);

        worst = fmax(worst, fabs((double)f->doutput[i * OUTPUTS + k] - expected));
        largest = fmax(largest, fabs(expected));
    }
    /* float gives 1e-7 of the largest; the difference of doubles 1e-16/step = 1e-10 */
    EXPECT_NEAR(worst, 0, 2e-6 * largest);
}

static void test_losses_and_gradients_are_those_of_the_formulas(void)
{
    struct fixture *f = MEM_NEW(struct fixture);
    struct team *team = team_new(1);
    struct loss_batch b = batch_of(f, team);

    fill(f);
    b.scale = 0.25;
    for (int loss = 0; loss < 4; loss++) {
        get(formulas[loss].name)->compute(&b);
        for (int i = 0; i < BATCH; i++)
            check_sample(f, loss, i, b.scale);
    }
    team_free(team);
    mem_free(f);
}

static void test_threads_do_not_change_bits(void)
{
    struct fixture *a = MEM_NEW(struct fixture), *c = MEM_NEW(struct fixture);

    fill(a);
    fill(c);
    for (int loss = 0; loss < 4; loss++)
        for (int threads = 2; threads <= 5; threads++) {
            struct team *alone = team_new(1), *many = team_new(threads);
            struct loss_batch b = batch_of(a, alone), d = batch_of(c, many);

            get(formulas[loss].name)->compute(&b);
            get(formulas[loss].name)->compute(&d);
            EXPECT(memcmp(a->losses, c->losses, sizeof a->losses) == 0);
            EXPECT(memcmp(a->doutput, c->doutput, sizeof a->doutput) == 0);
            team_free(alone);
            team_free(many);
        }
    mem_free(a);
    mem_free(c);
}

static void test_the_value_does_not_need_a_gradient(void)
{
    struct fixture *a = MEM_NEW(struct fixture), *c = MEM_NEW(struct fixture);
    struct team *team = team_new(1);
    struct loss_batch b = batch_of(a, team), d = batch_of(c, team);

    fill(a);
    fill(c);
    d.doutput = NULL;
    for (int loss = 0; loss < 4; loss++) {
        get(formulas[loss].name)->compute(&b);
        get(formulas[loss].name)->compute(&d);
        EXPECT(memcmp(a->losses, c->losses, sizeof a->losses) == 0);
        EXPECT(c->doutput[0] == 0.0F);
    }
    team_free(team);
    mem_free(a);
    mem_free(c);
}

/* log(1 + e^-1 + e^-2) and the softmax of 1, 2, 3, by hand. */
static void test_nll_of_three_classes(void)
{
    const float z[] = {1, 2, 3};
    float dz[3];

    EXPECT_NEAR((double)one("nll", z, NULL, 2, dz, 3), 0.407605964, 1e-6);
    EXPECT_NEAR((double)dz[0], 0.090030573, 1e-6);
    EXPECT_NEAR((double)dz[1], 0.244728471, 1e-6);
    EXPECT_NEAR((double)dz[2], 0.665240956 - 1, 1e-6);
}

static void test_nll_of_large_logits_is_finite(void)
{
    const float z[] = {1e4F, 0, -1e4F};
    float dz[3];

    EXPECT_NEAR((double)one("nll", z, NULL, 0, dz, 3), 0, 0);
    EXPECT_NEAR((double)dz[0], 0, 0);
    EXPECT_NEAR((double)one("nll", z, NULL, 2, dz, 3), 2e4, 0);
    EXPECT_NEAR((double)dz[0], 1, 0);
    EXPECT_NEAR((double)dz[2], -1, 0);
}

/* As PyTorch: logarithms not below -100, the gradient's denominator not below 1e-12. */
static void test_bce_at_zero_and_one_is_that_of_pytorch(void)
{
    const float zero = 0, unit = 1, tiny = 1e-30F;
    float dp = 0;

    EXPECT_NEAR((double)one("bce", &zero, &unit, 0, &dp, 1), 100, 0);
    EXPECT_NEAR((double)dp, -1e12, 1e6);
    EXPECT_NEAR((double)one("bce", &unit, &zero, 0, &dp, 1), 100, 0);
    EXPECT_NEAR((double)dp, 1e12, 1e6);
    EXPECT_NEAR((double)one("bce", &zero, &zero, 0, &dp, 1), 0, 0);
    EXPECT_NEAR((double)dp, 0, 0);
    EXPECT_NEAR((double)one("bce", &unit, &unit, 0, &dp, 1), 0, 0);
    EXPECT_NEAR((double)dp, 0, 0);
    EXPECT_NEAR((double)one("bce", &tiny, &unit, 0, &dp, 1), 69.0775528, 1e-4);
}

static void test_nan_in_the_output_is_nan_in_the_loss(void)
{
    const float bad[] = {NAN, 0.5F}, targets[] = {1, 0};
    float doutput[2];

    for (int loss = 0; loss < 4; loss++)
        EXPECT(isnan(one(formulas[loss].name, bad, targets, 1, doutput, 2)));
}

static void test_l1_has_no_slope_at_its_minimum(void)
{
    const float x[] = {1, 2, 3}, t[] = {1, 1, 5};
    float dx[3];

    EXPECT_NEAR((double)one("l1", x, t, 0, dx, 3), 1, 0);
    EXPECT_NEAR((double)dx[0], 0, 0);
    EXPECT_NEAR((double)dx[1], 1.0 / 3, 1e-7);
    EXPECT_NEAR((double)dx[2], -1.0 / 3, 1e-7);
}

static void test_the_sum_is_in_double_and_by_slices(void)
{
    float losses[20];
    double first = 0, second = 0, third = 0;

    for (int i = 0; i < 20; i++)
        losses[i] = i == 3 ? 1e8F : 0.1F;
    for (int i = 0; i < 8; i++)
        first += (double)losses[i];
    for (int i = 8; i < 16; i++)
        second += (double)losses[i];
    for (int i = 16; i < 20; i++)
        third += (double)losses[i];
    EXPECT(loss_sum(losses, 20) == first + second + third);
    EXPECT(loss_sum(losses, 0) == 0);
    EXPECT_NEAR(loss_sum(losses, 20), 1e8 + 1.9, 1e-6);
}

static double constant_loss(const char *name, const float *targets, int64_t count)
{
    return loss_of_best_constant((const struct loss_ops *)registry_find(&loss_registry, name),
                                 targets, count);
}

static void test_the_best_constant_is_the_base_rate_the_mean_or_the_median(void)
{
    const float walls[] = {0, 1, 0, 0}, numbers[] = {4, -1, 0, 1, 16};

    EXPECT_NEAR(constant_loss("bce", walls, 4), -0.25 * log(0.25) - 0.75 * log(0.75), 1e-6);
    EXPECT_NEAR(constant_loss("mse", walls, 4), 0.1875, 1e-6);
    EXPECT_NEAR(constant_loss("l1", walls, 4), 0.25, 1e-6);
    EXPECT_NEAR(constant_loss("mse", numbers, 5), (0 + 25 + 16 + 9 + 144) / 5.0, 1e-5);
    EXPECT_NEAR(constant_loss("l1", numbers, 5), (3 + 2 + 1 + 0 + 15) / 5.0, 1e-6);
}

static void test_only_nll_wants_labels(void)
{
    for (int i = 0; loss_registry.entries[i] != NULL; i++) {
        const struct loss_ops *ops = (const struct loss_ops *)loss_registry.entries[i];

        EXPECT(ops->wants_labels == (strcmp(ops->entry.name, "nll") == 0));
        EXPECT(ops->wants_labels == (ops->best_constant == NULL));
    }
}

TEST_MAIN(TEST(test_losses_and_gradients_are_those_of_the_formulas),
          TEST(test_threads_do_not_change_bits), TEST(test_the_value_does_not_need_a_gradient),
          TEST(test_nll_of_three_classes), TEST(test_nll_of_large_logits_is_finite),
          TEST(test_bce_at_zero_and_one_is_that_of_pytorch),
          TEST(test_nan_in_the_output_is_nan_in_the_loss),
          TEST(test_l1_has_no_slope_at_its_minimum), TEST(test_the_sum_is_in_double_and_by_slices),
          TEST(test_the_best_constant_is_the_base_rate_the_mean_or_the_median),
          TEST(test_only_nll_wants_labels))
