/*
 * table.c - the numbers of the comparison. How they are shown: table_show.c.
 */
#include "study/table.h"

#include <math.h>

#include "base/mem.h"

/* Whether a cell counts in the row of a combination. */
static bool has(const struct study_table *t, int64_t cell, int64_t combination)
{
    return t->study->cells[cell].combination == combination && study_table_shows(t, cell);
}

static struct study_mean mean_of(const struct study_table *t, int64_t combination, int number)
{
    struct study_mean m = {(double)NAN, (double)NAN};
    double sum = 0, squares = 0;
    int64_t count = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < t->study->count; i++) {
            const struct study_result *r = &t->results[i];
            const double x = r->numbers[number];

            if (!has(t, i, combination) || r->state != STUDY_FINISHED || isnan(x))
                continue;
            count += pass == 0 ? 1 : 0;
            sum += pass == 0 ? x : 0;
            squares += pass == 0 ? 0 : (x - m.mean) * (x - m.mean);
        }
        if (pass == 0 && count > 0)
            m.mean = sum / (double)count;
    }
    if (count > 1)
        m.spread = sqrt(squares / (double)(count - 1));
    return m;
}

static void count_states(const struct study_table *t, struct study_row *row)
{
    for (int64_t i = 0; i < t->study->count; i++) {
        if (!has(t, i, row->cell->combination))
            continue;
        row->seeds += t->results[i].state == STUDY_FINISHED ? 1 : 0;
        row->failed += t->results[i].state == STUDY_FAILED ? 1 : 0;
        row->waiting += t->results[i].state == STUDY_NOT_RUN ? 1 : 0;
    }
}

static void add_rows(struct study_table *t)
{
    for (int64_t i = 0; i < t->study->count; i++) {
        bool is_new = study_table_shows(t, i);

        for (int64_t k = 0; k < t->count && is_new; k++)
            is_new = t->rows[k].cell->combination != t->study->cells[i].combination;
        if (!is_new)
            continue;
        struct study_row *row = &t->rows[t->count++];
        row->cell = &t->study->cells[i];
        count_states(t, row);
        for (int k = 0; k < STUDY_NUMBERS; k++)
            row->numbers[k] = mean_of(t, row->cell->combination, k);
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
