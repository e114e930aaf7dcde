/*
 * case_curves.c - puts the runs of a case on shared points, and takes their mean.
 */
#include "report/case_curves.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/statistics.h"
#include "record/recorder.h"

const char *const curve_axis_names[CURVE_AXES] = {
    [CURVE_ROUND] = "round",         [CURVE_EPOCH] = "epoch", [CURVE_SAMPLES] = "samples",
    [CURVE_GRADIENTS] = "gradients", [CURVE_BYTES] = "bytes", [CURVE_SECONDS] = "seconds",
};

double curve_axis_value(const struct metric_table *t, enum curve_axis axis, int64_t row)
{
    switch (axis) {
    case CURVE_ROUND:
        return (double)t->round[row];
    case CURVE_EPOCH:
        return t->epoch[row];
    case CURVE_SAMPLES:
        return (double)t->samples[row];
    case CURVE_GRADIENTS:
        return (double)t->gradients[row];
    case CURVE_BYTES:
        return (double)t->bytes[row];
    case CURVE_SECONDS:
    case CURVE_AXES:
        break;
    }
    return t->seconds[row];
}

int64_t curve_worker_of_run(const struct metric_table *t)
{
    for (int64_t i = 0; i < t->series_count; i++)
        if (t->series[i].worker == METRIC_ALL_WORKERS)
            return METRIC_ALL_WORKERS;
    return 0;
}

/* --- a run --- */

/* The finite values of a run, in the order of x. */
struct line {
    double *x, *y;
    int64_t count;
};

static void line_init(struct line *l, const struct metric_table *t, const char *metric,
                      enum curve_axis axis)
{
    const struct metric_series *s = metric_table_find(t, curve_worker_of_run(t), metric);
    const int64_t rows = s == NULL ? 0 : s->count;

    *l = (struct line){.x = MEM_NEW_N(double, rows), .y = MEM_NEW_N(double, rows)};
    for (int64_t i = 0; i < rows; i++) {
        const double x = curve_axis_value(t, axis, s->rows[i]);

        if (!isfinite(s->values[i]) || !isfinite(x) || (l->count > 0 && x < l->x[l->count - 1]))
            continue;
        if (l->count > 0 && x == l->x[l->count - 1]) /* measured twice: the later one counts */
            l->count--;
        l->x[l->count] = x;
        l->y[l->count++] = s->values[i];
    }
}

static void line_release(struct line *l)
{
    mem_free(l->x);
    mem_free(l->y);
}

static double between(const struct line *l, int64_t i, double x)
{
    const double share = (x - l->x[i]) / (l->x[i + 1] - l->x[i]);

    return l->y[i] + share * (l->y[i + 1] - l->y[i]);
}

/* How far row i is from the line between its neighbours. */
static double bend(const struct line *l, int64_t i)
{
    if (i == 0 || i == l->count - 1)
        return 0;
    const double share = (l->x[i] - l->x[i - 1]) / (l->x[i + 1] - l->x[i - 1]);

    return fabs(l->y[i] - (l->y[i - 1] + share * (l->y[i + 1] - l->y[i - 1])));
}

/* At x, or of the rows within `reach` of it; *from is where the search goes on. *is_row: there is
 * such a row, and the value is not one between two others. */
static double value_near(const struct line *l, double x, double reach, int64_t *from, bool *is_row)
{
    int64_t i = *from, best = -1;

    while (i < l->count && l->x[i] < x - reach)
        i++;
    *from = i;
    for (; i < l->count && l->x[i] <= x + reach; i++)
        if (best < 0 || bend(l, i) > bend(l, best))
            best = i;
    *is_row = best >= 0;
    if (best >= 0)
        return l->y[best];
    if (*from == 0 || *from == l->count)
        return (double)NAN; /* before the first row, or after the last */
    return between(l, *from - 1, x);
}

