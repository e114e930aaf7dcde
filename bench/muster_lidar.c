/*
 * muster_lidar.c - times lidar scans and A* on generated buildings, for bench/lidar.
 *
 *     muster_lidar THREADS ROBOTS SCANS PAIRS WIDTH HEIGHT
 *
 * Prints one line of JSON. Scans: each robot goes on a random walk and scans at equal distances, by
 * the usual options (20 beams, 25 points); with the seconds of the spline's coefficients. A*: the
 * seconds of each of PAIRS ways between free pixels, over 4 and over 8 neighbours, in one thread.
 */
#include <stdio.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "data/floor_plan_make.h"
#include "data/lidar/planner.h"
#include "data/lidar/scans.h"

enum { SEED = 1, WALK_PLACES = 8, CLEARANCE = 12, USUAL_SIZE_MIN = 300 };

struct request {
    int64_t threads, robots, scans, pairs, width, height;
};

/* `count` places at equal distances on the random walk of a robot. */
static void place_scans(struct planner *p, const struct lidar *l, int64_t robot, int64_t count,
                        struct lidar_point *at)
{
    struct plan_route route = {0};

    CHECK(planner_walk(p, (uint64_t)robot, WALK_PLACES, &route) == STATUS_OK);
    for (int64_t i = 0; i < count; i++) {
        const struct plan_cell cell = route.cells[i * route.count / count];

        at[i] = lidar_pixel(l, cell.x, cell.y);
    }
    plan_route_release(&route);
}

static int64_t border_for(const struct request *q)
{
    return q->width < USUAL_SIZE_MIN || q->height < USUAL_SIZE_MIN ? 3 : 30;
}

static void measure_scans(const struct request *q, const struct floor_plan *plan, struct json *j)
{
    const struct planner_options way = {.clearance = border_for(q) == 30 ? CLEARANCE : 0,
                                        .border = border_for(q),
                                        .is_diagonal = true};
    struct lidar_point *at = MEM_NEW_N(struct lidar_point, q->robots * q->scans);
    struct team *team = team_new((int)q->threads);
    struct planner *p = planner_new(plan, &way);
    struct lidar_options options;
    struct lidar_scans s;
    struct lidar *l;

    fields_default(lidar_fields, &options);
    options.border = border_for(q);
    const double start = clock_seconds();
    CHECK(lidar_new(plan, &options, team, &l) == STATUS_OK);
    json_number(j, "spline_seconds", clock_seconds() - start);
    for (int64_t robot = 0; robot < q->robots; robot++)
        place_scans(p, l, robot, q->scans, at + robot * q->scans);
    const double before = clock_seconds();
    lidar_scans_init(&s, l, at, q->robots * q->scans, team);
    json_number(j, "scan_seconds", clock_seconds() - before);
    json_number(j, "rows", (double)lidar_scans_rows(&s));
    lidar_scans_release(&s);
    lidar_free(l);
    planner_free(p);
    team_free(team);
    mem_free(at);
}

static struct plan_cell draw_free(const struct planner *p, int64_t number)
{
    const struct rng r = rng_make(SEED, RNG_TEST, 0);
    struct plan_cell at;
    uint32_t draw = 0;

    do {
        at.x = (int32_t)rng_below(&r, (uint64_t)number, draw++, planner_width(p));
        at.y = (int32_t)rng_below(&r, (uint64_t)number, draw++, planner_height(p));
    } while (!planner_is_free(p, at));
    return at;
}

static void measure_ways(const struct request *q, const struct floor_plan *plan, bool is_diagonal,
                         struct json *j)
{
    struct planner *p = planner_new(plan, &(struct planner_options){.is_diagonal = is_diagonal});
    double *seconds = MEM_NEW_N(double, q->pairs);

    for (int64_t i = 0; i < q->pairs; i++) {
        const struct plan_cell from = draw_free(p, 2 * i), to = draw_free(p, 2 * i + 1);
        struct plan_route route = {0};
        const double start = clock_seconds();

        CHECK(planner_find(p, from, to, &route));
        seconds[i] = clock_seconds() - start;
        plan_route_release(&route);
    }
    json_number_list(j, is_diagonal ? "ways_8" : "ways_4", seconds, q->pairs, 4);
    mem_free(seconds);
    planner_free(p);
}

int main(int argc, char **argv)
{
    struct request q;
    int64_t *const numbers[] = {&q.threads, &q.robots, &q.scans, &q.pairs, &q.width, &q.height};
    struct text out = {0};
    struct floor_plan plan;
    struct json j;

    CHECK(argc == 7);
    for (int i = 0; i < 6; i++)
        CHECK(text_to_int(argv[i + 1], numbers[i]) && *numbers[i] > 0);
    json_init(&j, &out);
    json_open_map(&j, NULL);
    floor_plan_make(
        &plan, &(struct floor_plan_recipe){SEED, q.width, q.height, FLOOR_PLAN_USUAL_WALLS, 0});
    measure_scans(&q, &plan, &j);
    measure_ways(&q, &plan, false, &j);
    measure_ways(&q, &plan, true, &j);
    json_close_map(&j);
    puts(text_get(&out));
    text_release(&out);
    floor_plan_release(&plan);
    return 0;
}
