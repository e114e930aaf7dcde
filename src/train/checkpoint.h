/*
 * checkpoint.h - a run on disk: the model for everybody, and the checkpoint for going on.
 *
 * model.safetensors   tensors by name in canonical order, nothing else: equal bits are equal files.
 * checkpoints/last, best        the same tensors; optim.vector.<i> and optim.numbers; loop.counts
 * and loop.numbers (struct loop_place); the experiment's YAML as text.
 */
#ifndef TRAIN_CHECKPOINT_H
#define TRAIN_CHECKPOINT_H

#include "train/build.h"
#include "train/safetensors.h"

/* Where a run stands between two rounds: with the vectors, all that going on needs. */
struct loop_place {
    int64_t round, samples, gradients;
    int64_t epoch_samples, epoch_correct; /* of the epoch that is under way */
    int64_t best_round;
    int64_t logged_samples;            /* since the last row of the training loss */
    double seconds;                    /* of training */
    double epoch_loss;                 /* summed over epoch_samples */
    double train_loss, train_accuracy; /* of the last whole epoch */
    double best_loss;                  /* lowest validation loss; infinity: none yet */
    double logged_loss;                /* summed over logged_samples */
};

/* The place of a run that has not begun. */
struct loop_place loop_place_start(void);

enum status model_save(const struct build *b, const char *path);

/* Tensors by name into the build's state; a missing or differently shaped one is an error. */
enum status model_load(struct build *b, const char *path);

enum status checkpoint_save(const struct build *b, const struct loop_place *place,
                            const char *path);
enum status checkpoint_load(struct build *b, struct loop_place *place, const char *path);

/* What a checkpoint says of itself: the experiment's YAML and the ISA, or NULL (mem_free both). */
enum status checkpoint_texts(const char *path, char **experiment, char **isa);

#endif
