/*
 * test_published.c - claims of an experiment file: reading, matching with rows, verdicts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "record/metrics_history.h"
#include "study/published.h"
#include "test.h"

static struct node *parse(const char *yaml)
{
    struct node *root = NULL;

    EXPECT_OK(yaml_parse(yaml, strlen(yaml), "f.yaml", &root));
    return root;
}

static void refused(const char *yaml, const char *message)
{
    struct node *root = parse(yaml);
    struct published p;

    EXPECT_FAILS(published_read(&p, root), STATUS_BAD_INPUT, message);
    node_free(root);
}

static void test_claims_that_make_no_sense_are_refused_with_their_place(void)
{
    refused("published: 3\n", "f.yaml:1:1: published: expected a list of maps");
    refused("published:\n  - 3\n", "f.yaml:2:5: published: expected a list of maps");
    refused("published:\n  - {accuray: 3}\n", "f.yaml:2:6: published.accuray: unknown");
    refused("published:\n  - {accuracy: high}\n",
            "f.yaml:2:6: published.accuracy: expected a number or [low, high]");
    refused("published:\n  - {accuracy: [1, 2, 3]}\n", "f.yaml:2:6: published.accuracy: expected");
    refused("published:\n  - {accuracy: [2, 1]}\n",
            "f.yaml:2:6: published.accuracy: the low end is above the high one");
    refused("published:\n  - {at: 3, loss: 1}\n", "f.yaml:2:6: published.at: expected a map");
    refused("published:\n  - {diverges: false}\n",
            "f.yaml:2:6: published.diverges: can only be true");
}

static void read_well(const char *yaml)
{
    struct node *root = parse(yaml);
    struct published p;

    EXPECT_OK(published_read(&p, root));
    EXPECT_INT(p.count, 1);
    published_release(&p);
    node_free(root);
}

static void test_numbers_that_no_run_can_have_are_refused(void)
{
    refused("published:\n  - {loss: 1}\n  - {accuracy: 101}\n",
            "f.yaml:3:6: published.accuracy: 101 is not a percentage from 0 to 100");
    refused("published:\n  - {accuracy: -1}\n",
            "f.yaml:2:6: published.accuracy: -1 is not a percentage");
    refused("published:\n  - {accuracy: [90, 957]}\n",
            "f.yaml:2:6: published.accuracy: 957 is not a percentage");
    refused("published:\n  - {accuracy: 0.957}\n",
            "f.yaml:2:6: published.accuracy: 0.957 looks like a fraction; accuracies are in "
            "percent, as 95.7");
    refused("published:\n  - {accuracy: inf}\n",
            "f.yaml:2:6: published.accuracy: expected a number");
    refused("published:\n  - {seconds: -2}\n", "f.yaml:2:6: published.seconds: -2 is below 0");
    read_well("published: [{accuracy: 100}]\n");
    read_well("published: [{accuracy: [0, 0.24]}]\n");
    read_well("published: [{accuracy: [0.5, 1.5]}]\n");
    read_well("published: [{loss: -1.5}]\n");
}

static void test_a_file_without_claims_has_none(void)
{
    struct node *root = parse("seed: 1\n");
    struct published p;

    EXPECT_OK(published_read(&p, root));
    EXPECT_INT(p.count, 0);
    published_release(&p);
    node_free(root);
}

/* Two rows, of 2 and of 10 workers, with these accuracies and seconds. */
struct rows {
    struct node *roots[2];
    struct study_run runs[2];
    struct study study;
    struct compared_run results[2];
    struct comparison_row rows[2];
    struct comparison table;
};

