/*
 * test_recorder.c - rows of metrics: their form, what a resumed run keeps, what TensorBoard gets.
 */
#include <glob.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "record/metrics_reader.h"
#include "record/recorder.h"
#include "test.h"

static char *make_folder(void)
{
    char *folder = mem_text("/tmp/muster_recorder.XXXXXX");

    EXPECT(mkdtemp(folder) != NULL);
    return folder;
}

static size_t for_each_file(const char *folder, const char *pattern,
                            void (*visit)(const char *path, void *context), void *context)
{
    char *joined = file_join(folder, pattern);
    glob_t found;
    size_t count = 0;

    if (glob(joined, 0, NULL, &found) == 0) {
        count = found.gl_pathc;
        for (size_t i = 0; i < count && visit != NULL; i++)
            visit(found.gl_pathv[i], context);
        globfree(&found);
    }
    mem_free(joined);
    return count;
}

static void visit_remove(const char *path, void *context)
{
    (void)context;
    EXPECT_OK(file_remove(path));
}

static void visit_append(const char *path, void *context)
{
    struct text file = {0}, *all = context;

    EXPECT_OK(file_read(path, 1 << 20, &file));
    text_add_n(all, text_get(&file), file.length);
    text_release(&file);
}

static void remove_folder(char *folder)
{
    for_each_file(folder, "*", visit_remove, NULL);
    EXPECT_OK(file_remove(folder));
    mem_free(folder);
}

static void expect_rows(const char *folder, const char *expected)
{
    char *path = file_join(folder, "metrics.jsonl");
    struct text file = {0};

    EXPECT_OK(file_read(path, 1 << 20, &file));
    EXPECT_TEXT(text_get(&file), expected);
    text_release(&file);
    mem_free(path);
}

static void put_rows(const char *folder, const char *content)
{
    char *path = file_join(folder, "metrics.jsonl");

    EXPECT_OK(file_write_text(path, content));
    mem_free(path);
}

static void record_round(struct recorder *r, int64_t round)
{
    struct metric_row row = {.header = {.round = round}};

    metric_row_add_named(&row, "train_loss", 1.5);
    EXPECT_OK(recorder_add(r, &row));
}

static const char row_1[] = "{\"round\": 1, \"epoch\": 0, \"samples\": 0, \"gradients\": 0, "
                            "\"bytes_sent\": 0, \"seconds\": 0, \"worker\": 0, "
                            "\"train_loss\": 1.5}\n";

static void test_a_row_has_its_place_first_and_its_metrics_in_order(void)
{
    char *folder = make_folder();
    struct recorder r;
    struct metric_row row = {
        .header =
            {.worker = 3,
                     .round = 1875,
                     .epoch = 1.0,
                     .counters = {.samples = 60000, .gradients = 1875, .bytes = 5e9, .seconds = 2.25}},
    };

    metric_row_add_named(&row, "train_loss", 0.1);
    metric_row_add_named(&row, "validation_accuracy", 0.875);
    metric_row_add_named(&row, "test_loss", (double)NAN);
    metric_row_add_named(&row, "norm", (double)INFINITY);
    EXPECT_OK(recorder_open(&r, folder, -1));
    EXPECT_OK(recorder_add(&r, &row));
    expect_rows(folder, /* before it is closed: a killed run has this row too */
                "{\"round\": 1875, \"epoch\": 1, \"samples\": 60000, \"gradients\": 1875, "
                "\"bytes_sent\": 5000000000, \"seconds\": 2.25, \"worker\": 3, "
                "\"train_loss\": 0.1, \"validation_accuracy\": 0.875, \"test_loss\": null, "
                "\"norm\": null}\n");
    EXPECT_OK(recorder_close(&r));
    EXPECT_OK(recorder_close(&r)); /* twice is fine */
    remove_folder(folder);
}

static void test_rows_that_are_held_are_written_together(void)
{
    char *folder = make_folder();
    struct recorder r;

    EXPECT_OK(recorder_open(&r, folder, -1));
    recorder_hold(&r);
    record_round(&r, 1);
    record_round(&r, 1);
    expect_rows(folder, "");
    EXPECT_OK(recorder_write(&r));
    record_round(&r, 1);

    struct text expected = {0};

    for (int i = 0; i < 3; i++)
        text_add(&expected, row_1);
    expect_rows(folder, text_get(&expected));
    recorder_hold(&r);
    EXPECT_OK(recorder_write(&r)); /* nothing */
    EXPECT_OK(recorder_close(&r));
    expect_rows(folder, text_get(&expected));
    text_release(&expected);
    remove_folder(folder);
}

static void test_a_row_may_skip_tensorboard(void)
{
    char *folder = make_folder();
    struct recorder r;
    struct metric_row row = {.skips_events = true};
    struct text events = {0};

    metric_row_add_named(&row, "left_out", 1.5);
    EXPECT_OK(recorder_open(&r, folder, -1));
    EXPECT_OK(recorder_add(&r, &row));
    record_round(&r, 1);
    EXPECT_OK(recorder_close(&r));
    for_each_file(folder, "events.*", visit_append, &events);
    EXPECT(memmem(text_get(&events), events.length, "train/loss", 10) != NULL);
    EXPECT(memmem(text_get(&events), events.length, "left_out", 8) == NULL);
    text_release(&events);
    remove_folder(folder);
}

static void test_a_new_run_starts_an_empty_file(void)
{
    char *folder = make_folder();
    struct recorder r;

    put_rows(folder, row_1);
    EXPECT_OK(recorder_open(&r, folder, -1));
    EXPECT_OK(recorder_close(&r));
    expect_rows(folder, "");
    remove_folder(folder);
}

