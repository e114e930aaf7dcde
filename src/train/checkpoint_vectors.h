/*
 * checkpoint_vectors.h - what all workers have alike, in a checkpoint: the optimiser, and of an
 * algorithm its second optimiser and some of its vectors. Private to checkpoint.c.
 */
#ifndef TRAIN_CHECKPOINT_VECTORS_H
#define TRAIN_CHECKPOINT_VECTORS_H

#include "format/safetensors.h"
#include "train/worker_memory.h"

/* A copy of x[count] in canonical order; mem_free. */
float *vectors_canonical(const struct tensor_layout *l, const float *stored, int64_t count);

/* What is written of vectors: copies in canonical order, which must outlive the writer. */
struct vectors_writer {
    struct safetensors_writer *file;
    const struct tensor_layout *layout;
    float **copies;
    int count;
};

/* Release it after the file is saved. */
void vectors_writer_release(struct vectors_writer *v);

/* The leader's, as optim.vector.<i> and optim.numbers, outer.* and algorithm.vector.<i>. */
void vectors_put(struct vectors_writer *v, const struct worker_memory *a);

/* The same back into a worker or server. */
enum status vectors_take(struct worker_memory *a, const struct safetensors *file);

#endif
