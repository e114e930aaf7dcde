/*
 * test_planner.c - A* against a search without an estimate, clearance, routes and random walks.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "data/lidar/planner.h"
#include "floor_plan_case.h"
#include "lidar_case.h"

enum { FAR = 1 << 30 };

static struct plan_cell at(int x, int y)
{
    return (struct plan_cell){x, y};
}

/* --- the reference: relaxes all steps until nothing changes (Bellman and Ford) --- */

static bool can_step(const struct planner *p, int x, int y, int dx, int dy)
{
    return planner_is_free(p, at(x + dx, y + dy)) && planner_is_free(p, at(x + dx, y)) &&
           planner_is_free(p, at(x, y + dy));
}

static bool relax(const struct planner *p, double *length, int64_t width, int64_t i, bool diagonal)
{
    const int x = (int)(i % width), y = (int)(i / width);
    bool changed = false;

    for (int k = 0; k < 9; k++) {
        const int dx = k % 3 - 1, dy = k / 3 - 1;
        const bool is_straight = dx == 0 || dy == 0;

        if (length[i] >= FAR || (!is_straight && !diagonal) || !can_step(p, x, y, dx, dy))
            continue;
        const double there = length[i] + (is_straight ? 1 : sqrt(2));
        double *next = &length[i + dy * width + dx];

        if ((dx != 0 || dy != 0) && there < *next - 1e-9) {
            *next = there;
            changed = true;
        }
    }
    return changed;
}

static double reference_length(const struct planner *p, struct plan_cell from, struct plan_cell to,
                               bool diagonal)
{
    const int64_t width = planner_width(p), count = width * planner_height(p);
    double *length = MEM_NEW_N(double, count);
    bool changed = true;

    for (int64_t i = 0; i < count; i++)
        length[i] = FAR;
    length[from.y * width + from.x] = 0;
    while (changed) {
        changed = false;
        for (int64_t i = 0; i < count; i++)
            changed = relax(p, length, width, i, diagonal) || changed;
    }
    const double found = length[to.y * width + to.x];
    mem_free(length);
    return found;
}

/* --- routes --- */

static void expect_route(const struct planner *p, const struct plan_route *r, struct plan_cell from,
                         struct plan_cell to, bool diagonal)
{
    double length = 0;

    EXPECT(r->cells[0].x == from.x && r->cells[0].y == from.y);
    EXPECT(r->cells[r->count - 1].x == to.x && r->cells[r->count - 1].y == to.y);
    for (int64_t i = 1; i < r->count; i++) {
        const struct plan_cell a = r->cells[i - 1], b = r->cells[i];
        const int dx = b.x - a.x, dy = b.y - a.y, moved = abs(dx) + abs(dy);

        EXPECT(abs(dx) <= 1 && abs(dy) <= 1 && moved >= 1 && (moved == 1 || diagonal));
        EXPECT(can_step(p, a.x, a.y, dx, dy));
        length += moved == 1 ? 1 : sqrt(2);
    }
    EXPECT_NEAR(r->length, length, 1e-9); /* sums of a hundred steps */
}

static struct floor_plan random_plan(uint32_t stream)
{
    const struct rng r = rng_make(7, RNG_TEST, stream);
    struct floor_plan plan;

    floor_plan_init(&plan, 5 + rng_below(&r, 0, 1, 30), 5 + rng_below(&r, 0, 2, 25));
    const double walls = 0.45 * rng_uniform(&r, 0, 3);
    for (int64_t i = 0; i < plan.width * plan.height; i++)
        plan.pixels[i] = rng_uniform(&r, (uint64_t)i + 1, 0) < walls ? FLOOR_PLAN_WALL : 0;
    return plan;
}

/* Answers how many ways there were. */
static int check_random_pairs(struct planner *p, uint32_t stream, bool diagonal)
{
    const struct rng r = rng_make(8, RNG_TEST, stream);
    int found = 0;

    for (uint64_t k = 0; k < 4; k++) {
        const struct plan_cell a = at((int)rng_below(&r, k, 0, planner_width(p)),
                                      (int)rng_below(&r, k, 1, planner_height(p)));
        const struct plan_cell b = at((int)rng_below(&r, k, 2, planner_width(p)),
                                      (int)rng_below(&r, k, 3, planner_height(p)));
        struct plan_route route = {0};

        if (!planner_is_free(p, a) || !planner_is_free(p, b)) {
            EXPECT(!planner_find(p, a, b, &route));
            continue;
        }
        const double expected = reference_length(p, a, b, diagonal);
        EXPECT(planner_find(p, a, b, &route) == (expected < FAR));
        if (expected < FAR && route.count > 0) {
            expect_route(p, &route, a, b, diagonal);
            EXPECT_NEAR(route.length, expected, 1e-9);
            found++;
        }
        plan_route_release(&route);
    }
    return found;
}

