/*
 * test_report_curves.c - report/case_curves.h: means over seeds on shared points.
 */
#include "base/file.h"
#include "record_case.h"
#include "report/case_curves.h"

/* A run with these rounds and accuracies, a row per pair. */
static void read_run(struct metric_table *t, const int *rounds, const double *values, int count)
{
    char *folder = case_folder();
    struct text rows = {0};

    for (int i = 0; i < count; i++)
        text_addf(&rows,
                  "{\"round\": %d, \"epoch\": %d, \"samples\": 0, \"gradients\": 0, "
                  "\"bytes_sent\": 0, \"seconds\": %d, \"worker\": 0, \"test_accuracy\": %.17g}\n",
                  rounds[i], rounds[i], rounds[i], values[i]);
    EXPECT_OK(file_write_in(folder, "metrics.jsonl", text_get(&rows)));
    EXPECT_OK(metric_table_read(folder, t));
    text_release(&rows);
    case_free(folder);
}

/* One case of all runs. */
static void draw(struct case_curves *c, const struct metric_table *tables, int64_t runs)
{
    struct subject_run places[3] = {{0}};
    struct results_run finished[3] = {
        {.status = "finished"}, {.status = "finished"}, {.status = "finished"}};
    const struct subject s = {
        .results = {.runs = finished, .run_count = runs, .case_count = 1},
        .runs = places,
    };

    case_curves_init(c, &s, tables, "test_accuracy", CURVE_ROUND);
}

static void test_the_mean_has_the_interval_of_student(void)
{
    const int rounds[] = {10, 20};
    const double values[3][2] = {
        {0.1, 0.4},
        {0.2, 0.5},
        {0.3, 0.9}
    };
    const double t = 0.95 / sqrt(2 * 0.975 * 0.025);
    struct metric_table tables[3];
    struct case_curves c;

    for (int i = 0; i < 3; i++)
        read_run(&tables[i], rounds, values[i], 2);
    draw(&c, tables, 3);
    EXPECT_INT(c.point_count, 2);
    EXPECT_NEAR(c.cases[0].mean[0], 0.2, 1e-15);
    EXPECT_NEAR(c.cases[0].mean[1], 0.6, 1e-15);
    /* t(p, 2) = (2 p - 1) / sqrt(2 p (1 - p)); deviations 0.1 and 0.2645751... */
    EXPECT_NEAR(c.cases[0].high[0] - c.cases[0].mean[0], t * 0.1 / sqrt(3), 1e-12);
    EXPECT_NEAR(c.cases[0].mean[1] - c.cases[0].low[1], t * 0.26457513110645905 / sqrt(3), 1e-12);
    case_curves_release(&c);
    for (int i = 0; i < 3; i++)
        metric_table_release(&tables[i]);
}

static void test_between_two_rows_a_run_is_on_their_line(void)
{
    const int first[] = {10, 30}, second[] = {10, 20, 30};
    const double a[] = {0, 1}, b[] = {0, 0.2, 1};
    struct metric_table tables[2];
    struct case_curves c;

    read_run(&tables[0], first, a, 2);
    read_run(&tables[1], second, b, 3);
    draw(&c, tables, 2);
    EXPECT_INT(c.point_count, 3);
    EXPECT_NEAR(c.cases[0].mean[1], (0.5 + 0.2) / 2, 1e-15);
    case_curves_release(&c);
    metric_table_release(&tables[0]);
    metric_table_release(&tables[1]);
}

static void test_there_is_no_mean_where_a_seed_has_ended(void)
{
    const int rounds[] = {10, 20, 30};
    const double values[] = {0.1, 0.2, 0.3};
    struct metric_table tables[2];
    struct case_curves c;

    read_run(&tables[0], rounds, values, 3);
    read_run(&tables[1], rounds, values, 2);
    draw(&c, tables, 2);
    EXPECT(!isnan(c.cases[0].mean[1]));
    EXPECT(isnan(c.cases[0].mean[2]));
    case_curves_release(&c);
    metric_table_release(&tables[0]);
    metric_table_release(&tables[1]);
}

static void test_many_points_become_few_and_a_peak_stays(void)
{
    enum { COUNT = 4000, PEAK = 1234 };
    int *rounds = MEM_NEW_N(int, COUNT);
    double *values = MEM_NEW_N(double, COUNT), most = 0;
    struct metric_table table;
    struct case_curves c;

    for (int i = 0; i < COUNT; i++) {
        rounds[i] = i + 1;
        values[i] = i == PEAK ? 0.9 : 0.5;
    }
    read_run(&table, rounds, values, COUNT);
    draw(&c, &table, 1);
    EXPECT_INT(c.point_count, CASE_CURVE_POINTS_MAX);
    for (int64_t i = 0; i < c.point_count; i++)
        most = c.cases[0].mean[i] > most ? c.cases[0].mean[i] : most;
    EXPECT_NEAR(most, 0.9, 0);
    case_curves_release(&c);
    metric_table_release(&table);
    mem_free(rounds);
    mem_free(values);
}

static void test_runs_without_the_metric_have_no_curve(void)
{
    struct metric_table table = {0};
    struct case_curves c;

    draw(&c, &table, 1);
    EXPECT_INT(c.point_count, 0);
    EXPECT_INT(c.cases[0].seeds, 0);
    case_curves_release(&c);
}

TEST_MAIN(TEST(test_the_mean_has_the_interval_of_student),
          TEST(test_between_two_rows_a_run_is_on_their_line),
          TEST(test_there_is_no_mean_where_a_seed_has_ended),
          TEST(test_many_points_become_few_and_a_peak_stays),
          TEST(test_runs_without_the_metric_have_no_curve))
