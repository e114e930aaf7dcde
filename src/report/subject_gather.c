/*
 * subject_gather.c - results of runs that were started one by one: grouped by their settings.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "record/record.h"
#include "record/run_numbers.h"
#include "report/subject.h"

/* A setting of a run by its path: "optimizer.lr". Owned. */
struct setting {
    char *path, *value;
};

#define UNKNOWN "settings" /* the one setting of a run whose effective.yaml does not read */

struct settings {
    struct setting *items;
    int64_t count;
};

/* What makes no other case: names, places, and what only observes or speeds up a run. */
static bool is_left_out(const char *path)
{
    static const char *const paths[] = {
        "seed",
        "data.fold",
        "name",
        "output",
        "data.dir",
        "data.download",
        "train.threads",
        "train.trace",
        "train.keep",
        "train.paranoid",
        "train.log_every",
        "train.save_every",
        "train.save_rounds",
        "train.record_correct",
        "train.saves_per_epoch",
        "train.maps",
        "train.evaluate_train",
        "train.print_evaluations",
    };

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const size_t length = strlen(paths[i]);

        if (strncmp(path, paths[i], length) == 0 && (path[length] == '\0' || path[length] == '.'))
            return true;
    }
    return false;
}

static void add_setting(struct settings *s, const char *path, char *value)
{
    s->items = mem_grow(s->items, s->count + 1, sizeof *s->items);
    s->items[s->count++] = (struct setting){mem_text(path), value};
}

static void add_settings(struct settings *s, const struct node *n, const char *path)
{
    if (is_left_out(path))
        return;
    if (n->kind == NODE_MAP) {
        for (int64_t i = 0; i < n->count; i++) {
            char *below =
                path[0] == '\0' ? mem_text(n->keys[i]) : text_format("%s.%s", path, n->keys[i]);

            add_settings(s, n->children[i], below);
            mem_free(below);
        }
    } else if (n->kind == NODE_LIST) {
        struct text value = {0};

        node_write(n, &value);
        add_setting(s, path, text_take(&value));
    } else {
        add_setting(s, path, mem_text(n->text));
    }
}

static void settings_release(struct settings *s)
{
    for (int64_t i = 0; i < s->count; i++) {
        mem_free(s->items[i].path);
        mem_free(s->items[i].value);
    }
    mem_free(s->items);
}

static const char *find_setting(const struct settings *s, const char *path)
{
    for (int64_t i = 0; i < s->count; i++)
        if (strcmp(s->items[i].path, path) == 0)
            return s->items[i].value;
    return NULL;
}

/* --- what differs --- */

/* Whether two runs have made another choice that a setting belongs to: "algorithm.name" for
 * "algorithm.period", which then only one of them may have. */
static bool chose_otherwise(const struct settings *a, const struct settings *b, const char *path)
{
    bool found = false;

    for (const char *dot = strchr(path, '.'); dot != NULL && !found; dot = strchr(dot + 1, '.')) {
        char *choice = text_format("%.*s.name", (int)(dot - path), path);
        const char *x = find_setting(a, choice), *y = find_setting(b, choice);

        found = x != NULL && y != NULL && strcmp(x, y) != 0;
        mem_free(choice);
    }
    return found;
}

/* An option that a run lacks is a difference, unless it belongs to another choice: then the choice
 * is the difference. */
static bool differs(const struct settings *all, int64_t count, const char *path)
{
    const struct settings *first = NULL;

    for (int64_t i = 0; i < count && first == NULL; i++)
        first = find_setting(&all[i], path) != NULL ? &all[i] : NULL;
    for (int64_t i = 0; i < count && first != NULL; i++) {
        const char *value = find_setting(&all[i], path);

        if (value == NULL && find_setting(&all[i], UNKNOWN) != NULL)
            continue; /* nothing of it is known */
        if (value == NULL ? !chose_otherwise(&all[i], first, path)
                          : strcmp(value, find_setting(first, path)) != 0)
            return true;
    }
    return false;
}

/* The paths whose values are not the same in all runs. */
static void find_differences(const struct settings *all, int64_t count, struct rundir_names *paths)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < all[i].count; k++) {
            const char *path = all[i].items[k].path;
            bool is_known = i > 0 && find_setting(&all[0], path) != NULL;

            for (int64_t p = 0; p < paths->count && !is_known; p++)
                is_known = strcmp(paths->items[p], path) == 0;
            if (!is_known && differs(all, count, path))
                rundir_names_add(paths, path);
        }
}

/* The algorithm comes first in tables and names. */
static void put_algorithm_first(struct rundir_names *paths)
{
    for (int64_t i = 1; i < paths->count; i++)
        if (strcmp(paths->items[i], "algorithm.name") == 0) {
            char *path = paths->items[i];

            memmove(paths->items + 1, paths->items, (size_t)i * sizeof *paths->items);
            paths->items[0] = path;
        }
}

