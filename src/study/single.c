/*
 * single.c - makes the folder of one run that of an experiment with this run in it.
 *
 * What the run left open (normalisation, size of images, loss) its effective.yaml has as it came to
 * be, so it is compared with what that of each cell would be. Not here: the name that its folder
 * gets (adopt.c).
 */
#include "study/single.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "metrics/rundir.h"
#include "study/state.h"
#include "train/rehearse.h"

enum { FILE_LIMIT = 1 << 24 };

/* The name of the one run inside, or NULL; mem_free. */
static char *run_inside(const char *folder)
{
    struct rundir_names names = {0};
    char *name = NULL;

    if (rundir_folders(folder, rundir_is_run, &names) == STATUS_OK && names.count == 1)
        name = mem_text(names.items[0]);
    rundir_names_release(&names);
    return name;
}

bool single_is_folder(const char *folder)
{
    if (!file_exists_in(folder, "experiment.yaml") || !file_exists_in(folder, "effective.yaml") ||
        file_exists_in(folder, "results.json") || rundir_is_run(folder))
        return false;
    char *name = run_inside(folder);
    const bool found = name != NULL;
    mem_free(name);
    return found;
}

/* --- whose it is --- */

static enum status is_of_cell(const struct study_cell *c, const struct node *its,
                              struct rehearsal *r, bool *found)
{
    struct node *settings = NULL, *mine = NULL;
    enum status s = study_effective(c, &settings);

    if (s == STATUS_OK)
        s = rehearse_effective(r, settings, &mine);
    if (s == STATUS_OK) {
        node_remove(mine, "name");
        *found = study_may_go_on(mine, its);
    }
    node_free(settings);
    node_free(mine);
    return s;
}

/* The first cell that is the run of this effective.yaml, or -1. One that cannot be run at all (it
 * was not asked for) is none. */
static int64_t find_cell(const struct study *s, struct node *its)
{
    struct rehearsal *r = rehearsal_new();
    int64_t cell = -1;

    node_remove(its, "name");
    for (int64_t i = 0; i < s->count && cell < 0; i++) {
        bool found = false;

        if (is_of_cell(&s->cells[i], its, r, &found) == STATUS_OK && found)
            cell = i;
    }
    rehearsal_free(r);
    return cell;
}

/* --- moving --- */

static enum status copy_in(const char *from, const char *to, const char *name)
{
    char *path = file_join(from, name);
    struct text content = {0};
    enum status s = file_read(path, FILE_LIMIT, &content);

    if (s == STATUS_OK)
        s = file_write_in(to, name, text_get(&content));
    text_release(&content);
    mem_free(path);
    return s;
}

static enum status move_in(const char *from, const char *to, const char *name)
{
    if (!file_exists_in(from, name))
        return STATUS_OK;
    char *old = file_join(from, name), *path = file_join(to, name);
    const enum status s = file_rename(old, path);

    mem_free(old);
    mem_free(path);
    return s;
}

/* A kill on the way leaves a folder of one run still, until results.json says otherwise. */
static enum status move_files(const struct study_cell *c, const char *folder, const char *run)
{
    char *settings = NULL;

    TRY(study_settings(c, &settings));
    enum status s = file_write_in(run, "experiment.yaml", settings);
    mem_free(settings);
    TRY(s);
    TRY(copy_in(folder, run, "effective.yaml"));
    TRY(move_in(folder, run, "environment.json"));
    TRY(move_in(folder, run, "log.txt"));
    return file_write_in(folder, "results.json", "{}\n");
}

enum status single_take_over(const struct study *s, const char *folder, bool *found)
{
    char *path = file_join(folder, "effective.yaml"), *name = run_inside(folder);
    struct node *its = NULL;
    enum status status = yaml_load(path, &its);
    int64_t cell = -1;

    if (status == STATUS_OK && its->kind == NODE_MAP && name != NULL)
        cell = find_cell(s, its);
    *found = cell >= 0;
    if (*found) {
        char *run = file_join(folder, name);
        status = move_files(&s->cells[cell], folder, run);
        if (status == STATUS_OK)
            log_info("%s held one run, which is one of this experiment now", folder);
        mem_free(run);
    }
    node_free(its);
    mem_free(name);
    mem_free(path);
    return status;
}
