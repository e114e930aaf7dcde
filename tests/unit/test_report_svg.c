/*
 * test_report_svg.c - the writer of drawings, axes and legends.
 */
#include <math.h>

#include "base/mem.h"
#include "report/axis.h"
#include "report/legend.h"
#include "report/svg.h"
#include "test.h"
#include "xml_case.h"

static const char hostile[] =
    "<script>alert(1)</script>\"'&\x01\x1b\x7f\xff\xc0\xaf\xed\xa0\x80\xef\xbf\xbf";

static void test_the_checker_finds_what_is_not_well_formed(void)
{
    EXPECT_INT(xml_elements("<svg><g a=\"1\"/></svg>"), 2);
    EXPECT_INT(xml_elements("<svg><g></svg>"), 0);
    EXPECT_INT(xml_elements("<svg a=\"1\" a=\"2\"></svg>"), 0);
    EXPECT_INT(xml_elements("<svg>a & b</svg>"), 0);
    EXPECT_INT(xml_elements("<svg a=\"<\"></svg>"), 0);
    EXPECT_INT(xml_elements("<svg>\x01</svg>"), 0);
    EXPECT_INT(xml_elements("<svg>\xff</svg>"), 0);
    EXPECT_INT(xml_elements("<svg/><svg/>"), 0);
}

