/*
 * test_report_figures.c - the figures of a run: well-formed with any names and numbers, of bounded
 * size, and with the numbers of the record.
 */
#include <math.h>

#include "figure_case.h"

static void test_a_run_without_files_has_no_figures(void)
{
    const struct record empty = {.run_dir = mem_text("/nonexistent")};

    for (const struct run_figure *const *it = run_figure_all(); *it != NULL; it++)
        expect_nothing((*it)->name, &empty);
    mem_free(empty.run_dir);
}

/* --- workers --- */

static void fill_workers(struct record *r, int64_t count)
{
    workers_init(&r->workers, count);
    for (int64_t i = 0; i < count; i++) {
        struct record_worker *w = &r->workers.items[i];

        w->counters.computing = 1.25 + 0.01 * (double)(i % 7);
        w->counters.waiting = 0.5;
        w->counters.transferring = 0.125;
        w->counters.sleeping = 0;
    }
}

static void test_time_split_has_the_seconds_of_each_worker(void)
{
    struct record r = {0};

    fill_workers(&r, 3);
    expect_cell("time_split", &r, 0, 1, "computing_seconds");
    expect_cell("time_split", &r, 1, 1, "1.25");
    expect_cell("time_split", &r, 3, 0, "2");
    expect_cell("time_split", &r, 3, 3, "0.125");
    r.workers.items[1].counters.waiting = (double)INFINITY;
    r.workers.items[2].counters.waiting = (double)NAN;
    expect_drawn("time_split", &r);
    workers_release(&r.workers);
}

static void test_time_split_of_many_workers_is_bounded(void)
{
    static const int64_t counts[] = {1, 60, 61, 5000};

    for (int i = 0; i < 4; i++) {
        struct record r = {0};

        fill_workers(&r, counts[i]);
        expect_drawn("time_split", &r);
        workers_release(&r.workers);
    }
}

static void test_workers_without_time_have_no_time_split(void)
{
    struct record r = {0};

    workers_init(&r.workers, 4);
    expect_nothing("time_split", &r);
    workers_release(&r.workers);
}

static void test_staleness_is_summed_over_workers(void)
{
    struct record r = {0};
    struct figure f;

    workers_init(&r.workers, 2);
    expect_nothing("staleness", &r);
    r.workers.items[0].has_staleness = r.workers.items[1].has_staleness = true;
    r.workers.items[0].staleness = (struct record_staleness){
        1, 2, {1, 2, 1}
    };
    r.workers.items[1].staleness = (struct record_staleness){
        15, 40, {0, 0, 0, [15] = 4}
    };
    EXPECT(draw("staleness", &r, &f));
    EXPECT_TEXT(cell(&f, 2, 1), "2");
    EXPECT_TEXT(cell(&f, 16, 0), "15+");
    EXPECT_TEXT(cell(&f, 16, 1), "4");
    EXPECT_HAS(f.caption, "8 gradients of all workers, mean 8, at most 40");
    figure_release(&f);
    workers_release(&r.workers);
}

/* --- classes --- */

static void fill_confusion(struct record *r, int64_t classes, bool has_names)
{
    r->confusion = (struct confusion){.round = 7,
                                      .part = "test",
                                      .classes = classes,
                                      .matrix = MEM_NEW_N(int64_t, classes * classes)};
    for (int64_t i = 0; i < classes * classes; i++)
        r->confusion.matrix[i] = i / classes == i % classes ? 90 : i % 11;
    for (int64_t i = 0; has_names && i < classes; i++)
        rundir_names_add(&r->confusion.names, i == 1 ? HOSTILE : "a rather long name of a class");
    if (has_names)
        r->confusion.class_names = (const char *const *)r->confusion.names.items;
}

static void test_confusion_and_classes_are_those_of_the_record(void)
{
    struct record r = {0};

    fill_confusion(&r, 3, true);
    expect_cell("confusion", &r, 2, 0, HOSTILE);
    expect_cell("confusion", &r, 1, 1, "90");
    expect_cell("confusion", &r, 1, 3, "2");
    expect_cell("classes", &r, 2, 0, HOSTILE);
    expect_cell("classes", &r, 1, 4, "93");                /* 90 + 1 + 2 */
    expect_cell("classes", &r, 1, 2, "0.967741935483871"); /* 90 / 93 */
    confusion_release(&r.confusion);
}

static void test_any_number_of_classes_is_drawn_or_only_their_worst(void)
{
    static const int64_t counts[] = {2, 10, 21, 100, 200, 201, 1000};

    for (int i = 0; i < 7; i++) {
        struct record r = {0};

        fill_confusion(&r, counts[i], i % 2 == 0);
        if (counts[i] <= 200)
            expect_drawn("confusion", &r);
        else
            expect_nothing("confusion", &r);
        expect_drawn("classes", &r);
        confusion_release(&r.confusion);
    }
}

static void test_a_confusion_matrix_of_no_samples_is_not_drawn(void)
{
    struct record r = {0};

    fill_confusion(&r, 3, false);
    memset(r.confusion.matrix, 0, 9 * sizeof *r.confusion.matrix);
    expect_nothing("confusion", &r);
    expect_nothing("classes", &r);
    confusion_release(&r.confusion);
}

