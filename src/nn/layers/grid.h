/*
 * grid.h - what else is known at places of a grid (grid.c): numbers for each of its values,
 * interpolated like its features.
 */
#ifndef NN_LAYERS_GRID_H
#define NN_LAYERS_GRID_H

#include "nn/layer_options.h"

/* The mean over the features, at point (x, y), of values[height][width][channels]. */
double grid_mean_at(const struct grid_options *o, const float *values, const float *point);

#endif
