/*
 * test_report_plots.c - plots of curves and of scaling.
 */
#include <math.h>

#include "base/mem.h"
#include "report/curve_plot.h"
#include "report/scaling_figure.h"
#include "test.h"
#include "xml_case.h"

#define HOSTILE "<script>alert(1)</script>\"'&\x01\xff"
#define NONE    ((double)NAN)

static void expect_sound(const struct figure *f)
{
    const char *svg = text_get(&f->svg);

    EXPECT(xml_elements(svg) > 3);
    EXPECT(strstr(svg, "nan") == NULL && strstr(svg, "inf") == NULL);
    EXPECT(strstr(svg, "<script") == NULL);
}

static const char *cell(const struct figure *f, int64_t row, int64_t column)
{
    return f->numbers.cells[row * f->numbers.columns + column];
}

/* With every combination of axes. */
static void expect_plots(const struct curve_point *points, int64_t count, bool is_drawn)
{
    const struct curve curves[2] = {
        {.name = HOSTILE,  .colour = SVG_FILL_0, .points = points, .count = count},
        { .name = "b",
         .colour = SVG_FILL_1,
         .dash = curve_dash(1),
         .points = points,
         .count = count,
         .spread = CURVE_BARS,
         .has_marks = true},
    };

    for (int kind = 0; kind < 4; kind++) {
        struct curve_set set = {.name = "loss",
                                .title = HOSTILE,
                                .x_title = HOSTILE,
                                .y_title = "loss",
                                .curves = curves,
                                .count = 2};
        struct figure f;

        set.is_x_log = kind % 2 == 1;
        set.is_y_log = kind / 2 == 1;
        EXPECT(curve_plot(&set, &f) == is_drawn);
        if (is_drawn)
            expect_sound(&f);
        figure_release(&f);
    }
}

static void test_curves_of_any_data_are_drawn_or_nothing(void)
{
    const struct curve_point one = {3, 0.5, NONE, NONE},
                             infinite = {1, (double)INFINITY, NONE, NONE};
    const struct curve_point equal[] = {
        {2, 2, 2, 2},
        {2, 2, 2, 2},
        {2, 2, 2, 2}
    };
    const struct curve_point mixed[] = {
        {1,                1e308,  1,                 1.7e308         },
        {2,                NONE,   NONE,              NONE            },
        {3,                -1e308, -1.7e308,          0               },
        {NONE,             3,      2,                 4               },
        {(double)INFINITY, 3,      2,                 4               },
        {0,                5,      -(double)INFINITY, (double)INFINITY},
        {5,                0,      -1,                1               }
    };

    expect_plots(NULL, 0, false);
    expect_plots(&infinite, 1, false);
    expect_plots(&one, 1, true);
    expect_plots(equal, 3, true);
    expect_plots(mixed, 7, true);
}

static void test_a_long_curve_has_500_points_with_the_extremes(void)
{
    struct curve_point *points = MEM_NEW_N(struct curve_point, 100000);
    const struct curve curve = {
        .name = "a", .colour = SVG_FILL_0, .points = points, .count = 100000};
    const struct curve_set set = {.name = "y", .title = "y", .curves = &curve, .count = 1};
    struct figure f;

    for (int64_t i = 0; i < 100000; i++)
        points[i] = (struct curve_point){(double)i, i == 77777 ? 10.0 : 0.001 * (double)(i % 100),
                                         NONE, NONE};
    points[40000].y = NONE; /* the first of its neighbours: it does not hide them */
    EXPECT(curve_plot(&set, &f));
    const char *line = strstr(text_get(&f.svg), "<path d=\"M");
    EXPECT(line != NULL && xml_count(line, "L") <= CURVE_POINTS_MAX);
    EXPECT(line != NULL && xml_count(line, "L") > CURVE_POINTS_MAX - 10);
    EXPECT_HAS(line, "L556 78L"); /* the highest point, at the top of the plot */
    EXPECT_INT(f.numbers.rows, 100001);
    figure_release(&f);
    mem_free(points);
}

static void test_curves_keep_their_numbers(void)
{
    const struct curve_point points[] = {
        {1, 0.5,   0.25, 0.75},
        {2, 0.125, NONE, NONE}
    };
    const struct curve curve = {.name = "a", .colour = SVG_FILL_0, .points = points, .count = 2};
    const struct curve_set set = {.name = "y", .title = "y", .curves = &curve, .count = 1};
    struct figure f;

    EXPECT(curve_plot(&set, &f));
    EXPECT_TEXT(cell(&f, 1, 0), "a");
    EXPECT_TEXT(cell(&f, 1, 2), "0.5");
    EXPECT_TEXT(cell(&f, 1, 4), "0.75");
    EXPECT_TEXT(cell(&f, 2, 1), "2");
    EXPECT(cell(&f, 2, 3) == NULL);
    figure_release(&f);
}

static void test_scaling_has_a_line_per_algorithm_in_their_order(void)
{
    const struct scaling_point points[] = {
        {"sync",  4, 3.5, 0.875, 0.9,  0.89, 0.91, NONE, NONE},
        {HOSTILE, 1, 1,   1,     0.8,  NONE, NONE, 0.7,  0.85},
        {"sync",  1, 1,   1,     0.92, NONE, NONE, NONE, NONE},
        {HOSTILE, 4, 2,   0.5,   0.75, NONE, NONE, 0.5,  0.8 },
    };
    struct figure f;

    EXPECT(scaling_figure(points, 4, &f));
    expect_sound(&f);
    EXPECT_TEXT(cell(&f, 1, 0), "sync");
    EXPECT_TEXT(cell(&f, 1, 1), "1");
    EXPECT_TEXT(cell(&f, 2, 2), "3.5");
    EXPECT_TEXT(cell(&f, 4, 0), HOSTILE);
    EXPECT_TEXT(cell(&f, 4, 7), "0.5");
    EXPECT_HAS(f.caption, "95 % interval; the band is the range");
    figure_release(&f);
}

static void test_scaling_needs_two_numbers_of_workers(void)
{
    const struct scaling_point same[] = {
        {"sync", 2, 1, 1, 0.9, NONE, NONE, NONE, NONE},
        {"dsgd", 2, 1, 1, 0.9, NONE, NONE, NONE, NONE}
    };
    const struct scaling_point unknown[] = {
        {"sync", 1, NONE, NONE, NONE, NONE, NONE, NONE, NONE},
        {"sync", 2, NONE, NONE, NONE, NONE, NONE, NONE, NONE}
    };
    const struct scaling_point accurate[] = {
        {"sync", 1,   NONE, NONE, 0.9, NONE, NONE, NONE, NONE},
        {"sync", 999, NONE, NONE, 0.9, NONE, NONE, NONE, NONE}
    };
    struct figure f;

    EXPECT(!scaling_figure(NULL, 0, &f));
    EXPECT(!scaling_figure(same, 2, &f));
    EXPECT(!scaling_figure(unknown, 2, &f));
    EXPECT(f.svg.data == NULL && f.caption == NULL);
    EXPECT(scaling_figure(accurate, 2, &f));
    expect_sound(&f);
    EXPECT_TEXT(f.caption, "Test accuracy.");
    figure_release(&f);
}

TEST_MAIN(TEST(test_curves_of_any_data_are_drawn_or_nothing),
          TEST(test_a_long_curve_has_500_points_with_the_extremes),
          TEST(test_curves_keep_their_numbers),
          TEST(test_scaling_has_a_line_per_algorithm_in_their_order),
          TEST(test_scaling_needs_two_numbers_of_workers))
