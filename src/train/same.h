/*
 * same.h - whether the processes of a run train the same thing.
 *
 * Each process reads its own command line and its own files. Where these differ, workers would
 * step apart in silence: everybody's optimiser makes what it believes to be the common step.
 */
#ifndef TRAIN_SAME_H
#define TRAIN_SAME_H

#include "comm/world.h"
#include "train/build.h"

/*
 * All processes call these together while the world does not run. A difference is one error, of
 * the first process, which names another one that differs; with one process there is none.
 */
enum status same_settings(struct world *w, const struct experiment *e, bool saves);

/* The samples that were loaded, and the round to go on from. */
enum status same_data(struct world *w, const struct dataset *d);
enum status same_place(struct world *w, int64_t round);

#endif
