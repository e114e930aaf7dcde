/*
 * test_study.c - from an experiment file's tree to the runs of a study.
 */
#include "study_case.h"

/* A value of a run's experiment, or "" when there is none. */
static const char *value(const struct study *s, int64_t run, const char *path)
{
    const struct node *n = node_find_path(s->runs[run].root, path);

    return n == NULL || n->kind != NODE_SCALAR ? "" : n->text;
}

static void expect_refused(const char *content, const char *part)
{
    struct study *s = NULL;

    EXPECT_FAILS(make(content, &(struct study_options){0}, &s), STATUS_BAD_INPUT, part);
    EXPECT(s == NULL);
}

/* ------------------------------------------------------------------ lists */

static void test_an_experiment_without_lists_is_single(void)
{
    struct study *s = study_of("model: lenet5\ntrain: {epochs: 2}\n");

    EXPECT(s->is_single);
    EXPECT_INT(s->count, 1);
    EXPECT_TEXT(value(s, 0, "model.name"), "lenet5");
    study_free(s);
}

static void test_every_combination_is_a_cell_last_key_fastest_seeds_innermost(void)
{
    expect_names("seed: [1, 2]\n"
                 "model: {name: [lenet5, cnn1]}\n"
                 "optimizer: {momentum: [0, 0.9]}\n",
                 "model=lenet5_momentum=0_seed=1\n"
                 "model=lenet5_momentum=0_seed=2\n"
                 "model=lenet5_momentum=0.9_seed=1\n"
                 "model=lenet5_momentum=0.9_seed=2\n"
                 "model=cnn1_momentum=0_seed=1\n"
                 "model=cnn1_momentum=0_seed=2\n"
                 "model=cnn1_momentum=0.9_seed=1\n"
                 "model=cnn1_momentum=0.9_seed=2\n");
}

static void test_seeds_of_a_combination_share_its_number(void)
{
    struct study *s = study_of("seed: [1, 2]\ntrain: {epochs: [1, 2]}\n");

    EXPECT_INT(s->case_count, 2);
    EXPECT_INT(s->runs[0].case_number, s->runs[1].case_number);
    EXPECT_INT(s->runs[2].case_number, s->runs[3].case_number);
    EXPECT(s->runs[1].case_number != s->runs[2].case_number);
    EXPECT_TEXT(s->runs[1].seed, "2");
    EXPECT_TEXT(value(s, 1, "seed"), "2");
    study_free(s);
}

static void test_a_list_of_one_is_a_study_of_one(void)
{
    struct study *s = study_of("seed: [7]\n");

    EXPECT(!s->is_single);
    expect_runs(s, "seed=7\n");
    study_free(s);
}

static void test_a_bare_list_of_names_is_a_sweep_over_the_name(void)
{
    expect_names("model: [lenet5, cnn1]\n", "model=lenet5\nmodel=cnn1\n");
}

static void test_lists_that_are_values_are_no_sweeps(void)
{
    struct study *s = study_of("model: {name: mlp, widths: [256, 128]}\n");

    EXPECT(s->is_single);
    study_free(s);
    s = study_of("model: {layers: [{kind: flatten}, {kind: dense, units: 10}]}\n");
    EXPECT(s->is_single);
    study_free(s);
    expect_names("model: {name: mlp, widths: [[256, 128], [64]]}\n", "widths=256,128\nwidths=64\n");
    expect_names("model: {name: mlp, widths: [[8], []]}\n", "widths=8\nwidths=none\n");
}

static void test_a_list_of_sections_is_a_sweep_over_them_and_may_hold_lists(void)
{
    struct study *s = study_of("algorithm: [{name: sync}, {name: local-sgd, period: [4, 8]}]\n");

    expect_runs(s, "algorithm=sync\n"
                   "algorithm=local-sgd_period=4\n"
                   "algorithm=local-sgd_period=8\n");
    EXPECT_TEXT(value(s, 0, "algorithm.period"), "");
    EXPECT_TEXT(value(s, 2, "algorithm.period"), "8");
    study_free(s);
}

