/*
 * known.c - runs that results.json knows.
 */
#include "metrics/known.h"

#include <jansson.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

/* A set of the names: a map from each to null. */
static json_t *names_of(const json_t *results)
{
    json_t *names = json_object();
    const json_t *cell;
    size_t i;

    json_array_foreach(json_object_get(results, "cells"), i, cell)
    {
        const char *name = json_string_value(json_object_get(cell, "name"));

        if (name != NULL)
            (void)json_object_set_new(names, name, json_null());
    }
    return names;
}

static void keep(struct rundir_names *runs, const json_t *known, struct rundir_names *others)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < runs->count; i++) {
        if (json_object_get(known, runs->items[i]) != NULL) {
            runs->items[kept++] = runs->items[i];
        } else {
            rundir_names_add(others, runs->items[i]);
            mem_free(runs->items[i]);
        }
    }
    runs->count = kept;
}

static void tell(const char *folder, const struct rundir_names *others)
{
    struct text list = {0};

    rundir_names_text(others, &list);
    log_warning("%s: left out, because they belong to no run of the experiment as it is now: %s",
                folder, text_get(&list));
    text_release(&list);
}

static enum status keep_known(const char *folder, const char *path, struct rundir_names *runs)
{
    json_error_t error;
    json_t *results = json_load_file(path, 0, &error);
    struct rundir_names others = {0};

    if (results == NULL)
        return FAIL(STATUS_IO, "%s:%d: %s", path, error.line, error.text);
    json_t *known = names_of(results);
    if (json_object_size(known) > 0)
        keep(runs, known, &others);
    json_decref(known);
    json_decref(results);
    if (others.count > 0)
        tell(folder, &others);
    rundir_names_release(&others);
    return runs->count > 0
               ? STATUS_OK
               : FAIL(STATUS_BAD_INPUT, "%s: no run of the experiment has begun", folder);
}

enum status known_keep(const char *folder, struct rundir_names *runs)
{
    char *path = file_join(folder, "results.json");
    const enum status s = file_exists(path) ? keep_known(folder, path, runs) : STATUS_OK;

    mem_free(path);
    return s;
}
