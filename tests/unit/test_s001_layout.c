/*
 * test_s001_layout.c - S001's layout becomes the canonical schema: which key goes where, that
 * nothing is dropped in silence, and that every message has its place in the file.
 */
#include "s001_case.h"

/* With the settings of the study's standard file. */
static void test_the_blocks_of_the_text_become_one_experiment(void)
{
    expect_becomes("experiment:\n"
                   "  name: \"scaled\"\n"
                   "  data_dir: \"../data/\"\n"
                   "  output_metadir: \"./outputs/\"\n"
                   "  writeout: true\n"
                   "  data_split_type: \"hetero\"\n"
                   "  loss: \"NLL\"\n"
                   "  graph:\n"
                   "    num_nodes: 5\n"
                   "    type: \"wheel\"\n"
                   "    p: 0.6\n"
                   "    gen_attempts: 10\n"
                   "  model:\n"
                   "    num_filters: 3\n"
                   "    kernel_size: 5\n"
                   "    linear_width: 64\n"
                   "...\n"
                   "...\n"
                   "problem_configs:\n"
                   "  problem1:\n"
                   "    problem_name: \"constant\"\n"
                   "    train_batch_size: 64\n"
                   "    val_batch_size: 128\n"
                   "    evaluate_frequency: 20\n"
                   "    verbose_evals: True\n"
                   "    metrics:\n"
                   "      - \"forward_pass_count\"\n"
                   "      - \"top1_accuracy\"\n"
                   "    optimizer_config:\n"
                   "      alg_name: \"cadmm\"\n"
                   "      rho_init: 1.0\n"
                   "      rho_scaling: 1.0\n"
                   "      outer_iterations: 30\n"
                   "      primal_iterations: 5\n"
                   "      primal_optimizer: \"adam\"\n"
                   "      primal_lr: 0.005\n"
                   "...\n",
                   "name: scaled\n"
                   "data: {dir: ../data/, name: mnist}\n"
                   "output: {dir: ./outputs/, write: true, results: named}\n"
                   "partition: {name: hetero}\n"
                   "problem: {loss: nll}\n"
                   "transport: {workers: 5}\n"
                   "graph: {name: wheel}\n"
                   "model: {name: mnist_conv, num_filters: 3, kernel_size: 5, linear_width: 64}\n"
                   "runs:\n"
                   "  constant:\n"
                   "    train: {batch_size: 64, evaluate_rounds: 20, print_evaluations: True, "
                   "max_steps: 30}\n"
                   "    algorithm: {name: cadmm, rho_init: 1.0, rho_scaling: 1.0, "
                   "primal_iterations: 5, primal_optimizer: adam, primal_lr: 0.005}\n",
                   "graph.p, graph.gen_attempts, val_batch_size");
}

static void test_the_later_keys_are_read(void)
{
    expect_becomes(
        "experiment:\n"
        "  seed: 3\n  use_cuda: true\n  data_split_type: random\n"
        "  graph: {num_nodes: 10, type: random, p: 0.3, gen_attempts: 50}\n"
        "  model: {num_filters: 4, kernal_width: 3}\n"
        "  individual_training: {train_solo: true, optimizer: adam, lr: 0.005, epochs: 2, "
        "train_batch_size: 64, val_batch_size: 128, verbose: true}\n"
        "problem_configs:\n"
        "  p1:\n"
        "    problem_name: dinno\n    train_batch_size: 32\n"
        "    metrics_config: {evaluate_frequency: 5, tloss_decay: 0.3}\n"
        "    optimizer_configs: {alg_name: dinno, rho_init: 0.5, rho_scaling: 1.0003, "
        "outer_iterations: 2000, primal_iterations: 2, primal_optimizer: adam, primal_lr_start: "
        "0.005, primal_lr_finish: 0.0005, lr_decay_type: log, persistant_primal_opt: false, "
        "profile: false}\n"
        "  p2:\n"
        "    train_batch_size: 64\n"
        "    optimizer_config: {alg_name: dsgd, alpha0: 0.005, mu: 0.001, outer_iterations: 9}\n",
        "seed: 3\n"
        "partition: {name: split}\n"
        "transport: {workers: 10}\n"
        "graph: {name: erdos_renyi, p: 0.3, gen_attempts: 50}\n"
        "model: {name: mnist_conv, num_filters: 4, kernel_size: 3}\n"
        "data: {name: mnist}\n"
        "output: {results: named}\n"
        "runs:\n"
        "  solo:\n"
        "    algorithm: {name: solo}\n"
        "    optimizer: {name: adam, lr: 0.005}\n"
        "    train: {epochs: 2, batch_size: 64}\n"
        "  dinno:\n"
        "    train: {batch_size: 32, evaluate_rounds: 5, loss_decay: 0.3, max_steps: 2000}\n"
        "    algorithm: {name: dinno, rho_init: 0.5, rho_scaling: 1.0003, primal_iterations: 2, "
        "primal_optimizer: adam, primal_lr: 0.005, primal_lr_end: 0.0005, lr_decay: log, "
        "persistent_primal_opt: false}\n"
        "  p2:\n"
        "    train: {batch_size: 64, max_steps: 9}\n"
        "    algorithm: {name: dsgd, alpha: 0.005, mu: 0.001, form: cta}\n",
        "use_cuda, val_batch_size, verbose, profile");
}

