/*
 * study_check.c - checks all runs of a study before anything is computed.
 */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "study/study.h"
#include "study/tune.h"
#include "train/dry_run.h"

static enum status add_run_name(const struct study_run *c, enum status s)
{
    char *message = mem_text(status_message());

    s = FAIL(s, "%s (run %s)", message, c->name);
    mem_free(message);
    return s;
}

/* A run with a result may be shown where its data are missing. */
static bool has_result(const struct study_run *c, const char *folder)
{
    char *own = file_join(folder, c->name);
    char *path = file_join(own, "result.json");
    const bool is_there = file_exists(path);

    mem_free(path);
    mem_free(own);
    return is_there;
}

static enum status check_run(const struct study *s, int64_t run, struct dry_run *r,
                             enum dry_run_data data)
{
    const struct study_run *c = &s->runs[run];
    const enum status status = c->is_left_out ? STATUS_OK : dry_run_check(r, c->root, data);

    return status == STATUS_OK || s->is_single ? status : add_run_name(c, status);
}

static enum status check_tuning(const struct study *s, const struct study_check *how)
{
    char *out = how->out == NULL ? NULL : file_join(how->out, TUNE_FOLDER);
    const enum status status = study_check(
        s->tuning, &(struct study_check){.out = out, .may_lack_data = how->may_lack_data});

    mem_free(out);
    return status;
}

/* What is wrong with the file comes before what is wrong with the machine: missing data. */
enum status study_check(const struct study *s, const struct study_check *how)
{
    struct dry_run *r = dry_run_new();
    enum status status = s->tuning == NULL ? STATUS_OK : check_tuning(s, how);

    for (int64_t i = 0; i < s->count && status == STATUS_OK; i++)
        status = check_run(s, i, r, DRY_RUN_MAY_LACK_DATA);
    for (int64_t i = 0; i < s->count && status == STATUS_OK && !how->may_lack_data; i++)
        if (how->out == NULL || !has_result(&s->runs[i], how->out))
            status = check_run(s, i, r, DRY_RUN_NEEDS_DATA);
    dry_run_free(r);
    return status;
}
