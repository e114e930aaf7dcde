/*
 * loop.h - the loop around the rounds: schedule, records, evaluation, checkpoints, stopping,
 * progress. Everything that is the same for every algorithm is here, once.
 */
#ifndef TRAIN_LOOP_H
#define TRAIN_LOOP_H

#include "train/build.h"
#include "train/checkpoint.h"

struct loop_files {
    const char *run_dir;           /* metrics.jsonl, model.safetensors, checkpoints/ */
    bool save;                     /* false: no model, no checkpoints */
    const struct loop_place *from; /* where to go on; NULL: a new run */
};

/* What a run came to. Accuracies are fractions; NaN where there is nothing to say. */
struct loop_report {
    int64_t rounds, samples;
    double epochs;
    double train_loss, train_accuracy; /* over the last epoch, while training */
    double validation_loss, validation_accuracy;
    double test_loss, test_accuracy, test_accuracy5;
    double seconds, samples_per_s; /* training only */
    bool was_finished;             /* a resumed run that had nothing left to do */
};

/* The rounds that the experiment asks for. */
int64_t loop_rounds(const struct build *b);

/*
 * Trains to the end. On a signal it writes a checkpoint and answers STATUS_INTERRUPTED; on NaN it
 * answers STATUS_DIVERGED; the report holds what there is in any case.
 */
enum status loop_run(struct build *b, const struct loop_files *files, struct loop_report *report);

#endif
