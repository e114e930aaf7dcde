/*
 * landscape_table.c - see landscape_table.h.
 */
#include "report/landscape_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/statistics.h"
#include "record/results_table.h"

/* The columns of numbers that the results have. */
static const struct {
    enum result_number number;
    const char *heading;
} columns[] = {
    {RESULT_FINAL_TRAIN_ACCURACY, "train accuracy, %"},
    {RESULT_ACCURACY,             "test accuracy, %" },
    {RESULT_ACCURACY_GAP,         "gap, points"      },
    {RESULT_FINAL_TRAIN_LOSS,     "train loss"       },
    {RESULT_LOSS,                 "test loss"        },
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* And those of the sharpness. */
static const struct {
    const char *heading;
    size_t offset;
    int digits; /* significant */
} sharp_columns[] = {
    {"rise",               offsetof(struct sharpness, rise),       3},
    {"largest eigenvalue", offsetof(struct sharpness, eigenvalue), 3},
};
enum { SHARP_COLUMNS = sizeof sharp_columns / sizeof sharp_columns[0] };

static double sharp_value(const struct sharpness *s, int column)
{
    double value = (double)NAN;

    if (s != NULL)
        memcpy(&value, (const char *)s + sharp_columns[column].offset, sizeof value);
    return value;
}

static void add_number_columns(const struct sharpness_list *sharpness, struct table *t)
{
    for (int i = 0; i < COLUMNS; i++)
        table_column(t, mem_text(columns[i].heading), true);
    for (int i = 0; sharpness != NULL && i < SHARP_COLUMNS; i++)
        table_column(t, mem_text(sharp_columns[i].heading), true);
}

/* --- the note --- */

static bool has_train(const struct results *r)
{
    bool found = false;

    for (int64_t i = 0; i < r->run_count; i++)
        found = found || !isnan(r->runs[i].numbers[RESULT_FINAL_TRAIN_ACCURACY]);
    return found;
}

static char *note_of(const struct subject *s, const struct sharpness_list *sharpness,
                     bool has_intervals)
{
    struct text out = {0};

    text_add(&out, has_train(&s->results)
                       ? "Gap: accuracy on the training set minus that on the test set."
                       : "Numbers of the training set need runs with --evaluate-train.");
    if (sharpness != NULL && sharpness->count > 0)
        text_addf(&out,
                  " Rise: of the loss on %s, at radius %.2f, mean of %d random directions, scaled "
                  "filter by filter. Eigenvalue: the largest of the Hessian of the training loss, "
                  "on %" PRId64 " batches of worker 0, after %d power iterations.",
                  sharpness->items[0].data, SHARPNESS_RADIUS, SHARPNESS_DIRECTIONS,
                  sharpness->items[0].batches, SHARPNESS_ITERATIONS);
    if (has_intervals)
        text_add(&out, " Means over seeds; \xC2\xB1: their 95 % confidence interval.");
    return text_take(&out);
}

/* --- runs --- */

static char *value_text(int number, double value)
{
    struct text out = {0};

    if (isnan(value))
        return NULL;
    results_table_value(&out, number, value);
    return text_take(&out);
}

static bool seeds_differ(const struct results *r)
{
    bool found = false;

    for (int64_t i = 1; i < r->run_count; i++)
        found = found || !text_equal(r->runs[i].seed, r->runs[0].seed);
    return found;
}

static char *copy_or_null(const char *text)
{
    return text == NULL ? NULL : mem_text(text);
}

static void add_run(const struct subject *s, int64_t at, const struct results_keys *keys,
                    const struct sharpness_list *sharpness, struct table *t)
{
    const struct results *r = &s->results;
    const struct sharpness *sharp = sharpness_find(sharpness, s->runs[at].dir);

    for (int64_t k = 0; k < keys->count; k++)
        table_put(t, copy_or_null(results_find_value(&r->runs[at].values, keys->names[k])));
    if (seeds_differ(r))
        table_put(t, copy_or_null(r->runs[at].seed));
    for (int i = 0; i < COLUMNS; i++) {
        const double value = r->runs[at].numbers[columns[i].number];

        table_put_number(t, value_text((int)columns[i].number, value), value);
    }
    for (int i = 0; sharpness != NULL && i < SHARP_COLUMNS; i++) {
        const double value = sharp_value(sharp, i);

        table_put_number(
            t, isnan(value) ? NULL : text_format("%.*g", sharp_columns[i].digits, value), value);
    }
}

void landscape_table_runs(const struct subject *s, const char *const *names,
                          const struct sharpness_list *sharpness, struct table *t)
{
    struct results_keys keys = results_find_keys(&s->results);

    *t = (struct table){.id = "landscape-runs"};
    table_column(t, mem_text("run"), false);
    for (int64_t k = 0; k < keys.count; k++)
        table_column(t, subject_short_key(keys.names[k]), true);
    if (seeds_differ(&s->results))
        table_column(t, mem_text("seed"), true);
    add_number_columns(sharpness, t);
    for (int64_t i = 0; i < s->results.run_count; i++) {
        table_row(t, TABLE_PLAIN);
        table_put(t, mem_text(names[i]));
        add_run(s, i, &keys, sharpness, t);
    }
    t->note = note_of(s, sharpness, false);
    mem_free(keys.names);
}

/* --- cases --- */

/* Of the runs of a case, those values that are known; the count. */
static int64_t sharp_values(const struct subject *s, int64_t number,
                            const struct sharpness_list *sharpness, int column, double *values)
{
    int64_t count = 0;

    for (int64_t i = 0; i < s->results.run_count; i++) {
        const double value = s->runs[i].case_number != number
                                 ? (double)NAN
                                 : sharp_value(sharpness_find(sharpness, s->runs[i].dir), column);

        if (!isnan(value))
            values[count++] = value;
    }
    return count;
}

static void put_sharpness(const struct subject *s, int64_t number,
                          const struct sharpness_list *sharpness, int column, struct table *t)
{
    double *values = MEM_NEW_N(double, s->results.run_count);
    const int64_t count = sharp_values(s, number, sharpness, column, values);
    const int digits = sharp_columns[column].digits;
    const double mean = statistics_mean(values, count);
    const double half = t_half_width(statistics_deviation(values, count), count, STATISTICS_LEVEL);

    table_put_number(t,
                     isnan(mean) ? NULL
                     : half > 0  ? text_format("%.*g \xC2\xB1 %.2g", digits, mean, half)
                                 : text_format("%.*g", digits, mean),
                     mean);
    mem_free(values);
}

static bool seed_counts_differ(const struct results *r)
{
    bool found = false;

    for (int64_t i = 1; i < r->case_count; i++)
        found = found || r->cases[i].seeds != r->cases[0].seeds;
    return found;
}

static bool has_remarks(const struct results *r)
{
    bool found = false;

    for (int64_t i = 0; i < r->case_count; i++)
        found = found || r->cases[i].failed + r->cases[i].not_run + r->cases[i].diverged > 0;
    return found;
}

/* "2 of 3 failed", "3 of 3 no better than guessing" */
static char *remark_of(const struct results_case *c)
{
    const int64_t all = c->seeds + c->failed + c->not_run;

    if (c->failed + c->not_run == 0 && c->diverged > 0)
        return text_format("%" PRId64 " of %" PRId64 " no better than guessing", c->diverged, all);
    return results_table_remark(c);
}

static void add_case(const struct subject *s, int64_t at, const struct sharpness_list *sharpness,
                     struct table *t)
{
    const struct results_case *c = &s->results.cases[at];

    if (seed_counts_differ(&s->results))
        table_put_number(t, text_format("%" PRId64, c->seeds), (double)c->seeds);
    for (int i = 0; i < COLUMNS; i++)
        table_put_number(t, results_table_cell(c, (int)columns[i].number),
                         c->numbers[columns[i].number].mean);
    for (int i = 0; sharpness != NULL && i < SHARP_COLUMNS; i++)
        put_sharpness(s, at, sharpness, i, t);
    if (has_remarks(&s->results))
        table_put(t, remark_of(c));
}

void landscape_table_cases(const struct subject *s, const struct sharpness_list *sharpness,
                           struct table *t)
{
    const bool has_seeds = s->results.run_count > s->results.case_count;

    *t = (struct table){.id = "landscape-runs"};
    table_column(t, mem_text("case"), false);
    if (seed_counts_differ(&s->results))
        table_column(t, mem_text("seeds"), true);
    add_number_columns(sharpness, t);
    if (has_remarks(&s->results))
        table_column(t, mem_text("remark"), false);
    for (int64_t i = 0; i < s->results.case_count; i++) {
        table_row(t, TABLE_PLAIN);
        table_put(t, mem_text(s->cases[i].name));
        add_case(s, i, sharpness, t);
    }
    t->note = note_of(s, sharpness, has_seeds);
}
