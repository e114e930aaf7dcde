/*
 * test_lidar_scans.c - data sets of scans: random poses, rows, and the windows of online data.
 */
#include "base/mem.h"
#include "data/lidar/scans.h"
#include "data/lidar/windows.h"
#include "lidar_case.h"
#include "test.h"

/* --- poses --- */

static void test_poses_are_free_pixels_that_depend_on_seed_set_and_number(void)
{
    const struct lidar_options options = lidar_case_options();
    struct lidar *l = lidar_case_room(&options);
    struct lidar_point a[400], b[200], other_set[200], other_seed[200];
    int equal = 0;

    EXPECT_OK(lidar_poses_draw(l, &(struct lidar_poses){3, 0, 400}, a));
    EXPECT_OK(lidar_poses_draw(l, &(struct lidar_poses){3, 0, 200}, b));
    EXPECT_OK(lidar_poses_draw(l, &(struct lidar_poses){3, 1, 200}, other_set));
    EXPECT_OK(lidar_poses_draw(l, &(struct lidar_poses){4, 0, 200}, other_seed));
    EXPECT_INT(memcmp(a, b, sizeof b), 0);
    double x = 0, y = 0;
    for (int i = 0; i < 400; i++) {
        const double column = (a[i].x / ROOM_WIDTH + 0.5) * (ROOM_WIDTH - 1);

        EXPECT(lidar_is_free(l, a[i]));
        EXPECT_NEAR(column, rint(column), 1e-9);
        x += a[i].x / 400;
        y += a[i].y / 400;
        equal += i < 200 && (a[i].x == other_set[i].x || a[i].x == other_seed[i].x);
    }
    EXPECT(equal < 30);     /* of 200 pairs in 68 columns: about 6 */
    EXPECT_NEAR(x, 0, 4);   /* 4 deviations of 68 / sqrt(12 * 400) */
    EXPECT_NEAR(y, 0, 2.8); /* of 48 */
    lidar_free(l);
}

static void test_a_plan_of_walls_has_no_poses(void)
{
    const struct lidar_options options = lidar_case_options();
    struct floor_plan plan;
    struct lidar_point at;

    floor_plan_init(&plan, 30, 30);
    memset(plan.pixels, FLOOR_PLAN_WALL, 900);
    struct lidar *l = lidar_case_new(&plan, &options, 1);
    EXPECT_FAILS(lidar_poses_draw(l, &(struct lidar_poses){1, 0, 1}, &at), STATUS_BAD_INPUT,
                 "the floor plan has no free place for a scan: 100000 random pixels");
    lidar_free(l);
    floor_plan_release(&plan);
}

/* --- scans --- */

enum { POSES = 11 };

static void expect_scan(const struct lidar_scans *s, int64_t i, const struct lidar_row *rows,
                        int64_t count)
{
    EXPECT_INT(s->first_row[i + 1] - s->first_row[i], count);
    for (int64_t k = 0; k < count; k++) {
        const int64_t row = s->first_row[i] + k;

        EXPECT(s->points[2 * row] == (float)rows[k].x);
        EXPECT(s->points[2 * row + 1] == (float)rows[k].y);
        EXPECT(s->densities[row] == (float)rows[k].density);
    }
}

/* The last points of the beams, one by one. */
static void expect_ends(const struct lidar_scans *s, const struct lidar *l, int64_t i,
                        struct lidar_point at)
{
    struct lidar_row *rows = MEM_NEW_N(struct lidar_row, lidar_rows_max(l));

    EXPECT_INT(s->beams, 20);
    for (int64_t b = 0; b < s->beams; b++) {
        const int64_t count = lidar_scan_beam(l, at, b, rows);
        const float *end = s->ends + 2 * (i * s->beams + b);

        EXPECT(end[0] == (float)rows[count - 1].x && end[1] == (float)rows[count - 1].y);
    }
    mem_free(rows);
}

