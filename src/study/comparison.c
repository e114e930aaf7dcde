/*
 * comparison.c - the numbers of the comparison. How they are shown: comparison_show.c.
 */
#include "study/comparison.h"

#include <math.h>

#include "base/mem.h"
#include "base/statistics.h"

/* The runs of one case, which follow each other: seeds are innermost. */
struct range {
    int64_t begin, end;
};

static struct range range_from(const struct study *s, int64_t begin)
{
    struct range r = {begin, begin + 1};

    while (r.end < s->count && s->runs[r.end].case_number == s->runs[begin].case_number)
        r.end++;
    return r;
}

static bool counts(const struct comparison *t, int64_t run, int number)
{
    return comparison_shows(t, run) && t->results[run].state == RESULT_FINISHED &&
           !isnan(t->results[run].numbers[number]);
}

static struct mean_deviation mean_of(const struct comparison *t, struct range r, int number)
{
    double *values = MEM_NEW_N(double, r.end - r.begin);
    struct mean_deviation m = {0};

    for (int64_t i = r.begin; i < r.end; i++)
        if (counts(t, i, number))
            values[m.count++] = t->results[i].numbers[number];
    m.mean = statistics_mean(values, m.count);
    m.deviation = statistics_deviation(values, m.count);
    m.half_width = t_half_width(m.deviation, m.count, STATISTICS_LEVEL);
    mem_free(values);
    return m;
}

static void fill_row(const struct comparison *t, struct range r, struct comparison_row *row)
{
    for (int64_t i = r.end - 1; i >= r.begin; i--) {
        if (!comparison_shows(t, i))
            continue;
        row->run = &t->study->runs[i];
        row->seeds += t->results[i].state == RESULT_FINISHED ? 1 : 0;
        row->failed += t->results[i].state == RESULT_FAILED ? 1 : 0;
        row->waiting += t->results[i].state == RESULT_NOT_RUN ? 1 : 0;
        row->diverged += compared_run_diverges(&t->results[i], t->judged_by) ? 1 : 0;
        if (t->results[i].state == RESULT_FAILED && t->results[i].reason[0] != '\0')
            row->reason = t->results[i].reason;
    }
    for (int k = 0; k < RESULT_NUMBERS; k++)
        row->numbers[k] = mean_of(t, r, k);
}

static void add_rows(struct comparison *t)
{
    struct range r = {0, 0};

    while (r.end < t->study->count) {
        r = range_from(t->study, r.end);
        fill_row(t, r, &t->rows[t->count]);
        t->count += t->rows[t->count].run != NULL ? 1 : 0; /* none of it: all are left out */
    }
}

enum judged_by comparison_judged_by(const struct study *s)
{
    bool by_validation = s->is_by_validation;

    for (int64_t i = 0; i < s->count; i++)
        by_validation = by_validation || s->runs[i].fold != NULL;
    return by_validation ? JUDGED_BY_VALIDATION : JUDGED_BY_TEST;
}

static void init(struct comparison *t, const struct study *s, const struct compared_run *results,
                 bool is_whole)
{
    *t = (struct comparison){
        .study = s,
        .results = results,
        .rows = MEM_NEW_N(struct comparison_row, s->count),
        .is_whole = is_whole,
        .judged_by = comparison_judged_by(s),
    };
    add_rows(t);
}

void comparison_init(struct comparison *t, const struct study *s,
                     const struct compared_run *results)
{
    init(t, s, results, true);
}

void comparison_init_kept(struct comparison *t, const struct study *s,
                          const struct compared_run *results)
{
    init(t, s, results, false);
}

bool comparison_shows(const struct comparison *t, int64_t run)
{
    return t->is_whole || !t->study->runs[run].is_left_out;
}

void comparison_release(struct comparison *t)
{
    mem_free(t->rows);
    *t = (struct comparison){0};
}