static void make_rows(struct rows *r, const double accuracies[2], const double seconds[2])
{
    static char name[] = "sync", cell[] = "cell";

    *r = (struct rows){
        .roots = {parse("algorithm: dsgd\ntransport: {workers: 2}\ngraph: {name: cycle}\n"),
                  parse("algorithm: dsgd\ntransport: {workers: 10}\ngraph: {name: star}\n")}
    };
    for (int i = 0; i < 2; i++) {
        r->runs[i] =
            (struct study_run){.entry = name, .name = cell, .root = r->roots[i], .case_number = i};
        r->rows[i] = (struct comparison_row){.run = &r->runs[i], .seeds = 1};
        for (int n = 0; n < RESULT_NUMBERS; n++)
            r->rows[i].numbers[n].mean = (double)NAN;
        r->rows[i].numbers[RESULT_ACCURACY].mean = accuracies[i];
        r->rows[i].numbers[RESULT_SECONDS].mean = seconds[i];
    }
    r->study = (struct study){.count = 2, .case_count = 2, .runs = r->runs};
    r->table =
        (struct comparison){.study = &r->study, .results = r->results, .rows = r->rows, .count = 2};
}

static void free_rows(struct rows *r)
{
    node_free(r->roots[0]);
    node_free(r->roots[1]);
}

static const double accuracies[2] = {0.8750, 0.1000}, seconds[2] = {12, 90};

/* What became of the one run of the second row. */
enum fate { FINISHED, FAILED, DIVERGED, NOT_RUN };

static void meet_fate(struct comparison_row *row, enum fate fate)
{
    if (fate == FINISHED)
        return;
    row->seeds = 0;
    row->failed = fate == NOT_RUN ? 0 : 1;
    row->diverged = fate == DIVERGED ? 1 : 0;
    row->waiting = fate == NOT_RUN ? 1 : 0;
    for (int n = 0; n < RESULT_NUMBERS; n++)
        row->numbers[n].mean = (double)NAN;
}

/* The verdicts about the rows, one letter each: n, w, r, b, F(AILED), N(OT RUN). */
static char *verdicts(const char *yaml, enum fate fate)
{
    struct node *root = parse(yaml);
    struct rows rows;
    struct published p;
    struct judgements j;
    struct text out = {0};

    make_rows(&rows, accuracies, seconds);
    meet_fate(&rows.rows[1], fate);
    EXPECT_OK(published_read(&p, root));
    published_judge(&p, &rows.table, "nowhere", &j);
    EXPECT((j.idle == 1) == (j.count == 0)); /* one claim each here: it is told, or was judged */
    for (int64_t i = 0; i < j.count; i++)
        text_add_n(&out, &"nwrbFN"[j.items[i].verdict], 1);
    published_judgements_release(&j);
    published_release(&p);
    free_rows(&rows);
    node_free(root);
    return text_take(&out);
}

static void judged(const char *yaml, enum fate fate, const char *expected)
{
    char *got = verdicts(yaml, fate);

    EXPECT_TEXT(got, expected);
    mem_free(got);
}

static void test_a_claim_is_about_the_rows_that_agree_with_it(void)
{
    judged("published: [{accuracy: 87}]\n", FINISHED, "rw");
    judged("published: [{at: {transport.workers: 2}, accuracy: 87}]\n", FINISHED, "r");
    judged("published: [{at: {transport.workers: 2.0, graph.name: cycle}, accuracy: 87}]\n",
           FINISHED, "r");
    judged("published: [{at: {transport.workers: 2, graph.name: star}, accuracy: 87}]\n", FINISHED,
           "");
    judged("published: [{at: {run: sync}, accuracy: 87}]\n", FINISHED, "rw");
    judged("published: [{at: {run: async}, accuracy: 87}]\n", FINISHED, "");
    judged("published: [{at: {graph.p: 0.3}, accuracy: 87}]\n", FINISHED, "");
}

static void test_verdicts_allow_a_point_of_accuracy_and_a_tenth_of_time(void)
{
    judged("published: [{at: {transport.workers: 2}, accuracy: 88.4}]\n", FINISHED, "r");
    judged("published: [{at: {transport.workers: 2}, accuracy: 88.6}]\n", FINISHED, "w");
    judged("published: [{at: {transport.workers: 2}, accuracy: [88.4, 99]}]\n", FINISHED, "r");
    judged("published: [{at: {transport.workers: 2}, accuracy: 86.4}]\n", FINISHED, "b");
    judged("published: [{at: {transport.workers: 2}, seconds: 11}]\n", FINISHED, "r");
    judged("published: [{at: {transport.workers: 2}, seconds: 10.8}]\n", FINISHED, "w");
    judged("published: [{at: {transport.workers: 2}, seconds: 14}]\n", FINISHED, "b");
    judged("published: [{at: {transport.workers: 2}, loss: 0.3}]\n", FINISHED, "n");
}

