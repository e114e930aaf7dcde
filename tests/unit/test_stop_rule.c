/*
 * test_stop_rule.c - the quality at which a run ends.
 */
#include "test.h"
#include "train/stop_rule.h"

/* After how many evaluations the rule is met; 0: never. */
static int64_t end_of(const char *text, const double *values, int64_t count)
{
    struct stop_rule rule;
    struct stop_memory m = {0};

    EXPECT_OK(stop_rule_read(text, &rule));
    for (int64_t i = 0; i < count; i++)
        if (stop_rule_add(&rule, &m, values[i]))
            return i + 1;
    return 0;
}

static void test_a_target_is_met_by_the_first_evaluation_that_reaches_it(void)
{
    static const double values[] = {0.5, 0.9, 0.97, 0.98};

    EXPECT_INT(end_of("accuracy:0.97", values, 4), 3);
    EXPECT_INT(end_of("accuracy:97%", values, 4), 3);
    EXPECT_INT(end_of("accuracy:1", values, 4), 0);
    EXPECT_INT(end_of("loss:0.6", values, 4), 1);
    EXPECT_INT(end_of("loss:0.4", values, 4), 0);
}

static void test_a_plateau_is_patience_evaluations_that_are_not_better_by_delta(void)
{
    static const double losses[] = {1.0, 0.8, 0.79, 0.785, 0.5, 0.6, 0.6, 0.6};
    static const double accuracies[] = {0.1, 0.5, 0.5, 0.51, 0.5};

    EXPECT_INT(end_of("plateau:loss,2,0.05", losses, 8), 4);
    EXPECT_INT(end_of("plateau:loss,3,0.05", losses, 8), 8);
    EXPECT_INT(end_of("plateau:loss,3,0.02", losses, 8), 8);
    EXPECT_INT(end_of("plateau:loss,1", losses, 8), 6); /* without a delta any improvement counts */
    EXPECT_INT(end_of("plateau:loss,4", losses, 8), 0);
    EXPECT_INT(end_of("plateau:accuracy,1", accuracies, 5), 3);
    EXPECT_INT(end_of("plateau:accuracy,3,0.05", accuracies, 5), 5);
}

static void test_small_steps_add_up_to_an_improvement(void)
{
    static const double losses[] = {1.0, 0.96, 0.92, 0.88, 0.84};

    EXPECT_INT(end_of("plateau:loss,2,0.05", losses, 5), 0); /* 0.92 is better than 1.0 by 0.08 */
}

static void test_without_a_rule_no_run_ends(void)
{
    static const double values[] = {0, 1};

    EXPECT_INT(end_of(NULL, values, 2), 0);
}

static void test_rules_that_cannot_be_are_refused(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"0.97",                "0.97 has no colon; use accuracy:0.97"              },
        {"recall:0.9",          "unknown rule recall"                               },
        {"accuracy:97",         "accuracy must be a number in (0, 1], or 97%"       },
        {"accuracy:0",          "accuracy must be a number in (0, 1]"               },
        {"loss:-1",             "loss must be a number above 0"                     },
        {"loss:5%",             "loss must be a number above 0"                     },
        {"loss:inf",            "loss must be a number above 0"                     },
        {"plateau:recall,3",    "a plateau is of loss or of accuracy, not of recall"},
        {"plateau:loss",        "the plateau has no patience"                       },
        {"plateau:loss,0",      "patience must be a number of evaluations, 1 to"    },
        {"plateau:loss,1.5",    "not 1.5"                                           },
        {"plateau:loss,3,-0.1", "the least improvement must be a number from 0 on"  },
        {"plateau:loss,3,inf",  "the least improvement must be a number from 0 on"  },
        {"plateau:loss,3,0,1",  "not 0,1"                                           },
    };
    struct stop_rule rule;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        EXPECT_FAILS(stop_rule_read(cases[i].text, &rule), STATUS_BAD_INPUT, cases[i].message);
}

TEST_MAIN(TEST(test_a_target_is_met_by_the_first_evaluation_that_reaches_it),
          TEST(test_a_plateau_is_patience_evaluations_that_are_not_better_by_delta),
          TEST(test_small_steps_add_up_to_an_improvement), TEST(test_without_a_rule_no_run_ends),
          TEST(test_rules_that_cannot_be_are_refused))
