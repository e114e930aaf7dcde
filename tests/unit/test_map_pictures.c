/*
 * test_map_pictures.c - record/map_pictures.h, and the figure of a run's maps.
 */
#include "figure_case.h"
#include "format/png.h"
#include "record/map_pictures.h"

enum { HEIGHT = 2, WIDTH = 3, POINTS = HEIGHT * WIDTH };
static uint8_t plan[POINTS] = {255, 0, 255, 0, 0, 255};
static const uint8_t maps[2 * POINTS] = {255, 0, 155, 0, 0, 255, 0, 0, 255, 51, 0, 255};

static struct map_mesh make_mesh(int64_t robots)
{
    return (struct map_mesh){.robots = robots,
                             .height = HEIGHT,
                             .width = WIDTH,
                             .left = -8,
                             .top = -4,
                             .step_x = 8,
                             .step_y = 8};
}

static void test_the_mean_is_rounded(void)
{
    const struct map_mesh mesh = make_mesh(2);
    uint8_t mean[POINTS];

    map_mean(&mesh, maps, mean);
    EXPECT(mean[0] == 128 && mean[1] == 0 && mean[2] == 205 && mean[3] == 26 && mean[5] == 255);
}

static void test_the_error_is_that_from_the_plan(void)
{
    const struct map_file f = {.mesh = make_mesh(2), .plan = plan};
    uint8_t error[POINTS];

    EXPECT_NEAR(map_error(&f, maps, error), 100.0 / 255 / POINTS, 1e-12);
    EXPECT(error[2] == 100 && error[0] == 0);
    EXPECT_NEAR(map_error(&f, maps + POINTS, NULL), 306.0 / 255 / POINTS, 1e-12);
}

static void test_a_picture_is_as_opaque_as_the_map(void)
{
    const struct map_mesh mesh = make_mesh(2);
    struct text file = {0};
    struct png_picture p;

    map_picture(&mesh, maps, 2, 0x102030, &file);
    EXPECT_OK(png_picture_decode(&p, "map", file.data, file.length));
    EXPECT(p.width == WIDTH && p.height == 2 * HEIGHT && p.channels == 4);
    for (int i = 0; i < 2 * POINTS; i++)
        EXPECT(p.pixels[4 * i] == 0x10 && p.pixels[4 * i + 2] == 0x30 &&
               p.pixels[4 * i + 3] == maps[i]);
    png_picture_release(&p);
    text_release(&file);
}

/* --- the figure --- */

static void write_maps(const char *folder, int64_t robots, int records)
{
    const struct map_mesh mesh = make_mesh(robots);
    struct map_log l;

    EXPECT_OK(map_log_open(&l, folder, &mesh, plan, -1));
    for (int i = 0; i < records; i++)
        EXPECT_OK(map_log_add(&l, &(struct map_time){.round = 5L * i}, maps, NULL));
    map_log_close(&l);
}

static void test_the_plan_has_the_beams_of_the_last_scans(void)
{
    char *folder = case_folder();
    int64_t edges[] = {0, 1};
    double first[] = {-8, -4, 0, 4}, last[] = {0, -4, 8, 4};
    double ends[] = {0, 4, -8, -4, 8, -4};
    struct graph_row graph = {.nodes = 2, .edge_count = 1, .edges = edges}; /* has no positions */
    struct scan_row rows[] = {
        {.robots = 2, .positions = first},
        { .round = 4, .robots = 2, .positions = last, .scanned = 1, .beams = 3, .ends = ends},
    };
    struct record r = {
        .run_dir = folder,
        .graph = {.items = &graph, .count = 1},
        .scans = {.items = rows,   .count = 2}
    };
    struct figure f;

    r.files[RECORD_MAPS].state = RECORD_PRESENT;
    write_maps(folder, 2, 1);
    EXPECT(draw("maps", &r, &f));
    const char *svg = text_get(&f.svg), *beams = strstr(svg, "class=\"robot-beams\"");
    EXPECT(xml_count(svg, "class=\"robot-beams\"") == 1);
    EXPECT(xml_count(svg, "class=\"robot-path\"") == 2 && xml_count(svg, "class=\"robot\"") == 2);
    EXPECT(xml_count(svg, "class=\"robot-link\"") == 1);
    EXPECT(beams != NULL);
    EXPECT_HAS(f.caption, "each with the beams of a scan there");
    EXPECT_HAS(f.caption, "their links");
    /* Column 1 of 3 and row 0 of 2, on a map of 230 x 153.33 pixels at (16, 20): its middle. */
    EXPECT_HAS(svg, "M131 58.33L131 135");
    figure_release(&f);
    r.graph.count = 0;
    EXPECT(draw("maps", &r, &f));
    EXPECT(strstr(f.caption, "links") == NULL);
    figure_release(&f);
    case_free(folder);
}