static void test_options_count_only_for_the_names_that_have_them(void)
{
    struct study *s = study_of("algorithm: {name: [sync, local-sgd], period: [4, 8]}\n");

    expect_runs(s, "algorithm=sync\n"
                   "algorithm=local-sgd_period=4\n"
                   "algorithm=local-sgd_period=8\n");
    study_free(s);
    s = study_of("algorithm: {period: [4, 8], name: [sync, local-sgd]}\n");
    expect_runs(s, "algorithm=sync\n"
                   "period=4_algorithm=local-sgd\n"
                   "period=8_algorithm=local-sgd\n");
    study_free(s);
}

static void test_lists_in_a_section_of_an_option_are_sweeps(void)
{
    struct study *s =
        study_of("algorithm:\n"
                 "  name: [sync, local-sgd]\n"
                 "  outer: [none, {name: sgd, lr: 0.7}, {name: adam, lr: [0.1, 0.2]}]\n");

    expect_runs(s, "algorithm=sync\n"
                   "algorithm=local-sgd_outer=none\n"
                   "algorithm=local-sgd_outer=sgd,lr=0.7\n"
                   "algorithm=local-sgd_outer=adam_lr=0.1\n"
                   "algorithm=local-sgd_outer=adam_lr=0.2\n");
    EXPECT_TEXT(value(s, 4, "algorithm.outer.lr"), "0.2");
    study_free(s);
    expect_names("algorithm: {name: local-sgd, outer: {name: [sgd, adam], momentum: [0, 0.9]}}\n",
                 "outer=sgd_momentum=0\nouter=sgd_momentum=0.9\nouter=adam\n");
    expect_names("optimizer: {lr: [1, 2]}\n"
                 "algorithm: {name: local-sgd, outer: {name: sgd, lr: [3, 4]}}\n",
                 "optimizer.lr=1_algorithm.outer.lr=3\noptimizer.lr=1_algorithm.outer.lr=4\n"
                 "optimizer.lr=2_algorithm.outer.lr=3\noptimizer.lr=2_algorithm.outer.lr=4\n");
}

static void test_runs_are_laid_over_sections_of_options(void)
{
    struct study *s =
        study_of("algorithm: {name: local-sgd, outer: {name: sgd, lr: 0.7, momentum: 0.9}}\n"
                 "runs:\n"
                 "  less: {algorithm: {outer: {lr: 0.1}}}\n"
                 "  adam: {algorithm: {outer: adam}}\n"
                 "  none: {algorithm: {outer: none}}\n");

    EXPECT_TEXT(value(s, 0, "algorithm.outer.lr"), "0.1");
    EXPECT_TEXT(value(s, 0, "algorithm.outer.momentum"), "0.9");
    EXPECT_TEXT(value(s, 1, "algorithm.outer.name"), "adam");
    EXPECT_TEXT(value(s, 1, "algorithm.outer.momentum"), ""); /* adam has none */
    EXPECT_TEXT(value(s, 2, "algorithm.outer.name"), "none");
    EXPECT_TEXT(value(s, 2, "algorithm.outer.lr"), "");
    EXPECT_OK(study_check(s, &(struct study_check){.may_lack_data = true}));
    study_free(s);
}

static void test_a_graph_is_for_the_runs_that_look_at_one(void)
{
    struct study *s = study_of("algorithm: [sync, dsgd]\ngraph: [cycle, complete]\n");

    expect_runs(s, "algorithm=sync\n"
                   "algorithm=dsgd_graph=cycle\n"
                   "algorithm=dsgd_graph=complete\n");
    EXPECT(node_find(s->runs[0].root, "graph") == NULL);
    EXPECT_TEXT(value(s, 2, "graph.name"), "complete");
    study_free(s);
}

