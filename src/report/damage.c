/*
 * damage.c - warns about what cannot be read.
 */
#include "report/damage.h"

#include <string.h>

#include "base/log.h"

void damage_warn(struct damage *d, const char *message)
{
    for (int64_t i = 0; i < d->shown.count; i++)
        if (strcmp(d->shown.items[i], message) == 0)
            return;
    rundir_names_add(&d->shown, message);
    log_warning("%s; the report is without it", message);
}

void damage_warn_record(struct damage *d, const struct record *r)
{
    for (int i = 0; i < RECORD_FILES; i++)
        if (r->files[i].state == RECORD_DAMAGED && r->files[i].message != NULL)
            damage_warn(d, r->files[i].message);
}

void damage_release(struct damage *d)
{
    rundir_names_release(&d->shown);
}
