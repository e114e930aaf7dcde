/*
 * test_scan_rows.c - record/scan_rows.h: what is written is read, to tenths; a resumed run drops
 * what it writes again; rows that are not whole are found.
 */
#include "base/file.h"
#include "record/scan_rows.h"
#include "scratch.h"
#include "test.h"

enum { ROBOTS = 3, SCANNED = 2, BEAMS = 2 };

static void write_three(const char *folder)
{
    for (int i = 0; i < 3; i++) {
        double positions[2 * ROBOTS] = {i, 2.04, -3.06, 4, 5, 6};
        double ends[2 * SCANNED * BEAMS] = {1, 2, 3, 4, 5, 6, 7, -8.26};

        EXPECT_OK(scan_rows_add(folder, &(struct scan_row){.round = 5L * i,
                                                           .robots = ROBOTS,
                                                           .positions = positions,
                                                           .scanned = SCANNED,
                                                           .beams = BEAMS,
                                                           .ends = ends}));
    }
}

static int64_t last_round(const char *folder)
{
    struct scan_rows s;

    EXPECT_OK(scan_rows_read(folder, &s));
    const int64_t round = s.count == 0 ? -1 : s.items[s.count - 1].round;
    scan_rows_release(&s);
    return round;
}

static void test_what_was_written_is_read(void)
{
    char *folder = scratch_new();
    struct scan_rows s;

    EXPECT_OK(scan_rows_read(folder, &s));
    EXPECT(s.count == 0);
    write_three(folder);
    EXPECT_OK(scan_rows_read(folder, &s));
    EXPECT(s.count == 3 && s.items[2].round == 10 && s.items[2].robots == ROBOTS);
    EXPECT(s.items[2].positions[0] == 2 && s.items[2].positions[1] == 2.0);
    EXPECT(s.items[2].positions[2] == -3.1 && s.items[2].positions[5] == 6);
    EXPECT(s.items[1].scanned == SCANNED && s.items[1].beams == BEAMS);
    EXPECT(s.items[1].ends[2] == 3 && s.items[1].ends[7] == -8.3);
    scan_rows_release(&s);
    scratch_remove(folder);
}

static void test_a_resumed_run_drops_later_rows(void)
{
    char *folder = scratch_new();

    EXPECT_OK(scan_rows_truncate(folder, 3));
    write_three(folder);
    EXPECT_OK(scan_rows_truncate(folder, 9));
    EXPECT_INT(last_round(folder), 5);
    EXPECT_OK(scan_rows_truncate(folder, -1));
    EXPECT_INT(last_round(folder), -1);
    scratch_remove(folder);
}

static void expect_rejected(const char *row)
{
    char *folder = scratch_new();
    struct scan_rows s;

    write_three(folder);
    char *path = file_join(folder, "scans.jsonl");
    struct file_log log;
    EXPECT_OK(file_log_open(&log, path));
    EXPECT_OK(file_log_line(&log, row));
    EXPECT_OK(file_log_line(&log, "{}"));
    file_log_close(&log);
    EXPECT(scan_rows_read(folder, &s) != STATUS_OK);
    EXPECT_INT(s.count, 3); /* those before it */
    scan_rows_release(&s);
    mem_free(path);
    scratch_remove(folder);
}

static void test_rows_that_are_not_whole_are_rejected(void)
{
    expect_rejected("{\"round\": 20, \"positions\": [], \"ends\": []}");
    expect_rejected("{\"round\": 20, \"positions\": [[1, 2], [3, 4]], \"ends\": []}");
    expect_rejected("{\"round\": 20, \"positions\": [[1, 2], [3], [5, 6]], \"ends\": []}");
    expect_rejected("{\"round\": 20, \"positions\": [[1, 2], [3, 4], [5, 6]]}");
    expect_rejected("{\"round\": 20, \"positions\": [[1, 2], [3, 4], [5, 6]], "
                    "\"ends\": [[[1, 2]], [[1, 2], [3, 4]]]}");
    expect_rejected("{\"round\": 20, \"positions\": [[1, 2], [3, 4], [5, 6]], "
                    "\"ends\": [[], [], [], []]}");
}

TEST_MAIN(TEST(test_what_was_written_is_read), TEST(test_a_resumed_run_drops_later_rows),
          TEST(test_rows_that_are_not_whole_are_rejected))
