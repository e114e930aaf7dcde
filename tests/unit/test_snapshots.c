/*
 * test_snapshots.c - record/snapshots.h: what is written is read, what is damaged is found, and a
 * resumed run cuts what it will write again.
 */
#include "file_case.h"
#include "record/snapshots.h"
#include "scratch.h"

/* Without tensors: the values are stored as they are. */
static const struct tensor_layout layout = {.param_count = 2, .state_count = 3};

static void write_three(const char *folder)
{
    struct snapshot_log l;

    EXPECT(snapshot_log_open(&l, folder, &layout, -1) == STATUS_OK);
    for (int i = 0; i < 3; i++) {
        const float state[3] = {(float)i, 10.0F + (float)i, -1.5F};

        EXPECT(snapshot_log_add(
                   &l, &(struct snapshot_time){.round = 4L * i, .epoch = i, .samples = 8.0 * i},
                   state) == STATUS_OK);
    }
    snapshot_log_close(&l);
}

static int64_t count_of(const char *folder)
{
    struct snapshot_file f;

    EXPECT(snapshot_file_open(&f, folder) == STATUS_OK);
    const int64_t count = f.count;
    snapshot_file_release(&f);
    return count;
}

static void test_what_was_written_is_read(void)
{
    char *folder = scratch_new();
    struct snapshot_file f;
    struct snapshot_time time;
    float values[3];

    write_three(folder);
    EXPECT(snapshot_file_open(&f, folder) == STATUS_OK);
    EXPECT(f.count == 3 && f.param_count == 2 && f.state_count == 3);
    EXPECT(snapshot_file_read(&f, 2, &time, values) == STATUS_OK);
    EXPECT(time.round == 8 && time.epoch == 2 && time.samples == 16);
    EXPECT(values[0] == 2 && values[1] == 12 && values[2] == -1.5F);
    snapshot_file_release(&f);
    scratch_remove(folder);
}

static void test_a_changed_byte_is_found_and_named(void)
{
    char *folder = scratch_new();
    struct snapshot_file f;
    struct snapshot_time time;
    float values[3];

    write_three(folder);
    flip_byte_in(folder, "snapshots.bin", 40 + snapshot_record_bytes(3) + 33);
    EXPECT(snapshot_file_open(&f, folder) == STATUS_OK);
    EXPECT(snapshot_file_read(&f, 0, &time, values) == STATUS_OK);
    EXPECT(snapshot_file_read(&f, 1, &time, values) == STATUS_BAD_INPUT);
    EXPECT(strstr(status_message(), "snapshot 1 is damaged") != NULL);
    snapshot_file_release(&f);
    scratch_remove(folder);
}

static void test_a_damaged_header_is_found(void)
{
    char *folder = scratch_new();
    struct snapshot_file f;

    EXPECT(snapshot_file_open(&f, folder) == STATUS_BAD_INPUT);
    EXPECT(strstr(status_message(), "--saves-per-epoch") != NULL);
    EXPECT(file_write_in(folder, "snapshots.bin", "MUSTERSN") == STATUS_OK);
    EXPECT(snapshot_file_open(&f, folder) == STATUS_BAD_INPUT);
    EXPECT(strstr(status_message(), "the header is damaged") != NULL);
    EXPECT(file_write_in(folder, "snapshots.bin",
                         "something else that is longer than a header of 40 bytes") == STATUS_OK);
    EXPECT(snapshot_file_open(&f, folder) == STATUS_BAD_INPUT);
    EXPECT(strstr(status_message(), "is not a file of snapshots") != NULL);
    scratch_remove(folder);
}

static void test_snapshots_of_another_network_are_not_overwritten(void)
{
    static const struct tensor_layout other = {.param_count = 2, .state_count = 4};
    char *folder = scratch_new();
    struct snapshot_log l;

    write_three(folder);
    EXPECT_FAILS(snapshot_log_open(&l, folder, &other, 7), STATUS_BAD_INPUT,
                 "snapshots.bin: has snapshots of another network");
    snapshot_log_close(&l);
    EXPECT(count_of(folder) == 3);
    scratch_remove(folder);
}

static void test_a_resumed_run_drops_later_records(void)
{
    char *folder = scratch_new();
    struct snapshot_log l;
    const float state[3] = {0};

    write_three(folder);
    EXPECT(snapshot_log_open(&l, folder, &layout, 7) == STATUS_OK);
    snapshot_log_close(&l);
    EXPECT(count_of(folder) == 2); /* rounds 0 and 4 */
    EXPECT(snapshot_log_open(&l, folder, &layout, 7) == STATUS_OK);
    EXPECT(snapshot_log_add(&l, &(struct snapshot_time){.round = 8}, state) == STATUS_OK);
    snapshot_log_close(&l);
    EXPECT(count_of(folder) == 3);
    EXPECT(snapshot_log_open(&l, folder, &layout, -1) == STATUS_OK);
    snapshot_log_close(&l);
    EXPECT(count_of(folder) == 0); /* a new run */
    scratch_remove(folder);
}

TEST_MAIN(TEST(test_what_was_written_is_read), TEST(test_a_changed_byte_is_found_and_named),
          TEST(test_a_damaged_header_is_found),
          TEST(test_snapshots_of_another_network_are_not_overwritten),
          TEST(test_a_resumed_run_drops_later_records))