static void test_a_graph_that_only_other_runs_look_at_is_no_part_of_what_is_run(void)
{
    struct study *again = NULL;
    struct study *s = study_of("graph: [cycle, complete]\n"
                               "transport: {workers: 3}\n"
                               "runs: {a: {algorithm: sync}, b: {algorithm: [dsgd, psgd]}}\n");

    expect_runs(s, "a\nb_graph=cycle_algorithm=dsgd\nb_algorithm=psgd\n"
                   "b_graph=complete_algorithm=dsgd\n");
    EXPECT_OK(study_check(s, &(struct study_check){.may_lack_data = true}));
    EXPECT_OK(study_new(s->root, &(struct study_options){0}, &again));
    expect_runs(again, "a\nb_graph=cycle_algorithm=dsgd\nb_algorithm=psgd\n"
                       "b_graph=complete_algorithm=dsgd\n");
    EXPECT_OK(study_check(again, &(struct study_check){.may_lack_data = true}));
    study_free(s);
    study_free(again);
    s = study_of("transport: {workers: 3}\n"
                 "runs: {a: {algorithm: sync, graph: cycle}, b: {algorithm: dsgd}}\n");
    EXPECT_FAILS(study_check(s, &(struct study_check){.may_lack_data = true}), STATUS_BAD_INPUT,
                 "graph: algorithm sync does not use a graph");
    study_free(s);
}

static void test_a_graph_that_no_run_looks_at_stays_to_be_refused(void)
{
    struct study *s = study_of("algorithm: [sync, psgd]\ngraph: cycle\ntransport: {workers: 2}\n");

    EXPECT_FAILS(study_check(s, &(struct study_check){.may_lack_data = true}), STATUS_BAD_INPUT,
                 "f.yaml:2:1: graph: algorithm sync does not use a graph");
    study_free(s);
}

static void test_keys_that_are_the_same_are_told_apart_by_their_sections(void)
{
    expect_names("delays: {delay: [10ms, 30ms]}\ntransport: {name: [threads, mpi]}\n",
                 "delay=10ms_transport=threads\ndelay=10ms_transport=mpi\n"
                 "delay=30ms_transport=threads\ndelay=30ms_transport=mpi\n");
    expect_names(
        "train: {x: [1, 2]}\ndata: {x: [3, 4]}\n",
        "train.x=1_data.x=3\ntrain.x=1_data.x=4\ntrain.x=2_data.x=3\ntrain.x=2_data.x=4\n");
}

/* ------------------------------------------------------------------ runs, baselines, quick */

static void test_runs_are_laid_over_the_rest_one_after_the_other(void)
{
    struct study *s = study_of("name: x\n"
                               "optimizer: {name: sgd, lr: 0.1, momentum: 0.9}\n"
                               "train: {epochs: [1, 2]}\n"
                               "runs:\n"
                               "  plain:\n"
                               "  adam: {optimizer: adam, train: {batch_size: 8}}\n"
                               "  short: {train: {epochs: 5}}\n");

    expect_runs(s, "plain_epochs=1\nplain_epochs=2\nadam_epochs=1\nadam_epochs=2\nshort\n");
    EXPECT_TEXT(s->name, "x");
    EXPECT_TEXT(value(s, 0, "optimizer.momentum"), "0.9");
    EXPECT_TEXT(value(s, 2, "optimizer.name"), "adam");
    EXPECT_TEXT(value(s, 2, "optimizer.lr"), "0.1");    /* adam has one too */
    EXPECT_TEXT(value(s, 2, "optimizer.momentum"), ""); /* this was sgd's */
    EXPECT_TEXT(value(s, 3, "train.batch_size"), "8");
    EXPECT_TEXT(value(s, 4, "train.epochs"), "5");
    study_free(s);
}

static void test_a_run_is_laid_over_each_section_of_a_list(void)
{
    struct study *s = study_of("algorithm: [{name: psgd}, {name: local-sgd}]\n"
                               "runs:\n"
                               "  a: {algorithm: {start: common}}\n"
                               "  b: {algorithm: {name: sync}}\n");

    expect_runs(s, "a_algorithm=psgd,start=common\na_algorithm=local-sgd,start=common\nb\n");
    EXPECT_TEXT(value(s, 2, "algorithm.name"), "sync");
    study_free(s);
}

