/*
 * data_download.c - see data_download.h. Not here: the download itself (data/dataset_get.h).
 */
#include "train/data_download.h"

#include "base/log.h"
#include "base/mem.h"
#include "data/dataset_get.h"

static bool is_wanted(const struct run_config *config)
{
    return config->data.download && config->dataset.entry != NULL;
}

/* The message of the download, and how to try it again without the run. */
static enum status fail_with_command(const struct dataset_ops *ops, const char *dir, enum status s)
{
    char *message = mem_text(status_message());

    if (ops->source != NULL && s != STATUS_INTERRUPTED)
        s = FAIL(s, "%s; data set %s is missing; to get it: muster data get %s%s%s", message,
                 ops->entry.name, ops->entry.name, dir == NULL ? "" : " --dir ",
                 dir == NULL ? "" : dir);
    mem_free(message);
    return s;
}

static enum status download_missing(const struct dataset_ops *ops, const char *dir)
{
    const struct dataset_get request = {.dir = dir, .patience = DATASET_PATIENCE_DEFAULT};
    char *folder = NULL;

    log_info("data set %s is not here; downloading it", ops->entry.name);
    const enum status s = dataset_get(ops, &request, &folder);
    if (s != STATUS_OK)
        return fail_with_command(ops, dir, s);
    log_info("%s is in %s", ops->entry.name, folder);
    mem_free(folder);
    return STATUS_OK;
}

enum status data_download(const struct run_config *config)
{
    /* An entry is the first member of its dataset_ops. */
    const struct dataset_ops *ops = (const struct dataset_ops *)(const void *)config->dataset.entry;

    if (!is_wanted(config) || ops->folders == NULL)
        return STATUS_OK;
    char *where = dataset_where(ops, config->data.dir);
    const bool is_here = where != NULL;
    mem_free(where);
    return is_here ? STATUS_OK : download_missing(ops, config->data.dir);
}

enum status data_download_in_world(struct world *w, const struct run_config *config)
{
    int64_t lowest = 0;
    enum status s = STATUS_OK;

    if (!is_wanted(config))
        return s;
    if (world_is_lead(w))
        s = data_download(config);
    if (w->processes == 1)
        return s;

    char *message = mem_text(s == STATUS_OK ? "" : status_message());
    enum status agreed = world_agree(w, -(int64_t)s, &lowest);
    if (agreed == STATUS_OK && lowest < 0)
        agreed = FAIL((enum status) - lowest, "%s", message); /* one process has the message */
    mem_free(message);
    return agreed;
}
