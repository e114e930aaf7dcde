/*
 * landscape_runs.c - which runs `muster landscape` takes, of those that the user names.
 */
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/landscape.h"
#include "study/compared_run.h"
#include "train/saved_model.h"

/* --- finding --- */

static bool has_before(const struct rundir_list *runs, int64_t at)
{
    for (int64_t i = 0; i < at; i++)
        if (file_is_same(runs->paths[i], runs->paths[at]))
            return true;
    return false;
}

static void use_once(struct rundir_list *runs)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < runs->count; i++) {
        runs->paths[kept] = runs->paths[i];
        if (!has_before(runs, kept)) {
            kept++;
            continue;
        }
        log_warning("%s is named more than once, and used once", runs->paths[kept]);
        mem_free(runs->paths[kept]);
    }
    runs->count = kept;
}

enum status landscape_runs_find(const struct flags *f, struct rundir_list *runs)
{
    char *latest = NULL;

    for (int i = 0; i < f->positional_count; i++)
        TRY(rundir_list_add(runs, f->positional[i]));
    use_once(runs);
    if (f->positional_count > 0)
        return STATUS_OK;
    TRY(command_run_folder(f, NULL, &latest));
    const enum status s = rundir_list_add(runs, latest);
    mem_free(latest);
    return s;
}

/* --- leaving out --- */

static bool came_to_nothing(const char *run)
{
    struct compared_run c;

    return compared_run_read(run, &c) == STATUS_OK && compared_run_diverges(&c, JUDGED_BY_TEST);
}

static bool has_no_model(const char *run)
{
    return !saved_model_exists(run);
}

/* Leaves out runs, if at least so many others remain. */
static void leave_out(struct rundir_list *runs, bool (*is_out)(const char *run), int64_t least,
                      const char *why)
{
    char **others = MEM_NEW_N(char *, runs->count);
    int64_t count = 0;

    for (int64_t i = 0; i < runs->count; i++)
        if (!is_out(runs->paths[i]))
            others[count++] = runs->paths[i];
    if (count < least || count == runs->count) {
        mem_free(others);
        return;
    }
    for (int64_t i = 0, k = 0; i < runs->count; i++)
        if (k < count && others[k] == runs->paths[i])
            k++;
        else
            log_warning("%s is left out: %s", runs->paths[i], why);
    mem_free(runs->paths);
    *runs = (struct rundir_list){.paths = others, .count = count};
}

struct rundir_list landscape_runs_choose(const struct flags *f, const struct rundir_list *runs)
{
    struct rundir_list chosen = {
        .paths = MEM_NEW_N(char *, runs->count),
        .count = runs->count,
    };

    for (int64_t i = 0; i < runs->count; i++)
        chosen.paths[i] = runs->paths[i];
    if (flags_has(f, "between"))
        leave_out(&chosen, has_no_model, 2, "it has neither a model nor a checkpoint");
    else if (f->positional_count == 1)
        leave_out(&chosen, came_to_nothing, 1, "it diverged, or is no better than guessing");
    return chosen;
}