static void test_text_from_outside_is_harmless(void)
{
    struct text out = {0};

    svg_escape(&out, hostile);
    EXPECT_TEXT(text_get(&out),
                "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"
                "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    text_clear(&out);
    svg_escape(&out, "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x99\x82");
    EXPECT_TEXT(text_get(&out), "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x99\x82");
    text_release(&out);
}

static void test_a_drawing_with_hostile_names_and_numbers_is_well_formed(void)
{
    const struct svg_look look = {SVG_FILL_0, SVG_LINE, 1.5, 0.5, "2 3", true, "node"};
    const struct svg_point points[] = {
        {(double)NAN,      1     },
        {(double)INFINITY, 2     },
        {1e300,            -1e300}
    };
    struct text out = {0};
    struct svg s;

    svg_open(&s, &out, &(struct svg_frame){100, 50, hostile, SVG_FOLLOW});
    svg_group(&s, &look);
    svg_rect_about(&s, (struct svg_box){0, (double)NAN, -1, (double)INFINITY}, &look, hostile);
    svg_circle_about(&s, points[1], (double)NAN, NULL, hostile);
    svg_line(&s, points[0], points[1], &look);
    svg_group_end(&s);
    svg_text(&s, &(struct svg_label){.x = 1, .rotation = (double)NAN, .is_bold = true}, hostile);
    svg_text(&s, &(struct svg_label){.anchor = SVG_END, .width_max = 30}, hostile);
    svg_close(&s);
    EXPECT_INT(xml_elements(text_get(&out)), 12);
    EXPECT(strstr(text_get(&out), "<script") == NULL);
    EXPECT(strstr(text_get(&out), "nan") == NULL && strstr(text_get(&out), "inf") == NULL);
    EXPECT_HAS(text_get(&out), "width=\"0\"");
    EXPECT_HAS(text_get(&out), "prefers-color-scheme: dark");
    text_release(&out);
}

static void test_colours_have_their_light_value_without_variables(void)
{
    struct text out = {0};
    struct svg s = {&out};

    svg_rect(&s, (struct svg_box){1, 2, 3.25, 4.006}, &(struct svg_look){.fill = SVG_FILL_1});
    EXPECT_TEXT(text_get(&out), "<rect x=\"1\" y=\"2\" width=\"3.25\" height=\"4.01\" "
                                "fill=\"#d55e00\" style=\"fill:var(--fill-1,#d55e00)\"/>\n");
    text_release(&out);
}

static void test_a_long_text_is_shortened_and_whole_in_its_tooltip(void)
{
    struct text out = {0};
    struct svg s = {&out};

    svg_text(&s, &(struct svg_label){.width_max = 40}, "a name that does not fit here");
    EXPECT_HAS(text_get(&out), "<title>a name that does not fit here</title>");
    EXPECT_HAS(text_get(&out), "\xe2\x80\xa6</text>");
    text_clear(&out);
    svg_text(&s, &(struct svg_label){.width_max = 40}, "short");
    EXPECT_HAS(text_get(&out), ">short</text>");
    text_release(&out);
}

/* --- axes --- */

static void expect_ticks(const struct axis_range *r, const char *expected)
{
    struct text labels = {0};
    struct axis a;

    axis_init(&a, r);
    for (int i = 0; i < a.tick_count; i++) {
        text_add(&labels, i == 0 ? "" : ", ");
        axis_add_label(&a, a.ticks[i], &labels);
    }
    EXPECT_TEXT(text_get(&labels), expected);
    text_release(&labels);
}

static void test_ticks_are_at_round_numbers(void)
{
    expect_ticks(&(struct axis_range){.low = 0, .high = 0.93, .to = 100, .ticks_wanted = 5},
                 "0, 0.2, 0.4, 0.6, 0.8, 1.0");
    expect_ticks(&(struct axis_range){.low = -3, .high = 17, .to = 100, .ticks_wanted = 5},
                 "-5, 0, 5, 10, 15, 20");
    expect_ticks(&(struct axis_range){.high = 3e6, .to = 100, .ticks_wanted = 3}, "0, 1M, 2M, 3M");
    expect_ticks(&(struct axis_range){.high = 2, .to = 100, .ticks_wanted = 9, .is_whole = true},
                 "0, 1, 2");
    expect_ticks(
        &(struct axis_range){
            .low = 0.81, .high = 0.99, .to = 100, .ticks_wanted = 4, .unit = AXIS_PERCENT},
        "80 %, 85 %, 90 %, 95 %, 100 %");
    expect_ticks(
        &(struct axis_range){.high = 0.02, .to = 9, .ticks_wanted = 2, .unit = AXIS_SECONDS},
        "0, 10 ms, 20 ms");
    expect_ticks(
        &(struct axis_range){.high = 300, .to = 9, .ticks_wanted = 5, .unit = AXIS_SECONDS},
        "0, 1 min, 2 min, 3 min, 4 min, 5 min");
    expect_ticks(&(struct axis_range){.high = 2e9, .to = 9, .ticks_wanted = 2, .unit = AXIS_BYTES},
                 "0, 1 GB, 2 GB");
    expect_ticks(
        &(struct axis_range){.low = 3, .high = 17, .to = 100, .ticks_wanted = 3, .is_exact = true},
        "5, 10, 15");
}

static void test_ticks_of_a_log_axis_are_powers_of_ten(void)
{
    expect_ticks(
        &(struct axis_range){
            .is_log = true, .low = 1e-3, .high = 1e3, .to = 100, .ticks_wanted = 6},
        "0.001, 0.01, 0.1, 1, 10, 100, 1000");
    expect_ticks(
        &(struct axis_range){.is_log = true, .low = 1, .high = 30, .to = 100, .ticks_wanted = 5},
        "1, 2, 5, 10, 20");
}

static void expect_usable(struct axis_range r)
{
    static const double values[] = {0, 1, -1, 1e308, -1e308};
    struct axis a;

    r.from = 10;
    r.to = 500;
    axis_init(&a, &r);
    EXPECT(isfinite(a.low) && isfinite(a.high) && a.low < a.high);
    EXPECT(a.tick_count >= 1 && a.tick_count <= AXIS_TICKS_MAX);
    for (int i = 0; i < 5; i++)
        EXPECT(axis_at(&a, values[i]) >= 10 && axis_at(&a, values[i]) <= 500);
    EXPECT(axis_at(&a, (double)NAN) == 10 && axis_at(&a, (double)INFINITY) == 500);
    for (int i = 0; i < a.tick_count; i++)
        EXPECT(axis_at(&a, a.ticks[i]) >= 10 && axis_at(&a, a.ticks[i]) <= 500);
}

static void test_an_axis_of_any_data_has_an_extent(void)
{
    for (int is_log = 0; is_log < 2; is_log++) {
        struct axis_range r = {AXIS_EMPTY, .is_log = is_log == 1};

        expect_usable(r);
        axis_extend(&r, (double)NAN);
        axis_extend(&r, (double)INFINITY);
        expect_usable(r);
        axis_extend(&r, 3);
        expect_usable(r);
        axis_extend(&r, 3);
        expect_usable(r);
        axis_extend(&r, 1.7e308);
        expect_usable(r);
        axis_extend(&r, -1.7e308);
        axis_extend(&r, 0);
        axis_extend(&r, 5e-324);
        expect_usable(r);
    }
}

static void test_axis_places_low_and_high_at_its_ends(void)
{
    const struct axis_range range = {.low = 1, .high = 100, .from = 300, .to = 20, .is_log = true};
    struct axis a;

    axis_init(&a, &range);
    EXPECT_NEAR(axis_at(&a, 1), 300, 1e-9);
    EXPECT_NEAR(axis_at(&a, 10), 160, 1e-9);
    EXPECT_NEAR(axis_at(&a, 100), 20, 1e-9);
}

static void test_a_legend_wraps_where_it_has_no_room(void)
{
    const struct legend_entry entries[] = {{.name = "one"}, {.name = "two"}, {.name = hostile}};
    const struct legend wide = {entries, 2, 0, 0, 600}, narrow = {entries, 3, 0, 0, 60};
    struct text out = {0};
    struct svg s = {&out};

    EXPECT_INT(legend_height(&wide), LEGEND_ROW);
    EXPECT_INT(legend_height(&narrow), 3 * LEGEND_ROW);
    EXPECT_INT(legend_height(&(struct legend){entries, 0, 0, 0, 60}), 0);
    text_add(&out, "<svg>");
    legend_draw(&narrow, &s);
    text_add(&out, "</svg>");
    EXPECT_INT(xml_elements(text_get(&out)), 8);
    text_release(&out);
}

static void test_a_picture_is_inside_the_drawing(void)
{
    struct text out = {0};
    struct svg s = {.out = &out};

    svg_picture(&s, (struct svg_box){1, 2, 30, 40}, "PNG", 3);
    EXPECT_TEXT(text_get(&out), "<image x=\"1\" y=\"2\" width=\"30\" height=\"40\" "
                                "preserveAspectRatio=\"none\" "
                                "style=\"image-rendering:pixelated\" "
                                "href=\"data:image/png;base64,UE5H\"/>\n");
    text_release(&out);
}

static void test_colours_are_known_as_numbers(void)
{
    EXPECT_INT(svg_rgb(SVG_PAPER), 0xffffff);
    EXPECT_INT(svg_rgb(SVG_FILL_1), 0xd55e00);
}

TEST_MAIN(TEST(test_a_picture_is_inside_the_drawing), TEST(test_colours_are_known_as_numbers),
          TEST(test_the_checker_finds_what_is_not_well_formed),
          TEST(test_text_from_outside_is_harmless),
          TEST(test_a_drawing_with_hostile_names_and_numbers_is_well_formed),
          TEST(test_colours_have_their_light_value_without_variables),
          TEST(test_a_long_text_is_shortened_and_whole_in_its_tooltip),
          TEST(test_ticks_are_at_round_numbers), TEST(test_ticks_of_a_log_axis_are_powers_of_ten),
          TEST(test_an_axis_of_any_data_has_an_extent),
          TEST(test_axis_places_low_and_high_at_its_ends),
          TEST(test_a_legend_wraps_where_it_has_no_room))
