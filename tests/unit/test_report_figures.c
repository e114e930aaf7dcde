/*
 * test_report_figures.c - the figures of a run: well-formed with any names and numbers, of bounded
 * size, and with the numbers of the record.
 */
#include <inttypes.h>
#include <math.h>

#include "record_case.h"
#include "report/figure.h"
#include "test.h"
#include "xml_case.h"

#define HOSTILE "<script>alert(1)</script>\"'&\x01\xff"

enum { SIZE_MAX_BYTES = 200000 };

static const struct run_figure *find(const char *name)
{
    for (const struct run_figure *const *it = run_figure_all(); *it != NULL; it++)
        if (strcmp((*it)->name, name) == 0)
            return *it;
    EXPECT(!"there is such a figure");
    return NULL;
}

static const char *cell(const struct figure *f, int64_t row, int64_t column)
{
    return f->numbers.cells[row * f->numbers.columns + column];
}

/* What every figure owes. */
static void expect_sound(const struct figure *f)
{
    const char *svg = text_get(&f->svg);

    EXPECT(xml_elements(svg) > 3);
    EXPECT(strstr(svg, "nan") == NULL && strstr(svg, "\"inf") == NULL);
    EXPECT(strstr(svg, "<script") == NULL);
    EXPECT(f->svg.length < SIZE_MAX_BYTES);
    EXPECT(f->name != NULL && f->title != NULL && f->caption != NULL && f->caption[0] != '\0');
    EXPECT(f->numbers.rows > 1 && f->numbers.columns > 1);
}

static bool draw(const char *name, const struct record *r, struct figure *f)
{
    const bool is_drawn = run_figure_draw(find(name), r, f);

    if (is_drawn)
        expect_sound(f);
    return is_drawn;
}

/* Draws, judges and drops. */
static void expect_drawn(const char *name, const struct record *r)
{
    struct figure f;

    if (!draw(name, r, &f)) {
        printf("# %s\n", name);
        EXPECT(!"the figure is drawn");
    }
    figure_release(&f);
}

static void expect_nothing(const char *name, const struct record *r)
{
    struct figure f;

    EXPECT(!draw(name, r, &f));
    EXPECT(f.caption == NULL && f.svg.data == NULL && f.numbers.cells == NULL);
    figure_release(&f);
}

static void expect_cell(const char *name, const struct record *r, int64_t row, int64_t column,
                        const char *expected)
{
    struct figure f;

    if (draw(name, r, &f) && row < f.numbers.rows && column < f.numbers.columns)
        EXPECT_TEXT(cell(&f, row, column), expected);
    else
        EXPECT(!"the figure has such a cell");
    figure_release(&f);
}

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
    EXPECT(run_figure_draw(find("graph"), &r, &f));
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

/* --- files --- */

static void write_consensus(const char *folder, int64_t nodes, int64_t rows)
{
    struct text content = {0};
    char *path = file_join(folder, "consensus.jsonl");

    for (int64_t row = 1; row <= rows; row++) {
        text_addf(&content, "{\"round\":%" PRId64 ",\"nodes\":%" PRId64, row, nodes);
        static const char *const keys[] = {"from_mean", "from_mean_normalized", "raw",
                                           "normalized"};
        for (int k = 0; k < 4; k++) {
            const int64_t count = k < 2 ? nodes : nodes * (nodes - 1) / 2;

            text_addf(&content, ",\"%s\":[", keys[k]);
            for (int64_t i = 0; i < count; i++)
                text_addf(&content, "%s%g", i == 0 ? "" : ",", (double)(row * i % 97) / 64);
            text_add(&content, "]");
        }
        text_add(&content, "}\n");
    }
    text_add(&content, "{\"round\":99,\"nodes\""); /* cut off */
    EXPECT_OK(file_replace_text(path, text_get(&content)));
    text_release(&content);
    mem_free(path);
}

static struct record open_folder(char *folder, enum record_file_id id)
{
    struct record r = {.run_dir = folder};

    r.files[id].state = RECORD_PRESENT;
    return r;
}

static void test_consensus_is_that_of_the_last_complete_row(void)
{
    char *folder = case_folder();
    const struct record r = open_folder(folder, RECORD_CONSENSUS);
    struct figure f;

    write_consensus(folder, 4, 3);
    EXPECT(draw("consensus", &r, &f));
    EXPECT_INT(f.numbers.rows, 7);
    EXPECT_TEXT(cell(&f, 3, 1), "3");       /* the third pair is (0, 3) */
    EXPECT_TEXT(cell(&f, 3, 3), "0.09375"); /* 3 * 2 / 64 */
    EXPECT_HAS(f.caption, "after round 3");
    figure_release(&f);
    case_free(folder);
}

