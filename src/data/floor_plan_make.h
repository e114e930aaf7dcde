/*
 * floor_plan_make.h - floor plans that are generated: rooms, corridors, doors and furniture.
 *
 * The same recipe gives the same plan on every machine: only whole numbers are computed. All free
 * pixels are connected, also for a robot as wide as a door (floor_plan_door_width).
 */
#ifndef DATA_FLOOR_PLAN_MAKE_H
#define DATA_FLOOR_PLAN_MAKE_H

#include "data/floor_plan.h"

enum { FLOOR_PLAN_MAKE_SIDE_MIN = 64, FLOOR_PLAN_MAKE_SIDE_MAX = 8192 };

/* The size of the study's plan, and about its walls. */
enum { FLOOR_PLAN_USUAL_WIDTH = 2167, FLOOR_PLAN_USUAL_HEIGHT = 1608, FLOOR_PLAN_USUAL_WALLS = 32 };

/* A door needs room: the shorter side has that of so many doors at least. */
enum { FLOOR_PLAN_DOOR_MIN = 6, FLOOR_PLAN_DOORS_PER_SIDE_MIN = 8 };

/* Fewer walls than the building needs are not possible; more than these leave no rooms. */
enum { FLOOR_PLAN_WALLS_MAX = 50 };

struct floor_plan_recipe {
    uint64_t seed;
    int64_t width, height; /* FLOOR_PLAN_MAKE_SIDE_MIN to FLOOR_PLAN_MAKE_SIDE_MAX */
    int64_t walls;         /* percent of wall pixels to aim at, 0 to FLOOR_PLAN_WALLS_MAX */
    int64_t door;          /* width of doors, or 0: the usual one; all measures follow from it */
};

/* Whether the doors fit into a plan of this size; the error names neither flag nor key. */
enum status floor_plan_recipe_check(const struct floor_plan_recipe *recipe);

/* The recipe was checked. */
void floor_plan_make(struct floor_plan *p, const struct floor_plan_recipe *recipe);

/* Of every door of the plan, and at least of every other passage; pixels. */
int64_t floor_plan_door_width(const struct floor_plan_recipe *recipe);

#endif