static void test_what_was_not_given_is_matched_by_its_default(void)
{
    /* 0.01 and 0 are the defaults of sgd's lr and momentum, 32 that of the batch. */
    judged("published: [{at: {optimizer.name: sgd, optimizer.lr: 0.01}, accuracy: 87}]\n", FINISHED,
           "rw");
    judged("published: [{at: {transport.workers: 2, train.batch_size: 32}, accuracy: 87}]\n",
           FINISHED, "r");
    judged("published: [{at: {optimizer.momentum: 0.9}, accuracy: 87}]\n", FINISHED, "");
}

static void test_a_run_that_failed_or_was_not_made_is_never_worse(void)
{
    judged("published: [{accuracy: 10}]\n", FAILED, "bF");
    judged("published: [{accuracy: 10}]\n", DIVERGED, "bF");
    judged("published: [{accuracy: 10}]\n", NOT_RUN, "bN");
    judged("published: [{seconds: 10}]\n", FAILED, "wF");
    judged("published: [{rounds_to_97: 10}]\n", FAILED, "wF");
    judged("published: [{rounds_to_97: 10}]\n", NOT_RUN, "wN");
}

static void test_a_claim_of_divergence_is_reached_by_divergence_alone(void)
{
    judged("published: [{diverges: true}]\n", DIVERGED, "br");
    judged("published: [{diverges: true}]\n", FAILED, "bF");
    judged("published: [{diverges: true}]\n", NOT_RUN, "bN");
    judged("published: [{diverges: true}]\n", FINISHED, "bb"); /* its row says nothing of it */
}

/* Of a test set of 10000 with ten equal classes: sqrt(0.1 * 0.9 / 10000) = 0.003. */
static struct compared_run at(double accuracy)
{
    struct compared_run r;

    compared_run_clear(&r);
    r.state = RESULT_FINISHED;
    r.numbers[RESULT_ACCURACY] = accuracy;
    r.chance = 0.1;
    r.test_samples = 10000;
    return r;
}

static void test_a_run_diverges_with_nan_or_at_chance(void)
{
    struct compared_run r = at(0.1);

    EXPECT(compared_run_diverges(&r, JUDGED_BY_TEST));
    r = at(0.1089);
    EXPECT(compared_run_diverges(&r, JUDGED_BY_TEST));
    r = at(0.1091); /* 3 standard deviations are 0.009 */
    EXPECT(!compared_run_diverges(&r, JUDGED_BY_TEST));
    r = at(0.07); /* below chance has learned nothing either */
    EXPECT(compared_run_diverges(&r, JUDGED_BY_TEST));
    r.chance = 0.0001; /* ten thousand classes: 7 % is a lot */
    EXPECT(!compared_run_diverges(&r, JUDGED_BY_TEST));
    r.chance = (double)NAN;
    EXPECT(!compared_run_diverges(&r, JUDGED_BY_TEST));
    r = at(0.5);
    r.numbers[RESULT_MEAN_MODEL_ACCURACY] = 0.1; /* that may be worth nothing */
    EXPECT(!compared_run_diverges(&r, JUDGED_BY_TEST));
    r = at((double)NAN);
    EXPECT(!compared_run_diverges(&r, JUDGED_BY_TEST));
    r.state = RESULT_FAILED;
    EXPECT(!compared_run_diverges(&r, JUDGED_BY_TEST));
    r.diverged = true;
    EXPECT(compared_run_diverges(&r, JUDGED_BY_TEST));
    r.state = RESULT_NOT_RUN;
    EXPECT(!compared_run_diverges(&r, JUDGED_BY_TEST));
}