static void test_the_centralised_baseline_is_one_worker_with_all_data(void)
{
    struct study *s = study_of("algorithm: {name: dsgd}\n"
                               "graph: [cycle, complete]\n"
                               "partition: labels\n"
                               "delays: {delay: 1ms}\n"
                               "transport: {workers: [2, 4]}\n"
                               "baselines: [centralised, solo]\n");

    expect_runs(s, "dsgd_graph=cycle_workers=2\ndsgd_graph=cycle_workers=4\n"
                   "dsgd_graph=complete_workers=2\ndsgd_graph=complete_workers=4\n"
                   "centralised\n"
                   "solo_workers=2\nsolo_workers=4\n");
    EXPECT_TEXT(value(s, 4, "algorithm.name"), "single");
    EXPECT_TEXT(value(s, 4, "transport.workers"), "1");
    EXPECT(node_find(s->runs[4].root, "graph") == NULL);
    EXPECT(node_find(s->runs[4].root, "partition") == NULL);
    EXPECT(node_find(s->runs[4].root, "delays") == NULL);
    EXPECT_TEXT(value(s, 5, "algorithm.name"), "solo");
    EXPECT_TEXT(value(s, 5, "partition.name"), "labels");
    EXPECT(node_find(s->runs[5].root, "graph") == NULL);
    study_free(s);
}

static void test_beside_baselines_an_experiment_without_one_algorithm_is_called_main(void)
{
    struct study *s = study_of("algorithm: [sync, {name: local-sgd}]\n"
                               "baselines: [centralised]\n");

    expect_runs(s, "main_algorithm=sync\nmain_algorithm=local-sgd\ncentralised\n");
    study_free(s);
    s = study_of("transport: {workers: 2}\nbaselines: [centralised]\n");
    expect_runs(s, "main\ncentralised\n");
    study_free(s);
}

static const char with_quick[] =
    "seed: [1, 2, 3]\n"
    "train: {epochs: 6}\n"
    "runs:\n"
    "  a: {algorithm: sync}\n"
    "  b: {algorithm: psgd, train: {epochs: 9}}\n"
    "  c: {algorithm: local-sgd}\n"
    "baselines: [centralised]\n"
    "quick: {seed: 1, train: {epochs: 1}, runs: [c, b], baselines: []}\n";

static void test_quick_is_laid_over_every_run_and_keeps_some(void)
{
    struct study *s = NULL;

    if (!EXPECT_OK(make(with_quick, &(struct study_options){.quick = true}, &s)))
        return;
    expect_runs(s, "b\nc\n");
    EXPECT_TEXT(value(s, 0, "train.epochs"), "1");
    EXPECT_TEXT(value(s, 1, "seed"), "1");
    study_free(s);
    s = study_of(with_quick);
    EXPECT_INT(s->count, 12);
    EXPECT_TEXT(value(s, 3, "train.epochs"), "9");
    study_free(s);
}

static void test_flags_are_laid_over_all_but_what_makes_a_baseline(void)
{
    struct node *over = node_new(NODE_MAP, "flags", 0, 0);
    struct study *s = NULL;

    node_put_path(over, "train.epochs", node_new_scalar("3", "--epochs", 0, 0));
    node_put_path(over, "transport.workers", node_new_scalar("4", "--workers", 0, 0));
    node_put_path(over, "algorithm.period", node_new_scalar("8", "--local-sgd.period", 0, 0));
    const enum status made =
        make(with_quick, &(struct study_options){.over = over, .name = "file"}, &s);
    node_free(over);
    if (!EXPECT_OK(made))
        return;
    EXPECT_TEXT(s->name, "file");
    EXPECT_TEXT(value(s, 3, "train.epochs"), "3");
    EXPECT_TEXT(value(s, 0, "transport.workers"), "4");
    EXPECT_TEXT(value(s, 0, "algorithm.period"), ""); /* sync has none */
    EXPECT_TEXT(value(s, 6, "algorithm.period"), "8");
    EXPECT_TEXT(value(s, 9, "transport.workers"), "1");
    study_free(s);
}

/* Of a list of whole sections each takes the flags that are of use in it. */
static void test_a_flag_of_one_algorithm_is_laid_over_those_of_a_list_that_have_it(void)
{
    struct node *over = node_new(NODE_MAP, "flags", 0, 0);
    struct study *s = NULL;

    node_put_path(over, "algorithm.form", node_new_scalar("cta", "--dsgd.form", 0, 0));
    node_put_path(over, "algorithm.in_place", node_new_scalar("true", "--in-place", 0, 0));
    const enum status made = make("algorithm: [{name: dsgd, alpha: 0.1}, dsgt]\n",
                                  &(struct study_options){.over = over}, &s);
    node_free(over);
    if (!EXPECT_OK(made))
        return;
    EXPECT_INT(s->count, 2);
    EXPECT_TEXT(value(s, 0, "algorithm.form"), "cta");
    EXPECT_TEXT(value(s, 0, "algorithm.alpha"), "0.1");
    EXPECT_TEXT(value(s, 0, "algorithm.in_place"), "true");
    EXPECT_TEXT(value(s, 1, "algorithm.name"), "dsgt");
    EXPECT_TEXT(value(s, 1, "algorithm.form"), "");
    EXPECT_TEXT(value(s, 1, "algorithm.in_place"), "true");
    study_free(s);
}

