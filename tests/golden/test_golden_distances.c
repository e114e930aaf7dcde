/*
 * test_golden_distances.c - distance transforms and signed distance fields against SciPy
 * (golden_distances.py).
 */
#include "data/distance_transform.h"
#include "golden/golden.h"

#define TOLERANCE 1e-9 /* both are the root of the same whole number */

struct picture {
    struct floor_plan plan; /* walls are the marked pixels */
    double *distances;
};

static struct picture make_picture(const struct golden *g, const char *name)
{
    const double *size = golden_get(g, name, "size")->numbers;
    char *stream = text_format("distances/%s", name);
    const uint64_t key = golden_key(stream);
    struct picture p;

    floor_plan_init(&p.plan, (int64_t)size[0], (int64_t)size[1]);
    p.distances = MEM_NEW_N(double, p.plan.width *p.plan.height);
    for (int64_t i = 0; i < p.plan.width * p.plan.height; i++) {
        if (i == 0 || (double)(float)golden_noise(key, i) < 2 * size[2] - 1)
            p.plan.pixels[i] = FLOOR_PLAN_WALL;
    }
    mem_free(stream);
    return p;
}

static void release(struct picture *p)
{
    floor_plan_release(&p->plan);
    mem_free(p->distances);
}

static void expect_distances(const struct picture *p, const struct golden_record *expected)
{
    if (!EXPECT(expected->count == p->plan.width * p->plan.height))
        return;
    for (int64_t i = 0; i < expected->count; i++)
        EXPECT_NEAR(p->distances[i], expected->numbers[i], TOLERANCE);
}

static void check_distances(const struct golden *g, const char *name)
{
    struct picture p = make_picture(g, name);

    distance_transform(p.plan.pixels, p.plan.width, p.plan.height, p.distances);
    expect_distances(&p, golden_get(g, name, "distances"));
    release(&p);
}

static void test_distances_are_those_of_scipy(void)
{
    struct golden g = golden_load("distances");

    EXPECT(golden_for_cases(&g, "cases", check_distances) >= 6);
    golden_release(&g);
}

static void check_signed(const struct golden *g, const char *name)
{
    struct picture p = make_picture(g, name);

    distance_transform_signed(&p.plan, p.distances);
    expect_distances(&p, golden_get(g, name, "signed"));
    release(&p);
}

static void test_signed_distance_fields_are_those_of_scipy(void)
{
    struct golden g = golden_load("distances");

    EXPECT(golden_for_cases(&g, "cases", check_signed) >= 6);
    golden_release(&g);
}

static void test_without_a_mark_distances_are_infinite(void)
{
    struct floor_plan p;
    double field[20];

    floor_plan_init(&p, 5, 4);
    distance_transform(p.pixels, 5, 4, field);
    EXPECT(isinf(field[0]) && field[0] > 0 && isinf(field[19]));
    distance_transform_signed(&p, field);
    EXPECT(isinf(field[7]) && field[7] > 0);
    memset(p.pixels, FLOOR_PLAN_WALL, 20);
    distance_transform_signed(&p, field); /* all wall: no edge either */
    EXPECT(isinf(field[7]) && field[7] < 0);
    floor_plan_release(&p);
}

TEST_MAIN(TEST(test_distances_are_those_of_scipy),
          TEST(test_signed_distance_fields_are_those_of_scipy),
          TEST(test_without_a_mark_distances_are_infinite))
