/*
 * plan_cover.c - see plan_cover.h.
 */
#include "data/lidar/plan_cover.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"

enum { GRID = 4, STREAM = 1 }; /* places are on every 4th column and row */

/* --- places --- */

/* The cells to choose from, and how far each is from the places so far. */
struct candidates {
    int64_t count;
    struct plan_cell *cells;
    int64_t *distances; /* squared */
};

static void find_candidates(const struct planner *p, struct candidates *c)
{
    const int64_t width = planner_width(p), height = planner_height(p);
    int32_t *labels = MEM_NEW_N(int32_t, width * height);
    const int32_t largest = planner_label_areas(p, labels);

    *c = (struct candidates){.cells = MEM_NEW_N(struct plan_cell, width * height)};
    for (int64_t y = 0; y < height && largest > 0; y += GRID)
        for (int64_t x = 0; x < width; x += GRID)
            if (labels[y * width + x] == largest)
                c->cells[c->count++] = (struct plan_cell){(int32_t)x, (int32_t)y};
    c->distances = MEM_NEW_N(int64_t, c->count);
    for (int64_t i = 0; i < c->count; i++)
        c->distances[i] = INT64_MAX;
    mem_free(labels);
}

static void candidates_release(struct candidates *c)
{
    mem_free(c->cells);
    mem_free(c->distances);
}

static int64_t squared_distance(struct plan_cell a, struct plan_cell b)
{
    const int64_t x = a.x - b.x, y = a.y - b.y;

    return x * x + y * y;
}

/* Notes the place; answers which candidate is then farthest from all, the first of equal ones. */
static int64_t add_place(struct candidates *c, struct plan_cell place)
{
    int64_t farthest = 0;

    for (int64_t i = 0; i < c->count; i++) {
        const int64_t d = squared_distance(c->cells[i], place);

        c->distances[i] = d < c->distances[i] ? d : c->distances[i];
        farthest = c->distances[i] > c->distances[farthest] ? i : farthest;
    }
    return farthest;
}

static void choose_places(struct candidates *c, uint64_t seed, struct plan_cell *places,
                          int64_t count)
{
    const struct rng r = rng_make(seed, RNG_WALK, STREAM);
    int64_t next = rng_below(&r, 0, 0, c->count);

    for (int64_t k = 0; k < count; k++) {
        places[k] = c->cells[next];
        next = add_place(c, places[k]);
    }
}

/* --- robots --- */

static int compare_x(const void *a, const void *b)
{
    const struct plan_cell *p = a, *q = b;

    return p->x != q->x ? p->x - q->x : p->y - q->y;
}

static int compare_y(const void *a, const void *b)
{
    const struct plan_cell *p = a, *q = b;

    return p->y != q->y ? p->y - q->y : p->x - q->x;
}

static bool is_wide(const struct plan_cell *places, int64_t count)
{
    struct plan_cell low = places[0], high = places[0];

    for (int64_t i = 1; i < count; i++) {
        low.x = places[i].x < low.x ? places[i].x : low.x;
        low.y = places[i].y < low.y ? places[i].y : low.y;
        high.x = places[i].x > high.x ? places[i].x : high.x;
        high.y = places[i].y > high.y ? places[i].y : high.y;
    }
    return high.x - low.x >= high.y - low.y;
}

/* Sorts the places so that each robot's are together, and near each other. */
static void divide(struct plan_cell *places, int64_t robots, int64_t stops)
{
    const int64_t first = robots / 2;

    if (robots == 1)
        return;
    qsort(places, (size_t)(robots * stops), sizeof *places,
          is_wide(places, robots * stops) ? compare_x : compare_y);
    divide(places, first, stops);
    divide(places + first * stops, robots - first, stops);
}

/* After each place the nearest that is left. */
static void order_visits(struct plan_cell *places, int64_t count)
{
    for (int64_t at = 0; at + 2 < count; at++) {
        int64_t nearest = at + 1;

        for (int64_t i = at + 2; i < count; i++)
            if (squared_distance(places[at], places[i]) <
                squared_distance(places[at], places[nearest]))
                nearest = i;
        const struct plan_cell next = places[nearest];
        places[nearest] = places[at + 1];
        places[at + 1] = next;
    }
}

enum status plan_cover_make(const struct planner *p, const struct plan_cover *cover,
                            struct plan_cell *places)
{
    const int64_t count = cover->robots * cover->stops;
    struct candidates c;

    CHECK(cover->robots >= 1 && cover->stops >= 2);
    find_candidates(p, &c);
    const bool is_enough = c.count >= count;
    if (is_enough)
        choose_places(&c, cover->seed, places, count);
    candidates_release(&c);
    if (!is_enough)
        return FAIL(STATUS_BAD_INPUT,
                    "data.robots: the plan has no room for %lld robots with %lld stops each that "
                    "keep clear of the walls",
                    (long long)cover->robots, (long long)cover->stops);
    divide(places, cover->robots, cover->stops);
    for (int64_t r = 0; r < cover->robots; r++)
        order_visits(places + r * cover->stops, cover->stops);
    return STATUS_OK;
}
