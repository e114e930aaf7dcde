/*
 * test_landscape_plane.c - planes and projections against what is known of them.
 */
#include <math.h>

#include "study/landscape_plane.h"
#include "test.h"

enum { PARAMS = 8 };

static double product(const double *a, const double *b)
{
    double sum = 0;

    for (int i = 0; i < PARAMS; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Points around 1 in all coordinates: 3 along the first axis, 1 along the second. */
static void set_cross(float *values)
{
    static const float offsets[4][2] = {
        {3,  0 },
        {-3, 0 },
        {0,  1 },
        {0,  -1}
    };

    for (int i = 0; i < 4; i++)
        for (int k = 0; k < PARAMS; k++)
            values[i * PARAMS + k] = 1 + (k < 2 ? offsets[i][k] : 0);
}

static void test_the_plane_of_points_in_a_plane_has_all_variance(void)
{
    float values[4 * PARAMS];
    const struct landscape_states s = {.count = 4, .params = PARAMS, .values = values};
    struct landscape_plane p;
    struct landscape_point points[4];

    set_cross(values);
    EXPECT(landscape_plane_pca(&s, &p) == STATUS_OK);
    EXPECT_NEAR(p.explained[0], 0.9, 1e-12); /* 18 of 20 */
    EXPECT_NEAR(p.explained[1], 0.1, 1e-12);
    EXPECT_NEAR(product(p.direction[0], p.direction[0]), 1, 1e-12);
    EXPECT_NEAR(product(p.direction[0], p.direction[1]), 0, 1e-12);
    landscape_plane_project(&p, &s, points);
    EXPECT_NEAR(fabs(points[0].x), 3, 1e-12);
    EXPECT_NEAR(points[0].x, -points[1].x, 1e-12);
    EXPECT_NEAR(fabs(points[2].y), 1, 1e-12);
    for (int i = 0; i < 4; i++)
        EXPECT_NEAR(points[i].distance, 0, 1e-6);
    landscape_plane_release(&p);
}

static void test_a_point_beside_the_plane_has_its_distance(void)
{
    float values[4 * PARAMS], other[PARAMS] = {0};
    const struct landscape_states s = {.count = 4, .params = PARAMS, .values = values};
    const struct landscape_states one = {.count = 1, .params = PARAMS, .values = other};
    struct landscape_plane p;
    struct landscape_point point;

    set_cross(values);
    EXPECT(landscape_plane_pca(&s, &p) == STATUS_OK);
    for (int k = 0; k < PARAMS; k++)
        other[k] = k == PARAMS - 1 ? 6.0F : 1.0F;
    landscape_plane_project(&p, &one, &point);
    EXPECT_NEAR(point.x, 0, 1e-12);
    EXPECT_NEAR(point.y, 0, 1e-12);
    EXPECT_NEAR(point.distance, 5, 1e-12);
    landscape_plane_release(&p);
}

static void test_points_on_a_line_span_no_plane(void)
{
    float values[4 * PARAMS] = {0};
    const struct landscape_states s = {.count = 4, .params = PARAMS, .values = values};
    struct landscape_plane p;

    EXPECT(landscape_plane_pca(&s, &p) == STATUS_BAD_INPUT);
    EXPECT(strstr(status_message(), "all the same") != NULL);
    for (int i = 0; i < 4; i++)
        values[i * PARAMS] = (float)i;
    EXPECT(landscape_plane_pca(&s, &p) == STATUS_BAD_INPUT);
    EXPECT(strstr(status_message(), "on one line") != NULL);
}

/* A weight of 2 filters with 3 values each, and a bias of 2. */
static char weight_name[] = "weight", bias_name[] = "bias";
static const struct tensor tensors[] = {
    {.name = weight_name, .kind = TENSOR_WEIGHT, .offset = 0, .count = 6, .rows = 2, .columns = 3},
    {.name = bias_name,   .kind = TENSOR_BIAS,   .offset = 6, .count = 2, .rows = 1, .columns = 2},
};
static const struct tensor_layout layout = {
    .param_count = PARAMS, .state_count = PARAMS, .tensor_count = 2, .tensors = tensors};

static void test_filter_directions_have_the_length_of_each_filter(void)
{
    float values[PARAMS] = {3, 0, 4, 1, 2, 2, 7, 7};
    const struct landscape_states s = {.count = 1, .params = PARAMS, .values = values};
    struct landscape_plane p, other;

    landscape_plane_random(&s, &layout, SCALE_FILTERS, 1, &p);
    for (int i = 0; i < 2; i++) {
        const double *d = p.direction[i];

        EXPECT_NEAR(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), 5, 1e-12);
        EXPECT_NEAR(sqrt(d[3] * d[3] + d[4] * d[4] + d[5] * d[5]), 3, 1e-12);
        EXPECT(d[6] == 0 && d[7] == 0);
    }
    landscape_plane_random(&s, &layout, SCALE_FILTERS, 2, &other);
    EXPECT(p.direction[0][0] != other.direction[0][0]);
    landscape_plane_release(&p);
    landscape_plane_release(&other);
}

/* Random directions are not orthogonal: a point of the plane must still be found. */
static void test_a_point_of_a_random_plane_is_projected_on_itself(void)
{
    float values[PARAMS] = {3, 0, 4, 1, 2, 2, 7, 7}, other[PARAMS];
    const struct landscape_states s = {.count = 1, .params = PARAMS, .values = values};
    const struct landscape_states one = {.count = 1, .params = PARAMS, .values = other};
    struct landscape_plane p;
    struct landscape_point point;

    landscape_plane_random(&s, &layout, SCALE_WHOLE, 1, &p);
    EXPECT_NEAR(product(p.direction[0], p.direction[0]), 132, 1e-9);
    for (int k = 0; k < PARAMS; k++)
        other[k] = (float)(p.origin[k] + 0.25 * p.direction[0][k] - 0.5 * p.direction[1][k]);
    landscape_plane_project(&p, &one, &point);
    EXPECT_NEAR(point.x, 0.25, 1e-6);
    EXPECT_NEAR(point.y, -0.5, 1e-6);
    EXPECT_NEAR(point.distance, 0, 1e-5);
    landscape_plane_release(&p);
}

TEST_MAIN(TEST(test_the_plane_of_points_in_a_plane_has_all_variance),
          TEST(test_a_point_beside_the_plane_has_its_distance),
          TEST(test_points_on_a_line_span_no_plane),
          TEST(test_filter_directions_have_the_length_of_each_filter),
          TEST(test_a_point_of_a_random_plane_is_projected_on_itself))
