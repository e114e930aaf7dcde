/*
 * test_maps.c - record/maps.h: what is written is read, what is damaged is found, and a resumed run
 * cuts what it will write again.
 */
#include <math.h>

#include "file_case.h"
#include "record/maps.h"
#include "scratch.h"

enum { ROBOTS = 2, HEIGHT = 2, WIDTH = 3, POINTS = HEIGHT * WIDTH };
static const struct map_mesh mesh = {
    .robots = ROBOTS, .height = HEIGHT, .width = WIDTH, .left = -8, .top = -4, .step_x = 8.5};
static const uint8_t plan[POINTS] = {255, 0, 255, 0, 0, 255};

static void fill(uint8_t *maps, int i)
{
    for (int k = 0; k < ROBOTS * POINTS; k++)
        maps[k] = (uint8_t)(20 * i + k);
}

static void write_three(const char *folder)
{
    struct map_log l;
    uint8_t maps[ROBOTS * POINTS];

    EXPECT(map_log_open(&l, folder, &mesh, plan, -1) == STATUS_OK);
    for (int i = 0; i < 3; i++) {
        fill(maps, i);
        EXPECT(map_log_add(&l, &(struct map_time){.round = 4L * i, .epoch = 0.5 * i}, maps, NULL) ==
               STATUS_OK);
    }
    map_log_close(&l);
}

static int64_t count_of(const char *folder)
{
    struct map_file f;

    EXPECT(map_file_open(&f, folder) == STATUS_OK);
    const int64_t count = f.count;
    map_file_release(&f);
    return count;
}

static void test_densities_become_bytes(void)
{
    EXPECT(map_byte(0) == 0 && map_byte(1) == 255 && map_byte(0.5) == 128);
    EXPECT(map_byte(-3) == 0 && map_byte(7) == 255 && map_byte((double)NAN) == 0);
}

static void test_what_was_written_is_read(void)
{
    char *folder = scratch_new();
    struct map_file f;
    struct map_time time;
    uint8_t maps[ROBOTS * POINTS], expected[ROBOTS * POINTS];

    write_three(folder);
    EXPECT(map_file_open(&f, folder) == STATUS_OK);
    EXPECT(f.count == 3 && memcmp(&f.mesh, &mesh, sizeof mesh) == 0);
    EXPECT(memcmp(f.plan, plan, sizeof plan) == 0);
    EXPECT(map_file_read(&f, 2, &time, maps) == STATUS_OK);
    fill(expected, 2);
    EXPECT(time.round == 8 && time.epoch == 1 && memcmp(maps, expected, sizeof maps) == 0);
    map_file_release(&f);
    scratch_remove(folder);
}

static void test_a_changed_byte_is_found_and_named(void)
{
    char *folder = scratch_new();
    struct map_file f;
    struct map_time time;
    uint8_t maps[ROBOTS * POINTS];

    write_three(folder);
    flip_byte_in(folder, "maps.bin", 72 + POINTS + 4 + map_record_bytes(&mesh) + 20);
    EXPECT(map_file_open(&f, folder) == STATUS_OK);
    EXPECT(map_file_read(&f, 0, &time, maps) == STATUS_OK);
    EXPECT(map_file_read(&f, 1, &time, maps) == STATUS_BAD_INPUT);
    EXPECT(strstr(status_message(), "record 1 is damaged") != NULL);
    map_file_release(&f);
    flip_byte_in(folder, "maps.bin", 75); /* of the plan */
    EXPECT(map_file_open(&f, folder) == STATUS_BAD_INPUT);
    EXPECT(strstr(status_message(), "the header is damaged") != NULL);
    flip_byte_in(folder, "maps.bin", 16); /* the number of robots */
    EXPECT(map_file_open(&f, folder) == STATUS_BAD_INPUT);
    scratch_remove(folder);
}

static void test_other_files_are_rejected(void)
{
    char *folder = scratch_new();
    struct map_file f;

    EXPECT(map_file_open(&f, folder) == STATUS_BAD_INPUT);
    EXPECT(strstr(status_message(), "missing") != NULL);
    EXPECT(file_write_in(folder, "maps.bin", "MUSTERMP") == STATUS_OK);
    EXPECT(map_file_open(&f, folder) == STATUS_BAD_INPUT);
    EXPECT(strstr(status_message(), "the header is damaged") != NULL);
    EXPECT(file_write_in(folder, "maps.bin",
                         "something else that is longer than a header of seventy-two bytes, and "
                         "says nothing of maps") == STATUS_OK);
    EXPECT(map_file_open(&f, folder) == STATUS_BAD_INPUT);
    EXPECT(strstr(status_message(), "is not a file of maps") != NULL);
    scratch_remove(folder);
}

