/*
 * test_partial_losses.c - record/partial_losses.h: what was measured is read again, and only of the
 * same landscape.
 */
#include <math.h>

#include "file_case.h"
#include "record/partial_losses.h"
#include "scratch.h"

enum { POINTS = 5, HEADER = 24 + 3 + 4, RECORD = 24 };

static void write_three(const char *folder)
{
    struct partial_losses p;

    EXPECT(partial_losses_open(&p, folder, "key", POINTS) == STATUS_OK);
    EXPECT(p.known_count == 0);
    partial_losses_add(&p, 3, 0.5);
    partial_losses_add(&p, 0, (double)INFINITY);
    partial_losses_add(&p, 2, (double)NAN);
    partial_losses_close(&p);
}

static int64_t known_count(const char *folder, const char *key, int64_t points)
{
    struct partial_losses p;

    EXPECT(partial_losses_open(&p, folder, key, points) == STATUS_OK);
    const int64_t count = p.known_count;
    partial_losses_close(&p);
    return count;
}

static void test_what_was_added_is_known_to_the_next(void)
{
    char *folder = scratch_new();
    struct partial_losses p;

    write_three(folder);
    EXPECT(partial_losses_open(&p, folder, "key", POINTS) == STATUS_OK);
    EXPECT(p.known_count == 3);
    EXPECT(p.is_known[0] && !p.is_known[1] && p.is_known[2] && p.is_known[3] && !p.is_known[4]);
    EXPECT(p.losses[3] == 0.5 && isinf(p.losses[0]) && isnan(p.losses[2]));
    partial_losses_add(&p, 1, 7);
    partial_losses_add(&p, 1, 7); /* counts once */
    partial_losses_close(&p);
    EXPECT(known_count(folder, "key", POINTS) == 4);
    EXPECT(partial_losses_remove(folder) == STATUS_OK);
    EXPECT(known_count(folder, "key", POINTS) == 0);
    scratch_remove(folder);
}

static void test_losses_of_another_landscape_are_not_used(void)
{
    char *folder = scratch_new();

    write_three(folder);
    EXPECT(known_count(folder, "kez", POINTS) == 0);
    EXPECT(known_count(folder, "key", POINTS) == 0); /* the file was replaced */
    write_three(folder);
    EXPECT(known_count(folder, "key", POINTS + 1) == 0);
    write_three(folder);
    EXPECT(known_count(folder, "key2", POINTS) == 0);
    scratch_remove(folder);
}

static void test_a_cut_record_is_measured_again(void)
{
    char *folder = scratch_new();
    char *path = file_join(folder, "landscape.partial");

    write_three(folder);
    EXPECT(file_size(path) == HEADER + 3L * RECORD);
    EXPECT(file_cut(path, HEADER + 3L * RECORD - 1) == STATUS_OK);
    EXPECT(known_count(folder, "key", POINTS) == 2);
    EXPECT(file_size(path) == HEADER + 2L * RECORD); /* the next record follows a whole one */
    EXPECT(file_cut(path, HEADER - 1) == STATUS_OK);
    EXPECT(known_count(folder, "key", POINTS) == 0);
    mem_free(path);
    scratch_remove(folder);
}

static void test_a_damaged_record_ends_the_file(void)
{
    char *folder = scratch_new();
    char *path = file_join(folder, "landscape.partial");

    write_three(folder);
    flip_byte(path, HEADER + RECORD + 9); /* the second loss */
    EXPECT(known_count(folder, "key", POINTS) == 1);
    EXPECT(file_size(path) == HEADER + RECORD);
    flip_byte(path, 12); /* the header */
    EXPECT(known_count(folder, "key", POINTS) == 0);
    mem_free(path);
    scratch_remove(folder);
}

TEST_MAIN(TEST(test_what_was_added_is_known_to_the_next),
          TEST(test_losses_of_another_landscape_are_not_used),
          TEST(test_a_cut_record_is_measured_again), TEST(test_a_damaged_record_ends_the_file))
