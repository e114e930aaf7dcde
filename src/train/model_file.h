/*
 * model_file.h - the weights of a network in files that this program or another one has written:
 * safetensors, .pt or .npz (format/tensor_set.h).
 *
 * Not here: what else a checkpoint has (checkpoint.h).
 */
#ifndef TRAIN_MODEL_FILE_H
#define TRAIN_MODEL_FILE_H

#include "format/tensor_set.h"
#include "train/checkpoint.h"

/* The tensors of the model in a file. Those that a checkpoint has in addition are left out. */
enum status model_file_tensors(const char *path, struct tensor_set *s);

/* What is known of the network that a file should fit. */
struct model_file_request {
    const char *path;
    const char *network; /* its name, for messages */
    const char *prefix;  /* removed from the names of tensors that begin with it; NULL: none */
};

/*
 * Fills the values by the names of the tensors. Missing, additional and wrongly shaped tensors are
 * one error. BatchNorm's counts of batches may be missing, and are then zero.
 */
enum status model_file_load(const struct model_values *v, const struct model_file_request *r);

#endif