static void test_another_version_is_rejected(void)
{
    char *folder = scratch_new();
    struct map_file f;

    write_three(folder);
    flip_byte_in(folder, "maps.bin", 10); /* the version becomes 65538 */
    EXPECT(map_file_open(&f, folder) == STATUS_BAD_INPUT);
    EXPECT(strstr(status_message(), "version 65538") != NULL);
    scratch_remove(folder);
}

static void write_certain(const char *folder, int records)
{
    const struct map_mesh certain = {
        .robots = ROBOTS, .height = HEIGHT, .width = WIDTH, .certainties = ROBOTS};
    struct map_log l;
    uint8_t maps[ROBOTS * POINTS];
    float certainty[ROBOTS * POINTS];

    EXPECT(map_log_open(&l, folder, &certain, plan, -1) == STATUS_OK);
    for (int i = 0; i < records; i++) {
        fill(maps, i);
        for (int k = 0; k < ROBOTS * POINTS; k++)
            certainty[k] = (float)(100 * i + k) + 0.25F;
        EXPECT(map_log_add(&l, &(struct map_time){.round = 4L * i}, maps, certainty) == STATUS_OK);
    }
    map_log_close(&l);
}

static void test_certainty_is_read_next_to_the_maps(void)
{
    char *folder = scratch_new();
    struct map_file f;
    struct map_time time;
    uint8_t maps[ROBOTS * POINTS], expected[ROBOTS * POINTS];
    float certainty[ROBOTS * POINTS];

    write_certain(folder, 3);
    EXPECT(map_file_open(&f, folder) == STATUS_OK);
    EXPECT(f.count == 3 && f.mesh.certainties == ROBOTS);
    EXPECT(file_size(f.records.path) == 72 + POINTS + 4 + 3 * (20 + 5 * ROBOTS * POINTS));
    fill(expected, 2);
    EXPECT(map_file_read(&f, 2, &time, maps) == STATUS_OK);
    EXPECT(time.round == 8 && memcmp(maps, expected, sizeof maps) == 0);
    EXPECT(map_file_read_certainty(&f, 2, certainty) == STATUS_OK);
    for (int k = 0; k < ROBOTS * POINTS; k++)
        EXPECT(certainty[k] == (float)(200 + k) + 0.25F);
    map_file_release(&f);
    flip_byte_in(folder, "maps.bin",
                 72 + POINTS + 4 + 16 + ROBOTS * POINTS + 3); /* certainty of record 0 */
    EXPECT(map_file_open(&f, folder) == STATUS_OK);
    EXPECT(map_file_read_certainty(&f, 0, certainty) == STATUS_BAD_INPUT);
    EXPECT(map_file_read_certainty(&f, 1, certainty) == STATUS_OK);
    map_file_release(&f);
    scratch_remove(folder);
}

static void test_a_run_that_now_has_certainty_starts_a_new_file(void)
{
    char *folder = scratch_new();
    struct map_mesh certain = mesh;
    struct map_log l;

    certain.certainties = ROBOTS;
    write_three(folder);
    EXPECT(map_log_open(&l, folder, &certain, plan, 7) == STATUS_OK);
    map_log_close(&l);
    EXPECT(count_of(folder) == 0);
    scratch_remove(folder);
}

static void test_a_resumed_run_drops_later_records(void)
{
    char *folder = scratch_new();
    struct map_log l;
    uint8_t other[POINTS] = {0};

    write_three(folder);
    EXPECT(map_log_open(&l, folder, &mesh, plan, 7) == STATUS_OK);
    map_log_close(&l);
    EXPECT(count_of(folder) == 2); /* rounds 0 and 4 */
    EXPECT(map_log_open(&l, folder, &mesh, other, 7) == STATUS_OK);
    map_log_close(&l);
    EXPECT(count_of(folder) == 0); /* of another building */
    scratch_remove(folder);
}

TEST_MAIN(TEST(test_densities_become_bytes), TEST(test_what_was_written_is_read),
          TEST(test_a_changed_byte_is_found_and_named), TEST(test_other_files_are_rejected),
          TEST(test_another_version_is_rejected), TEST(test_certainty_is_read_next_to_the_maps),
          TEST(test_a_run_that_now_has_certainty_starts_a_new_file),
          TEST(test_a_resumed_run_drops_later_records))
