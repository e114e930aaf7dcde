/*
 * train.h - training one run for a command: `muster train`, `muster run` with one run, `muster
 * run-one`.
 */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H

#include "conf/flags.h"
#include "train/run.h"

/* Runs the request, writes its report, and prints the result on stdout, as text or as JSON. */
enum status train_and_print(const struct flags *f, struct run_request *request);

/* Prints what came of a run, as the flags --json and --quiet say. report: its path, or NULL. */
void train_print(const struct flags *f, const struct run_outcome *o, enum status s,
                 const char *report);

#endif
