/*
 * model_memory.h - where everything of one pass lies in a workspace. Private to nn.
 *
 * Activations, their gradients and what layers keep per sample are blocks that live for a span of
 * the pass; blocks whose spans do not meet share room. Offsets are in floats per sample, to be
 * multiplied by the workspace's largest batch.
 */
#ifndef NN_MODEL_MEMORY_H
#define NN_MODEL_MEMORY_H

#include "nn/model.h"

enum { MEMORY_ALIGN = 16 }; /* floats: every block begins on a cache line, for any batch */

static inline int64_t model_memory_round(int64_t floats)
{
    return (floats + MEMORY_ALIGN - 1) / MEMORY_ALIGN * MEMORY_ALIGN;
}

struct layer_memory {
    int64_t out, gradient; /* the output, and the gradient by it */
    int64_t saved;         /* per sample */
    int64_t saved_fixed;   /* in the fixed part, in floats */
    int tracked;           /* index of its first batches_tracked */
    struct input_memory {
        /* Where this layer writes the gradient by the input: the input's gradient itself, or room
         * of its own, to be added, when a later layer has written that already and this one cannot
         * add to it. */
        int64_t din;
        bool is_added;  /* afterwards, from room of its own */
        bool adds;      /* by the layer itself */
        bool is_wanted; /* some parameter lies before it */
    } inputs[LAYER_INPUTS_MAX];
};

struct model_memory {
    int64_t input;      /* of the model, per sample */
    int64_t per_sample; /* floats of all blocks */
    int64_t fixed;      /* floats that do not depend on the batch */
    int64_t scratch_per_thread;
    struct layer_memory *layers; /* [layer_count] */
};

/* Plans the memory of a model whose layers are planned. */
struct model_memory *model_memory_new(const struct model *m);
void model_memory_free(struct model_memory *memory);

/* The scratch that layers share, for a batch: the largest need of any layer. */
int64_t model_memory_shared_scratch(const struct model *m, int64_t batch);

struct workspace {
    const struct model *model; /* borrowed */
    int64_t max_batch;
    int threads;
    float *blocks, *fixed, *scratch_shared, *scratch; /* parts of one allocation at `blocks` */
};

#endif
