/*
 * test_floor_plan_make.c - what generated floor plans promise.
 */
#include "base/crc.h"
#include "base/mem.h"
#include "data/floor_plan_make.h"
#include "test.h"

static const int64_t sizes[][2] = {
    {64,   64  },
    {200,  150 },
    {150,  200 },
    {64,   1000},
    {777,  333 },
    {2167, 1608},
    {4256, 1718},
};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

static struct floor_plan make(uint64_t seed, int64_t width, int64_t height, int64_t walls)
{
    struct floor_plan p;

    floor_plan_make(&p, &(struct floor_plan_recipe){seed, width, height, walls, 0});
    return p;
}

static void test_plans_have_only_walls_and_free_pixels_and_a_closed_outer_wall(void)
{
    for (int k = 0; k < SIZES; k++) {
        struct floor_plan p = make(3, sizes[k][0], sizes[k][1], FLOOR_PLAN_USUAL_WALLS);
        int64_t others = 0, open = 0;

        EXPECT_INT(p.width, sizes[k][0]);
        EXPECT_INT(p.height, sizes[k][1]);
        for (int64_t i = 0; i < p.width * p.height; i++) {
            const int64_t x = i % p.width, y = i / p.width;
            const bool is_edge = x < 4 || y < 4 || x >= p.width - 4 || y >= p.height - 4;

            others += p.pixels[i] != FLOOR_PLAN_FREE && p.pixels[i] != FLOOR_PLAN_WALL;
            open += is_edge && p.pixels[i] != FLOOR_PLAN_WALL;
        }
        EXPECT_INT(others, 0);
        EXPECT_INT(open, 0);
        floor_plan_release(&p);
    }
}

/* In the study 32.3 %. Small plans have few rooms to fill. */
static void test_about_a_third_is_wall(void)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct floor_plan p =
            make(seed, FLOOR_PLAN_USUAL_WIDTH, FLOOR_PLAN_USUAL_HEIGHT, FLOOR_PLAN_USUAL_WALLS);
        const double share = (double)floor_plan_count_walls(&p) / (double)(p.width * p.height);

        EXPECT(share > 0.27 && share < 0.35);
        floor_plan_release(&p);
    }
}

static void test_the_share_of_walls_follows_the_recipe(void)
{
    int64_t before = 0;

    for (int64_t walls = 0; walls <= FLOOR_PLAN_WALLS_MAX; walls += 10) {
        struct floor_plan p = make(5, 800, 600, walls);
        const int64_t now = floor_plan_count_walls(&p);

        EXPECT(walls > 30 || now > before || walls <= 10);
        EXPECT(now >= before);
        before = now;
        floor_plan_release(&p);
    }
    EXPECT(before > 800 * 600 / 3);
}

/* The largest square, of an odd side, around a pixel that a robot of this width needs. */
static struct floor_plan shrunk(const struct floor_plan *p, int64_t radius)
{
    struct floor_plan rows, out;

    floor_plan_init(&rows, p->width, p->height);
    floor_plan_init(&out, p->width, p->height);
    for (int64_t i = 0; i < p->width * p->height; i++)
        for (int64_t d = -radius; d <= radius && rows.pixels[i] == 0; d++)
            if (floor_plan_is_wall(p, i % p->width + d, i / p->width))
                rows.pixels[i] = FLOOR_PLAN_WALL;
    for (int64_t i = 0; i < p->width * p->height; i++)
        for (int64_t d = -radius; d <= radius && out.pixels[i] == 0; d++)
            if (floor_plan_is_wall(&rows, i % p->width, i / p->width + d))
                out.pixels[i] = FLOOR_PLAN_WALL;
    floor_plan_release(&rows);
    return out;
}

static void test_all_rooms_are_connected_also_for_a_robot_as_wide_as_a_door(void)
{
    for (int k = 0; k < SIZES; k++) {
        for (uint64_t seed = 0; seed < (k < 5 ? 40 : 2); seed++) {
            struct floor_plan p = make(seed, sizes[k][0], sizes[k][1], FLOOR_PLAN_USUAL_WALLS);
            const struct floor_plan_recipe recipe = {.width = p.width, .height = p.height};
            const int64_t door = floor_plan_door_width(&recipe);
            struct floor_plan centres = shrunk(&p, (door - 1) / 2);

            EXPECT_INT(floor_plan_count_areas(&p), 1);
            if (!EXPECT(floor_plan_count_areas(&centres) == 1))
                printf("# %lld x %lld, seed %d\n", (long long)p.width, (long long)p.height,
                       (int)seed);
            floor_plan_release(&centres);
            floor_plan_release(&p);
        }
    }
}

static void test_wider_doors_have_larger_rooms(void)
{
    const struct floor_plan_recipe narrow = {.seed = 2, .width = 800, .height = 600, .walls = 32};
    struct floor_plan_recipe wide = narrow;
    int64_t edges[2] = {0};

    wide.door = 60;
    EXPECT_INT(floor_plan_door_width(&narrow), 24);
    EXPECT_INT(floor_plan_door_width(&wide), 60);
    for (int k = 0; k < 2; k++) {
        struct floor_plan p;

        floor_plan_make(&p, k == 0 ? &narrow : &wide);
        EXPECT_INT(floor_plan_count_areas(&p), 1);
        for (int64_t i = 1; i < p.width * p.height; i++)
            edges[k] += p.pixels[i] != p.pixels[i - 1];
        floor_plan_release(&p);
    }
    EXPECT(2 * edges[1] < edges[0]);
}

static void test_doors_must_fit_into_the_plan(void)
{
    struct floor_plan_recipe r = {.width = 800, .height = 600, .door = 75};

    EXPECT_OK(floor_plan_recipe_check(&r));
    r.door = 76;
    EXPECT_FAILS(floor_plan_recipe_check(&r), STATUS_BAD_INPUT,
                 "doors of 76 pixels do not fit into a plan of 800 x 600; use 6 to 75");
    r.door = 5;
    EXPECT_FAILS(floor_plan_recipe_check(&r), STATUS_BAD_INPUT, "doors of 5 pixels");
}

/* Numbers of the first computer that made them: every other must make the same. */
static void test_a_seed_gives_the_same_plan_everywhere(void)
{
    static const struct {
        uint64_t seed;
        int64_t width, height;
        uint32_t crc;
    } known[] = {
        {1, 2167, 1608, 2861439021},
        {2, 200,  150,  2224039450},
        {3, 64,   64,   1738043783},
    };

    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        struct floor_plan p =
            make(known[k].seed, known[k].width, known[k].height, FLOOR_PLAN_USUAL_WALLS);

        EXPECT_INT(crc32c(0, p.pixels, (size_t)(p.width * p.height)), known[k].crc);
        floor_plan_release(&p);
    }
}

static void test_seeds_give_different_plans(void)
{
    struct floor_plan a = make(1, 300, 200, 32), b = make(2, 300, 200, 32);

    EXPECT(memcmp(a.pixels, b.pixels, 300 * 200) != 0);
    floor_plan_release(&a);
    floor_plan_release(&b);
}

TEST_MAIN(TEST(test_plans_have_only_walls_and_free_pixels_and_a_closed_outer_wall),
          TEST(test_about_a_third_is_wall), TEST(test_the_share_of_walls_follows_the_recipe),
          TEST(test_all_rooms_are_connected_also_for_a_robot_as_wide_as_a_door),
          TEST(test_wider_doors_have_larger_rooms), TEST(test_doors_must_fit_into_the_plan),
          TEST(test_a_seed_gives_the_same_plan_everywhere), TEST(test_seeds_give_different_plans))
