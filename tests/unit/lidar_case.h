/*
 * lidar_case.h - a room for tests of lidar: 80 x 60 pixels, walls of 6 pixels around it.
 */
#ifndef TESTS_LIDAR_CASE_H
#define TESTS_LIDAR_CASE_H

#include "base/check.h"
#include "data/lidar/lidar.h"

enum { ROOM_WIDTH = 80, ROOM_HEIGHT = 60, ROOM_WALL = 6 };

static inline void room_init(struct floor_plan *plan)
{
    floor_plan_init(plan, ROOM_WIDTH, ROOM_HEIGHT);
    for (int64_t y = 0; y < ROOM_HEIGHT; y++) {
        for (int64_t x = 0; x < ROOM_WIDTH; x++) {
            const bool is_free = x >= ROOM_WALL && x < ROOM_WIDTH - ROOM_WALL && y >= ROOM_WALL &&
                                 y < ROOM_HEIGHT - ROOM_WALL;

            plan->pixels[y * ROOM_WIDTH + x] = is_free ? FLOOR_PLAN_FREE : FLOOR_PLAN_WALL;
        }
    }
}

static inline struct lidar_options lidar_case_options(void)
{
    struct lidar_options options;

    fields_default(lidar_fields, &options);
    options.border = 0;
    return options;
}

static inline struct lidar *lidar_case_new(const struct floor_plan *plan,
                                           const struct lidar_options *options, int threads)
{
    struct team *team = team_new(threads);
    struct lidar *l = NULL;

    CHECK(lidar_new(plan, options, team, &l) == STATUS_OK);
    team_free(team);
    return l;
}

/* A lidar in the room. */
static inline struct lidar *lidar_case_room(const struct lidar_options *options)
{
    struct floor_plan plan;

    room_init(&plan);
    struct lidar *l = lidar_case_new(&plan, options, 1);
    floor_plan_release(&plan);
    return l;
}

#endif
