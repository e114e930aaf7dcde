/*
 * checkpoint.h - a run on disk: the model for everybody, and the checkpoint for going on.
 *
 * model.safetensors   tensors by name in canonical order, nothing else: equal bits are equal files.
 * checkpoints/last, best        the same tensors; optim.vector.<i> and optim.numbers; loop.counts
 * and loop.numbers (struct loop_place); the experiment's YAML as text. With several workers also
 * worker.<r>, what this worker alone has, and a served run's clients.
 */
#ifndef TRAIN_CHECKPOINT_H
#define TRAIN_CHECKPOINT_H

#include "train/actor.h"
#include "train/safetensors.h"
#include "train/tally.h"

/* Where a run stands between two rounds, all workers together. */
struct loop_place {
    int64_t round, samples, gradients;
    int64_t epoch_samples, epoch_correct; /* of the epoch that is under way */
    int64_t best_round;
    int64_t logged_samples;            /* since the last row of the training loss */
    int64_t bytes;                     /* sent */
    int64_t passes;                    /* samples through the model for gradients */
    double seconds;                    /* of training */
    double epoch_loss;                 /* summed over epoch_samples */
    double train_loss, train_accuracy; /* of the last whole epoch */
    double best_loss;                  /* lowest validation loss; infinity: none yet */
    double logged_loss;                /* summed over logged_samples */
    double moving_loss;                /* of batches, mean over workers; NaN: none so far */
};

/* The place of a run that has not begun. */
struct loop_place loop_place_start(void);

/* A model as it is saved: its weights, and BatchNorm's counters beside them. */
struct model_values {
    const struct model *model;
    float *state;      /* [state_count] */
    int64_t *counters; /* [counter_count] */
};

enum status model_save(const struct model_values *v, const char *path);

/* Tensors by name; a missing or differently shaped one is an error. */
enum status model_load(const struct model_values *v, const char *path);

/* What one worker alone has, as a message and as an entry of a checkpoint. */
struct parcel {
    int64_t *words; /* owned; NULL: none */
    int64_t count;
};
void parcel_pack(struct parcel *p, struct actor *a, const struct tally *mine);
enum status parcel_unpack(const struct parcel *p, struct actor *a, struct tally *mine);
void parcel_release(struct parcel *p);

struct checkpoint {
    const struct actor *actor;  /* the leader: its optimiser, its experiment */
    struct model_values values; /* the model that the run stands for */
    const struct loop_place *place;
    const struct parcel *parcels; /* [workers], or NULL */
    const struct tally *tallies;  /* [workers] of free workers that are still running, or NULL */
};

enum status checkpoint_save(const struct checkpoint *c, const char *path);

/* The leader's place alone. */
enum status checkpoint_place(const char *path, struct loop_place *place);

/*
 * Everything that this actor needs to go on: the model, the optimiser, its own parcel. mine is left
 * as it is where the file has neither parcel nor tally of this worker's.
 */
enum status checkpoint_restore(struct actor *a, struct tally *mine, const char *path);

/* What a checkpoint says of itself: the experiment's YAML and the ISA, or NULL (mem_free both). */
enum status checkpoint_texts(const char *path, char **experiment, char **isa);

#endif
