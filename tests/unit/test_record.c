/*
 * test_record.c - the record of a run as a whole: its rows of metrics as series, where it stands,
 * and what is left of it when files are missing or damaged.
 */
#include <unistd.h>

#include "base/process.h"
#include "record/metric.h"
#include "record/record.h"
#include "record/recorder.h"
#include "record_case.h"

static const char rows[] =
    "{\"round\": 0, \"epoch\": 0, \"samples\": 0, \"gradients\": 0, \"bytes_sent\": 0, "
    "\"seconds\": 0, \"worker\": -1, \"test_loss\": 2.5}\n"
    "{\"round\": 0, \"epoch\": 0, \"samples\": 0, \"gradients\": 0, \"bytes_sent\": 0, "
    "\"seconds\": 0, \"worker\": 12, \"test_loss\": 2.25, \"odd\": \"text\"}\n"
    "{\"round\": 4, \"epoch\": 0.5, \"samples\": 64, \"gradients\": 8, \"bytes_sent\": 100, "
    "\"seconds\": 1.5, \"worker\": -1, \"test_loss\": null, \"new_metric\": 7}\n";

/* --- metrics --- */

static void test_rows_become_series_by_worker_and_name(void)
{
    char *folder = case_folder();
    struct metric_table t;

    EXPECT_OK(file_write_in(folder, "metrics.jsonl", rows));
    EXPECT_OK(metric_table_read(folder, &t));
    EXPECT_INT(t.row_count, 3);
    EXPECT(t.round[2] == 4 && t.samples[2] == 64 && t.gradients[2] == 8 && t.bytes[2] == 100);
    EXPECT(t.epoch[2] == 0.5 && t.seconds[2] == 1.5 && t.worker[1] == 12);
    const struct metric_series *s = metric_table_find(&t, METRIC_ALL_WORKERS, "test_loss");
    if (EXPECT(s != NULL && s->count == 2)) {
        EXPECT(s->rows[0] == 0 && s->rows[1] == 2);
        EXPECT(s->values[0] == 2.5 && isnan(s->values[1]));
        EXPECT(metric_series_at(s, 0) == 2.5 && isnan(metric_series_at(s, 1)));
    }
    s = metric_table_find(&t, 12, "test_loss");
    EXPECT(s != NULL && s->count == 1 && s->values[0] == 2.25);
    EXPECT(metric_table_find(&t, METRIC_ALL_WORKERS, "new_metric") != NULL);
    EXPECT(metric_table_find(&t, 12, "new_metric") == NULL);
    EXPECT(metric_table_find(&t, 3, "test_loss") == NULL);
    EXPECT(metric_table_find(&t, 1 << 30, "test_loss") == NULL);
    EXPECT(metric_table_find(&t, 12, "odd") == NULL);
    EXPECT(metric_table_find(&t, 12, "round") == NULL);
    metric_table_release(&t);
    case_free(folder);
}

static void test_rows_before_and_behind_a_damaged_one_are_kept(void)
{
    char *folder = case_folder();
    struct metric_table t;

    EXPECT_OK(file_write_in(folder, "metrics.jsonl",
                            "{\"round\": 1, \"lr\": 1}\nx\n{\"round\": 2, \"worker\": 99999999}\n"
                            "{\"round\": 3, \"lr\": 2}\n{\"round\": 4, \"l"));
    EXPECT_FAILS(metric_table_read(folder, &t), STATUS_IO,
                 "metrics.jsonl:2: is not a row of metrics");
    EXPECT_INT(t.row_count, 2);
    const struct metric_series *s = metric_table_find(&t, 0, "lr");
    EXPECT(s != NULL && s->count == 2);
    metric_table_release(&t);
    case_free(folder);
}

/* --- where a run stands --- */

static const char *const gone = "\"pid\": 999999999, \"process_start\": 1";

static char *make_run(void)
{
    char *folder = case_folder();

    EXPECT_OK(file_write_in(folder, "metrics.jsonl", rows));
    return folder;
}

