/*
 * test_lidar_data.c - the data set of robots that scan a building.
 */
#include "base/file.h"
#include "conf/yaml.h"
#include "data/dataset.h"
#include "data/floor_plan_make.h"
#include "test.h"

enum { ROWS = 500 }; /* of a scan: 20 beams of 25 points */

#define BUILDING "name: lidar, width: 200, height: 160, border: 2, spline_resolution: 2"
#define SMALL    BUILDING ", test_scans: 9"

static enum status load(const char *options, bool outline, struct dataset **d)
{
    struct node *section = NULL;
    struct choice chosen = {0};

    *d = NULL;
    TRY(yaml_parse(options, strlen(options), "test", &section));
    enum status s = choice_read(&chosen, &dataset_registry, section, NULL);
    node_free(section);
    if (s == STATUS_OK)
        s = dataset_load(&chosen, &(struct dataset_request){.outline = outline}, d);
    choice_release(&chosen);
    return s;
}

static void expect_paths(const struct dataset *d)
{
    int64_t at = 0;

    for (int64_t r = 0; r < d->groups; r++) {
        const struct scan_path *p = &d->paths[r];

        EXPECT(p->scans > 2 && p->scans % 2 == 0);
        for (int64_t i = 0; i < p->scans; i++)
            EXPECT_INT(p->first_row[i], at + i * ROWS);
        for (int64_t i = at; i < p->first_row[p->scans]; i++)
            EXPECT_INT(d->train.groups[i], r);
        at = p->first_row[p->scans];
        /* The path is closed, and the first row of a scan is where the robot is. */
        EXPECT_NEAR(p->places[0], p->places[2 * p->scans - 2], 1e-9);
        EXPECT_NEAR(p->places[2], (double)d->train.values[2 * p->first_row[1]], 1e-4);
    }
    EXPECT_INT(at, d->train.count);
}

static void test_rows_are_in_the_order_of_robots_and_scans(void)
{
    struct dataset *d;

    EXPECT_OK(load("{" SMALL ", robots: 3}", false, &d));
    EXPECT_INT(d->groups, 3);
    EXPECT_INT(d->window, 0);
    EXPECT_INT(d->test.count, 9 * ROWS);
    expect_paths(d);
    int64_t walls = 0;
    for (int64_t i = 0; i < d->train.count; i++) {
        EXPECT(d->train.targets[i] >= 0 && d->train.targets[i] <= 1);
        walls += d->train.targets[i] > 0.5F;
    }
    EXPECT(walls > d->train.count / 100 && walls < d->train.count / 5);
    dataset_free(d);
}

static void test_windows_do_not_change_the_rows_and_the_seed_does(void)
{
    struct dataset *whole, *online, *other;

    EXPECT_OK(load("{" SMALL ", robots: 2}", false, &whole));
    EXPECT_OK(load("{" SMALL ", robots: 2, split: online, window: 5}", false, &online));
    EXPECT_OK(load("{" SMALL ", robots: 2, seed: 2}", false, &other));
    EXPECT_INT(online->window, 5);
    const size_t bytes = (size_t)whole->train.count * sizeof *whole->train.targets;
    EXPECT_INT(online->train.count, whole->train.count);
    EXPECT(memcmp(whole->train.targets, online->train.targets, bytes) == 0);
    EXPECT(memcmp(whole->train.values, online->train.values, 2 * bytes) == 0);
    EXPECT(memcmp(whole->train.values, other->train.values, 100) != 0);
    EXPECT(memcmp(whole->test.values, other->test.values, 100) != 0);
    dataset_free(whole);
    dataset_free(online);
    dataset_free(other);
}

/* Nearly every free place of the test part is near a place of some robot. */
static void test_the_paths_of_all_robots_cover_the_building(void)
{
    struct dataset *d;
    int64_t far = 0;

    EXPECT_OK(load("{" BUILDING ", robots: 3, test_scans: 200}", false, &d));
    for (int64_t t = 0; t < d->test.count; t += ROWS) {
        const double x = (double)d->test.values[2 * t], y = (double)d->test.values[2 * t + 1];
        double nearest = HUGE_VAL;

        for (int64_t r = 0; r < d->groups; r++)
            for (int64_t i = 0; i < d->paths[r].scans; i++)
                nearest = fmin(nearest, hypot(d->paths[r].places[2 * i] - x,
                                              d->paths[r].places[2 * i + 1] - y));
        far += nearest > 30;
    }
    EXPECT(far <= 4); /* of 200 */
    dataset_free(d);
}

