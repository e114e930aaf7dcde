/*
 * test_golden_losses.c - losses and their gradients by the output against PyTorch.
 */
#include "golden/golden.h"
#include "nn/loss.h"

enum { BATCH = 11, OUTPUTS = 7, NUMBERS = BATCH * OUTPUTS };

struct loss_case {
    const char *name, *output, *target; /* streams of noise; target NULL: labels */
    struct golden_range output_range, target_range;
};

static const struct loss_case loss_cases[] = {
    {"nll", "nll/output", NULL,         {6, 0},       {0, 0}    },
    {"bce", "bce/output", "bce/target", {0.499, 0.5}, {0.5, 0.5}},
    {"mse", "mse/output", "mse/target", {3, 0},       {3, 0}    },
    {"l1",  "mse/output", "mse/target", {3, 0},       {3, 0}    },
};

static const struct loss_ops *find_loss(const char *name)
{
    const struct entry *e = registry_find(&loss_registry, name);

    CHECK(e != NULL);
    return (const struct loss_ops *)(const void *)e;
}

static void check_loss(const struct golden *g, const struct loss_case *c, struct team *team)
{
    const struct loss_ops *loss = find_loss(c->name);
    float output[NUMBERS], targets[NUMBERS], doutput[NUMBERS];
    float losses[BATCH];
    int32_t labels[BATCH];

    golden_fill(output, NUMBERS, c->output, c->output_range);
    if (c->target != NULL)
        golden_fill(targets, NUMBERS, c->target, c->target_range);
    golden_labels(labels, BATCH, "nll/label", OUTPUTS);
    EXPECT(loss->wants_labels == (c->target == NULL));
    loss->compute(&(struct loss_batch){
        .kernel = kernel_get(),
        .team = team,
        .batch = BATCH,
        .outputs = OUTPUTS,
        .output = output,
        .labels = c->target == NULL ? labels : NULL,
        .targets = c->target == NULL ? NULL : targets,
        .losses = losses,
        .doutput = doutput,
        .scale = 1.0 / BATCH,
    });
    const double expected = golden_get(g, c->name, "loss")->numbers[0];
    EXPECT_NEAR(loss_sum(losses, BATCH) / BATCH, expected, 1e-6 * expected); /* float roundings */
    golden_compare(c->name, doutput, golden_get(g, c->name, "gradient"),
                   (struct golden_tolerance){.relative = 1e-5});
}

static void test_every_loss_and_its_gradient_agree_with_pytorch(void)
{
    struct golden g = golden_load("losses");
    struct team *team = team_new(1);
    int tried = 0;

    for (const struct entry *const *e = loss_registry.entries; *e != NULL; e++)
        tried++;
    EXPECT_INT(tried, sizeof loss_cases / sizeof loss_cases[0]);
    for (size_t i = 0; i < sizeof loss_cases / sizeof loss_cases[0]; i++)
        check_loss(&g, &loss_cases[i], team);
    team_free(team);
    golden_release(&g);
}

static void test_bce_clamps_the_logarithm_at_minus_100(void)
{
    struct golden g = golden_load("losses");
    struct team *team = team_new(1);
    const float output[4] = {0, 0, 1, 1}, targets[4] = {0, 1, 0, 1};
    float losses[4];

    find_loss("bce")->compute(&(struct loss_batch){
        .kernel = kernel_get(),
        .team = team,
        .batch = 4,
        .outputs = 1,
        .output = output,
        .targets = targets,
        .losses = losses,
        .scale = 0.25,
    });
    golden_compare("bce", losses, golden_get(&g, "bce", "clamped"),
                   (struct golden_tolerance){.relative = 1e-6});
    team_free(team);
    golden_release(&g);
}

TEST_MAIN(TEST(test_every_loss_and_its_gradient_agree_with_pytorch),
          TEST(test_bce_clamps_the_logarithm_at_minus_100))
