/*
 * rounds.h - how rounds and epochs go together: an epoch is one pass over the samples.
 *
 * Of workers that keep step it is a pass of the one with most batches, and of a server's workers
 * all their batches together. A round may draw several batches (the primal steps of cadmm), and an
 * epoch then may end within a round, which counts as that round's end; several may end there. This
 * is what ends a run, and when schedules, evaluation and checkpoints are due. How many passes there
 * were is another question where workers with less data repeat it: rounds_passes.
 */
#ifndef TRAIN_ROUNDS_H
#define TRAIN_ROUNDS_H

#include "train/loop.h"

struct pace {
    int64_t batches; /* in an epoch */
    int64_t draws;   /* batches that a round takes of them */
};

struct pace rounds_pace(const struct build *b, int rank);

/* Epochs that have ended after so many rounds, those and one under way, and with fraction. */
int64_t rounds_epochs(const struct pace *p, int64_t rounds);
int64_t rounds_epochs_begun(const struct pace *p, int64_t rounds);
double rounds_epoch(const struct pace *p, int64_t rounds);

/* Whether an epoch ends with this round, counted from 1; or one whose number is a multiple of
 * `every`, which is above 0. */
bool rounds_end_epoch(const struct pace *p, int64_t round, int64_t every);

/* Passes over the training samples, when `samples` of them were drawn for gradients: by all
 * workers, over all parts; or by one of them, over its own. */
double rounds_passes(const struct build *b, double samples);
double rounds_own_passes(const struct build *b, int worker, double samples);

#endif
