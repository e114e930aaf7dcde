/*
 * test_record_files.c - partition.json, graph.jsonl, workers.json and confusion.json: what is
 * written reads back, and what is damaged is refused with a message.
 */
#include "record/confusion.h"
#include "record/graph_rows.h"
#include "record/partition_counts.h"
#include "record/workers.h"
#include "record_case.h"

static const char *const animals[] = {"cat", "dog \"x\"", "caf\xc3\xa9"};

/* --- partition.json --- */

static void write_partition(const char *folder)
{
    int64_t samples[] = {5, 7}, counts[] = {5, 0, 0, 1, 2, 4};

    EXPECT_OK(partition_counts_write(folder, &(struct partition_counts){.workers = 2,
                                                                        .classes = 3,
                                                                        .class_names = animals,
                                                                        .samples = samples,
                                                                        .counts = counts}));
}

static void test_a_partition_reads_back(void)
{
    char *folder = case_folder();
    struct partition_counts p;

    EXPECT_FAILS(partition_counts_read(folder, &p), STATUS_IO, "partition.json: cannot open");
    write_partition(folder);
    EXPECT_OK(partition_counts_read(folder, &p));
    EXPECT_INT(p.workers, 2);
    EXPECT_INT(p.classes, 3);
    EXPECT_TEXT(p.class_names[2], animals[2]);
    EXPECT_INT(p.samples[1], 7);
    EXPECT_INT(p.counts[1 * 3 + 2], 4);
    partition_counts_release(&p);
    case_free(folder);
}

static void test_a_partition_without_classes_has_no_counts(void)
{
    char *folder = case_folder();
    int64_t samples[] = {5, 7, 9};
    struct partition_counts p = {.workers = 3, .samples = samples};

    EXPECT_OK(partition_counts_write(folder, &p));
    EXPECT_OK(partition_counts_read(folder, &p));
    EXPECT_INT(p.workers, 3);
    EXPECT(p.classes == 0 && p.counts == NULL && p.class_names == NULL);
    EXPECT_INT(p.samples[2], 9);
    partition_counts_release(&p);
    case_free(folder);
}

static void read_partition(const char *folder)
{
    struct partition_counts p;

    (void)partition_counts_read(folder, &p);
    partition_counts_release(&p);
}

/* --- graph.jsonl --- */

static void write_graph(const char *folder)
{
    int64_t ring[] = {0, 1, 0, 2, 1, 2}, path[] = {0, 1, 1, 2};
    double positions[] = {0, 0, 0.1, 1, 1, 0.5};

    EXPECT_OK(graph_rows_start(folder, &(struct graph_row){.name = "ring",
                                                           .nodes = 3,
                                                           .changes = true,
                                                           .edge_count = 3,
                                                           .edges = ring,
                                                           .positions = positions}));
    EXPECT_OK(graph_rows_add(folder, &(struct graph_row){.round = 40,
                                                         .name = "path",
                                                         .nodes = 3,
                                                         .is_directed = true,
                                                         .edge_count = 2,
                                                         .edges = path}));
}

static void test_graphs_read_back(void)
{
    char *folder = case_folder();
    struct graph_rows g;

    EXPECT_OK(graph_rows_read(folder, &g));
    EXPECT_INT(g.count, 0);
    EXPECT_OK(graph_rows_truncate(folder, 3));
    write_graph(folder);
    EXPECT_OK(graph_rows_read(folder, &g));
    if (EXPECT(g.count == 2)) {
        EXPECT_TEXT(g.items[0].name, "ring");
        EXPECT(g.items[0].changes && !g.items[0].is_directed && g.items[0].round == 0);
        EXPECT_INT(g.items[0].edges[5], 2);
        EXPECT(g.items[0].positions[2] == 0.1);
        EXPECT(g.items[1].is_directed && g.items[1].round == 40 && g.items[1].positions == NULL);
    }
    graph_rows_release(&g);
    EXPECT_OK(graph_rows_truncate(folder, 39));
    EXPECT_OK(graph_rows_read(folder, &g));
    EXPECT_INT(g.count, 1);
    graph_rows_release(&g);
    case_free(folder);
}

static void test_an_edge_to_a_node_that_is_not_there_is_refused(void)
{
    char *folder = case_folder();
    struct graph_rows g;

    EXPECT_OK(file_write_in(folder, "graph.jsonl", "{\"nodes\": 2, \"edges\": [[0, 2]]}\n"));
    EXPECT_FAILS(graph_rows_read(folder, &g), STATUS_IO, "graph.jsonl:1: is not a graph");
    graph_rows_release(&g);
    case_free(folder);
}

static void read_graph(const char *folder)
{
    struct graph_rows g;

    (void)graph_rows_read(folder, &g);
    EXPECT(g.count <= 2);
    graph_rows_release(&g);
}

/* --- workers.json --- */

