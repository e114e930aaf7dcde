/*
 * evaluate.h - a trained model on disk, brought back to be measured.
 */
#ifndef TRAIN_EVALUATE_H
#define TRAIN_EVALUATE_H

#include "train/build.h"

struct evaluator {
    char *file; /* the model or checkpoint that was loaded */
    struct experiment experiment;
    struct build *build; /* its examiner evaluates */
    float *state;
    int64_t *counters;
};

/*
 * `path` is a run, an experiment with one run, or a .safetensors file (a model or a checkpoint).
 * What was trained is read from the effective.yaml above it or from the checkpoint itself, and
 * `over` is laid on top (another data folder, a batch size; for a file from elsewhere everything).
 */
enum status evaluator_open(struct evaluator *e, const char *path, const struct node *over);
void evaluator_close(struct evaluator *e);

#endif
