/*
 * run_events.h - what the TensorBoard file of a run has in addition to the numbers of its rows:
 * settings, pictures, histograms. The leader. None of it has an effect on the run.
 */
#ifndef TRAIN_LOOP_RUN_EVENTS_H
#define TRAIN_LOOP_RUN_EVENTS_H

#include "train/loop/loop.h"

/* The settings, the command and, of a new run, some of the training images. */
enum status run_events_start(struct loop *l);

/* If asked for: of each tensor of the run model, and of the gradient there. */
enum status run_events_histograms(struct loop *l, int64_t round, const float *state);

/* How the run ended, and its confusion matrix. A run that was stopped has not ended. */
enum status run_events_end(struct loop *l, enum status how);

#endif
