/*
 * build.h - from an experiment to everything that trains it, each part owned here.
 */
#ifndef TRAIN_BUILD_H
#define TRAIN_BUILD_H

#include "algo/algo.h"
#include "data/batch.h"
#include "data/split.h"
#include "nn/loss.h"
#include "train/experiment.h"

struct build {
    struct experiment *experiment; /* borrowed; values that depend on others are filled in */
    struct dataset *dataset;
    struct split split;
    struct gather gather;
    struct model *model;
    struct team *team;
    struct optim optim;
    float *state, *gradient;
    int64_t *counters; /* BatchNorm's counts of batches */
    struct problem *problem;
    struct worker worker;
};

/*
 * Loads the data, plans the model, draws the initial weights. Fills in the experiment's values that
 * were left to the model (normalize, input_size, loss). Refuses before allocating what cannot fit
 * in memory.
 */
enum status build_new(struct experiment *e, struct build **build);
void build_free(struct build *b);

/* Whether a metric of classes (accuracy) means anything. */
bool build_has_classes(const struct build *b);

#endif
