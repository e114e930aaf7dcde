/*
 * upgrade_folder.c - turns the folder of one run into the folder of a study with this run in it.
 *
 * What the run left open (normalisation, size of images, loss) is in its effective.yaml with the
 * values that were used, so it is compared with what that file of each run would be. Not here: the
 * name that its folder gets (match_folders.c).
 */
#include "study/upgrade_folder.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "record/rundir.h"
#include "study/resume_decision.h"
#include "study/settings.h"
#include "train/dry_run.h"

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

bool upgrade_folder_is_single_run(const char *folder)
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

static enum status is_same_run(const struct study_run *c, const struct node *its, struct dry_run *r,
                               bool *found)
{
    struct node *settings = NULL, *mine = NULL;
    enum status s = settings_effective(c, &settings);

    if (s == STATUS_OK)
        s = dry_run_effective(r, settings, &mine);
    if (s == STATUS_OK) {
        node_remove(mine, "name");
        *found = resume_decision_may_continue(mine, its);
    }
    node_free(settings);
    node_free(mine);
    return s;
}

/* The first run with the settings of this effective.yaml, or -1. A run that is not valid (it was
 * not asked for) does not match. */
static int64_t find_run(const struct study *s, struct node *its)
{
    struct dry_run *r = dry_run_new();
    int64_t run = -1;

    node_remove(its, "name");
    for (int64_t i = 0; i < s->count && run < 0; i++) {
        bool found = false;

        if (is_same_run(&s->runs[i], its, r, &found) == STATUS_OK && found)
            run = i;
    }
    dry_run_free(r);
    return run;
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
static enum status move_files(const struct study_run *c, const char *folder, const char *run_dir)
{
    char *settings = NULL;

    TRY(settings_yaml(c, &settings));
    enum status s = file_write_in(run_dir, "experiment.yaml", settings);
    mem_free(settings);
    TRY(s);
    TRY(copy_in(folder, run_dir, "effective.yaml"));
    TRY(move_in(folder, run_dir, "environment.json"));
    TRY(move_in(folder, run_dir, "log.txt"));
    return file_write_in(folder, "results.json", "{}\n");
}

enum status upgrade_folder(const struct study *s, const char *folder, bool *found)
{
    char *path = file_join(folder, "effective.yaml"), *name = run_inside(folder);
    struct node *its = NULL;
    enum status status = yaml_load(path, &its);
    int64_t run = -1;

    if (status == STATUS_OK && its->kind == NODE_MAP && name != NULL)
        run = find_run(s, its);
    *found = run >= 0;
    if (*found) {
        char *run_dir = file_join(folder, name);
        status = move_files(&s->runs[run], folder, run_dir);
        if (status == STATUS_OK)
            log_info("%s contained a single run, which is now part of this experiment", folder);
        mem_free(run_dir);
    }
    node_free(its);
    mem_free(name);
    mem_free(path);
    return status;
}
