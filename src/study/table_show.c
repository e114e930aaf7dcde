/*
 * table_show.c - the comparison as text in columns, as CSV and as JSON.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "study/grid.h"
#include "study/published.h"

/* --- what varies: one column per key --- */

struct keys {
    const char **names; /* borrowed */
    int64_t count;
};

static bool keys_have(const struct keys *k, const char *name)
{
    for (int64_t i = 0; i < k->count; i++)
        if (strcmp(k->names[i], name) == 0)
            return true;
    return false;
}

/* Of all rows, in the order in which they come up; mem_free the names. */
static struct keys keys_of(const struct study_table *t)
{
    struct keys k = {0};

    for (int64_t i = 0; i < t->count; i++)
        for (int64_t v = 0; v < t->rows[i].cell->values.count; v++) {
            const char *key = t->rows[i].cell->values.items[v].key;

            if (keys_have(&k, key))
                continue;
            k.names = mem_resize(k.names, k.count, k.count + 1, sizeof *k.names);
            k.names[k.count++] = key;
        }
    return k;
}

/* NULL when the cell has no such value. */
static const char *value_of(const struct study_cell *c, const char *key)
{
    for (int64_t i = 0; i < c->values.count; i++)
        if (strcmp(c->values.items[i].key, key) == 0)
            return c->values.items[i].text;
    return NULL;
}

static bool has_runs(const struct study *s)
{
    bool found = false;

    for (int64_t i = 0; i < s->count; i++)
        found = found || s->cells[i].run != NULL;
    return found;
}

static bool has_seeds(const struct study *s)
{
    bool found = false;

    for (int64_t i = 0; i < s->count; i++)
        found = found || s->cells[i].seed != NULL;
    return found;
}

/* --- the table for people --- */

static bool is_shown(const struct study_table *t, int number)
{
    bool found = false;

    for (int64_t i = 0; i < t->count && study_numbers[number].heading != NULL; i++)
        found = found || !isnan(t->rows[i].numbers[number].mean);
    return found;
}

static char *shown(const struct study_mean *m, int number)
{
    const struct study_number_name *n = &study_numbers[number];
    struct text out = {0};

    if (isnan(m->mean))
        return mem_text("-");
    text_add_fixed(&out, n->scale * m->mean, n->digits);
    if (m->spread > 0) {
        text_add(&out, " \xC2\xB1 ");
        text_add_fixed(&out, n->scale * m->spread, n->digits);
    }
    return text_take(&out);
}

static char *remark(const struct study_row *row)
{
    const int64_t all = row->seeds + row->failed + row->waiting;

    if (row->failed > 0)
        return all == 1 ? mem_text("failed")
                        : text_format("%" PRId64 " of %" PRId64 " failed", row->failed, all);
    return row->waiting == all ? mem_text("not run") : NULL;
}

static int64_t put_numbers(const struct study_table *t, struct grid *g, int64_t column, int number)
{
    if (!is_shown(t, number))
        return column;
    grid_put(g, 0, column, mem_text(study_numbers[number].heading));
    for (int64_t i = 0; i < t->count; i++)
        grid_put(g, i + 1, column, shown(&t->rows[i].numbers[number], number));
    return column + 1;
}

static int64_t put_names(const struct study_table *t, struct grid *g)
{
    struct keys keys = keys_of(t);
    int64_t column = 0;

    if (has_runs(t->study)) {
        grid_put(g, 0, column, mem_text("run"));
        for (int64_t i = 0; i < t->count; i++)
            grid_put(g, i + 1, column, mem_text(t->rows[i].cell->run));
        g->is_left[column++] = true;
    }
    for (int64_t k = 0; k < keys.count; k++) {
        grid_put(g, 0, column, mem_text(keys.names[k]));
        for (int64_t i = 0; i < t->count; i++) {
            const char *value = value_of(t->rows[i].cell, keys.names[k]);
            grid_put(g, i + 1, column, mem_text(value == NULL ? "-" : value));
        }
        g->is_left[column++] = true;
    }
    mem_free(keys.names);
    if (!has_seeds(t->study))
        return column;
    grid_put(g, 0, column, mem_text("seeds"));
    for (int64_t i = 0; i < t->count; i++)
        grid_put(g, i + 1, column, text_format("%" PRId64, t->rows[i].seeds));
    return column + 1;
}

