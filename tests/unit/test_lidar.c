/*
 * test_lidar.c - the scanner in a room: what beams see, its border, what it rejects.
 * Its numbers are compared with SciPy in golden/test_golden_lidar.c.
 */
#include "base/mem.h"
#include "lidar_case.h"
#include "test.h"

static void test_the_density_at_a_pixel_is_its_value(void)
{
    const struct lidar_options options = lidar_case_options();
    struct floor_plan plan;

    room_init(&plan);
    plan.pixels[10 * ROOM_WIDTH + 20] = 51; /* a fifth */
    struct lidar *l = lidar_case_new(&plan, &options, 1);

    /* Sums of 16 products of numbers below 10. */
    for (int64_t i = 0; i < plan.width * plan.height; i++)
        EXPECT_NEAR(lidar_density(l, lidar_pixel(l, i % ROOM_WIDTH, i / ROOM_WIDTH)),
                    plan.pixels[i] / 255.0, 1e-12);
    EXPECT(lidar_pixel(l, 0, 0).x == -ROOM_WIDTH / 2.0 && lidar_pixel(l, 0, 0).y == -30);
    EXPECT(lidar_pixel(l, ROOM_WIDTH - 1, 0).x == ROOM_WIDTH / 2.0);
    lidar_free(l);
    floor_plan_release(&plan);
}

static void test_a_lidar_is_the_same_for_any_number_of_threads(void)
{
    const struct lidar_options options = lidar_case_options();
    struct floor_plan plan;

    room_init(&plan);
    struct lidar *one = lidar_case_new(&plan, &options, 1);
    struct lidar *three = lidar_case_new(&plan, &options, 3);

    for (double x = -40; x < 40; x += 0.37) {
        const struct lidar_point at = {x, x / 2};

        EXPECT(lidar_density(one, at) == lidar_density(three, at));
    }
    lidar_free(one);
    lidar_free(three);
    floor_plan_release(&plan);
}

static void test_a_beam_ends_at_the_wall(void)
{
    struct lidar_options options = lidar_case_options();
    options.beams = 4;
    options.beam_length = 1;
    options.collision_samples = 400;
    options.fine_samples = 50;
    struct lidar *l = lidar_case_room(&options);
    struct lidar_row *rows = MEM_NEW_N(struct lidar_row, lidar_rows_max(l));

    EXPECT_INT(lidar_scan(l, (struct lidar_point){0, 0}, rows, NULL), 4 * 25);
    /* The wall's edge is between pixels 5 and 6, of which coordinates have 80/79 and 60/59. */
    const double x = 40 - 5.5 * 80 / 79, y = 30 - 5.5 * 60 / 59;
    const struct lidar_row *ends[] = {rows + 24, rows + 49, rows + 74, rows + 99};
    EXPECT_NEAR(ends[0]->x, -x, 0.01); /* a fine step is 0.004 */
    EXPECT_NEAR(ends[1]->y, -y, 0.01);
    EXPECT_NEAR(ends[2]->x, x, 0.01);
    EXPECT_NEAR(ends[3]->y, y, 0.01);
    for (int b = 0; b < 4; b++) {
        EXPECT(rows[25 * b].x == 0 && rows[25 * b].y == 0 && ends[b]->density == 1);
        EXPECT(ends[b][-1].density == 0);
    }
    mem_free(rows);
    lidar_free(l);
}

static void test_a_short_beam_sees_no_wall(void)
{
    struct lidar_options options = lidar_case_options();
    options.beam_length = 0.1;
    options.distribution_factor = 3; /* which is for beams that end at a wall */
    struct lidar *l = lidar_case_room(&options);
    struct lidar_row *rows = MEM_NEW_N(struct lidar_row, lidar_rows_max(l));

    EXPECT_INT(lidar_scan(l, (struct lidar_point){0, 0}, rows, NULL), 500);
    for (int i = 0; i < 500; i++) {
        EXPECT_NEAR(hypot(rows[i].x, rows[i].y), 8 * (i % 25) / 24.0, 1e-12);
        EXPECT(rows[i].density == 0);
    }
    mem_free(rows);
    lidar_free(l);
}

static void test_a_clipped_beam_keeps_one_point_in_the_wall(void)
{
    struct lidar_options options = lidar_case_options();
    options.beams = 4;
    options.beam_length = 1;
    options.beam_samples = 81; /* 1 pixel apart */
    options.clipped = true;
    struct lidar *l = lidar_case_room(&options);
    struct lidar_row *rows = MEM_NEW_N(struct lidar_row, lidar_rows_max(l));
    const int64_t count = lidar_scan(l, (struct lidar_point){0, 0}, rows, NULL);
    int64_t walls = 0;

    EXPECT_INT(count, 2 * 36 + 2 * 26); /* to the pixels after 34.4 and 24.4 */
    for (int64_t i = 0; i < count; i++)
        walls += rows[i].density == 1;
    EXPECT_INT(walls, 4);
    mem_free(rows);
    lidar_free(l);
}

static void test_the_border_leaves_the_last_column_and_row(void)
{
    struct lidar_options options = lidar_case_options();
    struct floor_plan plan;

    options.border = 3;
    floor_plan_init(&plan, 20, 16);
    struct lidar *l = lidar_case_new(&plan, &options, 1);
    for (int64_t i = 0; i < plan.width * plan.height; i++) {
        const int64_t x = i % 20, y = i / 20;
        const bool is_wall = x < 3 || y < 3 || (x >= 17 && x < 19) || (y >= 13 && y < 15);

        EXPECT_NEAR(lidar_density(l, lidar_pixel(l, x, y)), is_wall ? 1 : 0, 1e-12);
    }
    lidar_free(l);
    floor_plan_release(&plan);
}

static void test_plans_without_room_are_rejected(void)
{
    struct lidar_options options = lidar_case_options();
    struct team *team = team_new(1);
    struct floor_plan plan;
    struct lidar *l;

    floor_plan_init(&plan, 20, 16);
    options.border = 8;
    EXPECT_FAILS(lidar_new(&plan, &options, team, &l), STATUS_BAD_INPUT,
                 "a border of 8 pixels covers the whole floor plan of 20 x 16 pixels");
    EXPECT(l == NULL);
    floor_plan_release(&plan);
    floor_plan_init(&plan, 20, 3);
    EXPECT_FAILS(lidar_new(&plan, &options, team, &l), STATUS_BAD_INPUT,
                 "has 20 x 3 pixels; lidar needs at least 4 x 4");
    floor_plan_release(&plan);
    team_free(team);
}

TEST_MAIN(TEST(test_the_density_at_a_pixel_is_its_value),
          TEST(test_a_lidar_is_the_same_for_any_number_of_threads),
          TEST(test_a_beam_ends_at_the_wall), TEST(test_a_short_beam_sees_no_wall),
          TEST(test_a_clipped_beam_keeps_one_point_in_the_wall),
          TEST(test_the_border_leaves_the_last_column_and_row),
          TEST(test_plans_without_room_are_rejected))
