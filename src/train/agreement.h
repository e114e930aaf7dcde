/*
 * agreement.h - whether the processes of a run train the same thing.
 *
 * Each process reads its own command line and its own files. Where these differ, the workers'
 * models would silently diverge: every optimiser takes what it believes to be the common step.
 */
#ifndef TRAIN_AGREEMENT_H
#define TRAIN_AGREEMENT_H

#include "comm/world.h"
#include "train/build.h"

/*
 * All processes call these together while the world does not run. A difference is one error, of
 * the first process, which names another one that differs; with one process there is none.
 */
enum status agreement_check_settings(struct world *w, const struct run_config *config, bool saves);

/* The data of the problem. */
enum status agreement_check_data(struct world *w, const struct problem_plan *p);

#endif
