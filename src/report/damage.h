/*
 * damage.h - warnings about files of runs that cannot be read, each once.
 */
#ifndef REPORT_DAMAGE_H
#define REPORT_DAMAGE_H

#include "record/record.h"

/* Messages that were shown. */
struct damage {
    struct rundir_names shown;
};

void damage_warn(struct damage *d, const char *message);
void damage_warn_record(struct damage *d, const struct record *r); /* of all its damaged files */
void damage_release(struct damage *d);

#endif