void study_table_text(const struct study_table *t, struct text *out)
{
    struct keys keys = keys_of(t);
    struct grid g = grid_new(t->count + 1, keys.count + 3 + STUDY_NUMBERS);
    int64_t column = put_names(t, &g);

    mem_free(keys.names);
    for (int n = 0; n < STUDY_NUMBERS; n++)
        column = put_numbers(t, &g, column, n);
    for (int64_t i = 0; i < t->count; i++)
        grid_put(&g, i + 1, column, remark(&t->rows[i]));
    g.is_left[column] = true;
    grid_write(&g, out);
    grid_free(&g);
}

void study_list_text(const struct study *s, struct text *out)
{
    for (int64_t i = 0; i < s->count; i++) {
        const struct study_cell *c = &s->cells[i];
        const bool is_full = c->full_name == NULL || strcmp(c->full_name, c->name) == 0;

        if (!c->is_left_out)
            text_addf(out, "%s%s%s\n", c->name, is_full ? "" : "  ", is_full ? "" : c->full_name);
    }
}

/* --- CSV --- */

static void csv_number(struct text *out, double value)
{
    text_add(out, ",");
    if (!isnan(value))
        text_add_double(out, value);
}

static void csv_row(const struct study_row *row, const struct keys *keys, struct text *out)
{
    text_add_csv(out, row->cell->run == NULL ? "" : row->cell->run);
    for (int64_t k = 0; k < keys->count; k++) {
        const char *value = value_of(row->cell, keys->names[k]);

        text_add(out, ",");
        text_add_csv(out, value == NULL ? "" : value);
    }
    text_addf(out, ",%" PRId64 ",%" PRId64, row->seeds, row->failed);
    for (int n = 0; n < STUDY_NUMBERS; n++) {
        csv_number(out, row->numbers[n].mean);
        csv_number(out, row->numbers[n].spread);
    }
    text_add(out, "\n");
}

void study_table_csv(const struct study_table *t, struct text *out)
{
    struct keys keys = keys_of(t);

    text_add(out, "run");
    for (int64_t k = 0; k < keys.count; k++) {
        text_add(out, ",");
        text_add_csv(out, keys.names[k]);
    }
    text_add(out, ",seeds,failed");
    for (int n = 0; n < STUDY_NUMBERS; n++)
        text_addf(out, ",%s,%s_spread", study_numbers[n].key, study_numbers[n].key);
    text_add(out, "\n");
    for (int64_t i = 0; i < t->count; i++)
        csv_row(&t->rows[i], &keys, out);
    mem_free(keys.names);
}

/* --- JSON --- */

static void json_values(struct json *j, const struct study_cell *c)
{
    json_text(j, "run", c->run);
    json_open_map(j, "values");
    for (int64_t i = 0; i < c->values.count; i++)
        json_text(j, c->values.items[i].key, c->values.items[i].text);
    json_close_map(j);
}

static void json_row(struct json *j, const struct study_row *row)
{
    json_open_map(j, NULL);
    json_values(j, row->cell);
    json_int(j, "seeds", row->seeds);
    json_int(j, "failed", row->failed);
    for (int n = 0; n < STUDY_NUMBERS; n++) {
        char *spread = text_format("%s_spread", study_numbers[n].key);

        json_number(j, study_numbers[n].key, row->numbers[n].mean);
        json_number(j, spread, row->numbers[n].spread);
        mem_free(spread);
    }
    json_close_map(j);
}

static void json_cell(struct json *j, const struct study_cell *c, const struct study_result *r,
                      const char *folder)
{
    char *run_dir = folder == NULL ? NULL : file_join(folder, c->name);

    json_open_map(j, NULL);
    json_text(j, "name", c->name);
    json_values(j, c);
    json_text(j, "seed", c->seed);
    json_text(j, "status", study_state_names[r->state]);
    json_text(j, "run_dir", run_dir);
    for (int n = 0; n < STUDY_NUMBERS; n++)
        json_number(j, study_numbers[n].key, r->numbers[n]);
    json_close_map(j);
    mem_free(run_dir);
}

void study_table_json(const struct study_table *t, const char *folder,
                      const struct judgements *judged, struct text *out)
{
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_text(&j, "name", t->study->name);
    json_text(&j, "folder", folder);
    json_open_list(&j, "rows");
    for (int64_t i = 0; i < t->count; i++)
        json_row(&j, &t->rows[i]);
    json_close_list(&j);
    json_open_list(&j, "cells");
    for (int64_t i = 0; i < t->study->count; i++)
        if (study_table_shows(t, i))
            json_cell(&j, &t->study->cells[i], &t->results[i], folder);
    json_close_list(&j);
    if (judged != NULL && judged->count > 0)
        judgements_json(judged, &j);
    json_close_map(&j);
    text_add(out, "\n");
}
