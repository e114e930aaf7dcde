/*
 * floor_plan_case.h - small floor plans from drawings, for tests.
 */
#ifndef TESTS_FLOOR_PLAN_CASE_H
#define TESTS_FLOOR_PLAN_CASE_H

#include "data/floor_plan.h"
#include "test.h"

/* '#' is wall. All rows have the same length; NULL ends them. To be released. */
static inline struct floor_plan floor_plan_drawn(const char *const *rows)
{
    struct floor_plan p;
    int64_t height = 0;

    while (rows[height] != NULL)
        height++;
    floor_plan_init(&p, (int64_t)strlen(rows[0]), height);
    for (int64_t i = 0; i < p.width * p.height; i++)
        p.pixels[i] = rows[i / p.width][i % p.width] == '#' ? FLOOR_PLAN_WALL : FLOOR_PLAN_FREE;
    return p;
}

#endif
