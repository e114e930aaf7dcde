/*
 * budget.h - train.budget: what a run may use, in place of a number of epochs.
 *
 * One of samples or rounds is a number of rounds from the start (epochs.h). One of bytes or seconds
 * is used up at some round, which is not known before: such a run is open-ended. Its coordinator
 * looks after rounds whether the budget is used up (loop.is_used_up).
 */
#ifndef TRAIN_BUDGET_H
#define TRAIN_BUDGET_H

#include "record/amount.h"
#include "record/counters.h"
#include "train/run_config.h"

/* Of the config; its unit is AMOUNT_NONE if there is none. */
enum status budget_read(const struct run_config *config, struct amount *budget);

/* What the budget has against the other settings, with so many workers. */
enum status budget_check(const struct run_config *config, int workers,
                         const struct topology_facts *graph); /* graph NULL: there is none */

/* Whether the number of rounds is not known from the start. */
bool budget_is_open(const struct amount *budget);

/* The part of an open-ended run's budget that is used, 1 or more: all of it; 0 of other runs. */
double budget_used(const struct amount *budget, const struct counters *totals);

#endif