static void test_what_is_run_in_full_makes_the_same_cells(void)
{
    struct study *s = NULL, *again = NULL;

    if (!EXPECT_OK(make(with_quick, &(struct study_options){.quick = true}, &s)))
        return;
    EXPECT_OK(study_new(s->root, &(struct study_options){0}, &again));
    expect_runs(again, "b\nc\n");
    for (int64_t i = 0; i < s->count; i++) {
        struct text one = {0}, other = {0};

        node_remove(s->runs[i].root, "name"); /* which stands elsewhere, and is compared above */
        node_remove(again->runs[i].root, "name");

        node_write(s->runs[i].root, &one);
        node_write(again->runs[i].root, &other);
        EXPECT_TEXT(text_get(&other), text_get(&one));
        text_release(&one);
        text_release(&other);
    }
    study_free(s);
    study_free(again);
}

/* ------------------------------------------------------------------ mistakes */

static void test_an_empty_section_of_a_list_is_called_default(void)
{
    struct study *s = study_of("delays: [{delay: 1ms}, {}]\n");

    expect_runs(s, "delays=delay=1ms\ndelays=default\n");
    study_free(s);
}

/* As an empty section at the top does; what the outer one had is gone. */
static void test_an_empty_section_inside_another_is_its_default(void)
{
    struct study *s =
        study_of("algorithm: {name: local-sgd, period: 4, outer: {name: sgd, lr: 0.7}}\n"
                 "runs:\n  a: {}\n  b: {algorithm: {outer: {}}}\n");

    if (EXPECT(s != NULL)) {
        EXPECT(node_find_path(s->runs[0].root, "algorithm.outer.lr") != NULL);
        EXPECT(node_find_path(s->runs[1].root, "algorithm.outer.lr") == NULL);
        EXPECT(node_find_path(s->runs[1].root, "algorithm.outer.name") == NULL);
        EXPECT(node_find_path(s->runs[1].root, "algorithm.period") != NULL);
    }
    study_free(s);
}

static void test_mistakes_are_refused_with_their_places(void)
{
    expect_refused("seed: []\n", "f.yaml:1:1: seed: empty list");
    expect_refused("train: {epochs: [1, 2, 1]}\n",
                   "f.yaml:1:24: train.epochs: the list has 1 twice");
    expect_refused("optimizer: {lr: [0.1, 0.10]}\n",
                   "f.yaml:1:23: optimizer.lr: 0.10 is the same value as 0.1 before it");
    expect_refused("algorithm: {name: [ps-sync, ps_sync]}\n",
                   "ps_sync is the same value as ps-sync");
    expect_refused("optimizer: {lr: [0.1, [0.2]]}\n",
                   "f.yaml:1:23: optimizer.lr: a list inside a list");
    expect_refused("model: {name: mlp, widths: [[16], 8]}\n",
                   "f.yaml:1:35: model.widths: every item of this list must be a list");
    expect_refused("name: [a, b]\n", "f.yaml:1:1: name: expected one text, not a list");
    expect_refused("runs: {a: {baselines: [solo]}}\n",
                   "f.yaml:1:12: runs.a.baselines: applies to all runs");
    expect_refused("runs: {a: {}}\nquick: {runs: [b]}\n", "f.yaml:2:16: quick.runs: unknown run b");
    expect_refused("baselines: [dsgd]\n", "choose solo or centralised");
    expect_refused("runs: [a, b]\n", "f.yaml:1:1: runs: expected a map of names");
    expect_refused("runs: {a: 3}\n", "f.yaml:1:8: runs.a: expected a map");
    expect_refused("runs: {a: {name: b}}\n",
                   "runs.a.name: remove it; the run is already named by its key, a");
    expect_refused(
        "baselines: [centralized2]\n",
        "f.yaml:1:13: baselines: unknown baseline \"centralized2\"; choose solo or centralised");
    expect_refused("baselines: {solo: 1}\n", "f.yaml:1:1: baselines: expected a list of names");
    expect_refused("output: {wirte: false}\n", "f.yaml:1:10: output.wirte");
    expect_refused("quick: 3\n", "f.yaml:1:1: quick: expected a map");
    expect_refused("train: {epochs: [1,2,3,4,5,6,7,8,9,10], max_steps: [1,2,3,4,5,6,7,8,9,10], "
                   "log_every: [1,2,3,4,5,6,7,8,9,10], save_every: [1,2,3,4,5,6,7,8,9,10]}\n"
                   "seed: [1, 2]\n",
                   "more than 10000 runs");
}