static void test_lists_stay_lists_and_each_kind_keeps_its_own_options(void)
{
    expect_becomes("experiment:\n"
                   "  data_split_type: [hetero, random, sorted]\n"
                   "  graph: {num_nodes: [5, 10], type: [wheel, random], p: [0.3, 0.8]}\n"
                   "problem_configs:\n"
                   "  p1:\n"
                   "    train_batch_size: [32, 64]\n"
                   "    optimizer_config: {alg_name: [cadmm, dsgt], rho_init: [0.1, 1.0], "
                   "primal_iterations: 2, primal_lr: 0.01, alpha: 0.02, outer_iterations: 30}\n",
                   "partition: {name: [hetero, split, sorted]}\n"
                   "transport: {workers: [5, 10]}\n"
                   "graph: [{name: wheel}, {name: erdos_renyi, p: [0.3, 0.8]}]\n"
                   "data: {name: mnist}\n"
                   "model: {name: mnist_conv}\n"
                   "output: {results: named}\n"
                   "runs:\n"
                   "  p1:\n"
                   "    train: {batch_size: [32, 64], max_steps: 30}\n"
                   "    algorithm: [{name: cadmm, rho_init: [0.1, 1.0], primal_iterations: 2, "
                   "primal_lr: 0.01}, {name: dsgt, alpha: 0.02}]\n",
                   "graph.p");
}

static void test_our_sections_stand_beside_their_keys(void)
{
    expect_becomes(
        "experiment:\n"
        "  dataset: fashion_mnist\n  data_dir: d\n  model: lenet5\n"
        "  graph: {num_nodes: 4, type: cycle, weights: fastest}\n"
        "  delays: {delay: 30ms}\n"
        "train: {epochs: 3}\n"
        "transport: {name: threads}\n"
        "problem_configs:\n"
        "  p1:\n"
        "    train_batch_size: 64\n    optimizer: {lr: 0.1}\n"
        "    optimizer_config: {alg_name: choco, compressor: sign, outer_iterations: 7}\n",
        "data: {name: fashion_mnist, dir: d}\n"
        "model: lenet5\n"
        "transport: {workers: 4, name: threads}\n"
        "graph: {name: cycle, weights: fastest}\n"
        "delays: {delay: 30ms}\n"
        "train: {epochs: 3}\n"
        "output: {results: named}\n"
        "runs:\n"
        "  p1:\n"
        "    train: {batch_size: 64, max_steps: 7}\n"
        "    optimizer: {lr: 0.1}\n"
        "    algorithm: {name: choco, compressor: sign}\n",
        "");
}

static void test_positions_are_those_of_the_file(void)
{
    struct node *canonical = NULL;
    struct text told = {0};

    EXPECT_OK(translate(GRAPH PROBLEM, &canonical, &told));
    const struct node *alpha = node_find_path(canonical, "runs.p1.algorithm.alpha");
    const struct node *workers = node_find_path(canonical, "transport.workers");
    const struct node *transport = node_find(canonical, "transport");

    if (EXPECT(alpha != NULL && workers != NULL && transport != NULL)) {
        EXPECT_INT(alpha->line, 6);
        EXPECT_INT(alpha->column, 40);
        EXPECT_INT(workers->line, 2);
        EXPECT_INT(workers->column, 11);
        EXPECT_INT(transport->line, 2);
    }
    node_free(canonical);
    text_release(&told);
}

