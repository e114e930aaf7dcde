/*
 * epochs.h - how many rounds make an epoch: an epoch is one pass over the samples; and how many
 * rounds a run has.
 *
 * For synchronous workers it is a pass of the one with most batches, and for a server's workers all
 * their batches together. How asynchronous workers end is train.ends: each with its own rounds, so
 * that a server has the sum of them; or all when they have done so many together. Where workers
 * have epochs of their own (algo_ops.has_own_epochs) one with fewer batches may draw fewer in a
 * round, or go through its samples more often. A round may draw several batches (the primal steps
 * of cadmm), and an epoch then may end within a round, which counts as that round's end; several
 * may end there. This is what ends a run, and when schedules, evaluation and checkpoints are due.
 * How many passes there were is another question where workers with less data repeat it:
 * epochs_of_samples.
 */
#ifndef TRAIN_EPOCHS_H
#define TRAIN_EPOCHS_H

#include "train/build.h"

struct epoch_length {
    int64_t batches; /* in an epoch */
    int64_t draws;   /* batches that a round takes of them */
};

struct epoch_length epochs_length(const struct build *b, int rank);

/* More than any run has: of one that ends when a budget of bytes or seconds is used up. */
#define ROUNDS_UNKNOWN INT64_C(1000000000000)

/* The rounds that the run config asks of this endpoint. Of workers without a server that end
 * together: of all of them, of which each does as many as it comes to. */
int64_t epochs_total_rounds(const struct build *b, int rank);

/* Those of one worker that leaves after its own (train.ends: own). */
int64_t epochs_own_rounds(const struct build *b, int worker);

/* Whether asynchronous workers leave after their own rounds; and whether workers without a server
 * end together, after those of epochs_of_all. Neither: workers are synchronous, or have a server
 * that knows when to end. */
bool epochs_end_own(const struct build *b);
bool epochs_end_together(const struct build *b);

/* Both. */
struct run_length {
    int64_t rounds;
    struct epoch_length epoch;
};
struct run_length epochs_run_length(const struct build *b, int rank);

/* Of all workers, as if they were one that has all samples. */
struct run_length epochs_of_all(const struct build *b);

/* Of a server's worker by its own clock. The epoch of one that waits for no other is a pass over
 * its own batches. Where all end together it does as many rounds as it comes to: an equal share is
 * assumed. */
struct run_length epochs_served_length(const struct build *b, int rank);

/* Epochs that have ended after so many rounds, those and one under way, and with fraction. */
int64_t epochs_ended(const struct epoch_length *p, int64_t rounds);
int64_t epochs_begun(const struct epoch_length *p, int64_t rounds);
double epochs_at(const struct epoch_length *p, int64_t rounds);

/* Rounds before the first one of an epoch, which is counted from 0. */
int64_t epochs_first_round(const struct epoch_length *p, int64_t epoch);

/* Whether an epoch ends with this round, counted from 1; or one whose number is a multiple of
 * `every`, which is above 0. */
bool epochs_end_at(const struct epoch_length *p, int64_t round, int64_t every);

/* Passes over the training samples, when `samples` of them were drawn for gradients: by all
 * workers, over all parts; or by one of them, over its own. */
double epochs_of_samples(const struct build *b, double samples);
double epochs_of_worker(const struct build *b, int worker, double samples);

#endif