/* --- the shared points --- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y ? 1 : 0;
}

/* Puts the points into c->x; answers how far a row may be from one to count for it. */
static double choose_points(struct case_curves *c, const struct line *lines, int64_t count)
{
    int64_t all = 0, different = 0;

    for (int64_t i = 0; i < count; i++)
        all += lines[i].count;
    c->x = MEM_NEW_N(double, all + CASE_CURVE_POINTS_MAX);
    all = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < lines[i].count; k++)
            c->x[all++] = lines[i].x[k];
    if (all == 0)
        return 0;
    qsort(c->x, (size_t)all, sizeof *c->x, ascending);
    const double low = c->x[0], high = c->x[all - 1];
    for (int64_t i = 0; i < all; i++)
        if (different == 0 || c->x[i] > c->x[different - 1])
            c->x[different++] = c->x[i];
    c->point_count = different;
    if (different <= CASE_CURVE_POINTS_MAX)
        return 0;
    const double step = (high - low) / (CASE_CURVE_POINTS_MAX - 1);
    for (int64_t i = 0; i < CASE_CURVE_POINTS_MAX; i++)
        c->x[i] = low + step * (double)i;
    c->point_count = CASE_CURVE_POINTS_MAX;
    return step / 2;
}

/* --- the cases --- */

static void take_mean(struct case_curve *c, int64_t at, const double *values, int64_t count)
{
    const double half = t_half_width(statistics_deviation(values, count), count, STATISTICS_LEVEL);

    c->mean[at] = count == 0 ? (double)NAN : statistics_mean(values, count);
    c->low[at] = c->mean[at] - half;
    c->high[at] = c->mean[at] + half;
}

/* lines[count] of the runs of this case. */
static void fill_case(struct case_curves *all, struct case_curve *c, const struct line *lines,
                      int64_t count, double reach)
{
    double *values = MEM_NEW_N(double, count);
    int64_t *from = MEM_NEW_N(int64_t, count);

    c->mean = MEM_NEW_N(double, all->point_count);
    c->low = MEM_NEW_N(double, all->point_count);
    c->high = MEM_NEW_N(double, all->point_count);
    for (int64_t i = 0; i < count; i++)
        c->seeds += lines[i].count > 0 ? 1 : 0;
    for (int64_t p = 0; p < all->point_count; p++) {
        int64_t found = 0;
        bool has_row = reach > 0;

        for (int64_t i = 0; i < count; i++) {
            bool is_row = false;
            const double value = value_near(&lines[i], all->x[p], reach, &from[i], &is_row);

            has_row = has_row || is_row;
            if (!isnan(value))
                values[found++] = value;
        }
        take_mean(c, p, values, has_row && found == c->seeds ? found : 0);
    }
    mem_free(values);
    mem_free(from);
}

void case_curves_init(struct case_curves *c, const struct subject *s,
                      const struct metric_table *tables, const char *metric, enum curve_axis axis)
{
    const int64_t runs = s->results.run_count, cases = s->results.case_count;
    struct line *lines = MEM_NEW_N(struct line, runs), *of_case = MEM_NEW_N(struct line, runs);

    *c = (struct case_curves){.cases = MEM_NEW_N(struct case_curve, cases), .case_count = cases};
    for (int64_t i = 0; i < runs; i++)
        line_init(&lines[i], &tables[i], metric, axis);
    const double reach = choose_points(c, lines, runs);
    for (int64_t k = 0; k < cases; k++) {
        int64_t count = 0;

        for (int64_t i = 0; i < runs; i++)
            if (s->runs[i].case_number == k && subject_counts(s, i))
                of_case[count++] = lines[i];
        fill_case(c, &c->cases[k], of_case, count, reach);
    }
    for (int64_t i = 0; i < runs; i++)
        line_release(&lines[i]);
    mem_free(lines);
    mem_free(of_case);
}

void case_curves_release(struct case_curves *c)
{
    for (int64_t i = 0; i < c->case_count; i++) {
        mem_free(c->cases[i].mean);
        mem_free(c->cases[i].low);
        mem_free(c->cases[i].high);
    }
    mem_free(c->cases);
    mem_free(c->x);
    *c = (struct case_curves){0};
}
