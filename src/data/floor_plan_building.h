/*
 * floor_plan_building.h - what the files that generate floor plans share: a building in the making.
 */
#ifndef DATA_FLOOR_PLAN_BUILDING_H
#define DATA_FLOOR_PLAN_BUILDING_H

#include "base/rng.h"
#include "data/floor_plan.h"

/* Pixels [x, x + width) x [y, y + height). */
struct box {
    int64_t x, y, width, height;
};

/* A room or a corridor. */
struct space {
    struct box box;
    bool is_corridor;
    bool is_solid; /* filled: no room at all */
};

/* An opening in the wall between two spaces. */
struct door {
    struct box box;
    int64_t between[2];
};

struct building {
    struct rng rng;
    uint64_t drawn; /* random numbers so far */
    int64_t door;   /* width of a door; the other measures follow from it */
    int64_t wall;   /* thickness */
    struct space *spaces;
    int64_t space_count;
    struct door *doors;
    int64_t door_count;
};

/* low..high */
int64_t floor_plan_draw(struct building *b, int64_t low, int64_t high);

void floor_plan_fill(struct floor_plan *p, struct box box, uint8_t value);

/* Whether they have a pixel in common when the first is made larger by `margin` on all sides. */
bool floor_plan_overlaps(struct box a, int64_t margin, struct box b);

/* --- floor_plan_rooms.c --- */

/* Divides the box into rooms and corridors, with walls between them. */
void floor_plan_divide(struct building *b, struct box inside);

/* Fills rooms until at most `free_target` pixels are free, while the others stay connected. */
void floor_plan_fill_rooms(struct building *b, int64_t free_target);

/* Connects all spaces that are not solid, by as few doors as possible and some more. */
void floor_plan_open_doors(struct building *b);

/* --- floor_plan_furnish.c --- */

/* Puts furniture into rooms until the plan has so many wall pixels, or is full. */
void floor_plan_furnish(struct building *b, struct floor_plan *p, int64_t wall_target);

#endif
