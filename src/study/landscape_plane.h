/*
 * landscape_plane.h - a plane in the space of all weights, and where snapshots are relative to it.
 *
 * Vectors have the parameters only, in canonical order. Sums are in double.
 */
#ifndef STUDY_LANDSCAPE_PLANE_H
#define STUDY_LANDSCAPE_PLANE_H

#include "kernel/tensor.h"
#include "record/landscape.h"

/* Snapshots of all runs together. */
struct landscape_states {
    int64_t count, params;
    float *values; /* [count][params] */
};

struct landscape_plane {
    double *origin;       /* [params] */
    double *direction[2]; /* [params] */
    double explained[2];  /* as in struct landscape */
};

/*
 * The plane of most variance: through the mean of all snapshots, along the first two principal
 * components, which have length 1. The coordinate of largest magnitude along each is positive.
 * Needs two components with variance.
 */
enum status landscape_plane_pca(const struct landscape_states *s, struct landscape_plane *p);

/*
 * Through the last snapshot, along two random directions. Each has the length of the weights as a
 * whole; or filter by filter, where biases and norms do not change (Li et al., 2018).
 */
enum landscape_scaling { SCALE_WHOLE, SCALE_FILTERS };
void landscape_plane_random(const struct landscape_states *s, const struct tensor_layout *layout,
                            enum landscape_scaling scaling, uint64_t seed,
                            struct landscape_plane *p);
void landscape_plane_release(struct landscape_plane *p);

/* x, y and distance of every snapshot. */
void landscape_plane_project(const struct landscape_plane *p, const struct landscape_states *s,
                             struct landscape_point *points);

#endif
