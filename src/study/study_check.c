/*
 * study_check.c - checks all runs of a study before anything is computed.
 */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "study/broadcast.h"
#include "study/study.h"
#include "study/tune.h"
#include "train/data_download.h"
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

/* --- data that are downloaded --- */

struct downloading {
    const struct study *study;
    const struct study_check *how;
};

static enum status download_of_run(const struct study_run *c)
{
    struct run_config config;

    TRY(run_config_read(&config, c->root));
    const enum status s = data_download(&config);
    run_config_release(&config);
    return s;
}

/* Of the first process alone: there is nothing to decide, and the others wait for it. */
static enum status download_all(void *context, struct text *decision)
{
    const struct downloading *d = context;

    (void)decision;
    for (int64_t i = 0; i < d->study->count; i++) {
        const struct study_run *c = &d->study->runs[i];

        if (!c->is_left_out && (d->how->out == NULL || !has_result(c, d->how->out)))
            TRY(download_of_run(c));
    }
    return STATUS_OK;
}

/* The same in all processes, whichever files they have. */
static bool wants_download(const struct study *s)
{
    for (int64_t i = 0; i < s->count; i++) {
        const struct node *download = node_find_path(s->runs[i].root, "data.download");

        if (download != NULL && download->kind == NODE_SCALAR &&
            strcmp(download->text, "false") != 0)
            return true;
    }
    return false;
}

static enum status download_data(const struct study *s, const struct study_check *how)
{
    struct downloading d = {.study = s, .how = how};
    struct text decision = {0};

    if (how->may_lack_data || !wants_download(s))
        return STATUS_OK;
    const enum status status = broadcast_decision(download_all, &d, &decision);
    text_release(&decision);
    return status;
}

/* What is wrong with the file comes before what is wrong with the machine: missing data. */
enum status study_check(const struct study *s, const struct study_check *how)
{
    struct dry_run *r = dry_run_new();
    enum status status = s->tuning == NULL ? STATUS_OK : check_tuning(s, how);

    for (int64_t i = 0; i < s->count && status == STATUS_OK; i++)
        status = check_run(s, i, r, DRY_RUN_MAY_LACK_DATA);
    if (status == STATUS_OK)
        status = download_data(s, how);
    for (int64_t i = 0; i < s->count && status == STATUS_OK && !how->may_lack_data; i++)
        if (how->out == NULL || !has_result(&s->runs[i], how->out))
            status = check_run(s, i, r, DRY_RUN_NEEDS_DATA);
    dry_run_free(r);
    return status;
}
