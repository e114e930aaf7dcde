/*
 * listed_runs.h - which of the runs in a folder belong to its study, as its results.json lists
 * them.
 *
 * When the file of a study changes, folders may remain of runs that it no longer has.
 */
#ifndef RECORD_LISTED_RUNS_H
#define RECORD_LISTED_RUNS_H

#include "record/rundir.h"

/* Keeps those that belong to it and warns about the others; in a folder without results.json, all.
 */
enum status listed_runs_keep(const char *folder, struct rundir_names *runs);

#endif