static const float certainty[2 * POINTS] = {0, 8, 2, 0, 0, 1, 0, 2, 2, 4, 0, 0};

static void write_certainty(const char *folder)
{
    struct map_mesh mesh = make_mesh(2);
    struct map_log l;

    mesh.certainties = 2;
    EXPECT_OK(map_log_open(&l, folder, &mesh, plan, -1));
    EXPECT_OK(map_log_add(&l, &(struct map_time){.round = 5}, maps, certainty));
    map_log_close(&l);
}

static void test_certainty_becomes_bytes_by_its_largest_number(void)
{
    struct map_mesh mesh = make_mesh(2);
    float sum[POINTS];
    uint8_t bytes[POINTS];

    mesh.certainties = 2;
    map_certainty_sum(&mesh, certainty, sum);
    EXPECT(sum[0] == 0 && sum[1] == 10 && sum[2] == 4 && sum[3] == 4 && sum[5] == 1);
    EXPECT(map_certainty_most(sum, POINTS) == 10 && map_certainty_most(sum, 1) == 0);
    map_certainty_bytes(&(struct certainty_picture){sum, 10}, POINTS, bytes);
    EXPECT(bytes[0] == 0 && bytes[1] == 255 && bytes[2] == 102 && bytes[5] == 26);
    map_certainty_bytes(&(struct certainty_picture){sum, 0}, POINTS, bytes);
    EXPECT(bytes[1] == 0);
}

static void test_the_figure_of_certainty_is_that_of_the_last_record(void)
{
    char *folder = case_folder();
    struct record r = {.run_dir = folder};
    struct figure f;

    r.files[RECORD_MAPS].state = RECORD_PRESENT;
    write_maps(folder, 2, 2);
    expect_nothing("certainty", &r); /* the algorithm has none */
    write_certainty(folder);
    EXPECT(draw("maps", &r, &f));
    figure_release(&f);
    EXPECT(draw("certainty", &r, &f));
    EXPECT_HAS(f.caption, "After round 5.");
    EXPECT_HAS(f.caption, "8 at most for one robot, 10 for all together");
    EXPECT(xml_count(text_get(&f.svg), "<image") == 6); /* the sum and two robots over the plan */
    EXPECT_TEXT(cell(&f, 1, 1), "10");
    EXPECT_TEXT(cell(&f, 3, 1), "4");
    EXPECT_TEXT(cell(&f, 3, 2), "50"); /* of six places */
    figure_release(&f);
    case_free(folder);
}

static void test_the_figure_has_all_maps_and_their_errors(void)
{
    char *folder = case_folder();
    int64_t edges[] = {0, 1};
    double positions[] = {-8, -4, 8, 4};
    struct graph_row row = {.nodes = 2, .edge_count = 1, .edges = edges, .positions = positions};
    struct record r = {
        .run_dir = folder, .graph = {.items = &row, .count = 1}
    };
    struct figure f;

    expect_nothing("maps", &r);
    r.files[RECORD_MAPS].state = RECORD_PRESENT;
    expect_nothing("maps", &r); /* the file is gone */
    write_maps(folder, 2, 0);
    expect_nothing("maps", &r);
    write_maps(folder, 2, 2);
    EXPECT(draw("maps", &r, &f));
    EXPECT_HAS(f.caption, "After round 5.");
    EXPECT_TEXT(cell(&f, 1, 0), "mean of all");
    EXPECT_TEXT(cell(&f, 3, 0), "1");
    EXPECT_TEXT(cell(&f, 3, 1), "0.2");
    EXPECT(xml_count(text_get(&f.svg), "<image") == 5); /* plan, mean, error, two robots */
    EXPECT(xml_count(text_get(&f.svg), "class=\"robot\"") == 2);
    EXPECT(xml_count(text_get(&f.svg), "class=\"robot-link\"") == 1);
    figure_release(&f);
    write_maps(folder, 1, 1);
    EXPECT(draw("maps", &r, &f));
    EXPECT(f.numbers.rows == 2 && xml_count(text_get(&f.svg), "<image") == 3);
    figure_release(&f);
    case_free(folder);
}

TEST_MAIN(TEST(test_the_mean_is_rounded), TEST(test_the_error_is_that_from_the_plan),
          TEST(test_a_picture_is_as_opaque_as_the_map),
          TEST(test_the_figure_has_all_maps_and_their_errors),
          TEST(test_the_plan_has_the_beams_of_the_last_scans),
          TEST(test_certainty_becomes_bytes_by_its_largest_number),
          TEST(test_the_figure_of_certainty_is_that_of_the_last_record))