static void test_a_resumed_run_keeps_the_rows_up_to_its_round(void)
{
    char *folder = make_folder();
    struct recorder r;

    put_rows(folder, "{\"round\": 1, \"a\": 1}\n{\"round\": 2, \"worker\": 0}\n"
                     "{\"round\": 2, \"worker\": 1}\n{\"round\": 3}\n{\"round\": 10}\n");
    EXPECT_OK(recorder_open(&r, folder, 2));
    record_round(&r, 3);
    EXPECT_OK(recorder_close(&r));
    expect_rows(folder, "{\"round\": 1, \"a\": 1}\n{\"round\": 2, \"worker\": 0}\n"
                        "{\"round\": 2, \"worker\": 1}\n"
                        "{\"round\": 3, \"epoch\": 0, \"samples\": 0, \"gradients\": 0, "
                        "\"bytes_sent\": 0, \"seconds\": 0, \"worker\": 0, \"train_loss\": 1.5}\n");
    EXPECT_INT(for_each_file(folder, "*.tmp", NULL, NULL), 0);
    remove_folder(folder);
}

static void test_the_last_round_is_that_of_the_whole_rows(void)
{
    char *folder = make_folder();
    char *path = file_join(folder, "metrics.jsonl");
    int64_t round = -1;

    EXPECT_OK(metrics_reader_last_round(path, &round));
    EXPECT_INT(round, 0); /* there is no file */
    put_rows(folder, "{\"round\": 3}\n{\"round\": 7}\n{\"round\": 5}\nnonsense\n{\"round\": 9");
    EXPECT_OK(metrics_reader_last_round(path, &round));
    EXPECT_INT(round, 7);
    mem_free(path);
    remove_folder(folder);
}

static void test_a_file_cut_at_any_byte_keeps_its_whole_rows(void)
{
    char *folder = make_folder();
    char *path = file_join(folder, "metrics.jsonl");
    static const char row[] = "{\"round\": 1}\n"; /* short: each cut is a few flushes of the disk */
    struct text both = {0};
    const size_t one = strlen(row);

    text_add(&both, row);
    text_add(&both, row);
    for (size_t length = 0; length <= 2 * one; length++) {
        char *cut = mem_text_n(both.data, length);
        const size_t rows = (length + 1) / one; /* all of a row but its newline is a row */

        put_rows(folder, cut);
        EXPECT_OK(metrics_reader_truncate(path, 1));
        expect_rows(folder, rows == 0 ? "" : rows == 1 ? row : both.data);
        mem_free(cut);
    }
    text_release(&both);
    mem_free(path);
    remove_folder(folder);
}

static void test_a_damaged_row_is_dropped_and_the_rest_is_kept(void)
{
    char *folder = make_folder();
    struct recorder r;

    log_set_level(LOG_ERROR);
    put_rows(folder, "{\"round\": 1}\n{\"round\": 1.5}\n[1]\nnonsense\n\n{}\n{\"round\": 2}\n");
    EXPECT_OK(recorder_open(&r, folder, 7));
    EXPECT_OK(recorder_close(&r));
    expect_rows(folder, "{\"round\": 1}\n{\"round\": 2}\n");
    log_set_level(LOG_INFO);
    remove_folder(folder);
}

static void test_resuming_without_a_file_starts_one(void)
{
    char *folder = make_folder();
    struct recorder r;

    EXPECT_OK(recorder_open(&r, folder, 5));
    EXPECT_OK(recorder_close(&r));
    expect_rows(folder, "");
    remove_folder(folder);
}

static void test_tensorboard_tags_have_the_folder_of_their_metric(void)
{
    char *folder = make_folder();
    struct recorder r;
    struct metric_row row = {.header = {.round = 4}};
    struct text events = {0};
    /* Each name with its protobuf length before it, as it stands in the file. */
    static const char *const tags[] = {"\012\012train/loss", "\012\023validation/accuracy",
                                       "\012\016test/accuracy5", "\012\002lr", "\012\007trainer"};

    metric_row_add_named(&row, "train_loss", 1.0);
    metric_row_add_named(&row, "validation_accuracy", 1.0);
    metric_row_add_named(&row, "test_accuracy5", 1.0);
    metric_row_add_named(&row, "lr", 1.0);
    metric_row_add_named(&row, "trainer", 1.0);
    EXPECT_OK(recorder_open(&r, folder, -1));
    EXPECT_OK(recorder_add(&r, &row));
    EXPECT_OK(recorder_close(&r));
    EXPECT_INT(for_each_file(folder, "events.out.tfevents.*", visit_append, &events), 1);
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        EXPECT(memmem(events.data, events.length, tags[i], strlen(tags[i])) != NULL);
    text_release(&events);
    remove_folder(folder);
}

static void test_a_folder_that_is_missing_is_an_error_that_names_it(void)
{
    struct recorder r;

    EXPECT_FAILS(recorder_open(&r, "/nonexistent/run", -1), STATUS_IO, "/nonexistent/run/");
    EXPECT_OK(recorder_close(&r));
}

TEST_MAIN(TEST(test_a_row_has_its_place_first_and_its_metrics_in_order),
          TEST(test_rows_that_are_held_are_written_together), TEST(test_a_row_may_skip_tensorboard),
          TEST(test_a_new_run_starts_an_empty_file),
          TEST(test_a_resumed_run_keeps_the_rows_up_to_its_round),
          TEST(test_the_last_round_is_that_of_the_whole_rows),
          TEST(test_a_file_cut_at_any_byte_keeps_its_whole_rows),
          TEST(test_a_damaged_row_is_dropped_and_the_rest_is_kept),
          TEST(test_resuming_without_a_file_starts_one),
          TEST(test_tensorboard_tags_have_the_folder_of_their_metric),
          TEST(test_a_folder_that_is_missing_is_an_error_that_names_it))