static void write_all_workers(const char *folder)
{
    const int64_t links[] = {10, 0, 1LL << 40};
    struct record_workers w;

    workers_init(&w, 3);
    w.items[1].counters.rounds = 9;
    w.items[1].counters.samples = 288;
    w.items[1].counters.bytes = 1e13;
    w.items[1].counters.waiting = 0.125;
    w.items[1].has_staleness = true;
    w.items[1].staleness.mean = 1.5;
    w.items[1].staleness.max = 20;
    w.items[1].staleness.bins[15] = 3;
    w.items[1].train_loss = 0.5;
    w.items[2].test_loss = 0.25;
    w.items[2].test_accuracy = 0.75;
    workers_set_links(&w.items[1], links, 3);
    EXPECT_OK(workers_write(folder, &w));
    workers_release(&w);
}

static void test_workers_read_back(void)
{
    char *folder = case_folder();
    struct record_workers w;

    EXPECT_FAILS(workers_read(folder, &w), STATUS_IO, "workers.json: cannot open");
    write_all_workers(folder);
    EXPECT_OK(workers_read(folder, &w));
    if (EXPECT(w.count == 3)) {
        EXPECT(!w.items[0].has_staleness && isnan(w.items[0].test_loss));
        EXPECT_INT(w.items[0].link_count, 0);
        EXPECT(w.items[1].counters.rounds == 9 && w.items[1].counters.samples == 288);
        EXPECT(w.items[1].counters.bytes == 1e13 && w.items[1].counters.waiting == 0.125);
        EXPECT(w.items[1].has_staleness && w.items[1].staleness.mean == 1.5);
        EXPECT_INT(w.items[1].staleness.max, 20);
        EXPECT_INT(w.items[1].staleness.bins[15], 3);
        EXPECT(w.items[1].train_loss == 0.5);
        EXPECT_INT(w.items[1].link_count, 2);
        EXPECT_INT(w.items[1].links[1].to, 2);
        EXPECT_INT(w.items[1].links[1].bytes, 1LL << 40);
        EXPECT(w.items[2].test_loss == 0.25 && w.items[2].test_accuracy == 0.75);
    }
    workers_release(&w);
    case_free(folder);
}

static void read_all_workers(const char *folder)
{
    struct record_workers w;

    (void)workers_read(folder, &w);
    workers_release(&w);
}

/* --- confusion.json --- */

static void write_confusion(const char *folder)
{
    int64_t matrix[] = {41, 9, 0, 6, 44, 1, 2, 3, 4};

    EXPECT_OK(confusion_write(
        folder,
        &(struct confusion){
            .round = 900, .part = "test", .classes = 3, .class_names = animals, .matrix = matrix}));
}

static void test_a_confusion_matrix_reads_back(void)
{
    char *folder = case_folder();
    struct confusion c;

    EXPECT_FAILS(confusion_read(folder, &c), STATUS_IO, "confusion.json: cannot open");
    write_confusion(folder);
    EXPECT_OK(confusion_read(folder, &c));
    EXPECT_INT(c.round, 900);
    EXPECT_TEXT(c.part, "test");
    EXPECT_INT(c.classes, 3);
    EXPECT_TEXT(c.class_names[1], animals[1]);
    EXPECT_INT(c.matrix[1 * 3 + 0], 6);
    confusion_release(&c);
    case_free(folder);
}

static void test_a_matrix_that_is_not_square_is_refused(void)
{
    char *folder = case_folder();
    struct confusion c;

    EXPECT_OK(file_write_in(folder, "confusion.json", "{\"matrix\": [[1, 2], [3]]}"));
    EXPECT_FAILS(confusion_read(folder, &c), STATUS_IO,
                 "confusion.json: is not a confusion matrix");
    EXPECT(c.matrix == NULL);
    case_free(folder);
}

static void read_confusion(const char *folder)
{
    struct confusion c;

    (void)confusion_read(folder, &c);
    confusion_release(&c);
}

/* --- all of them --- */

static void test_files_are_read_however_they_are_damaged(void)
{
    char *folder = case_folder();

    write_partition(folder);
    write_graph(folder);
    write_all_workers(folder);
    write_confusion(folder);
    case_damage(folder, "partition.json", read_partition);
    case_damage(folder, "graph.jsonl", read_graph);
    case_damage(folder, "workers.json", read_all_workers);
    case_damage(folder, "confusion.json", read_confusion);
    case_free(folder);
}

TEST_MAIN(TEST(test_a_partition_reads_back), TEST(test_a_partition_without_classes_has_no_counts),
          TEST(test_graphs_read_back), TEST(test_an_edge_to_a_node_that_is_not_there_is_refused),
          TEST(test_workers_read_back), TEST(test_a_confusion_matrix_reads_back),
          TEST(test_a_matrix_that_is_not_square_is_refused),
          TEST(test_files_are_read_however_they_are_damaged))
