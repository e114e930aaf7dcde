/*
 * known.h - which of the runs in a folder belong to its experiment, as its results.json has them.
 *
 * When the file of an experiment changes, folders may stay of runs that it no longer has.
 */
#ifndef METRICS_KNOWN_H
#define METRICS_KNOWN_H

#include "metrics/rundir.h"

/* Keeps those that belong to it and tells the others; in a folder without results.json, all. */
enum status known_keep(const char *folder, struct rundir_names *runs);

#endif
