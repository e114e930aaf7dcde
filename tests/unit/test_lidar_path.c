/*
 * test_lidar_path.c - files of way-points and the paths through them. The splines are compared with
 * SciPy in golden/test_golden_lidar.c.
 */
#include "data/lidar/path.h"
#include "format/npy.h"
#include "lidar_case.h"
#include "scratch.h"
#include "test.h"

/* Writes a file into a folder; its path is for mem_free. */
static char *put(const char *folder, const char *name, const void *data, size_t bytes)
{
    char *path = file_join(folder, name);
    struct file_writer w;

    CHECK(file_writer_open(&w, path) == STATUS_OK);
    CHECK(file_writer_close(&w, file_writer_put(&w, data, bytes)) == STATUS_OK);
    return path;
}

static char *put_text(const char *folder, const char *name, const char *text)
{
    return put(folder, name, text, strlen(text));
}

static char *put_npy(const char *folder, const char *name, enum npy_type type, int rank,
                     const int64_t *dims, const void *data)
{
    struct text out = {0};

    npy_add(&out, type, rank, dims, data);
    char *path = put(folder, name, out.data, out.length);
    text_release(&out);
    return path;
}

static void expect_points(const char *path, const double *expected, int64_t count)
{
    struct waypoints w;

    if (!EXPECT_OK(waypoints_read(&w, path)))
        return;
    EXPECT_INT(w.count, count);
    for (int64_t i = 0; i < count && i < w.count; i++)
        EXPECT(w.points[i].x == expected[2 * i] && w.points[i].y == expected[2 * i + 1]);
    waypoints_release(&w);
}

static const double square[] = {-0.5, -0.25, 0.5, -0.25, 0.5, 0.25, -0.5, 0.25, -0.5, -0.25};

static void test_way_points_are_read_from_npy_and_text(void)
{
    char *folder = scratch_new();
    char *npy = put_npy(folder, "a.npy", NPY_F64, 2, (int64_t[]){5, 2}, square);
    char *text = put_text(folder, "b.txt",
                          "# a loop\n-0.5 -0.25\n 0.5\t-0.25 # east\n\n0.5,0.25\r\n"
                          "-0.5 , 2.5e-1\n-.5,-.25");

    expect_points(npy, square, 5);
    expect_points(text, square, 5);
    mem_free(npy);
    mem_free(text);
    scratch_remove(folder);
}

/* What NumPy writes for a transposed array, here in version 2 of the format. */
static void test_a_matrix_with_columns_first_is_read(void)
{
    static const char start[] = "\x93NUMPY\x02\x00\x3a\0\0\0"
                                "{'descr': '<f8', 'fortran_order': True, 'shape': (5, 2)}\n\n";
    char file[sizeof start - 1 + sizeof square], *folder = scratch_new();

    memcpy(file, start, sizeof start - 1);
    for (int i = 0; i < 10; i++)
        memcpy(file + sizeof start - 1 + i * 8, &square[2 * (i % 5) + i / 5], 8);
    char *path = put(folder, "f.npy", file, sizeof file);
    expect_points(path, square, 5);
    mem_free(path);
    scratch_remove(folder);
}

static void test_written_way_points_are_read_back(void)
{
    struct waypoints w = {0};
    char *folder = scratch_new();

    for (int i = 0; i < 5; i++)
        waypoints_add(&w, (struct lidar_point){square[2 * i] / 3, square[2 * i + 1] / 7});
    for (int i = 0; i < 2; i++) {
        char *path = file_join(folder, i == 0 ? "w.npy" : "w.txt");

        EXPECT_OK(waypoints_write(&w, path));
        expect_points(path, &w.points[0].x, 5);
        mem_free(path);
    }
    waypoints_release(&w);
    scratch_remove(folder);
}

/* Takes the path. */
static void expect_rejected(char *path, const char *message)
{
    struct waypoints w;

    EXPECT_FAILS(waypoints_read(&w, path), STATUS_BAD_INPUT, message);
    EXPECT_HAS(status_message(), path);
    EXPECT(w.points == NULL);
    mem_free(path);
}

static void test_wrong_arrays_are_rejected(void)
{
    const float single[8] = {0};
    char *f = scratch_new();

    expect_rejected(put_npy(f, "a.npy", NPY_F32, 2, (int64_t[]){4, 2}, single),
                    "has values of type f4; it must be f8 (float64)");
    expect_rejected(put_npy(f, "a.npy", NPY_F64, 1, (int64_t[]){10}, square),
                    "has the shape (10,); it must be a matrix");
    expect_rejected(put_npy(f, "a.npy", NPY_F64, 2, (int64_t[]){2, 5}, square),
                    "has the shape (2, 5); way-points are (n, 2)");
    expect_rejected(put_npy(f, "a.npy", NPY_F64, 2, (int64_t[]){3, 2}, square),
                    "has 3 way-points; a path needs at least 4");
    expect_rejected(put_text(f, "a.npy", "0 0\n"), "is not a .npy file");
    expect_rejected(put_text(f, "a.npy", ""), "is not a .npy file");
    struct text out = {0};
    npy_add(&out, NPY_F64, 2, (int64_t[]){5, 2}, square);
    expect_rejected(put(f, "a.npy", out.data, out.length - 1),
                    "is damaged: its shape is (5, 2) of type f8");
    expect_rejected(put(f, "a.npy", out.data, 40), "is not a .npy file");
    expect_rejected(put(f, "a.txt", out.data, out.length), "is neither a text nor a .npy file");
    text_release(&out);
    scratch_remove(f);
}

