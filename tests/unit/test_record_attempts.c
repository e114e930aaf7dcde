/*
 * test_record_attempts.c - attempts.jsonl, live.json, and which process wrote them.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/process.h"
#include "record/attempts.h"
#include "record/killed_run.h"
#include "record/live.h"
#include "record/record.h"
#include "record_case.h"

static void test_this_process_runs_and_one_that_ended_does_not(void)
{
    struct process_identity me, other;

    process_identify(&me);
    EXPECT_INT(me.pid, getpid());
    EXPECT(me.start > 0 && me.host[0] != '\0');
    EXPECT_INT(process_life(&me), PROCESS_RUNS);
    other = me;
    other.start++; /* the number was given to another process since */
    EXPECT_INT(process_life(&other), PROCESS_GONE);
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    EXPECT(waitpid(child, NULL, 0) == child);
    other = me;
    other.pid = child;
    EXPECT_INT(process_life(&other), PROCESS_GONE);
    (void)snprintf(other.host, sizeof other.host, "elsewhere.example");
    EXPECT_INT(process_life(&other), PROCESS_UNKNOWN);
}

static void test_a_date_has_a_zone_with_a_colon(void)
{
    char date[48];

    clock_date(date, sizeof date);
    EXPECT_INT(strlen(date), strlen("2026-01-31T14:05:09+01:00"));
    EXPECT(date[10] == 'T' && date[22] == ':' && (date[19] == '+' || date[19] == '-'));
}

static void test_every_start_of_a_run_has_a_row(void)
{
    char *folder = case_folder();
    struct attempts a;

    EXPECT_OK(attempts_read(folder, &a));
    EXPECT_INT(a.count, 0);
    EXPECT_OK(attempts_begin(folder, 0));
    EXPECT_OK(attempts_end(folder, "interrupted", 40, NULL));
    EXPECT_OK(attempts_begin(folder, 40));
    EXPECT_OK(attempts_read(folder, &a));
    if (EXPECT(a.count == 2)) {
        EXPECT_TEXT(a.items[0].reason, "interrupted");
        EXPECT(a.items[0].end != NULL && a.items[0].message == NULL);
        EXPECT_INT(a.items[0].to_round, 40);
        EXPECT(a.items[1].end == NULL && a.items[1].reason == NULL);
        EXPECT_INT(a.items[1].from_round, 40);
        EXPECT_INT(a.items[1].to_round, -1);
        EXPECT_INT(a.items[1].pid, getpid());
    }
    attempts_release(&a);
    EXPECT_OK(attempts_end(folder, "failed", 50, "a \"message\"\nof two lines"));
    EXPECT_OK(attempts_read(folder, &a));
    EXPECT_TEXT(a.items[1].message, "a \"message\"\nof two lines");
    attempts_release(&a);
    case_free(folder);
}

static void read_attempts(const char *folder)
{
    struct attempts a;

    (void)attempts_read(folder, &a);
    EXPECT(a.count <= 2);
    attempts_release(&a);
}

static void test_attempts_read_however_they_are_cut(void)
{
    char *folder = case_folder();

    EXPECT_OK(attempts_begin(folder, 0));
    EXPECT_OK(attempts_end(folder, "interrupted", 40, "x"));
    EXPECT_OK(attempts_begin(folder, 40));
    case_damage(folder, "attempts.jsonl", read_attempts);
    case_free(folder);
}

static void test_a_damaged_row_does_not_keep_a_run_from_starting(void)
{
    char *folder = case_folder();
    struct attempts a;

    EXPECT_OK(file_write_in(folder, "attempts.jsonl", "garbage\n{\"start\":\"s\"}\n{\"sta"));
    EXPECT_FAILS(attempts_read(folder, &a), STATUS_IO, "attempts.jsonl:1: is not a start of a run");
    EXPECT_INT(a.count, 1);
    attempts_release(&a);
    log_set_level(LOG_ERROR);
    EXPECT_OK(attempts_begin(folder, 7));
    log_set_level(LOG_INFO);
    EXPECT_OK(attempts_read(folder, &a));
    EXPECT_INT(a.count, 2);
    attempts_release(&a);
    case_free(folder);
}

static void write_live(const char *folder)
{
    const struct counters workers[2] = {
        {.rounds = 3, .samples = 96,  .computing = 1.5},
        {.rounds = 4, .samples = 128, .bytes = 1e12   }
    };
    const struct counters totals = counters_reduce(workers, 2);
    struct live live;

    live_open(&live, folder, "wall");
    EXPECT(live_is_due(&live));
    EXPECT_OK(live_write(&live, &(struct live_state){.state = "running",
                                                     .round = 4,
                                                     .rounds_total = 100,
                                                     .epoch = 0.25,
                                                     .loss = 1.5,
                                                     .accuracy = (double)NAN,
                                                     .test_accuracy = 0.5,
                                                     .samples_per_s = 1000,
                                                     .totals = &totals,
                                                     .workers = workers,
                                                     .worker_count = 2}));
    EXPECT(!live_is_due(&live));
    live_close(&live);
}

