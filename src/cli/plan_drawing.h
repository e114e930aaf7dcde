/*
 * plan_drawing.h - a floor plan with lines and dots on it, as SVG or as a picture of pixels.
 */
#ifndef CLI_PLAN_DRAWING_H
#define CLI_PLAN_DRAWING_H

#include "base/text.h"
#include "data/floor_plan.h"
#include "data/lidar/lidar.h"
#include "format/png.h"

enum plan_mark_kind { PLAN_MARK_LINE, PLAN_MARK_DOTS };

/* What is drawn in one colour: the path of a robot, its way-points, a beam, the points of a scan.
 */
struct plan_mark {
    enum plan_mark_kind kind;
    int64_t series; /* chooses the colour */
    double size;    /* of dots and lines, times the usual one; 0: 1 */
    int64_t count;
    const struct lidar_point *points; /* [count], borrowed; from the centre of the plan */
};

/* Later marks are drawn over earlier ones. Zeroed but for plan and title, it has no marks. */
struct plan_drawing {
    const struct floor_plan *plan;
    const char *title;
    int64_t mark_count;
    struct plan_mark *marks;
};

void plan_drawing_add(struct plan_drawing *d, struct plan_mark mark);
void plan_drawing_release(struct plan_drawing *d);

/* SVG follows the viewer's light or dark colours; its longer side has 1000 units. */
void plan_drawing_svg(const struct plan_drawing *d, struct text *out);

/* Black walls on white, as large as the plan. To be released. */
void plan_drawing_picture(const struct plan_drawing *d, struct png_picture *out);

/* The walls alone, grey, on a transparent ground: for pages of any colour. To be released. */
void plan_drawing_walls(const struct floor_plan *p, struct png_picture *out);

/* From the centre of the plan to columns and rows; the first pixel is from 0 to 1. */
struct lidar_point plan_drawing_place(const struct floor_plan *p, struct lidar_point at);

#endif
