/*
 * loss.h - losses over a batch: value and gradient by the model's output.
 *
 * The gradient is that of the SUM over the batch times `scale` (1 / the round's global batch), so
 * that adding the gradients of several workers is the gradient of the mean. Per-sample values are
 * summed in slices of 8 samples, in order.
 */
#ifndef NN_LOSS_H
#define NN_LOSS_H

#include "base/team.h"
#include "conf/registry.h"
#include "kernel/kernel.h"

struct loss_batch {
    const struct kernel *kernel;
    struct team *team;
    int64_t batch, outputs;
    const float *output;   /* [batch][outputs] */
    const int32_t *labels; /* [batch], for losses of classes */
    const float *targets;  /* [batch][outputs], for losses of numbers */
    float *losses;         /* [batch], out: each sample's loss */
    float *doutput;        /* [batch][outputs], out; NULL: value only */
    double scale;
};

struct loss_ops {
    struct entry entry;
    bool wants_labels;
    void (*compute)(const struct loss_batch *b); /* fills losses and doutput */

    /* Of losses of numbers: the answer with the least mean loss if it must always be the same. */
    double (*best_constant)(const float *targets, int64_t count);
};

extern const struct registry loss_registry; /* nll, bce, mse, l1 */

/* The sum of losses[0..batch-1], by slices, in double. */
double loss_sum(const float *losses, int64_t batch);

/* The mean loss of that answer; targets are one number each. */
double loss_of_best_constant(const struct loss_ops *loss, const float *targets, int64_t count);

/* For the table: what best_constant may be. */
double loss_mean_target(const float *targets, int64_t count);
double loss_median_target(const float *targets, int64_t count);

#endif