static void test_live_json_reads_back(void)
{
    char *folder = case_folder();
    struct live_file f;

    EXPECT_FAILS(live_read(folder, &f), STATUS_IO, "live.json");
    live_file_release(&f);
    write_live(folder);
    EXPECT_OK(live_read(folder, &f));
    EXPECT_TEXT(f.state, "running");
    EXPECT_TEXT(f.clock, "wall");
    EXPECT_INT(process_life(&f.process), PROCESS_RUNS);
    EXPECT_INT(f.round, 4);
    EXPECT_INT(f.rounds_total, 100);
    EXPECT(f.epoch == 0.25 && f.loss == 1.5 && isnan(f.accuracy) && f.test_accuracy == 0.5);
    EXPECT(f.totals.samples == 224 && f.totals.bytes == 1e12);
    EXPECT_INT(f.worker_count, 2);
    EXPECT(f.workers[0].computing == 1.5 && f.workers[1].samples == 128);
    EXPECT(f.workers[1].rounds == 4);
    live_file_release(&f);
    case_free(folder);
}

static void read_live(const char *folder)
{
    struct live_file f;

    (void)live_read(folder, &f);
    live_file_release(&f);
}

static void test_live_json_reads_however_it_is_cut(void)
{
    char *folder = case_folder();

    write_live(folder);
    case_damage(folder, "live.json", read_live);
    case_free(folder);
}

static void expect_killed(const char *folder, int64_t rounds)
{
    struct record r;

    EXPECT_OK(record_open(folder, &r));
    EXPECT_INT(r.state, RECORD_KILLED);
    EXPECT_TEXT(r.result.status, "killed");
    EXPECT_TEXT(r.result.name, "sync");
    EXPECT_INT(r.result.rounds, rounds);
    EXPECT_INT(r.attempts.count, 1);
    EXPECT_TEXT(r.attempts.items[0].reason, "killed");
    EXPECT_TEXT(r.attempts.items[0].message, "killed by signal 9");
    EXPECT_INT(r.attempts.items[0].to_round, rounds);
    EXPECT_TEXT(r.live.state, "killed");
    record_release(&r);
}

static void test_the_parent_of_a_killed_process_completes_its_record(void)
{
    char *folder = case_folder();
    const struct killed_run killed = {.name = "sync", .pid = getpid(), .why = "killed by signal 9"};

    EXPECT_OK(rundir_make_flat(folder));
    EXPECT_OK(attempts_begin(folder, 0));
    write_live(folder);
    EXPECT_OK(killed_run_record(folder, &killed));
    expect_killed(folder, 4);
    case_free(folder);
}

static void test_a_run_that_said_how_it_ended_keeps_its_record(void)
{
    char *folder = case_folder();
    struct attempts a;
    struct run_result result;

    EXPECT_OK(attempts_begin(folder, 0));
    EXPECT_OK(attempts_end(folder, "diverged", 12, "a loss"));
    EXPECT_OK(file_write_in(folder, "result.json", "{\"status\": \"diverged\"}\n"));
    EXPECT_OK(killed_run_record(folder,
                                &(struct killed_run){.name = "x", .pid = getpid(), .why = "late"}));
    EXPECT_OK(attempts_read(folder, &a));
    EXPECT_TEXT(a.items[0].reason, "diverged");
    EXPECT_TEXT(a.items[0].message, "a loss");
    attempts_release(&a);
    EXPECT_OK(result_read(folder, &result));
    EXPECT_TEXT(result.status, "diverged");
    result_release(&result);
    case_free(folder);
}

static void test_a_run_that_was_killed_before_it_began_has_a_result(void)
{
    char *folder = case_folder();
    struct run_result result;

    EXPECT_OK(
        killed_run_record(folder, &(struct killed_run){.name = "x", .pid = 4711, .why = "early"}));
    EXPECT_OK(result_read(folder, &result));
    EXPECT_TEXT(result.status, "killed");
    EXPECT_INT(result.rounds, -1);
    result_release(&result);
    case_free(folder);
}

TEST_MAIN(TEST(test_this_process_runs_and_one_that_ended_does_not),
          TEST(test_a_date_has_a_zone_with_a_colon), TEST(test_every_start_of_a_run_has_a_row),
          TEST(test_attempts_read_however_they_are_cut),
          TEST(test_a_damaged_row_does_not_keep_a_run_from_starting),
          TEST(test_live_json_reads_back), TEST(test_live_json_reads_however_it_is_cut),
          TEST(test_the_parent_of_a_killed_process_completes_its_record),
          TEST(test_a_run_that_said_how_it_ended_keeps_its_record),
          TEST(test_a_run_that_was_killed_before_it_began_has_a_result))
