/*
 * plan_cover.h - places that cover a floor plan, divided among robots: what each of them visits.
 */
#ifndef DATA_LIDAR_PLAN_COVER_H
#define DATA_LIDAR_PLAN_COVER_H

#include "data/lidar/planner.h"

/*
 * places [robots][stops], each robot's in an order to visit them. The first place is random, and
 * each further one is as far as possible from those before. Then the plan is cut in two across its
 * longer side, each part again, and so on: every robot has a part of the plan with its places, and
 * goes to the nearest one that is left. Places are of the largest connected area; too few of them
 * are an error.
 */
struct plan_cover {
    uint64_t seed;
    int64_t robots, stops;
};
enum status plan_cover_make(const struct planner *p, const struct plan_cover *cover,
                            struct plan_cell *places);

#endif
