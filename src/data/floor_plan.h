/*
 * floor_plan.h - the plan of a building: a grey picture in which 0 is free and 255 is wall.
 *
 * Values between them stay as they are: the density that lidar measures is interpolated anyway. As
 * in S001, a pixel belongs to a wall when its density, value / 255, is at least 1/2.
 */
#ifndef DATA_FLOOR_PLAN_H
#define DATA_FLOOR_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { FLOOR_PLAN_FREE = 0, FLOOR_PLAN_WALL = 255, FLOOR_PLAN_WALL_MIN = 128 };

/* A plan that is read has at least so many pixels on each side: a cubic spline needs four. */
enum { FLOOR_PLAN_SIDE_MIN = 4, FLOOR_PLAN_SIDE_MAX = 1 << 15 };

struct floor_plan {
    int64_t width, height;
    uint8_t *pixels; /* [height][width], row 0 on top; owned */
};

/* A plan without walls. */
void floor_plan_init(struct floor_plan *p, int64_t width, int64_t height);
void floor_plan_release(struct floor_plan *p);

/*
 * From and to a PNG file. Only grey pictures of at most 8 bits are read. On failure the message
 * begins with the path, and p is empty; a file is written completely or not at all.
 */
enum status floor_plan_load(struct floor_plan *p, const char *path);
enum status floor_plan_save(const struct floor_plan *p, const char *path);

/* Pixels outside the plan are walls. */
bool floor_plan_is_wall(const struct floor_plan *p, int64_t x, int64_t y);

int64_t floor_plan_count_walls(const struct floor_plan *p);

/*
 * Numbers the connected free areas from 1 in the order of their first pixels; pixels are connected
 * over their four sides. labels [height][width], 0 in walls. Returns how many areas there are.
 */
int64_t floor_plan_label_areas(const struct floor_plan *p, int32_t *labels);

/* The same of the connected pieces of wall, over sides and corners; 0 in the free. */
int64_t floor_plan_label_walls(const struct floor_plan *p, int32_t *labels);

int64_t floor_plan_count_areas(const struct floor_plan *p);

#endif