static void test_all_cells_are_checked_with_the_places_of_their_values(void)
{
    static const struct {
        const char *content, *part;
    } cases[] = {
        {"optimizer: {momentum: [0, 2]}\n",                                       "f.yaml:1:27: optimizer.momentum"                        },
        {"algorithm: [sync, sink]\n",                                             "f.yaml:1:19: algorithm.name: there is no algorithm sink"},
        {"runs: {a: {}, b: {trian: {epochs: 1}}}\n",                              "f.yaml:1:19: trian"                                     },
        {"runs:\n  a: {}\n  b: {algorithm: single, transport: {workers: 4}}\n",
         "f.yaml:3:7: algorithm.name: single is for one worker, but there are 4"                                                           },
        {"algorithm: dsgd\ntransport: {workers: 5}\nseed: [1, 2]\n"
         "graph: [cycle, {name: erdos_renyi, p: 0, gen_attempts: 2}]\n", "graph=erdos_renyi"                                      },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct study *s = study_of(cases[i].content);

        EXPECT_FAILS(study_check(s, &(struct study_check){.may_lack_data = true}), STATUS_BAD_INPUT,
                     cases[i].part);
        study_free(s);
    }
}

TEST_MAIN(TEST(test_an_experiment_without_lists_is_single),
          TEST(test_every_combination_is_a_cell_last_key_fastest_seeds_innermost),
          TEST(test_seeds_of_a_combination_share_its_number),
          TEST(test_a_list_of_one_is_a_study_of_one),
          TEST(test_a_bare_list_of_names_is_a_sweep_over_the_name),
          TEST(test_lists_that_are_values_are_no_sweeps),
          TEST(test_a_list_of_sections_is_a_sweep_over_them_and_may_hold_lists),
          TEST(test_options_count_only_for_the_names_that_have_them),
          TEST(test_lists_in_a_section_of_an_option_are_sweeps),
          TEST(test_runs_are_laid_over_sections_of_options),
          TEST(test_a_graph_is_for_the_runs_that_look_at_one),
          TEST(test_a_graph_that_only_other_runs_look_at_is_no_part_of_what_is_run),
          TEST(test_a_graph_that_no_run_looks_at_stays_to_be_refused),
          TEST(test_keys_that_are_the_same_are_told_apart_by_their_sections),
          TEST(test_runs_are_laid_over_the_rest_one_after_the_other),
          TEST(test_a_run_is_laid_over_each_section_of_a_list),
          TEST(test_the_centralised_baseline_is_one_worker_with_all_data),
          TEST(test_beside_baselines_an_experiment_without_one_algorithm_is_called_main),
          TEST(test_quick_is_laid_over_every_run_and_keeps_some),
          TEST(test_flags_are_laid_over_all_but_what_makes_a_baseline),
          TEST(test_a_flag_of_one_algorithm_is_laid_over_those_of_a_list_that_have_it),
          TEST(test_what_is_run_in_full_makes_the_same_cells),
          TEST(test_mistakes_are_refused_with_their_places),
          TEST(test_an_empty_section_of_a_list_is_called_default),
          TEST(test_an_empty_section_inside_another_is_its_default),
          TEST(test_all_cells_are_checked_with_the_places_of_their_values))