static void test_ways_are_as_short_as_those_of_a_plain_search(void)
{
    int found = 0;

    for (uint32_t stream = 0; stream < 120; stream++) {
        const bool diagonal = stream % 2 == 0;
        struct floor_plan plan = random_plan(stream);
        struct planner *p = planner_new(&plan, &(struct planner_options){.is_diagonal = diagonal});

        found += check_random_pairs(p, stream, diagonal);
        planner_free(p);
        floor_plan_release(&plan);
    }
    EXPECT(found > 150); /* of 480 pairs */
}

static const char *const two_rooms[] = {
    "############", "#....#.....#", "#....#.....#", "#..........#",
    "#....#.....#", "#....#.....#", "############", NULL,
};

static void test_a_diagonal_does_not_cut_corners(void)
{
    struct floor_plan plan = floor_plan_drawn(two_rooms);
    struct planner *p = planner_new(&plan, &(struct planner_options){.is_diagonal = true});
    struct plan_route r = {0};

    EXPECT(planner_find(p, at(4, 2), at(6, 2), &r));
    EXPECT_INT(r.count, 5); /* down, two to the right, up */
    EXPECT_NEAR(r.length, 4, 1e-12);
    plan_route_release(&r);
    planner_free(p);
    floor_plan_release(&plan);
}

/* Distances are those between the centres of pixels. */
static void test_clearance_is_the_distance_to_walls(void)
{
    struct floor_plan plan;

    floor_plan_init(&plan, 40, 30);
    plan.pixels[12 * 40 + 17] = plan.pixels[29 * 40 + 39] = FLOOR_PLAN_WALL;
    for (int64_t clearance = 0; clearance < 9; clearance++) {
        struct planner *p = planner_new(&plan, &(struct planner_options){.clearance = clearance});

        for (int64_t i = 0; i < 40 * 30; i++) {
            const int64_t x = i % 40, y = i / 40;
            const int64_t one = (x - 17) * (x - 17) + (y - 12) * (y - 12);
            const int64_t two = (x - 39) * (x - 39) + (y - 29) * (y - 29);
            const int64_t nearest = one < two ? one : two;

            EXPECT(planner_is_free(p, at((int)x, (int)y)) == (nearest > clearance * clearance));
        }
        planner_free(p);
    }
    floor_plan_release(&plan);
}

static void test_clearance_closes_narrow_doors(void)
{
    struct floor_plan plan = floor_plan_drawn(two_rooms);
    struct planner *p = planner_new(&plan, &(struct planner_options){.clearance = 1});
    const struct plan_cell via[] =
        {
            {2, 3},
            {3, 3},
            {8, 3}
    },
                           wall[] = {{2, 3}, {4, 4}};
    struct plan_route r = {0};

    EXPECT_FAILS(planner_visit(p, via, 3, &r), STATUS_BAD_INPUT,
                 "no way leads from place 2, pixel (3, 3), to place 3, (8, 3)");
    EXPECT_FAILS(planner_visit(p, wall, 2, &r), STATUS_BAD_INPUT,
                 "place 2, pixel (4, 4), is in a wall or too near to one");
    EXPECT(!planner_is_free(p, at(-1, 3)) && !planner_is_free(p, at(12, 3)));
    plan_route_release(&r);
    planner_free(p);
    floor_plan_release(&plan);
}

static void test_the_border_is_wall(void)
{
    struct floor_plan plan;

    floor_plan_init(&plan, 20, 20);
    struct planner *p = planner_new(&plan, &(struct planner_options){.border = 3});
    EXPECT(!planner_is_free(p, at(2, 10)) && planner_is_free(p, at(3, 10)));
    EXPECT(!planner_is_free(p, at(17, 10)) && planner_is_free(p, at(16, 10)));
    planner_free(p);
    floor_plan_release(&plan);
}

