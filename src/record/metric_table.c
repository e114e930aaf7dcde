/*
 * metric_table.c - turns the rows of metrics.jsonl into columns.
 */
#include "record/metric_table.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/json_read.h"
#include "record/recorder.h"

/* What every row carries: columns of the table. */
static bool is_header(const char *key)
{
    static const char *const keys[] = {"round",      "epoch",   "samples", "gradients",
                                       "bytes_sent", "seconds", "worker"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

/* --- finding --- */

static int64_t find_name(const struct metric_table *t, const char *name)
{
    for (int64_t i = 0; i < t->name_count; i++)
        if (strcmp(t->names[i].name, name) == 0)
            return i;
    return -1;
}

/* The place of a worker among a name's series: that of the run comes first. */
static int64_t slot_of(int64_t worker)
{
    return worker - METRIC_ALL_WORKERS;
}

const struct metric_series *metric_table_find(const struct metric_table *t, int64_t worker,
                                              const char *name)
{
    const int64_t at = find_name(t, name), slot = slot_of(worker);

    if (at < 0 || slot < 0 || slot >= t->names[at].series_room || t->names[at].series[slot] == 0)
        return NULL;
    return &t->series[t->names[at].series[slot] - 1];
}

void metric_table_cut(struct metric_table *t, int64_t round)
{
    for (int64_t i = 0; round > 0 && i < t->series_count; i++) {
        struct metric_series *s = &t->series[i];

        while (s->count > 0 && t->round[s->rows[s->count - 1]] > round)
            s->count--;
    }
    while (round > 0 && t->row_count > 0 && t->round[t->row_count - 1] > round)
        t->row_count--;
}

double metric_series_at(const struct metric_series *s, int64_t row)
{
    for (int64_t i = s->count - 1; i >= 0 && s->rows[i] >= row; i--)
        if (s->rows[i] == row)
            return s->values[i];
    return (double)NAN;
}

/* --- reading --- */

/* Rows have their keys in the same order, mostly: the name is that behind the last one. */
static struct metric_name *take_name(struct metric_table *t, const char *name)
{
    const bool is_next =
        t->next_name < t->name_count && strcmp(t->names[t->next_name].name, name) == 0;
    int64_t at = is_next ? t->next_name : find_name(t, name);

    if (at < 0) {
        at = t->name_count++;
        t->names = mem_grow(t->names, t->name_count, sizeof *t->names);
        t->names[at] = (struct metric_name){.name = mem_text(name)};
    }
    t->next_name = at + 1;
    return &t->names[at];
}

static void make_room(struct metric_name *n, int64_t slot)
{
    const int64_t room = 2 * slot + 2;

    if (slot < n->series_room)
        return;
    n->series = mem_resize(n->series, n->series_room, room, sizeof *n->series);
    for (int64_t i = n->series_room; i < room; i++)
        n->series[i] = 0;
    n->series_room = room;
}

static struct metric_series *take_series(struct metric_table *t, int64_t worker, const char *name)
{
    struct metric_name *n = take_name(t, name);
    const int64_t slot = slot_of(worker);

    make_room(n, slot);
    if (n->series[slot] == 0) {
        n->series[slot] = ++t->series_count;
        t->series = mem_grow(t->series, t->series_count, sizeof *t->series);
        t->series[t->series_count - 1] = (struct metric_series){.name = n->name, .worker = worker};
    }
    return &t->series[n->series[slot] - 1];
}

static void add_value(struct metric_series *s, int64_t row, double value)
{
    s->count++;
    s->rows = mem_grow(s->rows, s->count, sizeof *s->rows);
    s->values = mem_grow(s->values, s->count, sizeof *s->values);
    s->rows[s->count - 1] = row;
    s->values[s->count - 1] = value;
}

static void add_header(struct metric_table *t, const json_t *row)
{
    const int64_t at = t->row_count++;
    const struct {
        int64_t **column;
        const char *key;
    } counts[] = {
        {&t->worker,    "worker"    },
        {&t->round,     "round"     },
        {&t->samples,   "samples"   },
        {&t->gradients, "gradients" },
        {&t->bytes,     "bytes_sent"},
    };

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        *counts[i].column = mem_grow(*counts[i].column, at + 1, sizeof(int64_t));
        (*counts[i].column)[at] = json_read_int(row, counts[i].key, 0);
    }
    t->epoch = mem_grow(t->epoch, at + 1, sizeof *t->epoch);
    t->seconds = mem_grow(t->seconds, at + 1, sizeof *t->seconds);
    t->epoch[at] = json_read_number(row, "epoch");
    t->seconds[at] = json_read_number(row, "seconds");
}

static bool take_row(void *context, json_t *row)
{
    struct metric_table *t = context;
    const int64_t worker = json_read_int(row, "worker", 0);
    const json_t *value;
    const char *key;

    if (!json_is_integer(json_object_get(row, "round")) || worker < METRIC_ALL_WORKERS ||
        worker >= METRIC_WORKERS_MAX)
        return false;
    add_header(t, row);
    t->next_name = 0;
    json_object_foreach(row, key, value)
    {
        if (!is_header(key) && (json_is_number(value) || json_is_null(value)))
            add_value(take_series(t, worker, key), t->row_count - 1, json_read_number(row, key));
    }
    return true;
}

enum status metric_table_read(const char *run_dir, struct metric_table *t)
{
    char *path = file_join(run_dir, "metrics.jsonl");
    const struct json_taker taker = {
        .take = take_row,
        .context = t,
        .what = "a row of metrics",
        .care = JSON_LINES_STRICT,
    };

    *t = (struct metric_table){0};
    const enum status s = json_read_lines(path, &taker);
    mem_free(path);
    return s;
}

void metric_table_release(struct metric_table *t)
{
    for (int64_t i = 0; i < t->series_count; i++) {
        mem_free(t->series[i].rows);
        mem_free(t->series[i].values);
    }
    for (int64_t i = 0; i < t->name_count; i++) {
        mem_free(t->names[i].name);
        mem_free(t->names[i].series);
    }
    mem_free(t->series);
    mem_free(t->names);
    mem_free(t->worker);
    mem_free(t->round);
    mem_free(t->samples);
    mem_free(t->gradients);
    mem_free(t->bytes);
    mem_free(t->epoch);
    mem_free(t->seconds);
    *t = (struct metric_table){0};
}
