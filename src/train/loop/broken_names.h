/*
 * broken_names.h - which files a run could not read (data/broken_samples.h), for its result: of all
 * processes and of all starts.
 */
#ifndef TRAIN_LOOP_BROKEN_NAMES_H
#define TRAIN_LOOP_BROKEN_NAMES_H

#include "comm/transport.h"
#include "data/broken_samples.h"
#include "record/rundir.h"

enum { BROKEN_NAMES_MAX = 20 }; /* the first ones by their bytes; log.txt has all */

/* Those of this process; NULL: none. */
void broken_names_add_own(struct broken_samples *own, struct rundir_names *names);

/* Brings those of all processes to the leader, who also logs what it did not know. All endpoints,
 * after the last round. */
enum status broken_names_gather(struct transport *t, struct broken_samples *own, int lead,
                                struct rundir_names *names);

/* Those of earlier starts, from result.json, into an empty list; and those of another list. */
void broken_names_read(const char *run_dir, struct rundir_names *names);
void broken_names_add(struct rundir_names *names, const struct rundir_names *more);

#endif
