/*
 * gradient_split.h - a weight gradient cut into items that threads share. Only layers include it.
 */
#ifndef NN_LAYERS_GRADIENT_SPLIT_H
#define NN_LAYERS_GRADIENT_SPLIT_H

#include "nn/layers/support.h"

/*
 * A weight gradient dw[K][columns] cut into items (panel, block of `block` rows of K), in the order
 * in which they lie in memory, so that a thread's items are one range of dw. When the left operand
 * has several runs, `block` is the length of a run.
 */
struct gradient_split {
    const struct kernel *kernel;
    float *dw;
    int64_t k, columns, block;
    bool sets; /* gradient_split_add begins from 0 instead of what dw holds */
};
int64_t gradient_split_items(const struct gradient_split *s);
void gradient_split_clear(const struct gradient_split *s, int64_t begin, int64_t end);
/* Adds a^T dc, dc of rows of `columns`, to the items begin .. end-1. */
void gradient_split_add(const struct gradient_split *s, const struct panel_rows *a, const float *dc,
                        struct item_range items);

#endif
