/*
 * check.c - all cells of a study, looked at before anything is computed.
 */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "study/study.h"
#include "train/rehearse.h"

static enum status say_which(const struct study_cell *c, enum status s)
{
    char *message = mem_text(status_message());

    s = FAIL(s, "%s (run %s)", message, c->name);
    mem_free(message);
    return s;
}

/* What has a result may be looked at where its data are not. */
static bool has_result(const struct study_cell *c, const char *folder)
{
    char *own = file_join(folder, c->name);
    char *path = file_join(own, "result.json");
    const bool is_there = file_exists(path);

    mem_free(path);
    mem_free(own);
    return is_there;
}

static enum status look_at(const struct study *s, int64_t cell, struct rehearsal *r,
                           enum rehearse_data data)
{
    const struct study_cell *c = &s->cells[cell];
    const enum status status = c->is_left_out ? STATUS_OK : rehearse(r, c->root, data);

    return status == STATUS_OK || s->is_single ? status : say_which(c, status);
}

/* What is wrong with the file comes before what is wrong with the machine: missing data. */
enum status study_check(const struct study *s, const struct study_check *how)
{
    struct rehearsal *r = rehearsal_new();
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < s->count && status == STATUS_OK; i++)
        status = look_at(s, i, r, REHEARSE_MAY_LACK_DATA);
    for (int64_t i = 0; i < s->count && status == STATUS_OK && !how->may_lack_data; i++)
        if (how->out == NULL || !has_result(&s->cells[i], how->out))
            status = look_at(s, i, r, REHEARSE_NEEDS_DATA);
    rehearsal_free(r);
    return status;
}