static enum record_state state_of(const char *folder)
{
    struct record r;
    enum record_state state = RECORD_STATES;

    if (EXPECT_OK(record_open(folder, &r)))
        state = r.state;
    record_release(&r);
    return state;
}

static void put_attempt(const char *folder, const char *host, const char *process, const char *end)
{
    char *row = text_format("{\"start\": \"s\", \"host\": \"%s\", %s, %s}\n", host, process, end);

    EXPECT_OK(file_write_in(folder, "attempts.jsonl", row));
    mem_free(row);
}

static void test_a_run_without_any_word_of_its_end_is_unknown(void)
{
    char *folder = make_run();

    EXPECT_INT(state_of(folder), RECORD_UNKNOWN);
    EXPECT_OK(file_write_in(folder, "result.json", "{\"status\": \"diverged\"}"));
    EXPECT_INT(state_of(folder), RECORD_DIVERGED);
    EXPECT_OK(file_write_in(folder, "result.json", "{\"status\": \"something new\"}"));
    EXPECT_INT(state_of(folder), RECORD_UNKNOWN);
    case_free(folder);
}

static void test_the_last_start_says_where_a_run_stands(void)
{
    char *folder = make_run();
    struct process_identity me;

    process_identify(&me);
    EXPECT_OK(attempts_begin(folder, 0));
    EXPECT_INT(state_of(folder), RECORD_RUNNING);
    EXPECT_OK(attempts_end(folder, "interrupted", 5, NULL));
    EXPECT_INT(state_of(folder), RECORD_INTERRUPTED);
    put_attempt(folder, me.host, gone, "\"end\": null");
    EXPECT_INT(state_of(folder), RECORD_KILLED);
    put_attempt(folder, "elsewhere.example", gone, "\"end\": null");
    EXPECT_INT(state_of(folder), RECORD_UNKNOWN);
    put_attempt(folder, me.host, gone, "\"end\": \"e\", \"reason\": \"failed\"");
    EXPECT_INT(state_of(folder), RECORD_FAILED);
    /* killed after it had written the result */
    EXPECT_OK(file_write_in(folder, "result.json", "{\"status\": \"finished\"}"));
    put_attempt(folder, me.host, gone, "\"end\": null");
    EXPECT_INT(state_of(folder), RECORD_FINISHED);
    case_free(folder);
}

static void test_without_attempts_the_live_file_says_it(void)
{
    char *folder = make_run();
    struct process_identity me;

    process_identify(&me);
    char *live = text_format("{\"state\": \"running\", \"host\": \"%s\", %s}", me.host, gone);
    EXPECT_OK(file_write_in(folder, "live.json", live));
    EXPECT_INT(state_of(folder), RECORD_KILLED);
    EXPECT_OK(file_write_in(folder, "live.json", "{\"state\": \"finished\"}"));
    EXPECT_INT(state_of(folder), RECORD_FINISHED);
    mem_free(live);
    case_free(folder);
}

/* --- missing and damaged files --- */

static void test_every_file_is_optional_and_damage_has_a_message(void)
{
    char *folder = make_run();
    struct record r;

    EXPECT_OK(record_open(folder, &r));
    EXPECT(record_has(&r, RECORD_METRICS) && !record_has(&r, RECORD_WORKERS));
    EXPECT(r.config == NULL && r.workers.count == 0 && r.result.status == NULL);
    EXPECT_INT(r.files[RECORD_WORKERS].state, RECORD_ABSENT);
    EXPECT_INT(r.files[RECORD_WORKERS].bytes, -1);
    EXPECT_TEXT(r.files[RECORD_LAST].name, "checkpoints/last.safetensors");
    record_release(&r);
    record_release(&r);
    case_free(folder);
}