static void test_an_outline_has_the_same_counts_and_groups(void)
{
    static const char *const options[] = {
        "{" SMALL ", robots: 2, split: online}",
        "{" SMALL ", robots: 2, clipped: true}",
        "{" SMALL ", robots: 2, split: random, scans: 4}",
    };

    for (int i = 0; i < 3; i++) {
        struct dataset *whole, *outline;

        EXPECT_OK(load(options[i], false, &whole));
        EXPECT_OK(load(options[i], true, &outline));
        EXPECT_INT(outline->train.count, whole->train.count);
        EXPECT_INT(outline->test.count, whole->test.count);
        EXPECT_INT(outline->map.count, whole->map.count);
        EXPECT_INT(outline->window, whole->window);
        EXPECT(memcmp(outline->train.groups, whole->train.groups,
                      (size_t)whole->train.count * sizeof *whole->train.groups) == 0);
        dataset_free(whole);
        dataset_free(outline);
    }
}

static void test_random_places_have_no_path(void)
{
    struct dataset *d;

    EXPECT_OK(load("{" SMALL ", robots: 2, split: random, scans: 4}", false, &d));
    EXPECT(d->paths == NULL);
    EXPECT_INT(d->train.count, 2 * 4 * ROWS);
    EXPECT_INT(d->train.groups[4 * ROWS - 1], 0);
    EXPECT_INT(d->train.groups[4 * ROWS], 1);
    dataset_free(d);
}

/* With the border, which the lidar sees too. */
static void test_the_map_is_every_eighth_pixel_of_the_plan(void)
{
    const struct floor_plan_recipe recipe = {.seed = 1, .width = 200, .height = 160, .walls = 32};
    struct floor_plan plan;
    struct dataset *d;

    floor_plan_make(&plan, &recipe);
    EXPECT_OK(load("{" SMALL ", robots: 1}", false, &d));
    EXPECT_INT(d->map_width, 25);
    EXPECT_INT(d->map_height, 20);
    for (int64_t i = 0; i < d->map.count; i++) {
        const int64_t x = i % 25 * 8, y = i / 25 * 8;
        const bool wall = x < 2 || y < 2 || x >= 197 || y >= 157 || floor_plan_is_wall(&plan, x, y);

        EXPECT_NEAR((double)d->map.targets[i], wall, 0);
        EXPECT_NEAR((double)d->map.values[2 * i], 200 * ((double)x / 199 - 0.5), 1e-4);
        EXPECT_NEAR((double)d->map.values[2 * i + 1], 160 * ((double)y / 159 - 0.5), 1e-4);
    }
    dataset_free(d);
    floor_plan_release(&plan);
}

static void test_mistakes_are_named(void)
{
    struct dataset *d;

    EXPECT_FAILS(load("{name: lidar, plan: nowhere.png}", false, &d), STATUS_IO,
                 "data.plan: nowhere.png");
    EXPECT_FAILS(load("{" SMALL ", paths: nowhere}", false, &d), STATUS_IO, "data.paths: nowhere");
    EXPECT_FAILS(load("{" SMALL ", paths: x, split: random}", false, &d), STATUS_BAD_INPUT,
                 "data.paths: split random uses no paths; leave it out");
    EXPECT_FAILS(load("{name: lidar, width: 64, height: 64, border: 40}", false, &d),
                 STATUS_BAD_INPUT, "data.border: ");
    EXPECT_FAILS(load("{" SMALL ", clearance: 70}", false, &d), STATUS_BAD_INPUT,
                 "keep clear of the walls");
}

TEST_MAIN(TEST(test_rows_are_in_the_order_of_robots_and_scans),
          TEST(test_windows_do_not_change_the_rows_and_the_seed_does),
          TEST(test_the_paths_of_all_robots_cover_the_building),
          TEST(test_an_outline_has_the_same_counts_and_groups),
          TEST(test_random_places_have_no_path),
          TEST(test_the_map_is_every_eighth_pixel_of_the_plan), TEST(test_mistakes_are_named))
