/*
 * curve_data.c - writes tables of metrics as JSON, thinned to what a page has room for.
 */
#include "report/curve_data.h"

#include <math.h>

#include "base/mem.h"
#include "record/metric.h"
#include "record/recorder.h"
#include "report/case_curves.h"
#include "report/thinning.h"

enum { ROWS_MIN = 40 };

/* A number takes about 9 bytes, or 18 with all digits. A page of up to a hundred runs has some
 * megabytes, one of a thousand less than twenty. */
struct curve_limits curve_limits_for(int64_t run_count)
{
    const int64_t all = run_count <= 150 ? 250000 : run_count <= 750 ? 1667 * run_count : 1250000;
    const int64_t runs = run_count > 0 ? run_count : 1;

    return (struct curve_limits){
        .numbers = all / runs,
        .worker_numbers = 250000 / runs,
        .digits = run_count <= 20 ? 0 : 7,
        .worker_digits = run_count <= 2 ? 0 : 6,
    };
}

/* --- a table --- */

struct table {
    const struct metric_table *metrics;
    const struct thinned *group;
    double *column; /* [kept_count], for any use */
    int digits;
};

/* The factor between the rounds and a column; NaN: the column is no multiple of them. */
static double multiple_of_rounds(const struct table *t)
{
    const struct thinned *g = t->group;
    double times = (double)NAN;

    for (int64_t i = 0; i < g->kept_count; i++) {
        const double round = (double)t->metrics->round[g->series[0]->rows[g->kept[i]]];

        if (isnan(times) && round > 0)
            times = t->column[i] / round;
        if (round > 0 && fabs(times * round - t->column[i]) > 1e-12 * fabs(t->column[i]))
            return (double)NAN;
        if (round <= 0 && t->column[i] != 0)
            return (double)NAN;
    }
    return times;
}

static void add_axis(struct json *j, const struct table *t, enum curve_axis axis)
{
    const struct thinned *g = t->group;

    for (int64_t i = 0; i < g->kept_count; i++)
        t->column[i] = curve_axis_value(t->metrics, axis, g->series[0]->rows[g->kept[i]]);
    const double times = axis == CURVE_ROUND ? (double)NAN : multiple_of_rounds(t);
    if (isnan(times)) {
        json_number_list(j, curve_axis_names[axis], t->column, g->kept_count,
                         axis == CURVE_ROUND ? 0 : t->digits);
        return;
    }
    json_open_map(j, curve_axis_names[axis]);
    json_number(j, "times", times);
    json_close_map(j);
}

static void add_table(struct json *j, const struct table *t)
{
    const struct thinned *g = t->group;

    json_open_map(j, NULL);
    for (int axis = 0; axis < CURVE_AXES; axis++)
        add_axis(j, t, (enum curve_axis)axis);
    json_open_map(j, "metrics");
    for (int64_t k = 0; k < g->series_count; k++) {
        for (int64_t i = 0; i < g->kept_count; i++)
            t->column[i] = g->series[k]->values[g->kept[i]];
        json_number_list(j, g->series[k]->name, t->column, g->kept_count, t->digits);
    }
    json_close_map(j);
    json_close_map(j);
}

/* --- the tables of a worker --- */

static int64_t columns_of(const struct metric_table *t, int64_t worker)
{
    int64_t count = CURVE_AXES;

    for (int64_t i = 0; i < t->series_count; i++)
        count += t->series[i].worker == worker ? 1 : 0;
    return count;
}

static int64_t row_limit(int64_t numbers, int64_t columns)
{
    const int64_t rows = numbers / columns;

    return rows < ROWS_MIN ? ROWS_MIN : rows > CURVE_ROWS_MAX ? CURVE_ROWS_MAX : rows;
}

struct worker_tables {
    int64_t worker, numbers;
    int digits;
};

static void add_tables(struct json *j, const struct metric_table *t, struct worker_tables w)
{
    struct thinned_list l;

    thinned_init(&l, t, w.worker, row_limit(w.numbers, columns_of(t, w.worker)));
    json_open_list(j, "tables");
    for (int64_t i = 0; i < l.count; i++) {
        const struct table table = {
            .metrics = t,
            .group = &l.items[i],
            .column = MEM_NEW_N(double, l.items[i].kept_count),
            .digits = w.digits,
        };

        add_table(j, &table);
        mem_free(table.column);
    }
    json_close_list(j);
    thinned_release(&l);
}

/* --- a run --- */

/* One more than the last worker with rows. */
static int64_t worker_count(const struct metric_table *t)
{
    int64_t count = 0;

    for (int64_t i = 0; i < t->series_count; i++)
        count = t->series[i].worker >= count ? t->series[i].worker + 1 : count;
    return count;
}

bool curve_data_has_workers(const struct metric_table *t)
{
    return curve_worker_of_run(t) == METRIC_ALL_WORKERS && worker_count(t) > 1;
}

static void add_best_round(struct json *j, const struct metric_table *t, int64_t worker)
{
    const struct metric_series *s =
        metric_table_find(t, worker, metric_name(METRIC_VALIDATION_LOSS));
    int64_t best = -1;

    for (int64_t i = 0; s != NULL && i < s->count; i++)
        if (!isnan(s->values[i]) && (best < 0 || s->values[i] < s->values[best]))
            best = i;
    if (best < 0)
        json_text(j, "best_round", NULL);
    else
        json_int(j, "best_round", t->round[s->rows[best]]);
}

void curve_data_add(struct json *j, const struct metric_table *t, const struct curve_limits *l)
{
    const int64_t worker = curve_worker_of_run(t), workers = worker_count(t);
    const int64_t shown = workers < CURVE_WORKERS_MAX ? workers : CURVE_WORKERS_MAX;

    add_best_round(j, t, worker);
    add_tables(j, t, (struct worker_tables){worker, l->numbers, l->digits});
    if (!curve_data_has_workers(t))
        return;
    json_open_list(j, "workers");
    for (int64_t i = 0; i < shown; i++) {
        json_open_map(j, NULL);
        json_int(j, "worker", i);
        add_tables(j, t, (struct worker_tables){i, l->worker_numbers / shown, l->worker_digits});
        json_close_map(j);
    }
    json_close_list(j);
}
