/*
 * test_study_names.c - what the runs of a study are called, and how they are chosen by name. The
 * hashes are those of a FNV-1a of 64 bits written in Python, its first 12 digits.
 */
#include "study/comparison.h"
#include "study/names.h"
#include "study_case.h"

/* Of 100 letters and more: each value alone is longer than half of what a folder's name may be. */
static const char long_values[] =
    "seed: [1, 2]\n"
    "algorithm:\n"
    "  - {name: local-sgd, period: 4, start: common}\n"
    "  - {name: local-sgd, period: 8, start: common}\n"
    "delays: {slow_worker: [\"0:gaussian:1000ms,2000ms\", \"0:gaussian:1000ms,3000ms\"]}\n";

static void test_names_that_a_file_cannot_have_are_told_apart_by_a_hash(void)
{
    expect_names("delays: {slow_worker: ['1:2', '1;2']}\n",
                 "slow_worker=1-2-da6539093fea\nslow_worker=1-2-da61af093fe7\n");
    expect_names("delays: {slow_worker: ['1;2', '1:2']}\n",
                 "slow_worker=1-2-da61af093fe7\nslow_worker=1-2-da6539093fea\n");
    expect_names("delays: {slow_worker: ['1:2', '1:3']}\n", "slow_worker=1-2\nslow_worker=1-3\n");
}

static void test_no_cell_is_called_like_a_file_of_the_study(void)
{
    expect_names("runs: {results.json: {}, experiment.yaml: {}, results: {}}\n",
                 "results.json-8f52905955ca\nexperiment.yaml-fff0894eea3e\nresults\n");
    expect_names("seed: [1]\nruns: {results.csv: {}, effective.yaml: {}}\n",
                 "results.csv_seed=1\neffective.yaml_seed=1\n");
}

static void test_a_long_name_keeps_its_beginning_its_seed_and_a_hash_of_all(void)
{
    expect_names(
        long_values,
        "algorithm=local-sgd,period=4,start=common_slow_worker=0-gaus-b385babd97b9_seed=1\n"
        "algorithm=local-sgd,period=4,start=common_slow_worker=0-gaus-b385babd97b9_seed=2\n"
        "algorithm=local-sgd,period=4,start=common_slow_worker=0-gaus-56491f3b9ce0_seed=1\n"
        "algorithm=local-sgd,period=4,start=common_slow_worker=0-gaus-56491f3b9ce0_seed=2\n"
        "algorithm=local-sgd,period=8,start=common_slow_worker=0-gaus-42021d45fdb7_seed=1\n"
        "algorithm=local-sgd,period=8,start=common_slow_worker=0-gaus-42021d45fdb7_seed=2\n"
        "algorithm=local-sgd,period=8,start=common_slow_worker=0-gaus-11fc7ea4e96e_seed=1\n"
        "algorithm=local-sgd,period=8,start=common_slow_worker=0-gaus-11fc7ea4e96e_seed=2\n");
}

static void test_a_name_does_not_depend_on_the_other_cells(void)
{
    static const char less[] = "seed: [2]\n"
                               "algorithm:\n"
                               "  - {name: local-sgd, period: 8, start: common}\n"
                               "delays: {slow_worker: [\"0:gaussian:1000ms,3000ms\"]}\n";
    struct study *more = study_of(long_values), *s = study_of(less);

    EXPECT_INT(s->count, 1);
    EXPECT_TEXT(s->runs[0].name, more->runs[7].name);
    study_free(s);
    study_free(more);
}

static void test_no_name_is_longer_than_a_folder_may_be_called_and_none_is_there_twice(void)
{
    struct study *s = study_of(long_values);

    for (int64_t i = 0; i < s->count; i++) {
        EXPECT(strlen(s->runs[i].name) <= 80);
        for (int64_t k = 0; k < i; k++)
            EXPECT(strcmp(s->runs[i].name, s->runs[k].name) != 0);
    }
    study_free(s);
}

static const char three_runs[] =
    "seed: [1, 2, 3]\n"
    "runs: {a: {algorithm: sync}, b: {algorithm: psgd}, c: {algorithm: local-sgd}}\n"
    "baselines: [centralised]\n";

static void test_a_part_is_chosen_by_run_combination_or_cell(void)
{
    struct study *s = study_of(three_runs);

    EXPECT_OK(names_select(s, "a,b_seed=2,cen*_seed=3"));
    expect_runs(s, "a_seed=1\na_seed=2\na_seed=3\nb_seed=2\ncentralised_seed=3\n");
    EXPECT_FAILS(names_select(s, "d_seed=1"), STATUS_BAD_INPUT, "--only: unknown run d_seed=1");
    EXPECT_INT(s->count, 12);
    study_free(s);
}

