/*
 * table.c - the numbers of the comparison. How they are shown: table_show.c.
 */
#include "study/table.h"

#include <math.h>

#include "base/mem.h"

/* The cells of one combination, which follow each other: seeds are innermost. */
struct range {
    int64_t begin, end;
};

static struct range range_from(const struct study *s, int64_t begin)
{
    struct range r = {begin, begin + 1};

    while (r.end < s->count && s->cells[r.end].combination == s->cells[begin].combination)
        r.end++;
    return r;
}

static bool counts(const struct study_table *t, int64_t cell, int number)
{
    return study_table_shows(t, cell) && t->results[cell].state == STUDY_FINISHED &&
           !isnan(t->results[cell].numbers[number]);
}

static struct study_mean mean_of(const struct study_table *t, struct range r, int number)
{
    struct study_mean m = {(double)NAN, (double)NAN};
    double sum = 0, squares = 0;
    int64_t count = 0;

    for (int64_t i = r.begin; i < r.end; i++) {
        sum += counts(t, i, number) ? t->results[i].numbers[number] : 0;
        count += counts(t, i, number) ? 1 : 0;
    }
    if (count == 0)
        return m;
    m.mean = sum / (double)count;
    for (int64_t i = r.begin; i < r.end; i++) {
        const double away = counts(t, i, number) ? t->results[i].numbers[number] - m.mean : 0;
        squares += away * away;
    }
    if (count > 1)
        m.spread = sqrt(squares / (double)(count - 1));
    return m;
}

static void fill_row(const struct study_table *t, struct range r, struct study_row *row)
{
    for (int64_t i = r.end - 1; i >= r.begin; i--) {
        if (!study_table_shows(t, i))
            continue;
        row->cell = &t->study->cells[i];
        row->seeds += t->results[i].state == STUDY_FINISHED ? 1 : 0;
        row->failed += t->results[i].state == STUDY_FAILED ? 1 : 0;
        row->waiting += t->results[i].state == STUDY_NOT_RUN ? 1 : 0;
        row->diverged += study_result_diverges(&t->results[i]) ? 1 : 0;
    }
    for (int k = 0; k < STUDY_NUMBERS; k++)
        row->numbers[k] = mean_of(t, r, k);
}

static void add_rows(struct study_table *t)
{
    struct range r = {0, 0};

    while (r.end < t->study->count) {
        r = range_from(t->study, r.end);
        fill_row(t, r, &t->rows[t->count]);
        t->count += t->rows[t->count].cell != NULL ? 1 : 0; /* none of it: all are left out */
    }
}

void study_table_init(struct study_table *t, const struct study *s,
                      const struct study_result *results)
{
    *t = (struct study_table){.study = s, .results = results, .is_whole = true};
    t->rows = MEM_NEW_N(struct study_row, s->count);
    add_rows(t);
}

void study_table_init_kept(struct study_table *t, const struct study *s,
                           const struct study_result *results)
{
    *t = (struct study_table){.study = s, .results = results};
    t->rows = MEM_NEW_N(struct study_row, s->count);
    add_rows(t);
}

bool study_table_shows(const struct study_table *t, int64_t cell)
{
    return t->is_whole || !t->study->cells[cell].is_left_out;
}

void study_table_release(struct study_table *t)
{
    mem_free(t->rows);
    *t = (struct study_table){0};
}