static void test_what_is_missing_is_named(void)
{
    refused("experiment: {graph: {num_nodes: 5, type: wheel}}\n", "problem_configs: is missing");
    refused("problem_configs: {}\n", "experiment: is missing");
    refused(GRAPH "problem_configs: {}\n", "f.yaml:3:1: problem_configs: contains no problem");
    refused("experiment: {name: x}\n" PROBLEM, "f.yaml:1:1: experiment.graph: is missing");
    refused("experiment:\n  graph: {type: wheel}\n" PROBLEM,
            "f.yaml:2:3: experiment.graph.num_nodes: is missing");
    refused(GRAPH "problem_configs:\n  p1: {train_batch_size: 3}\n",
            "f.yaml:4:3: problem_configs.p1.optimizer_config: is missing");
    refused(GRAPH "problem_configs:\n  p1:\n    train_batch_size: 3\n    optimizer_config: "
                  "{alg_name: cadmm, outer_iterations: 3, primal_iterations: 1, primal_lr: 1}\n",
            "f.yaml:6:5: problem_configs.p1.optimizer_config.rho_init: is missing");
}

static void test_what_nobody_knows_is_an_error_with_a_suggestion(void)
{
    refused("experiment:\n  data_splt_type: x\n  graph: {num_nodes: 5, type: wheel}\n" PROBLEM,
            "f.yaml:2:3: experiment.data_splt_type: unknown key; did you mean "
            "data_split_type?");
    refused(GRAPH PROBLEM "    evaluate_freqency: 3\n",
            "f.yaml:7:5: problem_configs.p1.evaluate_freqency: unknown key; did you mean "
            "evaluate_frequency?");
    refused(GRAPH PROBLEM "    metrics: [top_accuracy]\n", "did you mean top1_accuracy?");
    refused(GRAPH PROBLEM "    metrics: all\n", "must be a list of names");
}

static void test_what_is_said_twice_is_an_error(void)
{
    refused("experiment:\n  graph: {num_nodes: 5, type: wheel}\n"
            "  model: {kernel_size: 5, kernal_width: 3}\n" PROBLEM,
            "f.yaml:3:27: experiment.model.kernal_width: is given twice; also as "
            "experiment.model.kernel_size in line 3");
    refused(GRAPH PROBLEM "transport: {workers: 3}\n",
            "f.yaml:7:13: transport.workers: is given twice; also as experiment.graph.num_nodes in "
            "line 2");
    refused(GRAPH PROBLEM "  p2:\n    problem_name: p1\n    train_batch_size: 1\n"
                          "    optimizer_config: {alg_name: dsgt, alpha: 1, outer_iterations: 1}\n",
            "f.yaml:7:3: problem_configs.p2: another problem is also named p1");
}

/* A problem's key of S001's, and one of our sections above all problems. */
static void test_what_is_said_above_a_problem_too_is_an_error(void)
{
    refused(GRAPH PROBLEM "train: {max_steps: 3}\n",
            "f.yaml:6:53: problem_configs.p1.optimizer_config.outer_iterations: is given twice; "
            "also as train.max_steps in line 7");
    refused(GRAPH "  train: {batch_size: [4, 8]}\n" PROBLEM,
            "f.yaml:6:5: problem_configs.p1.train_batch_size: is given twice; also as "
            "experiment.train.batch_size in line 3");
    refused(GRAPH PROBLEM "    metrics_config: {evaluate_frequency: 2}\n"
                          "train: [{evaluate_rounds: 1}, {clip_norm: 1}]\n",
            "f.yaml:7:22: problem_configs.p1.metrics_config.evaluate_frequency: is given twice; "
            "also as train.evaluate_rounds in line 8");
    refused(GRAPH PROBLEM "algorithm: {alpha: 0.2}\n",
            "problem_configs.p1.optimizer_config.alpha: is given twice; also as algorithm.alpha in "
            "line 7");
    refused(GRAPH PROBLEM "algorithm: [dsgd, dsgt]\n",
            "problem_configs.p1.optimizer_config: is given twice; also as algorithm in line 7");
    refused("experiment:\n  graph: {num_nodes: 5, type: wheel}\n"
            "  individual_training: {train_solo: true, lr: 0.1}\n" PROBLEM "optimizer: {lr: 0.2}\n",
            "f.yaml:3:43: experiment.individual_training.lr: is given twice; also as optimizer.lr "
            "in line 8");
}

