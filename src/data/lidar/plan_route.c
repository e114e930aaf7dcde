/*
 * plan_route.c - routes as way-points, and random walks. See planner.h.
 */
#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"
#include "data/lidar/planner.h"

enum { TRIES = 100000 };

void plan_route_release(struct plan_route *r)
{
    mem_free(r->cells);
    *r = (struct plan_route){0};
}

void plan_route_thin(const struct plan_route *r, int64_t spacing, int64_t width, int64_t height,
                     struct waypoints *out)
{
    CHECK(spacing >= 1 && r->count >= 1);
    const int64_t steps = r->count - 1, enough = (steps + spacing - 1) / spacing;
    const int64_t parts = enough < WAYPOINTS_MIN - 1 ? WAYPOINTS_MIN - 1 : enough;

    for (int64_t k = 0; k <= parts; k++) {
        const struct plan_cell at = r->cells[k * steps / parts];

        waypoints_add(out, (struct lidar_point){2.0 * at.x / (double)(width - 1) - 1,
                                                2.0 * at.y / (double)(height - 1) - 1});
    }
}

/* --- random walks --- */

/* Connected areas of free cells; a diagonal step connects nothing that straight ones do not. */
struct areas {
    int32_t *labels; /* [height][width] */
    int32_t largest;
};

/* Of the labels from 1; 0 is wall. */
static int32_t most_frequent(const int32_t *labels, int64_t count, int64_t areas)
{
    int64_t *sizes = MEM_NEW_N(int64_t, areas + 1);
    int32_t best = 1;

    for (int64_t i = 0; i < count; i++)
        sizes[labels[i]]++;
    for (int32_t a = 2; a <= areas; a++)
        best = sizes[a] > sizes[best] ? a : best;
    mem_free(sizes);
    return best;
}

int32_t planner_label_areas(const struct planner *p, int32_t *labels)
{
    const int64_t count = planner_width(p) * planner_height(p);
    struct floor_plan free_cells;

    floor_plan_init(&free_cells, planner_width(p), planner_height(p));
    for (int64_t i = 0; i < count; i++) {
        const struct plan_cell at = {(int32_t)(i % free_cells.width),
                                     (int32_t)(i / free_cells.width)};

        free_cells.pixels[i] = planner_is_free(p, at) ? FLOOR_PLAN_FREE : FLOOR_PLAN_WALL;
    }
    const int64_t areas = floor_plan_label_areas(&free_cells, labels);
    floor_plan_release(&free_cells);
    return areas == 0 ? 0 : most_frequent(labels, count, areas);
}

/* Place number `place` of a walk; false: too few cells are free. */
static bool draw_place(const struct planner *p, const struct areas *a, const struct rng *r,
                       int64_t place, struct plan_cell *cell)
{
    const int64_t width = planner_width(p), count = width * planner_height(p);

    for (uint32_t draw = 0; draw < TRIES && a->largest > 0; draw++) {
        const int64_t i = rng_below(r, (uint64_t)place, draw, count);

        *cell = (struct plan_cell){(int32_t)(i % width), (int32_t)(i / width)};
        if (a->labels[i] == a->largest)
            return true;
    }
    return false;
}

enum status planner_walk(struct planner *p, uint64_t seed, int64_t count, struct plan_route *route)
{
    const struct rng r = rng_make(seed, RNG_WALK, 0);
    struct plan_cell *places = MEM_NEW_N(struct plan_cell, count + 1);
    struct areas a;
    enum status s = STATUS_OK;

    CHECK(count >= 2);
    a.labels = MEM_NEW_N(int32_t, planner_width(p) * planner_height(p));
    a.largest = planner_label_areas(p, a.labels);
    for (int64_t i = 0; i < count && s == STATUS_OK; i++) {
        if (!draw_place(p, &a, &r, i, &places[i]))
            s = FAIL(STATUS_BAD_INPUT, "the plan has no free places with this clearance");
    }
    places[count] = places[0];
    if (s == STATUS_OK)
        s = planner_visit(p, places, count + 1, route);
    mem_free(a.labels);
    mem_free(places);
    return s;
}