static struct results_values values_of(struct results *r, const struct settings *s,
                                       const struct rundir_names *paths)
{
    struct results_values v = {MEM_NEW_N(struct results_value, paths->count), 0};

    for (int64_t i = 0; i < paths->count; i++) {
        const char *value = find_setting(s, paths->items[i]);

        if (value != NULL)
            v.items[v.count++] = (struct results_value){
                .key = results_keep(r, paths->items[i]),
                .text = results_keep(r, value),
            };
    }
    return v;
}

/* --- the runs --- */

/* By the folder that a user knows: that of the experiment, where the run has one of its own. */
static const char *name_of(const struct record *record)
{
    const char *slash = strrchr(record->top_dir, '/');
    const char *name = slash == NULL ? record->top_dir : slash + 1;

    return strcmp(name, ".") == 0 ? record->run_dir : name;
}

/* How the run stands, and its numbers so far. */
static void take_run(struct results *r, const struct record *record, struct damage *damage,
                     struct results_run *run)
{
    const struct node *config = record->config;
    const struct node *seed = config == NULL ? NULL : node_find(config, "seed");
    const struct node *fold = config == NULL ? NULL : node_find_path(config, "data.fold");

    *run = (struct results_run){
        .name = results_keep(r, name_of(record)),
        .fold = results_keep(r, fold == NULL ? NULL : fold->text),
        .seed = results_keep(r, seed == NULL ? NULL : seed->text),
        .status = record_state_names[record->state],
        .run_dir = results_keep(r, record->run_dir),
    };
    if (record->attempts.count > 0)
        run->reason = results_keep(r, record->attempts.items[record->attempts.count - 1].message);
    if (record_has(record, RECORD_RESULT)) {
        run_numbers_of_result(&record->result, run->numbers);
    } else {
        struct metric_table t;

        if (metric_table_read(record->run_dir, &t) != STATUS_OK) /* what reads of it counts */
            damage_warn(damage, status_message());
        run_numbers_of_rows(&t, run->numbers);
        metric_table_release(&t);
    }
}

static enum status read_runs(const struct rundir_list *dirs, struct damage *damage,
                             struct results *r, struct settings *settings)
{
    for (int64_t i = 0; i < dirs->count; i++) {
        struct record record;

        TRY(record_open_brief(dirs->paths[i], &record));
        damage_warn_record(damage, &record);
        take_run(r, &record, damage, &r->runs[r->run_count++]);
        if (dirs->count == 1)
            r->name = results_keep(r, record.result.name);
        if (record.config != NULL)
            add_settings(&settings[i], record.config, "");
        else /* its settings are not known: a case of its own */
            add_setting(&settings[i], UNKNOWN, text_format("unknown (%s)", record.run_dir));
        record_release(&record);
    }
    return STATUS_OK;
}

/* --- the cases --- */

static bool are_equal(const struct results_values *a, const struct results_values *b)
{
    bool equal = a->count == b->count;

    for (int64_t i = 0; equal && i < a->count; i++)
        equal = strcmp(a->items[i].key, b->items[i].key) == 0 &&
                strcmp(a->items[i].text, b->items[i].text) == 0;
    return equal;
}

static void add_case(struct results *r, const struct results_run *run)
{
    struct results_values values = {MEM_NEW_N(struct results_value, run->values.count), 0};

    for (int64_t i = 0; i < r->case_count; i++)
        if (are_equal(&r->cases[i].values, &run->values)) {
            mem_free(values.items);
            return;
        }
    for (int64_t i = 0; i < run->values.count; i++)
        values.items[values.count++] = run->values.items[i];
    r->cases[r->case_count++] = (struct results_case){.values = values};
}

enum status subject_gather(const struct rundir_list *dirs, struct damage *damage, struct results *r)
{
    struct settings *settings = MEM_NEW_N(struct settings, dirs->count);
    struct rundir_names differences = {0};

    *r = (struct results){
        .runs = MEM_NEW_N(struct results_run, dirs->count),
        .cases = MEM_NEW_N(struct results_case, dirs->count),
    };
    const enum status s = read_runs(dirs, damage, r, settings);
    find_differences(settings, r->run_count, &differences);
    put_algorithm_first(&differences);
    for (int64_t i = 0; i < r->run_count; i++) {
        r->runs[i].values = values_of(r, &settings[i], &differences);
        add_case(r, &r->runs[i]);
    }
    for (int64_t i = 0; i < dirs->count; i++)
        settings_release(&settings[i]);
    mem_free(settings);
    rundir_names_release(&differences);
    return s;
}
