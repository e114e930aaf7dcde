/*
 * plan_point.h - places in a floor plan that flags give: "x,y" in pixels from the centre of the
 * plan, x to the right and y downwards, as lidar has them.
 */
#ifndef CLI_PLAN_POINT_H
#define CLI_PLAN_POINT_H

#include "data/floor_plan.h"
#include "data/lidar/lidar.h"

/* A place in the plan; `flag` is for messages. */
enum status plan_point_read(const char *flag, const char *given, const struct floor_plan *p,
                            struct lidar_point *at);

#endif