static void test_folds_repeat_a_case_as_seeds_do(void)
{
    struct study *s = study_of("data: {folds: 2, fold: [1, 2]}\n"
                               "seed: [7, 8]\n"
                               "optimizer: {lr: [0.1, 0.2]}\n");

    expect_runs(s, "lr=0.1_fold=1_seed=7\nlr=0.1_fold=1_seed=8\n"
                   "lr=0.1_fold=2_seed=7\nlr=0.1_fold=2_seed=8\n"
                   "lr=0.2_fold=1_seed=7\nlr=0.2_fold=1_seed=8\n"
                   "lr=0.2_fold=2_seed=7\nlr=0.2_fold=2_seed=8\n");
    EXPECT_INT(s->case_count, 2);
    EXPECT_INT(s->runs[3].case_number, 0);
    EXPECT_TEXT(s->runs[3].fold, "2");
    EXPECT_TEXT(node_find_path(s->runs[3].root, "data.fold")->text, "2");
    EXPECT_INT(s->runs[3].values.count, 1);
    study_free(s);
    expect_names("data: {name: [mnist, figures], folds: 2, fold: [1, 2]}\n",
                 "data=mnist_fold=1\ndata=mnist_fold=2\n"
                 "data=figures_fold=1\ndata=figures_fold=2\n");
}

static void test_a_number_of_folds_stands_for_all_of_them(void)
{
    expect_names("data: {folds: 3}\n", "fold=1\nfold=2\nfold=3\n");
    expect_names("data: {folds: [2, 3]}\n", "folds=2_fold=1\nfolds=2_fold=2\n"
                                            "folds=3_fold=1\nfolds=3_fold=2\nfolds=3_fold=3\n");
    expect_names("data: {folds: 3, fold: 2}\noptimizer: {lr: [0.1, 0.2]}\n", "lr=0.1\nlr=0.2\n");
}

static void test_a_case_with_folds_is_chosen_by_its_name_or_fold(void)
{
    struct study *s = study_of("data: {folds: 2, fold: [1, 2]}\noptimizer: {lr: [0.1, 0.2]}\n");

    EXPECT_OK(names_select(s, "lr=0.1,lr=0.2_fold=2"));
    expect_runs(s, "lr=0.1_fold=1\nlr=0.1_fold=2\nlr=0.2_fold=2\n");
    study_free(s);
}

static void test_a_shortened_cell_is_chosen_by_its_full_name_too(void)
{
    struct study *s = study_of(long_values);
    char *name = mem_text(s->runs[5].name), *full = mem_text(s->runs[5].full_name);
    struct text wanted = {0};

    EXPECT(strlen(full) > 80);
    text_addf(&wanted, "%s\n", name);
    EXPECT_OK(names_select(s, name));
    expect_runs(s, text_get(&wanted));
    EXPECT_OK(names_select(s, full));
    expect_runs(s, text_get(&wanted));
    EXPECT_OK(names_select(s, "*period=8*1000ms,2000ms_seed=2"));
    expect_runs(s, text_get(&wanted));
    full[strlen(full) - strlen("_seed=2")] = '\0'; /* both seeds of it */
    EXPECT_OK(names_select(s, full));
    EXPECT(!s->runs[4].is_left_out && !s->runs[5].is_left_out && s->runs[6].is_left_out);
    text_release(&wanted);
    mem_free(name);
    mem_free(full);
    study_free(s);
}

static void test_names_with_commas_are_told_from_lists_of_names(void)
{
    struct study *s = study_of("model: {name: mlp, widths: [[8, 4], [8], [6]]}\n");

    EXPECT_OK(names_select(s, "widths=8,4,widths=6"));
    expect_runs(s, "widths=8,4\nwidths=6\n");
    EXPECT_OK(names_select(s, "widths=8"));
    expect_runs(s, "widths=8\n");
    EXPECT_FAILS(names_select(s, "widths=8,4,widths=7"), STATUS_BAD_INPUT,
                 "--only: unknown run widths=7");
    EXPECT_FAILS(names_select(s, "widths=8,"), STATUS_BAD_INPUT, "--only: unknown run ;");
    study_free(s);
}

static void test_the_list_has_the_full_name_behind_one_that_does_not_say_all(void)
{
    struct study *s = study_of("delays: {slow_worker: ['1:2', '13']}\n");
    struct text list = {0};

    names_list(s, &list);
    EXPECT_TEXT(text_get(&list), "slow_worker=1-2  slow_worker=1:2\nslow_worker=13\n");
    text_release(&list);
    study_free(s);
}

TEST_MAIN(TEST(test_names_that_a_file_cannot_have_are_told_apart_by_a_hash),
          TEST(test_no_cell_is_called_like_a_file_of_the_study),
          TEST(test_a_long_name_keeps_its_beginning_its_seed_and_a_hash_of_all),
          TEST(test_a_name_does_not_depend_on_the_other_cells),
          TEST(test_no_name_is_longer_than_a_folder_may_be_called_and_none_is_there_twice),
          TEST(test_a_part_is_chosen_by_run_combination_or_cell),
          TEST(test_folds_repeat_a_case_as_seeds_do),
          TEST(test_a_number_of_folds_stands_for_all_of_them),
          TEST(test_a_case_with_folds_is_chosen_by_its_name_or_fold),
          TEST(test_a_shortened_cell_is_chosen_by_its_full_name_too),
          TEST(test_names_with_commas_are_told_from_lists_of_names),
          TEST(test_the_list_has_the_full_name_behind_one_that_does_not_say_all))
