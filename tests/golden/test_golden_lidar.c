/*
 * test_golden_lidar.c - splines, scans and paths against SciPy (golden_lidar.py).
 */
#include "data/lidar/cubic.h"
#include "data/lidar/lidar.h"
#include "data/lidar/path.h"
#include "golden/golden.h"

/* Both sides compute in double; the coordinates are below 100. */
#define TOLERANCE 1e-9

enum { PLAN_WIDTH = 97, PLAN_HEIGHT = 70 };

static void expect_close(double actual, double expected, const char *what, int64_t i)
{
    if (!EXPECT(fabs(actual - expected) <= TOLERANCE))
        printf("# %s %lld is %.17g, not %.17g\n", what, (long long)i, actual, expected);
}

/* "64x48" */
static void read_pair(const char *name, int64_t *first, int64_t *second)
{
    char *copy = mem_text(name), *x = strchr(copy, 'x');

    CHECK(x != NULL);
    *x = '\0';
    CHECK(text_to_int(copy, first) && text_to_int(x + 1, second));
    mem_free(copy);
}

static void check_surface(const struct golden *g, const char *size)
{
    char *name = text_format("surface/%s", size);
    const double *image = golden_get(g, name, "image")->numbers;
    const struct golden_record *points = golden_get(g, name, "points");
    const double *values = golden_get(g, name, "values")->numbers;
    struct team *team = team_new(2);
    struct cubic_surface s;
    int64_t width, height;

    read_pair(size, &width, &height);
    cubic_surface_init(&s, width, height);
    for (int64_t row = 0; row < height; row++)
        memcpy(cubic_surface_row(&s, row), image + row * width, (size_t)width * sizeof *image);
    cubic_surface_solve(&s, team);
    for (int64_t i = 0; i < points->count / 2; i++) {
        const double *at = points->numbers + 2 * i;

        expect_close(cubic_surface_at(&s, at[0], at[1]), values[i], "value", i);
    }
    for (int64_t i = 0; i < width * height; i++)
        expect_close(cubic_surface_at(&s, (double)(i % width), (double)(i / width)), image[i],
                     "pixel", i);
    cubic_surface_release(&s);
    team_free(team);
    mem_free(name);
}

static void test_surfaces_are_those_of_scipy(void)
{
    struct golden g = golden_load("lidar");

    EXPECT(golden_for_cases(&g, "surfaces", check_surface) >= 6);
    golden_release(&g);
}

/* --- scans --- */

static struct lidar *make_lidar(const struct golden *g, const char *name, struct team *team)
{
    const double *numbers = golden_get(g, "", "plan")->numbers;
    struct node *map = golden_yaml(g, name, "options");
    struct lidar_options options;
    struct floor_plan plan;
    struct lidar *l = NULL;

    fields_default(lidar_fields, &options);
    EXPECT_OK(fields_read(lidar_fields, &options, map, &(struct fields_place){"lidar", "", NULL}));
    floor_plan_init(&plan, PLAN_WIDTH, PLAN_HEIGHT);
    for (int64_t i = 0; i < plan.width * plan.height; i++)
        plan.pixels[i] = (uint8_t)numbers[i];
    EXPECT_OK(lidar_new(&plan, &options, team, &l));
    CHECK(l != NULL);
    floor_plan_release(&plan);
    node_free(map);
    return l;
}

static void check_rows(const struct lidar_row *rows, const double *expected, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        expect_close(rows[i].x, expected[3 * i], "x", i);
        expect_close(rows[i].y, expected[3 * i + 1], "y", i);
        expect_close(rows[i].density, expected[3 * i + 2], "density", i);
    }
}

static void check_scans(const struct golden *g, const char *case_name)
{
    char *name = text_format("scan/%s", case_name);
    const struct golden_record *points = golden_get(g, name, "points");
    const double *counts = golden_get(g, name, "counts")->numbers;
    const double *expected = golden_get(g, name, "rows")->numbers;
    struct team *team = team_new(1);
    struct lidar *l = make_lidar(g, name, team);
    struct lidar_row *rows = MEM_NEW_N(struct lidar_row, lidar_rows_max(l));

    for (int64_t i = 0; i < points->count / 2; i++) {
        const struct lidar_point at = {points->numbers[2 * i], points->numbers[2 * i + 1]};
        const int64_t count = lidar_scan(l, at, rows, NULL);

        EXPECT_INT(count, counts[i]);
        if (count == (int64_t)counts[i])
            check_rows(rows, expected, count);
        expected += 3 * (int64_t)counts[i];
    }
    mem_free(rows);
    lidar_free(l);
    team_free(team);
    mem_free(name);
}

static void test_scans_are_those_of_the_study(void)
{
    struct golden g = golden_load("lidar");

    EXPECT(golden_for_cases(&g, "scans", check_scans) >= 10);
    golden_release(&g);
}

/* --- paths --- */

static void check_path(const struct golden *g, const char *case_name)
{
    char *name = text_format("path/%s", case_name);
    const struct golden_record *points = golden_get(g, name, "points");
    const struct golden_record *expected = golden_get(g, name, "path");
    struct waypoints w = {0};
    struct lidar_path p;
    int64_t count, resolution;

    read_pair(case_name, &count, &resolution);
    for (int64_t i = 0; i < count; i++)
        waypoints_add(&w, (struct lidar_point){points->numbers[2 * i], points->numbers[2 * i + 1]});
    lidar_path_init(&p, &w, resolution, PLAN_WIDTH, PLAN_HEIGHT);
    EXPECT_INT(2 * p.count, expected->count);
    for (int64_t i = 0; 2 * i < expected->count && i < p.count; i++) {
        expect_close(p.points[i].x, expected->numbers[2 * i], "x", i);
        expect_close(p.points[i].y, expected->numbers[2 * i + 1], "y", i);
    }
    lidar_path_release(&p);
    waypoints_release(&w);
    mem_free(name);
}

static void test_paths_are_those_of_the_study(void)
{
    struct golden g = golden_load("lidar");

    EXPECT(golden_for_cases(&g, "paths", check_path) >= 4);
    golden_release(&g);
}

TEST_MAIN(TEST(test_surfaces_are_those_of_scipy), TEST(test_scans_are_those_of_the_study),
          TEST(test_paths_are_those_of_the_study))
