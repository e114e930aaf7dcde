/*
 * test_team.c - base/team.h. Under ThreadSanitizer it also shows that runs are ordered.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/team.h"
#include "child.h"
#include "test.h"

enum { PIECES = 103 };

struct counters {
    int64_t piece[PIECES]; /* plain: each belongs to one thread */
    int seen[16];
};

static void count_pieces(void *context, int thread, int threads)
{
    struct counters *t = context;
    int64_t begin, end;

    team_part(PIECES, thread, threads, &begin, &end);
    for (int64_t i = begin; i < end; i++)
        t->piece[i]++;
    t->seen[thread] += threads;
}

static void test_a_run_covers_every_piece_once_on_every_thread(void)
{
    for (int threads = 1; threads <= 8; threads++) {
        struct team *team = team_new(threads);
        struct counters t = {0};

        EXPECT_INT(team_size(team), threads);
        team_run(team, count_pieces, &t);
        for (int i = 0; i < PIECES; i++)
            EXPECT_INT(t.piece[i], 1);
        for (int i = 0; i < 16; i++)
            EXPECT_INT(t.seen[i], i < threads ? threads : 0);
        team_free(team);
    }
}

static void test_many_runs_follow_each_other_without_loss(void)
{
    for (int threads = 2; threads <= 5; threads++) {
        struct team *team = team_new(threads);
        struct counters t = {0};

        for (int run = 0; run < 2000; run++)
            team_run(team, count_pieces, &t);
        for (int i = 0; i < PIECES; i++)
            EXPECT_INT(t.piece[i], 2000);
        team_free(team);
    }
}

static void test_threads_that_fell_asleep_wake_for_the_next_run(void)
{
    const struct timespec pause = {.tv_nsec = 3000000}; /* far beyond the spinning */
    struct team *team = team_new(2);
    struct counters t = {0};

    for (int run = 0; run < 20; run++) {
        nanosleep(&pause, NULL);
        team_run(team, count_pieces, &t);
    }
    EXPECT_INT(t.piece[0], 20);
    EXPECT_INT(t.piece[PIECES - 1], 20);
    team_free(team);
}

static void sleep_unless_first(void *context, int thread, int threads)
{
    const struct timespec pause = {.tv_nsec = 3000000};

    (void)threads;
    if (thread == 0)
        return;
    nanosleep(&pause, NULL);
    (*(int *)context)++;
}

static void test_a_run_waits_for_the_slowest_thread(void)
{
    struct team *team = team_new(2);
    int done = 0;

    for (int run = 1; run <= 10; run++) {
        team_run(team, sleep_unless_first, &done);
        EXPECT_INT(done, run);
    }
    team_free(team);
}

static void note_thread(void *context, int thread, int threads)
{
    (void)threads;
    ((pthread_t *)context)[thread] = pthread_self();
}

static void test_the_caller_is_thread_0_and_the_others_are_not(void)
{
    struct team *team = team_new(3);
    pthread_t ids[3];

    team_run(team, note_thread, ids);
    EXPECT(pthread_equal(ids[0], pthread_self()) != 0);
    EXPECT(pthread_equal(ids[1], pthread_self()) == 0);
    EXPECT(pthread_equal(ids[1], ids[2]) == 0);
    team_free(team);
}

static void test_a_team_of_one_runs_on_the_caller_alone(void)
{
    struct team *team = team_new(1);
    pthread_t id;

    team_run(team, note_thread, &id);
    EXPECT(pthread_equal(id, pthread_self()) != 0);
    team_free(team);
    team_free(NULL);
}

static void test_parts_are_whole_contiguous_and_within_one(void)
{
    static const int64_t counts[] = {0, 1, 2, 7, 8, 103, 1000003, INT64_MAX};

    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (int threads = 1; threads <= 9; threads++) {
            int64_t expected_begin = 0;

            for (int thread = 0; thread < threads; thread++) {
                int64_t begin, end;

                team_part(counts[c], thread, threads, &begin, &end);
                EXPECT_INT(begin, expected_begin);
                EXPECT(end - begin == counts[c] / threads ||
                       end - begin == counts[c] / threads + 1);
                expected_begin = end;
            }
            EXPECT_INT(expected_begin, counts[c]);
        }
}

static void test_cores_are_those_of_the_affinity_mask(void)
{
    cpu_set_t before, one;
    int first = 0;

    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    EXPECT_INT(team_cores(), CPU_COUNT(&before));
    while (!CPU_ISSET(first, &before))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    EXPECT_INT(team_cores(), 1);
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
}

static void run_within(void *context, int thread, int threads)
{
    (void)threads;
    if (thread == 0)
        team_run(context, note_thread, NULL);
}

static void run_within_a_run(void)
{
    struct team *team = team_new(2);

    signal(SIGABRT, SIG_DFL);
    team_run(team, run_within, team);
}

static void test_a_run_within_a_run_of_the_same_team_is_a_bug(void)
{
    struct child c;

    child_run(&c, run_within_a_run);
    EXPECT_INT(c.signal, SIGABRT);
    child_release(&c);
}

TEST_MAIN(TEST(test_a_run_covers_every_piece_once_on_every_thread),
          TEST(test_many_runs_follow_each_other_without_loss),
          TEST(test_threads_that_fell_asleep_wake_for_the_next_run),
          TEST(test_a_run_waits_for_the_slowest_thread),
          TEST(test_the_caller_is_thread_0_and_the_others_are_not),
          TEST(test_a_team_of_one_runs_on_the_caller_alone),
          TEST(test_parts_are_whole_contiguous_and_within_one),
          TEST(test_cores_are_those_of_the_affinity_mask),
          TEST(test_a_run_within_a_run_of_the_same_team_is_a_bug))