/* Our sections in a problem take the place of what is above; above, they do for S001's keys. */
static void test_our_sections_above_and_in_a_problem_are_one_laid_over_the_other(void)
{
    expect_becomes(GRAPH "problem_configs:\n  p1:\n    optimizer: {lr: 0.1}\n"
                         "    optimizer_config: {alg_name: dsgt, alpha: 0.01}\n"
                         "optimizer: {lr: 0.2}\ntrain: {batch_size: 8, max_steps: 3}\n",
                   "transport: {workers: 5}\ngraph: {name: wheel}\noptimizer: {lr: 0.2}\n"
                   "train: {batch_size: 8, max_steps: 3}\n"
                   "data: {name: mnist}\nmodel: {name: mnist_conv}\noutput: {results: named}\n"
                   "runs:\n  p1:\n    optimizer: {lr: 0.1}\n"
                   "    algorithm: {name: dsgt, alpha: 0.01}\n",
                   "");
}

static void test_our_sections_stand_in_three_places_only(void)
{
    refused("experiment:\n  graph: {num_nodes: 5, type: wheel}\n"
            "  model: {num_filters: 3, train: {epochs: 1}}\n" PROBLEM,
            "f.yaml:3:27: experiment.model.train: unknown key; there are num_filters, "
            "kernel_size, kernal_width, linear_width");
    refused(GRAPH PROBLEM "    metrics_config: {evaluate_frequency: 2, delays: {delay: 1ms}}\n",
            "f.yaml:7:45: problem_configs.p1.metrics_config.delays: unknown key");
    refused("experiment:\n  graph: {num_nodes: 5, type: wheel}\n"
            "  individual_training: {train_solo: true, train: {epochs: 1}}\n" PROBLEM,
            "experiment.individual_training.train: unknown key");
}

static void test_lists_of_maps_are_lists_of_sections(void)
{
    expect_becomes("experiment:\n"
                   "  graph: [{num_nodes: 5, type: cycle, p: 0.1}, {num_nodes: 5, type: [random, "
                   "star], p: [0.5, 0.9]}]\n"
                   "  model: [{num_filters: 3, kernel_size: 5}, {num_filters: 4, kernal_width: 3}, "
                   "{name: mlp, widths: [8]}, lenet5]\n"
                   "  dataset: [{name: figures, train_count: 400}, mnist]\n"
                   "problem_configs:\n"
                   "  p1:\n"
                   "    train_batch_size: 64\n"
                   "    optimizer_config: [{alg_name: dsgt, alpha: 0.1, outer_iterations: 30}, "
                   "{alg_name: dsgd, alpha0: 0.2, outer_iterations: 30}]\n",
                   "transport: {workers: 5}\n"
                   "graph: [{name: cycle}, {name: erdos_renyi, p: [0.5, 0.9]}, {name: star}]\n"
                   "model: [{name: mnist_conv, num_filters: 3, kernel_size: 5}, {name: mnist_conv, "
                   "num_filters: 4, kernel_size: 3}, {name: mlp, widths: [8]}, lenet5]\n"
                   "data: [{name: figures, train_count: 400}, mnist]\n"
                   "output: {results: named}\n"
                   "runs:\n"
                   "  p1:\n"
                   "    train: {batch_size: 64, max_steps: 30}\n"
                   "    algorithm: [{name: dsgt, alpha: 0.1}, {name: dsgd, alpha: 0.2, form: "
                   "cta}]\n",
                   "graph.p");
}

/* Nodes and rounds are of other sections than graphs and algorithms are. */
static void test_lists_of_maps_that_make_no_list_of_sections_are_refused(void)
{
    refused("experiment:\n  graph:\n  - {num_nodes: 4, type: cycle}\n"
            "  - {num_nodes: 5, type: star}\n" PROBLEM,
            "f.yaml:4:6: experiment.graph.num_nodes: must be the same in all maps of the list; to "
            "compare several values, give one map with a list at this");
    refused(GRAPH "problem_configs:\n  p1:\n    train_batch_size: 3\n    optimizer_config:\n"
                  "    - {alg_name: dsgt, alpha: 1, outer_iterations: 3}\n"
                  "    - {alg_name: dsgt, alpha: 2}\n",
            "f.yaml:8:7: problem_configs.p1.optimizer_config.outer_iterations: must be the same");
    refused("experiment:\n  graph: []\n" PROBLEM, "f.yaml:2:3: experiment.graph: empty list");
    refused("experiment:\n  graph: [{num_nodes: 4, type: []}]\n" PROBLEM,
            "experiment.graph.type: empty list");
    refused(GRAPH "  data: [mnist, fashion_mnist]\n  data_dir: d\n" PROBLEM,
            "f.yaml:4:3: experiment.data_dir: conflicts with the list experiment.data in line "
            "3");
    refused(GRAPH "  data_dir: d\n  dataset: [{name: mnist}, {name: figures}]\n" PROBLEM,
            "f.yaml:4:3: experiment.dataset: is given twice; also as experiment.data_dir in line "
            "3");
    refused(
        GRAPH PROBLEM "    metrics_config: [{tloss_decay: 0.1}]\n",
        "problem_configs.p1.metrics_config: must be a map of keys in S001's layout, not a list");
}

