/*
 * listed_runs.c - the runs that results.json lists.
 */
#include "record/listed_runs.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/results.h"

static bool is_listed(const struct results *results, const char *name)
{
    for (int64_t i = 0; i < results->run_count; i++)
        if (strcmp(results->runs[i].name, name) == 0)
            return true;
    return false;
}

static void keep_listed(struct rundir_names *runs, const struct results *results,
                        struct rundir_names *others)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < runs->count; i++) {
        if (is_listed(results, runs->items[i])) {
            runs->items[kept++] = runs->items[i];
        } else {
            rundir_names_add(others, runs->items[i]);
            mem_free(runs->items[i]);
        }
    }
    runs->count = kept;
}

static void warn_unlisted(const char *folder, const struct rundir_names *others)
{
    struct text list = {0};

    rundir_names_text(others, &list);
    log_warning("%s: left out, because they belong to no run of the experiment as it is now: %s",
                folder, text_get(&list));
    text_release(&list);
}

static enum status keep_runs_of(const char *folder, struct rundir_names *runs)
{
    struct results results;
    struct rundir_names others = {0};

    TRY(results_read(folder, &results));
    if (results.run_count > 0)
        keep_listed(runs, &results, &others);
    results_release(&results);
    if (others.count > 0)
        warn_unlisted(folder, &others);
    rundir_names_release(&others);
    return runs->count > 0
               ? STATUS_OK
               : FAIL(STATUS_BAD_INPUT, "%s: no run of the experiment has begun", folder);
}

enum status listed_runs_keep(const char *folder, struct rundir_names *runs)
{
    return file_exists_in(folder, "results.json") ? keep_runs_of(folder, runs) : STATUS_OK;
}