static void test_wrong_points_are_rejected(void)
{
    const double nan[] = {0, 0, 1, 1, 0, (double)NAN, 0, 0};
    char *f = scratch_new();

    expect_rejected(put_npy(f, "a.npy", NPY_F64, 2, (int64_t[]){4, 2}, nan),
                    "way-point 3 is not a number");
    expect_rejected(put_text(f, "a.txt", "0 0\n1 1\n0 -1.01\n0 0\n"),
                    "way-point 3, (0, -1.01), is outside the plan; coordinates must be in [-1, 1]");
    expect_rejected(put_text(f, "a.txt", "0 0\n1 1\n0 inf\n0 0\n"), "is outside the plan");
    expect_rejected(put_text(f, "a.txt", "0 0\n\n0 x\n"), "a.txt:3: is not a pair of numbers");
    expect_rejected(put_text(f, "a.txt", "0\n"), "a.txt:1: is not a pair of numbers");
    expect_rejected(put_text(f, "a.txt", "0 1 2\n"), "a.txt:1: is not a pair of numbers");
    expect_rejected(put_text(f, "a.txt", ",1\n"), "a.txt:1: is not a pair of numbers");
    expect_rejected(put_text(f, "a.txt", ""), "has 0 way-points; a path needs at least 4");
    scratch_remove(f);
}

static void test_a_folder_gives_its_files_by_name(void)
{
    static const char *const names[] = {"r2.npy", "r1.csv", "r10.txt", "notes.md", ".hidden.npy"};
    char *folder = scratch_new(), *missing = file_join(folder, "missing");
    struct waypoint_files files;

    EXPECT_FAILS(waypoint_files_find(&files, missing), STATUS_IO, "cannot read the folder");
    EXPECT_FAILS(waypoint_files_find(&files, folder), STATUS_BAD_INPUT,
                 "has no files of way-points (.npy, .txt or .csv)");
    for (int i = 0; i < 5; i++)
        mem_free(put_text(folder, names[i], ""));
    EXPECT_OK(waypoint_files_find(&files, folder));
    EXPECT_INT(files.count, 3);
    EXPECT_HAS(files.paths[0], "/r1.csv");
    EXPECT_HAS(files.paths[1], "/r10.txt");
    EXPECT_HAS(files.paths[2], "/r2.npy");
    waypoint_files_release(&files);
    mem_free(missing);
    scratch_remove(folder);
}

static void test_a_path_goes_through_its_way_points(void)
{
    const struct lidar_options options = lidar_case_options();
    struct lidar *l = lidar_case_room(&options);
    char *folder = scratch_new();
    char *file = put_npy(folder, "a.npy", NPY_F64, 2, (int64_t[]){5, 2}, square);
    struct lidar_path p;

    if (EXPECT_OK(lidar_path_load(&p, file, 10, l))) {
        EXPECT_INT(p.count, 40);
        EXPECT_NEAR(p.points[0].x, -20, 1e-12); /* rounding of a few sums */
        EXPECT_NEAR(p.points[0].y, -7.5, 1e-12);
        EXPECT_NEAR(p.points[39].x, -20, 1e-12);
        EXPECT_NEAR(p.points[39].y, -7.5, 1e-12);
        EXPECT_NEAR(p.points[13].x, 25.4320988, 1e-6); /* SciPy; outside the square */
        lidar_path_release(&p);
    }
    mem_free(file);
    scratch_remove(folder);
    lidar_free(l);
}

static void test_a_path_in_a_wall_is_rejected_with_its_first_point(void)
{
    const struct lidar_options options = lidar_case_options();
    struct lidar *l = lidar_case_room(&options);
    char *folder = scratch_new();
    char *wall = put_text(folder, "w.txt", "0 0\n0.2 0\n0.95 0\n0.97 0\n");
    char *outside = put_text(folder, "o.txt", "0 0\n.2 0\n.4 0\n.4 .4\n");
    struct lidar_path p;

    EXPECT_FAILS(lidar_path_load(&p, wall, 5, l), STATUS_BAD_INPUT,
                 "w.txt: the path runs through a wall at point 10 of 15, (36.22, 0.00)");
    EXPECT(p.points == NULL);
    EXPECT_OK(lidar_path_load(&p, outside, 5, l));
    p.points[7].y = 31;
    EXPECT_FAILS(lidar_path_check(&p, l, "o"), STATUS_BAD_INPUT,
                 "o: the path leaves the plan at point 8 of 15");
    lidar_path_release(&p);
    mem_free(wall);
    mem_free(outside);
    scratch_remove(folder);
    lidar_free(l);
}

TEST_MAIN(TEST(test_way_points_are_read_from_npy_and_text),
          TEST(test_a_matrix_with_columns_first_is_read),
          TEST(test_written_way_points_are_read_back), TEST(test_wrong_arrays_are_rejected),
          TEST(test_wrong_points_are_rejected), TEST(test_a_folder_gives_its_files_by_name),
          TEST(test_a_path_goes_through_its_way_points),
          TEST(test_a_path_in_a_wall_is_rejected_with_its_first_point))
