/*
 * test_s001_scaling.c - `scaling` of S001's layout becomes a sweep over graphs.
 */
#include "s001_case.h"

#define ONE_PROBLEM                                           \
    "problem:\n  problem_name: one\n  train_batch_size: 64\n" \
    "  optimizer_config: {alg_name: dsgt, alpha: 0.01, outer_iterations: 30}\n"
#define ONE_RUN                                                                   \
    "data: {name: mnist}\nmodel: {name: mnist_conv}\npartition: {name: sorted}\n" \
    "output: {results: numbered}\nruns:\n  one:\n"                                \
    "    train: {batch_size: 64, max_steps: 30}\n    algorithm: {name: dsgt, alpha: 0.01}\n"

static void test_scaling_is_a_sweep_over_geometric_graphs(void)
{
    expect_becomes(
        "experiment:\n  scaling: {const: fiedler, min_N: 10, max_N: 25, target_fied: 1.0, "
        "min_fied: 0.1, max_fied: 2.0, num_nodes: 20, num_trials: 5}\n" ONE_PROBLEM,
        "transport: {workers: [10, 13, 17, 21, 25]}\n"
        "graph: {name: geometric, fiedler: 1.0}\n" ONE_RUN,
        "scaling.num_nodes, scaling.min_fied, scaling.max_fied");
    expect_becomes("experiment:\n  scaling: {const: num_nodes, min_fied: 0.1, max_fied: 2.0, "
                   "num_nodes: 20, num_trials: 3}\n" ONE_PROBLEM,
                   "transport: {workers: 20}\n"
                   "graph: {name: geometric, fiedler: [0.1, 1.05, 2]}\n" ONE_RUN,
                   "");
}

/* One trial is no list; problem_configs and data_split_type stand beside scaling too. */
static void test_scaling_may_have_several_problems_and_another_partition(void)
{
    expect_becomes(
        "experiment:\n  data_split_type: random\n  scaling: {const: num_nodes, min_fied: "
        "0.1, max_fied: 2.0, num_nodes: 20, num_trials: 1}\n" PROBLEM,
        "partition: {name: split}\ntransport: {workers: 20}\n"
        "graph: {name: geometric, fiedler: 0.1}\n"
        "data: {name: mnist}\nmodel: {name: mnist_conv}\noutput: {results: named}\n"
        "runs:\n  p1:\n    train: {batch_size: 64, max_steps: 30}\n"
        "    algorithm: {name: dsgt, alpha: 0.01}\n",
        "");
}

static void test_mistakes_in_scaling_are_named(void)
{
    refused("experiment:\n  scaling: {num_trials: 3}\n" ONE_PROBLEM,
            "f.yaml:2:3: experiment.scaling.const: is missing");
    refused("experiment:\n  scaling: {const: radius}\n" ONE_PROBLEM,
            "f.yaml:2:13: experiment.scaling.const: must be fiedler or num_nodes");
    refused("experiment:\n  scaling: {const: fiedler, min_N: 3, num_trials: 3, target_fied: "
            "1}\n" ONE_PROBLEM,
            "experiment.scaling.max_N: is missing");
    refused("experiment:\n  scaling: {const: fiedler, min_N: 9, max_N: 3, num_trials: 3, "
            "target_fied: 1}\n" ONE_PROBLEM,
            "experiment.scaling.max_N: 3 is below min_N, 9");
    refused("experiment:\n  scaling: {const: fiedler, min_N: 3, max_N: 9, num_trials: 0, "
            "target_fied: 1}\n" ONE_PROBLEM,
            "experiment.scaling.num_trials: must be a whole number from 1 to 1000");
    refused("experiment:\n  scaling: {const: fiedler, min_scale: 3, max_scale: 9}\n" ONE_PROBLEM,
            "experiment.scaling.min_scale: has an earlier form");
    refused("experiment:\n  scaling: {const: fiedler, max_n_: 3}\n" ONE_PROBLEM,
            "experiment.scaling.max_n_: unknown key; did you mean max_N?");
    refused(GRAPH "  scaling: {const: num_nodes, min_fied: 0.1, max_fied: 2, num_nodes: 20, "
                  "num_trials: 3}\n" ONE_PROBLEM,
            "is given twice; also as experiment.graph.num_nodes in line 2");
}

TEST_MAIN(TEST(test_scaling_is_a_sweep_over_geometric_graphs),
          TEST(test_scaling_may_have_several_problems_and_another_partition),
          TEST(test_mistakes_in_scaling_are_named))
