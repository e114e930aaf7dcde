/*
 * worker_table.c - the rows of workers.json that people look at.
 */
#include "report/worker_table.h"

#include <inttypes.h>
#include <math.h>

#include "base/mem.h"

static bool has_staleness(const struct record_workers *w)
{
    bool found = false;

    for (int64_t i = 0; i < w->count; i++)
        found = found || w->items[i].has_staleness;
    return found;
}

static bool has_accuracy(const struct record_workers *w)
{
    bool found = false;

    for (int64_t i = 0; i < w->count; i++)
        found = found || !isnan(w->items[i].test_accuracy);
    return found;
}

static double share(const struct record_workers *w, int64_t at)
{
    double all = 0;

    for (int64_t i = 0; i < w->count; i++)
        all += w->items[i].counters.rounds;
    return w->items[at].counters.rounds / all;
}

static void put(struct table *t, int digits, double value)
{
    table_put_number(t, isnan(value) ? NULL : text_format("%.*f", digits, value), value);
}

static void add_worker(const struct record_workers *w, int64_t at, struct table *t)
{
    const struct record_worker *one = &w->items[at];

    table_row(t, TABLE_PLAIN);
    table_put_number(t, text_format("%" PRId64, at), (double)at);
    put(t, 0, one->counters.rounds);
    put(t, 1, 100 * share(w, at));
    put(t, 0, one->counters.samples);
    put(t, 2, one->counters.seconds);
    if (has_staleness(w)) {
        put(t, 2, one->has_staleness ? one->staleness.mean : (double)NAN);
        put(t, 0, one->has_staleness ? (double)one->staleness.max : (double)NAN);
    }
    if (has_accuracy(w))
        put(t, 2, 100 * one->test_accuracy);
}

void worker_table(const struct record_workers *w, struct table *t)
{
    *t = (struct table){0};
    if (w->count < 2 || w->count > WORKER_TABLE_MAX)
        return;
    table_column(t, mem_text("worker"), true);
    table_column(t, mem_text("updates"), true);
    table_column(t, mem_text("% of updates"), true);
    table_column(t, mem_text("samples"), true);
    table_column(t, mem_text("seconds"), true);
    if (has_staleness(w)) {
        table_column(t, mem_text("mean staleness"), true);
        table_column(t, mem_text("largest staleness"), true);
    }
    if (has_accuracy(w))
        table_column(t, mem_text("test % of its own model"), true);
    for (int64_t i = 0; i < w->count; i++)
        add_worker(w, i, t);
}
