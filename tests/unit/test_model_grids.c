/*
 * test_model_grids.c - numbers for the values of a model's grids, at points of its input: bilinear
 * between the places of a grid, the mean over the features of a place, the border outside.
 *
 * Bilinear interpolation reproduces functions a + b x + c y, so the expected numbers are theirs.
 */
#include "base/mem.h"
#include "conf/yaml.h"
#include "nn/model.h"
#include "test.h"

enum { CHANNELS = 3, HEIGHT = 4, WIDTH = 6 };
static const double extent = 10;

static struct model *model_of(const char *layers)
{
    struct node *list = NULL;
    struct net *net = NULL;
    struct model *m = NULL;

    EXPECT_OK(yaml_parse(layers, strlen(layers), "case", &list));
    EXPECT_OK(net_read(list, &net));
    EXPECT_OK(model_new("grids", net, shape_vector(2), &m));
    node_free(list);
    return m;
}

/* The mean over the features, whose own numbers are 0, 1 and 2 larger. */
static double plane(double x, double y)
{
    return 7 + 0.5 * x - 0.25 * y + 1;
}

/* As the gradient of a grid is stored: row by row, all features of a place together. */
static void fill_plane(float *values)
{
    for (int row = 0; row < HEIGHT; row++)
        for (int column = 0; column < WIDTH; column++)
            for (int c = 0; c < CHANNELS; c++) {
                const double x = -extent + 2 * extent * column / (WIDTH - 1);
                const double y = -extent + 2 * extent * row / (HEIGHT - 1);

                values[(row * WIDTH + column) * CHANNELS + c] = (float)(plane(x, y) - 1 + c);
            }
}

#define GRID "{grid: {channels: 3, height: 4, width: 6, extent: 10}}"

static void expect_plane(const struct model *m, const float *values, double x, double y,
                         double expected)
{
    const float point[] = {(float)x, (float)y};

    /* Numbers up to 20 in float, and a few roundings: 1e-5 */
    EXPECT_NEAR(model_grid_mean(m, values, point), expected, 1e-5);
}

static void test_numbers_are_interpolated_and_averaged_over_features(void)
{
    struct model *m = model_of("[" GRID ", {dense: {out: 1}}]");
    float values[CHANNELS * HEIGHT * WIDTH];

    EXPECT(model_input_grids(m) == 1);
    fill_plane(values);
    expect_plane(m, values, -10, -10, plane(-10, -10));
    expect_plane(m, values, 10, 10, plane(10, 10));
    expect_plane(m, values, 0.3, -7.1, plane(0.3, -7.1));
    expect_plane(m, values, 9.9, 4, plane(9.9, 4));
    model_free(m);
}

static void test_points_outside_get_the_border(void)
{
    struct model *m = model_of("[" GRID ", {dense: {out: 1}}]");
    float values[CHANNELS * HEIGHT * WIDTH];

    fill_plane(values);
    expect_plane(m, values, -50, 3, plane(-10, 3));
    expect_plane(m, values, 2, 11, plane(2, 10));
    model_free(m);
}

static void test_only_grids_over_the_input_count(void)
{
    struct model *without = model_of("[{dense: {out: 1}}]");
    struct model *deeper = model_of("[{dense: {out: 2}}, " GRID "]");

    EXPECT(model_input_grids(without) == 0 && model_input_grids(deeper) == 0);
    model_free(without);
    model_free(deeper);
}

TEST_MAIN(TEST(test_numbers_are_interpolated_and_averaged_over_features),
          TEST(test_points_outside_get_the_border), TEST(test_only_grids_over_the_input_count))