static void test_where_validation_chooses_the_test_set_does_not_say_what_diverges(void)
{
    struct compared_run r = at(0.1);

    r.validation_chance = 0.1;
    r.validation_samples = 10000;
    r.numbers[RESULT_VALIDATION_ACCURACY] = 0.5;
    r.numbers[RESULT_VALIDATION_LOSS] = 1;
    EXPECT(compared_run_diverges(&r, JUDGED_BY_TEST));
    EXPECT(!compared_run_diverges(&r, JUDGED_BY_VALIDATION));
    r.numbers[RESULT_ACCURACY] = 0.5;
    r.numbers[RESULT_VALIDATION_ACCURACY] = 0.1089;
    EXPECT(!compared_run_diverges(&r, JUDGED_BY_TEST));
    EXPECT(compared_run_diverges(&r, JUDGED_BY_VALIDATION));
    r.validation_samples = 100; /* 3 standard deviations are 0.09 */
    r.numbers[RESULT_VALIDATION_ACCURACY] = 0.15;
    EXPECT(compared_run_diverges(&r, JUDGED_BY_VALIDATION));
    r.numbers[RESULT_VALIDATION_ACCURACY] = r.validation_chance = (double)NAN; /* no classes */
    EXPECT(!compared_run_diverges(&r, JUDGED_BY_VALIDATION));
    r.validation_base_loss = 1;
    EXPECT(compared_run_diverges(&r, JUDGED_BY_VALIDATION));
    r.validation_base_loss = 1.01;
    EXPECT(!compared_run_diverges(&r, JUDGED_BY_VALIDATION));
    r.numbers[RESULT_VALIDATION_LOSS] = (double)NAN;
    EXPECT(compared_run_diverges(&r, JUDGED_BY_VALIDATION));
    r.validation_samples = (double)NAN; /* it has no validation part */
    EXPECT(!compared_run_diverges(&r, JUDGED_BY_VALIDATION));
}

static double rounds_to(const char *folder, double accuracy)
{
    const struct milestones m = {.target_kind = TARGET_ACCURACY, .target = accuracy};
    struct milestones_found found;

    metrics_history_find(folder, &m, &found);
    return found.target.used[AMOUNT_ROUNDS];
}

static void test_the_first_round_at_a_level_is_that_of_the_mean_over_nodes(void)
{
    static const char rows[] =
        "{\"round\": 100, \"worker\": -1, \"test_accuracy\": 0.99, \"test_accuracy_mean\": 0.96}\n"
        "{\"round\": 100, \"worker\": 0, \"test_accuracy\": 0.98}\n"
        "{\"round\": 150, \"worker\": -1, \"train_loss\": 0.1}\n"
        "{\"round\": 200, \"worker\": -1, \"test_accuracy\": 0.99, \"test_accuracy_mean\": 0.97}\n"
        "{\"round\": 300, \"worker\": -1, \"test_accuracy\": 0.99, \"test_accuracy_mean\": 0.98}\n";
    char folder[] = "/tmp/muster_published.XXXXXX";

    EXPECT(mkdtemp(folder) != NULL);
    char *path = file_join(folder, "metrics.jsonl");

    EXPECT_OK(file_write_text(path, rows));
    EXPECT_NEAR(rounds_to(folder, 0.97), 200, 0);
    EXPECT_NEAR(rounds_to(folder, 0.5), 100, 0);
    EXPECT(isnan(rounds_to(folder, 0.985)));
    EXPECT(isnan(rounds_to("/nowhere/at/all", 0.5)));
    (void)unlink(path);
    (void)rmdir(folder);
    mem_free(path);
}

TEST_MAIN(TEST(test_claims_that_make_no_sense_are_refused_with_their_place),
          TEST(test_a_file_without_claims_has_none),
          TEST(test_a_claim_is_about_the_rows_that_agree_with_it),
          TEST(test_verdicts_allow_a_point_of_accuracy_and_a_tenth_of_time),
          TEST(test_numbers_that_no_run_can_have_are_refused),
          TEST(test_what_was_not_given_is_matched_by_its_default),
          TEST(test_a_run_that_failed_or_was_not_made_is_never_worse),
          TEST(test_a_claim_of_divergence_is_reached_by_divergence_alone),
          TEST(test_a_run_diverges_with_nan_or_at_chance),
          TEST(test_where_validation_chooses_the_test_set_does_not_say_what_diverges),
          TEST(test_the_first_round_at_a_level_is_that_of_the_mean_over_nodes))
