/*
 * floor_plan_prepare.h - from any picture of a building to a floor plan and its signed distances.
 */
#ifndef DATA_FLOOR_PLAN_PREPARE_H
#define DATA_FLOOR_PLAN_PREPARE_H

#include "data/floor_plan.h"
#include "format/png.h"

struct floor_plan_preparation {
    int64_t short_side; /* of the plan; 0: as in the picture */
    int64_t speck; /* smaller pieces of wall become free, then smaller free areas become wall */
    bool has_dark_walls; /* dark pixels are walls, as in drawings; else bright ones */
};

/*
 * Grey, RGB or RGBA; transparent pixels are free. Resizes with antialiasing, makes every pixel of
 * at least 1/2 wall, and removes specks. Pieces of wall are connected over sides and corners. A
 * plan without walls, or without free pixels, is an error; `name` is what messages call the
 * picture.
 */
enum status floor_plan_prepare(struct floor_plan *p, const struct png_picture *picture,
                               const struct floor_plan_preparation *how, const char *name);

#endif
