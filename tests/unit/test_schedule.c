/*
 * test_schedule.c - schedules at the points where the answer is plain: ends, middles, and runs too
 * short for the formula. Whole curves are compared with PyTorch in golden/test_golden_optim.c.
 */
#include "conf/yaml.h"
#include "optim/schedule.h"
#include "test.h"

static const struct optim_rates base = {.lr = 0.4, .momentum = -1};

static struct optim_rates rates_at(const char *section, struct schedule_clock clock)
{
    struct optim_rates r = {.lr = NAN};
    struct node *node = NULL;
    struct choice c = {0};

    if (EXPECT_OK(yaml_parse(section, strlen(section), "test", &node)) &&
        EXPECT_OK(choice_read(&c, &schedule_registry, node, &(struct choice_place){0})))
        r = schedule_rates(&c, &clock, base);
    choice_release(&c);
    node_free(node);
    return r;
}

/* Step `step` of 11 steps, epoch `epoch` of 5 epochs. */
static double lr_at(const char *section, int64_t step, int64_t epoch)
{
    const struct schedule_clock clock = {
        .step = step, .steps_total = 11, .epoch = epoch, .epochs_total = 5};

    return rates_at(section, clock).lr;
}

static const double exact = 1e-15; /* a few roundings in double */

static void test_constant_stays(void)
{
    EXPECT_NEAR(lr_at("{name: constant}", 0, 0), 0.4, 0);
    EXPECT_NEAR(lr_at("{name: constant}", 10, 4), 0.4, 0);
}

static void test_linear_begins_at_the_base_and_ends_at_finish(void)
{
    const char *by_step = "{name: linear, finish: 0.1}";
    const char *by_epoch = "{name: linear, finish: 0.1, every: epoch}";

    EXPECT_NEAR(lr_at(by_step, 0, 0), 0.4, exact);
    EXPECT_NEAR(lr_at(by_step, 5, 0), 0.25, exact);
    EXPECT_NEAR(lr_at(by_step, 10, 0), 0.1, exact);
    EXPECT_NEAR(lr_at(by_step, 12, 0), 0.1, exact);
    EXPECT_NEAR(lr_at(by_epoch, 10, 0), 0.4, exact);
    EXPECT_NEAR(lr_at(by_epoch, 0, 1), 0.325, exact);
    EXPECT_NEAR(lr_at(by_epoch, 0, 4), 0.1, exact);
}

static void test_geometric_begins_at_the_base_and_ends_at_finish(void)
{
    const char *section = "{name: geometric, finish: 0.004}";

    EXPECT_NEAR(lr_at(section, 0, 0), 0.4, exact);
    EXPECT_NEAR(lr_at(section, 5, 0), 0.04, exact); /* the geometric mean */
    EXPECT_NEAR(lr_at(section, 10, 0), 0.004, exact);
}

static void test_exponential_and_step_count_epochs(void)
{
    EXPECT_NEAR(lr_at("{name: exponential, gamma: 0.5}", 9, 3), 0.05, exact);
    EXPECT_NEAR(lr_at("{name: step, every_epochs: 2, gamma: 0.1}", 9, 1), 0.4, exact);
    EXPECT_NEAR(lr_at("{name: step, every_epochs: 2, gamma: 0.1}", 9, 2), 0.04, exact);
    EXPECT_NEAR(lr_at("{name: step, every_epochs: 2, gamma: 0.1}", 9, 4), 0.004, exact);
}

static void test_cosine_is_half_way_in_the_middle(void)
{
    const struct schedule_clock middle = {.step = 50, .steps_total = 100};

    EXPECT_NEAR(rates_at("{name: cosine}", middle).lr, 0.2, exact);
    EXPECT_NEAR(rates_at("{name: cosine, minimum: 0.1}", middle).lr, 0.25, exact);
    EXPECT_NEAR(lr_at("{name: cosine, minimum: 0.1}", 0, 0), 0.4, exact);
}

static void test_onecycle_passes_start_peak_and_end(void)
{
    struct schedule_clock clock = {.steps_total = 100};
    const char *section = "{name: onecycle, peak: 1}";
    struct optim_rates r = rates_at(section, clock);

    EXPECT_NEAR(r.lr, 1 / 25.0, exact);
    EXPECT_NEAR(r.momentum, 0.95, exact);
    clock.step = 29;
    r = rates_at(section, clock);
    EXPECT_NEAR(r.lr, 1, exact);
    EXPECT_NEAR(r.momentum, 0.85, exact);
    clock.step = 99;
    r = rates_at(section, clock);
    EXPECT_NEAR(r.lr, 1 / 25.0 / 1e4, exact);
    EXPECT_NEAR(r.momentum, 0.95, exact);
}

static void test_onecycle_takes_the_base_as_peak_and_leaves_momentum_if_told(void)
{
    const struct schedule_clock clock = {.step = 29, .steps_total = 100};
    const struct optim_rates r = rates_at("{name: onecycle, cycle_momentum: false}", clock);

    EXPECT_NEAR(r.lr, 0.4, exact);
    EXPECT_NEAR(r.momentum, -1, 0);
}

static void test_short_and_overlong_runs_give_finite_positive_rates(void)
{
    for (const struct entry *const *e = schedule_registry.entries; *e != NULL; e++) {
        struct choice c;
        choice_init(&c, *e);
        for (int64_t total = 0; total < 12; total++) {
            for (int64_t now = 0; now < total + 3; now++) {
                const struct schedule_clock clock = {now, total, now, total};
                const struct optim_rates r = schedule_rates(&c, &clock, base);
                EXPECT(r.lr >= 0 && r.lr <= 0.4 + exact);
                EXPECT(r.momentum <= 1);
            }
        }
        choice_release(&c);
    }
}

static void test_those_that_say_so_depend_on_the_length_and_no_others(void)
{
    const struct schedule_clock in_short = {5, 11, 2, 5}, in_long = {5, 21, 2, 9};

    for (const struct entry *const *e = schedule_registry.entries; *e != NULL; e++) {
        struct choice c;
        choice_init(&c, *e);
        const double before = schedule_rates(&c, &in_short, base).lr;
        const double after = schedule_rates(&c, &in_long, base).lr;
        EXPECT((fabs(before - after) > exact) == schedule_spans_run(&c));
        choice_release(&c);
    }
}

TEST_MAIN(TEST(test_constant_stays), TEST(test_linear_begins_at_the_base_and_ends_at_finish),
          TEST(test_geometric_begins_at_the_base_and_ends_at_finish),
          TEST(test_exponential_and_step_count_epochs), TEST(test_cosine_is_half_way_in_the_middle),
          TEST(test_onecycle_passes_start_peak_and_end),
          TEST(test_onecycle_takes_the_base_as_peak_and_leaves_momentum_if_told),
          TEST(test_short_and_overlong_runs_give_finite_positive_rates),
          TEST(test_those_that_say_so_depend_on_the_length_and_no_others))