static void test_counts_are_above_0(void)
{
    refused("experiment:\n  graph: {num_nodes: 0, type: wheel}\n" PROBLEM,
            "f.yaml:2:11: experiment.graph.num_nodes: 0 is not above 0");
    refused("experiment:\n  graph: {num_nodes: [5, -2], type: wheel}\n" PROBLEM,
            "experiment.graph.num_nodes: -2 is not above 0");
    refused(GRAPH PROBLEM "    evaluate_frequency: 0\n",
            "f.yaml:7:5: problem_configs.p1.evaluate_frequency: 0 is not above 0");
}

/* Read as an experiment, the translated tree tells its mistakes by the keys that were written. */
static void test_later_messages_name_the_keys_of_this_layout(void)
{
    static const char content[] =
        "experiment:\n  loss: [NLL, MSEE]\n  data_split_type: heter\n"
        "  graph: {num_nodes: 5.5, type: wheel}\n" PROBLEM "    evaluate_frequency: soon\n";
    static const struct {
        const char *path, *written;
    } nodes[] = {
        {"transport.workers",             "experiment.graph.num_nodes"                          },
        {"graph",                         "experiment.graph"                                    },
        {"graph.name",                    "experiment.graph.type"                               },
        {"partition.name",                "experiment.data_split_type"                          },
        {"problem.loss",                  "experiment.loss"                                     },
        {"runs.p1.train.evaluate_rounds", "problem_configs.p1.evaluate_frequency"               },
        {"runs.p1.train.max_steps",       "problem_configs.p1.optimizer_config.outer_iterations"},
    };
    struct node *root = NULL, *canonical = NULL;
    struct text ignored = {0};

    EXPECT_OK(yaml_parse(content, strlen(content), "f.yaml", &root));
    EXPECT_OK(s001_translate(root, &canonical, &ignored));
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        const struct node *n = node_find_path(canonical, nodes[i].path);

        if (EXPECT(n != NULL && n->written != NULL))
            EXPECT_TEXT(n->written, nodes[i].written);
        EXPECT_FAILS(node_fail_key(n, nodes[i].path, NULL, "bad"), STATUS_BAD_INPUT,
                     nodes[i].written);
    }
    text_release(&ignored);
    node_free(canonical);
    node_free(root);
}

static void test_keys_of_lidar_experiments_are_not_of_others(void)
{
    refused("experiment:\n  graph: {num_nodes: 5, type: wheel}\n"
            "  model: {shape: [2, 256, 64, 64, 64, 1], scale: 0.05}\n" PROBLEM,
            "f.yaml:3:11: experiment.model.shape: unknown key");
    refused(GRAPH PROBLEM "    comm_radius: 1500\n",
            "f.yaml:7:5: problem_configs.p1.comm_radius: is of lidar experiments");
    refused(GRAPH PROBLEM "    metrics: [current_position]\n",
            "unknown metric \"current_position\"");
}

static void test_other_files_are_not_of_this_layout(void)
{
    struct node *root = NULL;

    EXPECT_OK(yaml_parse("runs: {a: {}}\n", 14, "f.yaml", &root));
    EXPECT(!s001_is_layout(root));
    node_free(root);
}

TEST_MAIN(TEST(test_the_blocks_of_the_text_become_one_experiment),
          TEST(test_the_later_keys_are_read),
          TEST(test_lists_stay_lists_and_each_kind_keeps_its_own_options),
          TEST(test_our_sections_stand_beside_their_keys),
          TEST(test_positions_are_those_of_the_file), TEST(test_what_is_missing_is_named),
          TEST(test_what_nobody_knows_is_an_error_with_a_suggestion),
          TEST(test_what_is_said_twice_is_an_error),
          TEST(test_what_is_said_above_a_problem_too_is_an_error),
          TEST(test_our_sections_above_and_in_a_problem_are_one_laid_over_the_other),
          TEST(test_our_sections_stand_in_three_places_only),
          TEST(test_lists_of_maps_are_lists_of_sections),
          TEST(test_lists_of_maps_that_make_no_list_of_sections_are_refused),
          TEST(test_counts_are_above_0), TEST(test_later_messages_name_the_keys_of_this_layout),
          TEST(test_keys_of_lidar_experiments_are_not_of_others),
          TEST(test_other_files_are_not_of_this_layout))