static void fill_partition(struct record *r, int64_t workers, int64_t classes)
{
    r->partition = (struct partition_counts){
        .workers = workers,
        .classes = classes,
        .samples = MEM_NEW_N(int64_t, workers),
        .counts = MEM_NEW_N(int64_t, workers * classes),
    };
    for (int64_t i = 0; i < workers * classes; i++) {
        r->partition.counts[i] = 7 * i % 1000;
        r->partition.samples[i / classes] += r->partition.counts[i];
    }
}

static void test_partition_has_the_samples_of_each_class(void)
{
    static const int64_t sizes[][2] = {
        {2,    2   },
        {64,   20  },
        {65,   10  },
        {1000, 10  },
        {8,    1000}
    };
    struct record r = {0};

    fill_partition(&r, 3, 2);
    expect_cell("partition", &r, 2, 1, "35"); /* 14 + 21 */
    expect_cell("partition", &r, 3, 3, "35");
    expect_cell("partition", &r, 0, 2, "class 0");
    partition_counts_release(&r.partition);
    for (int i = 0; i < 5; i++) {
        fill_partition(&r, sizes[i][0], sizes[i][1]);
        expect_drawn("partition", &r);
        partition_counts_release(&r.partition);
    }
}

/* --- graphs --- */

static void fill_graph(struct record *r, int64_t nodes, bool is_complete)
{
    struct graph_row *row = MEM_NEW(struct graph_row);

    r->graph = (struct graph_rows){row, 1};
    *row = (struct graph_row){.name = HOSTILE, .nodes = nodes};
    row->edges = MEM_NEW_N(int64_t, nodes * (nodes + 1));
    for (int64_t i = 0; i < nodes; i++)
        for (int64_t j = i + 1; j < nodes && (is_complete || j == i + 1); j++) {
            row->edges[2 * row->edge_count] = i;
            row->edges[2 * row->edge_count++ + 1] = j;
        }
}

static void test_graph_has_the_bytes_of_both_directions(void)
{
    struct record r = {0};
    const int64_t to_1[] = {0, 100, 0}, to_0[] = {50, 0, 7};

    fill_graph(&r, 3, false);
    workers_init(&r.workers, 3);
    workers_set_links(&r.workers.items[0], to_1, 3);
    workers_set_links(&r.workers.items[1], to_0, 3);
    expect_cell("graph", &r, 1, 0, "0");
    expect_cell("graph", &r, 1, 1, "1");
    expect_cell("graph", &r, 1, 2, "150");
    expect_cell("graph", &r, 2, 2, "7");
    r.workers.items[0].test_accuracy = 0.5;
    r.workers.items[2].test_accuracy = 0.75;
    expect_drawn("graph", &r);
    workers_release(&r.workers);
    graph_rows_release(&r.graph);
}

static void test_graphs_of_any_kind_are_drawn_whole_and_bounded(void)
{
    for (int64_t nodes = 2; nodes <= 300; nodes += nodes < 12 ? 1 : 144) {
        for (int is_complete = 0; is_complete < 2; is_complete++) {
            struct record r = {0};
            struct figure f;

            fill_graph(&r, nodes, is_complete == 1);
            EXPECT(draw("graph", &r, &f));
            EXPECT_INT(xml_count(text_get(&f.svg), "class=\"node\""), nodes);
            figure_release(&f);
            graph_rows_release(&r.graph);
        }
    }
}

static void test_links_to_nodes_that_do_not_exist_are_left_out(void)
{
    struct record r = {0};
    const int64_t bytes[] = {0, 0, 0, 0, 9};
    struct figure f;

    fill_graph(&r, 2, false);
    workers_init(&r.workers, 1);
    workers_set_links(&r.workers.items[0], bytes, 5);
    r.graph.items[0].edges[1] = 17;
    EXPECT(run_figure_draw(figure_case_find("graph"), &r, &f));
    EXPECT(xml_elements(text_get(&f.svg)) > 3);
    EXPECT_INT(f.numbers.rows, 1);
    figure_release(&f);
    workers_release(&r.workers);
    graph_rows_release(&r.graph);
}

static void test_positions_that_coincide_are_moved_apart(void)
{
    struct record r = {0};

    fill_graph(&r, 12, false);
    r.graph.items[0].positions = MEM_NEW_N(double, 24);
    r.graph.items[0].positions[3] = (double)NAN;
    r.graph.items[0].positions[4] = (double)INFINITY;
    expect_drawn("graph", &r);
    graph_rows_release(&r.graph);
}

TEST_MAIN(TEST(test_a_run_without_files_has_no_figures),
          TEST(test_time_split_has_the_seconds_of_each_worker),
          TEST(test_time_split_of_many_workers_is_bounded),
          TEST(test_workers_without_time_have_no_time_split),
          TEST(test_staleness_is_summed_over_workers),
          TEST(test_confusion_and_classes_are_those_of_the_record),
          TEST(test_any_number_of_classes_is_drawn_or_only_their_worst),
          TEST(test_a_confusion_matrix_of_no_samples_is_not_drawn),
          TEST(test_partition_has_the_samples_of_each_class),
          TEST(test_graph_has_the_bytes_of_both_directions),
          TEST(test_graphs_of_any_kind_are_drawn_whole_and_bounded),
          TEST(test_links_to_nodes_that_do_not_exist_are_left_out),
          TEST(test_positions_that_coincide_are_moved_apart))