static void test_consensus_of_many_nodes_is_bounded(void)
{
    static const int64_t counts[] = {2, 64, 65, 256};
    char *folder = case_folder();
    const struct record r = open_folder(folder, RECORD_CONSENSUS);

    for (int i = 0; i < 4; i++) {
        write_consensus(folder, counts[i], 2); /* the last row is longer than the first look */
        expect_drawn("consensus", &r);
    }
    case_free(folder);
}

static void draw_consensus(const char *folder)
{
    struct record r = {.run_dir = mem_text(folder)};
    struct figure f;

    r.files[RECORD_CONSENSUS].state = RECORD_PRESENT;
    (void)draw("consensus", &r, &f);
    figure_release(&f);
    mem_free(r.run_dir);
}

static void draw_trace(const char *folder)
{
    struct record r = {.run_dir = mem_text(folder)};
    struct figure f;

    r.files[RECORD_TRACE].state = RECORD_PRESENT;
    (void)draw("trace", &r, &f);
    figure_release(&f);
    mem_free(r.run_dir);
}

/* Rounds of a computation of 2 ms and a wait of 1 ms. */
static void write_trace(const char *folder, int endpoints, int rounds)
{
    struct text content = {0};
    char *path = file_join(folder, "trace.json");

    text_add(&content, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n");
    for (int e = 0; e < endpoints; e++) {
        text_addf(&content,
                  "%s{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": %d, \"args\": "
                  "{\"name\": \"worker <%d>\"}}\n",
                  e == 0 ? "" : ", ", e, e);
        for (int i = 0; i < rounds; i++) {
            const double ts = 1e6 + 3000.0 * i;

            text_addf(&content,
                      ", {\"name\": \"round\", \"ph\": \"X\", \"tid\": %d, \"ts\": %.0f, "
                      "\"dur\": 3000}\n",
                      e, ts);
            text_addf(&content,
                      ", {\"name\": \"compute\", \"ph\": \"X\", \"tid\": %d, \"ts\": "
                      "%.0f, \"dur\": 2000}\n",
                      e, ts);
            text_addf(&content,
                      ", {\"name\": \"wait\", \"ph\": \"X\", \"tid\": %d, \"ts\": %.0f, "
                      "\"dur\": 1000}\n",
                      e, ts + 2000);
        }
    }
    text_add(&content, "]}\n");
    EXPECT_OK(file_replace_text(path, text_get(&content)));
    text_release(&content);
    mem_free(path);
}

static void test_trace_sums_what_endpoints_did(void)
{
    char *folder = case_folder();
    const struct record r = open_folder(folder, RECORD_TRACE);
    struct figure f;

    write_trace(folder, 3, 50);
    EXPECT(draw("trace", &r, &f));
    EXPECT_TEXT(cell(&f, 2, 0), "worker <1>");
    EXPECT_NEAR(strtod(cell(&f, 2, 1), NULL), 0.1, 1e-9); /* 50 x 2 ms; sums of doubles */
    EXPECT_NEAR(strtod(cell(&f, 2, 2), NULL), 0.05, 1e-9);
    figure_release(&f);
    case_free(folder);
}

static void test_traces_of_any_size_are_bounded(void)
{
    static const int sizes[][2] = {
        {1,   1   },
        {2,   3   },
        {5,   3000},
        {64,  200 },
        {100, 40  }
    };
    char *folder = case_folder();
    const struct record r = open_folder(folder, RECORD_TRACE);

    for (int i = 0; i < 5; i++) {
        write_trace(folder, sizes[i][0], sizes[i][1]);
        expect_drawn("trace", &r);
    }
    case_free(folder);
}

static void test_damaged_files_are_read_as_far_as_they_are_whole(void)
{
    char *folder = case_folder();

    write_consensus(folder, 3, 2);
    case_damage(folder, "consensus.jsonl", draw_consensus);
    write_trace(folder, 2, 2);
    case_damage(folder, "trace.json", draw_trace);
    case_free(folder);
}

static void test_numbers_are_written_as_csv(void)
{
    struct figure f = {0};
    struct text csv = {0};
    static const char *const titles[] = {"a", "b", NULL};

    figure_start_numbers(&f, titles, 2);
    figure_put_text(&f, 0, 0, "x,\"y\"");
    figure_put_number(&f, 0, 1, 0.1);
    figure_put_number(&f, 1, 1, (double)NAN);
    figure_write_csv(&f, &csv);
    EXPECT_TEXT(text_get(&csv), "a,b\n\"x,\"\"y\"\"\",0.1\n,\n");
    text_release(&csv);
    figure_release(&f);
    figure_release(&f);
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
          TEST(test_positions_that_coincide_are_moved_apart),
          TEST(test_consensus_is_that_of_the_last_complete_row),
          TEST(test_consensus_of_many_nodes_is_bounded), TEST(test_trace_sums_what_endpoints_did),
          TEST(test_traces_of_any_size_are_bounded),
          TEST(test_damaged_files_are_read_as_far_as_they_are_whole),
          TEST(test_numbers_are_written_as_csv))