static void check_scans(bool clipped, int threads)
{
    struct lidar_options options = lidar_case_options();
    options.clipped = clipped;
    options.beam_length = 0.6;
    struct lidar *l = lidar_case_room(&options);
    struct lidar_row *rows = MEM_NEW_N(struct lidar_row, lidar_rows_max(l));
    struct team *team = team_new(threads);
    struct lidar_point at[POSES];
    struct lidar_scans s;

    EXPECT_OK(lidar_poses_draw(l, &(struct lidar_poses){3, 0, POSES}, at));
    lidar_scans_init(&s, l, at, POSES, team);
    for (int64_t i = 0; i < POSES; i++)
        expect_scan(&s, i, rows, lidar_scan(l, at[i], rows, NULL));
    for (int64_t i = 0; i < POSES; i++)
        expect_ends(&s, l, i, at[i]);
    EXPECT((lidar_scans_rows(&s) == POSES * 500) != clipped);
    lidar_scans_release(&s);
    team_free(team);
    mem_free(rows);
    lidar_free(l);
}

static void test_scans_follow_each_other_for_any_number_of_threads(void)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        check_scans(false, threads);
        check_scans(true, threads);
    }
}

/* --- windows --- */

/* The study's cursor, literally. */
struct cursor {
    int64_t c, first, end;
};

static void build_window(struct cursor *q, int64_t scans, int64_t window)
{
    if (q->c + window < scans) {
        q->first = q->c;
        q->end = q->c + window;
        q->c += window;
    } else if (q->c != scans - 1) {
        q->first = q->c < scans ? q->c : scans;
        q->end = scans;
        q->c = scans - 1;
    } else {
        q->first = 0;
        q->end = window < scans ? window : scans;
        q->c = window;
    }
}

static void expect_windows(const int64_t *first_row, int64_t scans, int64_t window, int64_t batch)
{
    struct lidar_windows w;
    struct cursor q = {0};
    int64_t draw = 0;

    lidar_windows_init(&w, first_row, scans, window, batch);
    for (int64_t number = 0; number < 40;) {
        build_window(&q, scans, window);
        if (q.first == q.end)
            continue;
        const int64_t rows = first_row[q.end] - first_row[q.first];
        for (int64_t k = 0; k * batch < rows; k++, draw++) {
            const struct lidar_draw d = lidar_windows_draw(&w, draw);

            EXPECT_INT(d.window, number);
            EXPECT_INT(d.first_scan, q.first);
            EXPECT_INT(d.end_scan, q.end);
            EXPECT_INT(d.end_row - d.first_row, rows);
            EXPECT_INT(d.first_row, first_row[q.first]);
            EXPECT_INT(d.batch, k);
            EXPECT_INT(d.batch_size, (k + 1) * batch <= rows ? batch : rows - k * batch);
            EXPECT_INT(d.position, q.c < scans ? q.c : scans - 1);
        }
        number++;
    }
    lidar_windows_release(&w);
}

static void test_windows_are_those_of_the_studys_cursor(void)
{
    int64_t equal[31], uneven[31] = {0};

    for (int64_t i = 0; i <= 30; i++)
        equal[i] = 6 * i;
    for (int64_t i = 0; i < 30; i++)
        uneven[i + 1] = uneven[i] + 1 + i * 7 % 5;
    for (int64_t scans = 1; scans <= 30; scans++) {
        for (int64_t window = 1; window <= 33; window++) {
            for (int64_t batch = 1; batch <= 61; batch += 12) {
                expect_windows(equal, scans, window, batch);
                expect_windows(uneven, scans, window, batch);
            }
        }
    }
}

static void test_the_papers_windows(void)
{
    int64_t *first_row = MEM_NEW_N(int64_t, 2431);
    struct lidar_windows w;

    for (int64_t i = 0; i <= 2430; i++)
        first_row[i] = 500 * i;
    lidar_windows_init(&w, first_row, 2430, 800, 12500);
    const struct lidar_draw third = lidar_windows_draw(&w, 64), rest = lidar_windows_draw(&w, 97);
    const struct lidar_draw again = lidar_windows_draw(&w, 98);
    EXPECT_INT(third.first_scan, 1600);
    EXPECT_INT(third.end_scan, 2400);
    EXPECT_INT(third.position, 2400);
    EXPECT(rest.window == 3 && rest.batch == 1 && rest.batch_size == 2500 && rest.position == 2429);
    EXPECT(again.window == 4 && again.first_scan == 0 && again.position == 800);
    lidar_windows_release(&w);
    mem_free(first_row);
}

TEST_MAIN(TEST(test_poses_are_free_pixels_that_depend_on_seed_set_and_number),
          TEST(test_a_plan_of_walls_has_no_poses),
          TEST(test_scans_follow_each_other_for_any_number_of_threads),
          TEST(test_windows_are_those_of_the_studys_cursor), TEST(test_the_papers_windows))
