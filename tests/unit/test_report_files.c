/*
 * test_report_files.c - the figures that are drawn from consensus.jsonl and trace.json.
 */
#include <inttypes.h>
#include <math.h>

#include "figure_case.h"

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

TEST_MAIN(TEST(test_consensus_is_that_of_the_last_complete_row),
          TEST(test_consensus_of_many_nodes_is_bounded), TEST(test_trace_sums_what_endpoints_did),
          TEST(test_traces_of_any_size_are_bounded),
          TEST(test_damaged_files_are_read_as_far_as_they_are_whole))