static void test_files_that_do_not_read_are_damaged_and_the_rest_is_read(void)
{
    static const enum record_file_id ids[] = {
        RECORD_CONFIG,  RECORD_ENVIRONMENT, RECORD_ATTEMPTS, RECORD_LIVE,     RECORD_RESULT,
        RECORD_WORKERS, RECORD_PARTITION,   RECORD_GRAPH,    RECORD_CONFUSION};
    char *folder = make_run();
    struct record r;

    EXPECT_OK(record_open(folder, &r));
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        EXPECT_OK(file_write_in(folder, r.files[ids[i]].name, "{\"a\": [}\n"));
    record_release(&r);
    EXPECT_OK(record_open(folder, &r));
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        EXPECT_INT(r.files[ids[i]].state, RECORD_DAMAGED);
        EXPECT_HAS(r.files[ids[i]].message, r.files[ids[i]].name);
    }
    EXPECT_INT(r.metrics.row_count, 3);
    EXPECT_INT(r.state, RECORD_UNKNOWN);
    record_release(&r);
    case_free(folder);
}

static void read_record(const char *folder)
{
    struct record r;

    EXPECT_OK(record_open(folder, &r));
    EXPECT(r.metrics.row_count <= 3);
    record_release(&r);
}

static void test_a_record_opens_wherever_its_rows_are_cut(void)
{
    char *folder = make_run();

    case_damage(folder, "metrics.jsonl", read_record);
    case_free(folder);
}

static void test_a_graph_of_an_earlier_version_counts_as_present(void)
{
    char *folder = make_run();
    struct record r;

    EXPECT_OK(file_write_in(folder, "graph.json", "{\"nodes\": 2, \"edges\": [[0, 1]]}"));
    EXPECT_OK(record_open(folder, &r));
    EXPECT(record_has(&r, RECORD_GRAPH) && r.graph.count == 1);
    record_release(&r);
    case_free(folder);
}

static void test_what_is_no_run_is_an_error(void)
{
    char *folder = case_folder();
    struct record r;

    EXPECT_FAILS(record_open(folder, &r), STATUS_BAD_INPUT, folder);
    record_release(&r);
    case_free(folder);
}

/* --- the page --- */

/* As code: "`name`" in tables, "name " in the picture of the directory. */
static void expect_explained(const char *page, const char *form, const char *name)
{
    char *quoted = text_format("%c%s%c", form[0], name, form[1]);

    if (!EXPECT(strstr(page, quoted) != NULL))
        printf("# docs/reference/formats.md does not explain %s\n", quoted);
    mem_free(quoted);
}

static void test_the_page_of_formats_explains_every_metric_result_and_file(void)
{
    char *page = case_read(TEST_SOURCE_DIR "/../docs/reference", "formats.md");

    for (int i = 0; i < METRIC_COUNT; i++)
        expect_explained(page, "``", metric_list[i].name);
    for (int i = 0; i < COUNTERS_COUNT; i++)
        if (counters_list[i].shown != COUNTER_NOWHERE)
            expect_explained(page, "``", counters_list[i].key);
    for (int i = 0; i < result_list_count; i++)
        expect_explained(page, "``", result_list[i].key);
#define EXPECT_NAMED(constant, name, folder) \
    expect_explained(page, "  ", strrchr("/" name, '/') + 1);
    RECORD_FILE_LIST(EXPECT_NAMED)
#undef EXPECT_NAMED
    mem_free(page);
}

TEST_MAIN(TEST(test_rows_become_series_by_worker_and_name),
          TEST(test_rows_before_and_behind_a_damaged_one_are_kept),
          TEST(test_a_run_without_any_word_of_its_end_is_unknown),
          TEST(test_the_last_start_says_where_a_run_stands),
          TEST(test_without_attempts_the_live_file_says_it),
          TEST(test_every_file_is_optional_and_damage_has_a_message),
          TEST(test_files_that_do_not_read_are_damaged_and_the_rest_is_read),
          TEST(test_a_record_opens_wherever_its_rows_are_cut),
          TEST(test_a_graph_of_an_earlier_version_counts_as_present),
          TEST(test_what_is_no_run_is_an_error),
          TEST(test_the_page_of_formats_explains_every_metric_result_and_file))
