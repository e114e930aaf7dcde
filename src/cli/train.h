/*
 * train.h - training one run for a command: `muster train`, or `muster run` with one run.
 */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H

#include "conf/flags.h"
#include "train/run.h"

/* Runs the request and prints the result on stdout, as text or as JSON. */
enum status train_and_print(const struct flags *f, struct run_request *request);

#endif
