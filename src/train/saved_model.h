/*
 * saved_model.h - a trained model on disk, loaded to be evaluated.
 */
#ifndef TRAIN_SAVED_MODEL_H
#define TRAIN_SAVED_MODEL_H

#include "train/build.h"

struct saved_model {
    char *file; /* the model or checkpoint that was loaded */
    struct run_config config;
    struct build *build; /* its evaluator evaluates */
    float *state;
    int64_t *batches_tracked;
};

/*
 * `path` is a run, a study with one run, or a file of weights (a model or a checkpoint). The
 * settings are read from the effective.yaml above it or from the checkpoint itself, and `over`
 * overrides them (another data folder, a batch size; for a file from elsewhere everything).
 */
enum status saved_model_open(struct saved_model *saved, const char *path, const struct node *over);

/* Of a run, network and data without its model, which it need not have: state is NULL. */
enum status saved_model_open_network(struct saved_model *saved, const char *path,
                                     const struct node *over);

/* The file with the final model of a run; of one that was killed, its last checkpoint; mem_free. */
enum status saved_model_find(const char *run, char **file);

/* Whether a run folder has a model or a checkpoint. */
bool saved_model_exists(const char *run);
void saved_model_close(struct saved_model *saved);

#endif
