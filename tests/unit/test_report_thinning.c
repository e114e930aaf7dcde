/*
 * test_report_thinning.c - report/thinning.h and report/curve_data.h: what is kept of long curves.
 */
#include "base/file.h"
#include "record_case.h"
#include "report/curve_data.h"
#include "report/thinning.h"

/* A file with `count` rows of a run: accuracy is flat with one peak, loss falls. */
static void write_rows(const char *folder, int64_t count, int64_t peak)
{
    struct text rows = {0};

    for (int64_t i = 0; i < count; i++)
        text_addf(&rows,
                  "{\"round\": %lld, \"epoch\": %.3f, \"samples\": %lld, \"gradients\": %lld, "
                  "\"bytes_sent\": 0, \"seconds\": %.2f, \"worker\": 0, \"test_accuracy\": %.3f, "
                  "\"test_loss\": %.6f}\n",
                  (long long)(10 * (i + 1)), 0.1 * (double)(i + 1), (long long)(320 * (i + 1)),
                  (long long)(10 * (i + 1)), 0.01 * (double)(i * i), i == peak ? 0.9 : 0.5,
                  2.0 / (double)(i + 1));
    EXPECT_OK(file_write_in(folder, "metrics.jsonl", text_get(&rows)));
    text_release(&rows);
}

static void read_rows(struct metric_table *t, int64_t count, int64_t peak)
{
    char *folder = case_folder();

    write_rows(folder, count, peak);
    EXPECT_OK(metric_table_read(folder, t));
    case_free(folder);
}

static void test_short_curves_are_kept_whole(void)
{
    struct metric_table t;
    struct thinned_list l;

    read_rows(&t, 500, 77);
    thinned_init(&l, &t, 0, 500);
    EXPECT_INT(l.count, 1);
    EXPECT_INT(l.items[0].series_count, 2);
    EXPECT_INT(l.items[0].kept_count, 500);
    thinned_release(&l);
    metric_table_release(&t);
}

static bool keeps(const struct thinned *g, int64_t row)
{
    bool found = false;

    for (int64_t i = 0; i < g->kept_count; i++)
        found = found || g->kept[i] == row;
    return found;
}

static void test_long_curves_keep_first_last_and_extremes(void)
{
    struct metric_table t;
    struct thinned_list l;

    read_rows(&t, 5000, 1234);
    thinned_init(&l, &t, 0, 500);
    EXPECT(l.items[0].kept_count <= 500);
    EXPECT(l.items[0].kept_count > 400);
    EXPECT(keeps(&l.items[0], 0));
    EXPECT(keeps(&l.items[0], 4999));
    EXPECT(keeps(&l.items[0], 1234));
    thinned_release(&l);
    metric_table_release(&t);
}

static void test_rows_are_ascending_and_each_is_kept_once(void)
{
    struct metric_table t;
    struct thinned_list l;

    read_rows(&t, 3000, 10);
    thinned_init(&l, &t, 0, 100);
    for (int64_t i = 1; i < l.items[0].kept_count; i++)
        EXPECT(l.items[0].kept[i] > l.items[0].kept[i - 1]);
    thinned_release(&l);
    metric_table_release(&t);
}

static void test_columns_that_are_multiples_of_the_rounds_are_short(void)
{
    const struct curve_limits all = {.numbers = 1 << 20, .worker_numbers = 1 << 20};
    struct metric_table t;
    struct text out = {0};
    struct json j;

    read_rows(&t, 3, 1);
    json_init(&j, &out);
    json_open_map(&j, NULL);
    curve_data_add(&j, &t, &all);
    json_close_map(&j);
    EXPECT_HAS(text_get(&out), "\"round\": [10,20,30]");
    EXPECT_HAS(text_get(&out), "\"samples\": {\"times\": 32}");
    EXPECT_HAS(text_get(&out), "\"seconds\": [0,0.01,0.04]");
    EXPECT_HAS(text_get(&out), "\"test_accuracy\": [0.5,0.9,0.5]");
    EXPECT_HAS(text_get(&out), "\"best_round\": null");
    EXPECT(strstr(text_get(&out), "workers") == NULL);
    text_release(&out);
    metric_table_release(&t);
}

static void test_an_empty_record_has_no_tables(void)
{
    const struct curve_limits all = curve_limits_for(0);
    struct metric_table t = {0};
    struct text out = {0};
    struct json j;

    json_init(&j, &out);
    json_open_map(&j, NULL);
    curve_data_add(&j, &t, &all);
    json_close_map(&j);
    EXPECT_TEXT(text_get(&out), "{\"best_round\": null, \"tables\": []}");
    text_release(&out);
}

TEST_MAIN(TEST(test_short_curves_are_kept_whole),
          TEST(test_long_curves_keep_first_last_and_extremes),
          TEST(test_rows_are_ascending_and_each_is_kept_once),
          TEST(test_columns_that_are_multiples_of_the_rounds_are_short),
          TEST(test_an_empty_record_has_no_tables))
