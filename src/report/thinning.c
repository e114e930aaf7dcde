/*
 * thinning.c - groups the series of a worker, and keeps the rows that show their extremes.
 */
#include "report/thinning.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

static int64_t row_count(const struct thinned *g)
{
    return g->series[0]->count;
}

static bool has_same_rows(const struct metric_series *a, const struct metric_series *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->rows, b->rows, (size_t)a->count * sizeof *a->rows) == 0);
}

static struct thinned *find_group(struct thinned_list *l, const struct metric_series *s)
{
    for (int64_t i = 0; i < l->count; i++)
        if (has_same_rows(l->items[i].series[0], s))
            return &l->items[i];
    l->items = mem_grow(l->items, l->count + 1, sizeof *l->items);
    l->items[l->count] = (struct thinned){0};
    return &l->items[l->count++];
}

/* --- which rows --- */

/* Marks the rows of the least and the greatest value in [from, to). */
static void mark_extremes(const struct metric_series *s, int64_t from, int64_t to, bool *keep)
{
    int64_t least = -1, most = -1;

    for (int64_t i = from; i < to; i++) {
        if (isnan(s->values[i]))
            continue;
        least = least < 0 || s->values[i] < s->values[least] ? i : least;
        most = most < 0 || s->values[i] > s->values[most] ? i : most;
    }
    if (least >= 0)
        keep[least] = keep[most] = true;
}

static int64_t mark(const struct thinned *g, int64_t pieces, bool *keep)
{
    const int64_t rows = row_count(g);
    int64_t count = 0;

    memset(keep, 0, (size_t)rows * sizeof *keep);
    for (int64_t p = 0; p < pieces; p++) {
        const int64_t from = rows * p / pieces, to = rows * (p + 1) / pieces;

        keep[from] = true;
        for (int64_t k = 0; k < g->series_count; k++)
            mark_extremes(g->series[k], from, to, keep);
    }
    keep[rows - 1] = true;
    for (int64_t i = 0; i < rows; i++)
        count += keep[i] ? 1 : 0;
    return count;
}

/* As many pieces as keep at most `limit` rows: found by halving, since more pieces keep more rows
 * (not strictly so, therefore the count is checked). One piece may exceed the limit. */
static void mark_most(const struct thinned *g, int64_t limit, bool *keep)
{
    int64_t fits = 1, exceeds = limit + 1;

    while (fits + 1 < exceeds) {
        const int64_t pieces = (fits + exceeds) / 2;

        if (mark(g, pieces, keep) <= limit)
            fits = pieces;
        else
            exceeds = pieces;
    }
    (void)mark(g, fits, keep);
}

static void choose_rows(struct thinned *g, int64_t limit)
{
    const int64_t rows = row_count(g);
    bool *keep = MEM_NEW_N(bool, rows);

    g->kept = MEM_NEW_N(int64_t, rows);
    if (rows > limit)
        mark_most(g, limit, keep);
    for (int64_t i = 0; i < rows; i++)
        if (rows <= limit || keep[i])
            g->kept[g->kept_count++] = i;
    mem_free(keep);
}

void thinned_init(struct thinned_list *l, const struct metric_table *t, int64_t worker,
                  int64_t limit)
{
    *l = (struct thinned_list){0};
    for (int64_t i = 0; i < t->series_count; i++) {
        const struct metric_series *s = &t->series[i];

        if (s->worker != worker || s->count == 0)
            continue;
        struct thinned *g = find_group(l, s);

        g->series = mem_grow(g->series, g->series_count + 1, sizeof *g->series);
        g->series[g->series_count++] = s;
    }
    for (int64_t i = 0; i < l->count; i++)
        choose_rows(&l->items[i], limit);
}

void thinned_release(struct thinned_list *l)
{
    for (int64_t i = 0; i < l->count; i++) {
        mem_free(l->items[i].series);
        mem_free(l->items[i].kept);
    }
    mem_free(l->items);
    *l = (struct thinned_list){0};
}
