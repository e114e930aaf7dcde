/*
 * sharpness.h - how sharp the minimum is that a model is in: the largest eigenvalue of the Hessian
 * of the training loss, and how far the loss rises at a small distance.
 */
#ifndef STUDY_SHARPNESS_H
#define STUDY_SHARPNESS_H

#include "problem/problem.h"
#include "record/sharpness.h"
#include "study/landscape.h"

/* Which batches the Hessian is of, and how it is found. */
struct sharpness_search {
    int64_t batches; /* of the problem's first epoch, at most all */
    int iterations;
    uint64_t seed; /* of the first vector */
};

/*
 * The eigenvalue of largest magnitude of the Hessian of the mean loss over some batches, by power
 * iteration. Products with the Hessian are differences of gradients. As in training: with dropout,
 * the same for the same sample, and BatchNorm by the batch.
 */
enum status sharpness_eigenvalue(struct problem *p, const float *state,
                                 const struct sharpness_search *search, double *eigenvalue);

/* Of all runs of a request, measured, or reused from the files of the runs. A file that cannot be
 * written is a warning. On failure nothing is left behind; otherwise sharpness_list_release. */
enum status sharpness_measure(const struct landscape_request *q, struct sharpness_list *list);

#endif
