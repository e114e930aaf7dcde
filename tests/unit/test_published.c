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
#include "study/history.h"
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
    refused("published: 3\n", "f.yaml:1:1: published: wants a list of maps");
    refused("published:\n  - 3\n", "f.yaml:2:5: published: wants a list of maps");
    refused("published:\n  - {accuray: 3}\n", "f.yaml:2:6: published.accuray: unknown");
    refused("published:\n  - {accuracy: high}\n",
            "f.yaml:2:6: published.accuracy: wants a number, or [low, high]");
    refused("published:\n  - {accuracy: [1, 2, 3]}\n", "f.yaml:2:6: published.accuracy: wants");
    refused("published:\n  - {accuracy: [2, 1]}\n",
            "f.yaml:2:6: published.accuracy: the low end is above the high one");
    refused("published:\n  - {at: 3, loss: 1}\n", "f.yaml:2:6: published.at: wants a map");
    refused("published:\n  - {diverges: false}\n",
            "f.yaml:2:6: published.diverges: can only be true");
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
    struct study_cell cells[2];
    struct study study;
    struct study_result results[2];
    struct study_row rows[2];
    struct study_table table;
};

static void make_rows(struct rows *r, const double accuracies[2], const double seconds[2])
{
    static char name[] = "sync", cell[] = "cell";

    *r = (struct rows){
        .roots = {parse("transport: {workers: 2}\ngraph: {name: cycle}\n"),
                  parse("transport: {workers: 10}\ngraph: {name: star}\n")}
    };
    for (int i = 0; i < 2; i++) {
        r->cells[i] =
            (struct study_cell){.run = name, .name = cell, .root = r->roots[i], .combination = i};
        r->rows[i] = (struct study_row){.cell = &r->cells[i], .seeds = 1};
        for (int n = 0; n < STUDY_NUMBERS; n++)
            r->rows[i].numbers[n].mean = (double)NAN;
        r->rows[i].numbers[STUDY_TEST_ACCURACY].mean = accuracies[i];
        r->rows[i].numbers[STUDY_SECONDS].mean = seconds[i];
    }
    r->study = (struct study){.count = 2, .combinations = 2, .cells = r->cells};
    r->table = (struct study_table){
        .study = &r->study, .results = r->results, .rows = r->rows, .count = 2};
}

static void free_rows(struct rows *r)
{
    node_free(r->roots[0]);
    node_free(r->roots[1]);
}

static const double accuracies[2] = {0.8750, 0.1000}, seconds[2] = {12, 90};

/* The verdicts about the rows, one letter each: n, w, r, b. */
static char *verdicts(const char *yaml, int64_t failed)
{
    struct node *root = parse(yaml);
    struct rows rows;
    struct published p;
    struct judgements j;
    struct text out = {0};

    make_rows(&rows, accuracies, seconds);
    if (failed > 0) {
        rows.rows[1].failed = failed;
        rows.rows[1].seeds = 0;
        rows.rows[1].numbers[STUDY_TEST_ACCURACY].mean = (double)NAN;
    }
    EXPECT_OK(published_read(&p, root));
    published_judge(&p, &rows.table, "nowhere", &j);
    EXPECT((j.idle == 1) == (j.count == 0)); /* one claim each here: it is told, or was judged */
    for (int64_t i = 0; i < j.count; i++)
        text_add_n(&out, &"nwrb"[j.items[i].verdict], 1);
    judgements_release(&j);
    published_release(&p);
    free_rows(&rows);
    node_free(root);
    return text_take(&out);
}

static void judged(const char *yaml, int64_t failed, const char *expected)
{
    char *got = verdicts(yaml, failed);

    EXPECT_TEXT(got, expected);
    mem_free(got);
}

static void test_a_claim_is_about_the_rows_that_agree_with_it(void)
{
    judged("published: [{accuracy: 87}]\n", 0, "rw");
    judged("published: [{at: {transport.workers: 2}, accuracy: 87}]\n", 0, "r");
    judged("published: [{at: {transport.workers: 2.0, graph.name: cycle}, accuracy: 87}]\n", 0,
           "r");
    judged("published: [{at: {transport.workers: 2, graph.name: star}, accuracy: 87}]\n", 0, "");
    judged("published: [{at: {run: sync}, accuracy: 87}]\n", 0, "rw");
    judged("published: [{at: {run: async}, accuracy: 87}]\n", 0, "");
    judged("published: [{at: {graph.p: 0.3}, accuracy: 87}]\n", 0, "");
}

static void test_verdicts_allow_a_point_of_accuracy_and_a_tenth_of_time(void)
{
    judged("published: [{at: {transport.workers: 2}, accuracy: 88.4}]\n", 0, "r");
    judged("published: [{at: {transport.workers: 2}, accuracy: 88.6}]\n", 0, "w");
    judged("published: [{at: {transport.workers: 2}, accuracy: [88.4, 99]}]\n", 0, "r");
    judged("published: [{at: {transport.workers: 2}, accuracy: 86.4}]\n", 0, "b");
    judged("published: [{at: {transport.workers: 2}, seconds: 11}]\n", 0, "r");
    judged("published: [{at: {transport.workers: 2}, seconds: 10.8}]\n", 0, "w");
    judged("published: [{at: {transport.workers: 2}, seconds: 14}]\n", 0, "b");
    judged("published: [{at: {transport.workers: 2}, loss: 0.3}]\n", 0, "n");
}

static void test_divergence_is_reached_by_nan_or_chance(void)
{
    judged("published: [{diverges: true}]\n", 0, "br");
    judged("published: [{diverges: true}]\n", 1, "br");
    judged("published: [{accuracy: 10}]\n", 1, "bw");
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
    EXPECT_NEAR(history_rounds_to(folder, 0.97), 200, 0);
    EXPECT_NEAR(history_rounds_to(folder, 0.5), 100, 0);
    EXPECT(isnan(history_rounds_to(folder, 0.985)));
    EXPECT(isnan(history_rounds_to("/nowhere/at/all", 0.5)));
    (void)unlink(path);
    (void)rmdir(folder);
    mem_free(path);
}

TEST_MAIN(TEST(test_claims_that_make_no_sense_are_refused_with_their_place),
          TEST(test_a_file_without_claims_has_none),
          TEST(test_a_claim_is_about_the_rows_that_agree_with_it),
          TEST(test_verdicts_allow_a_point_of_accuracy_and_a_tenth_of_time),
          TEST(test_divergence_is_reached_by_nan_or_chance),
          TEST(test_the_first_round_at_a_level_is_that_of_the_mean_over_nodes))
