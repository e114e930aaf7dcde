/*
 * map_pictures.h - maps (maps.h) as PNG files, and what is computed from several of them.
 */
#ifndef RECORD_MAP_PICTURES_H
#define RECORD_MAP_PICTURES_H

#include "base/text.h"
#include "record/maps.h"

/* maps [count][height][width] below each other, in one colour (0xRRGGBB): where the map says free
 * the picture is transparent, so that it suits light and dark pages. Appends the file to png. */
void map_picture(const struct map_mesh *m, const uint8_t *maps, int64_t count, uint32_t colour,
                 struct text *png);

/* The mean of all maps [robots][height][width] of a record. */
void map_mean(const struct map_mesh *m, const uint8_t *maps, uint8_t *mean);

/* How far a map is from the plan, point by point; answers the mean over all points, in [0, 1].
 * error: NULL if only the mean is wanted. */
double map_error(const struct map_file *f, const uint8_t *map, uint8_t *error);

/* --- certainty --- */

/* The sum of the certainty [robots][height][width] of a record; and the largest of so many. */
void map_certainty_sum(const struct map_mesh *m, const float *certainty, float *sum);
double map_certainty_most(const float *certainty, int64_t count);

/* As bytes for map_picture: 255 is `most`. */
struct certainty_picture {
    const float *certainty;
    double most;
};
void map_certainty_bytes(const struct certainty_picture *p, int64_t count, uint8_t *bytes);

#endif
