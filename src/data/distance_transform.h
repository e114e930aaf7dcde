/*
 * distance_transform.h - exact Euclidean distances in a picture.
 *
 * Felzenszwalb, Huttenlocher: "Distance transforms of sampled functions", 2012. In time that is
 * linear in the pixels.
 */
#ifndef DATA_DISTANCE_TRANSFORM_H
#define DATA_DISTANCE_TRANSFORM_H

#include <stdint.h>

#include "data/floor_plan.h"

/*
 * From the centre of each pixel to that of the nearest one whose mark is not 0, in pixels; infinity
 * when there is none. marks, distances: [height][width]
 */
void distance_transform(const uint8_t *marks, int64_t width, int64_t height, double *distances);

/*
 * Edge pixels are wall and have a free pixel at one of their four sides. The signed distance field
 * of a plan is the distance from the nearest edge pixel, negative in walls: 0 at edges. field:
 * [height][width]; infinite where there is no edge.
 */
void distance_transform_edges(const struct floor_plan *p, uint8_t *edges);
void distance_transform_signed(const struct floor_plan *p, double *field);

#endif