static void test_a_route_visits_its_places_without_repeating_them(void)
{
    struct floor_plan plan = floor_plan_drawn(two_rooms);
    struct planner *p = planner_new(&plan, &(struct planner_options){0});
    const struct plan_cell via[] = {
        {1, 1},
        {8, 1},
        {8, 5},
        {1, 1}
    };
    struct plan_route r = {0};

    EXPECT_OK(planner_visit(p, via, 4, &r));
    EXPECT_NEAR(r.length, 11 + 4 + 11, 1e-12);
    EXPECT_INT(r.count, 27);
    EXPECT(r.cells[11].x == 8 && r.cells[11].y == 1 && r.cells[15].y == 5);
    expect_route(p, &r, at(1, 1), at(1, 1), false);
    plan_route_release(&r);
    planner_free(p);
    floor_plan_release(&plan);
}

static void test_a_thinned_route_has_even_steps(void)
{
    struct plan_route r = {.count = 26, .cells = MEM_NEW_N(struct plan_cell, 26)};
    struct waypoints w = {0};

    for (int i = 0; i < 26; i++)
        r.cells[i] = at(i, 10);
    plan_route_thin(&r, 6, 51, 21, &w);
    EXPECT_INT(w.count, 6);
    for (int i = 0; i < 6; i++) {
        EXPECT_NEAR(w.points[i].x, -1 + 2.0 * 5 * i / 50, 1e-12);
        EXPECT(w.points[i].y == 0);
    }
    waypoints_release(&w);
    plan_route_thin(&r, 1000, 51, 21, &w);
    EXPECT_INT(w.count, WAYPOINTS_MIN);
    EXPECT(w.points[0].x == -1 && w.points[3].x == 0);
    waypoints_release(&w);
    plan_route_release(&r);
}

static void test_random_walks_are_closed_and_depend_on_the_seed_alone(void)
{
    struct floor_plan plan;
    struct plan_route a = {0}, b = {0}, c = {0};

    room_init(&plan);
    plan.pixels[2 * ROOM_WIDTH + 2] = FLOOR_PLAN_FREE; /* where no way leads */
    struct planner *p = planner_new(&plan, &(struct planner_options){.clearance = 2});
    EXPECT_OK(planner_walk(p, 1, 6, &a));
    EXPECT_OK(planner_walk(p, 2, 6, &b));
    EXPECT_OK(planner_walk(p, 1, 6, &c));
    expect_route(p, &a, a.cells[0], a.cells[0], false);
    EXPECT(a.count > 20 && a.count == c.count);
    EXPECT_INT(memcmp(a.cells, c.cells, (size_t)a.count * sizeof *a.cells), 0);
    EXPECT(b.cells[0].x != a.cells[0].x || b.cells[0].y != a.cells[0].y);
    plan_route_release(&a);
    plan_route_release(&b);
    plan_route_release(&c);
    planner_free(p);
    p = planner_new(&plan, &(struct planner_options){.clearance = 60});
    EXPECT_FAILS(planner_walk(p, 1, 6, &a), STATUS_BAD_INPUT, "has no free places");
    planner_free(p);
    floor_plan_release(&plan);
}

/* The number of a search has 16 bits. */
static void test_many_searches_do_not_disturb_each_other(void)
{
    struct floor_plan plan = floor_plan_drawn(two_rooms);
    struct planner *p = planner_new(&plan, &(struct planner_options){0});

    for (int i = 0; i < (1 << 16) + 100; i++) {
        struct plan_route r = {0};

        if (!planner_find(p, at(1 + i % 3, 1), at(8 + i % 2, 5), &r) ||
            r.length != 11 + i % 2 - i % 3)
            EXPECT_INT(r.length, 11 + i % 2 - i % 3);
        plan_route_release(&r);
    }
    planner_free(p);
    floor_plan_release(&plan);
}

TEST_MAIN(TEST(test_ways_are_as_short_as_those_of_a_plain_search),
          TEST(test_a_diagonal_does_not_cut_corners), TEST(test_clearance_is_the_distance_to_walls),
          TEST(test_clearance_closes_narrow_doors), TEST(test_the_border_is_wall),
          TEST(test_a_route_visits_its_places_without_repeating_them),
          TEST(test_a_thinned_route_has_even_steps),
          TEST(test_random_walks_are_closed_and_depend_on_the_seed_alone),
          TEST(test_many_searches_do_not_disturb_each_other))
