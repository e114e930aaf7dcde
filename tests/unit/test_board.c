/*
 * test_board.c - counters and stops in shared memory: all workers end with the same round, whenever
 * the stop comes.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/mem.h"
#include "test.h"
#include "train/loop/board.h"

enum { WORKERS = 5 };

static void test_rows_are_read_as_they_were_written(void)
{
    struct board *b = mem_alloc(1, board_bytes(WORKERS));
    struct counters rows[WORKERS];

    for (int w = 0; w < WORKERS; w++)
        board_write(b, w, &(struct counters){.samples = 10 * w, .sleeping = w + 0.5});
    board_read(b, WORKERS, rows);
    for (int w = 0; w < WORKERS; w++) {
        EXPECT_NEAR(rows[w].samples, 10 * w, 0);
        EXPECT_NEAR(rows[w].sleeping, w + 0.5, 0);
    }
    mem_free(b);
}

static void test_no_worker_has_passed_the_round_of_a_stop(void)
{
    struct board *b = mem_alloc(1, board_bytes(3));

    EXPECT(board_begin_round(b, 0, 7));
    EXPECT(board_begin_round(b, 1, 9));
    EXPECT(board_begin_round(b, 2, 8));
    EXPECT(!board_is_stopped(b));
    board_stop(b, 3);
    EXPECT(board_is_stopped(b));
    board_stop(b, 3); /* again, by another: the number stays */
    EXPECT(board_begin_round(b, 0, 8));
    EXPECT(board_begin_round(b, 0, 9));
    EXPECT(!board_begin_round(b, 0, 10));
    EXPECT(!board_begin_round(b, 1, 10));
    mem_free(b);
}

static void test_the_slowest_round_and_the_first_divergence_are_known(void)
{
    struct board *b = mem_alloc(1, board_bytes(3));

    EXPECT_INT(board_slowest_round(b, 3), 0);
    for (int w = 0; w < 3; w++)
        EXPECT(board_begin_round(b, w, 5 + w));
    EXPECT_INT(board_slowest_round(b, 3), 5);
    EXPECT_INT(board_divergence(b), 0);
    board_note_divergence(b, 7);
    board_note_divergence(b, 6); /* another worker, later */
    EXPECT_INT(board_divergence(b), 7);
    mem_free(b);
}

enum { AHEAD = 4 };

struct runner {
    struct board *board;
    _Atomic int64_t *done; /* [WORKERS]: rounds of each */
    int worker;
};

/* As if each round needed messages of the others' rounds AHEAD before it. */
static void wait_for_others(const struct runner *r, int64_t round)
{
    for (int w = 0; w < WORKERS; w++)
        while (atomic_load(&r->done[w]) < round - AHEAD)
            sched_yield();
}

/* Rounds of different length; worker 3 asks for the stop in its round 50. */
static void *run(void *argument)
{
    const struct runner *r = argument;

    for (int64_t round = 1; board_begin_round(r->board, r->worker, round); round++) {
        wait_for_others(r, round);
        for (int i = 0; i < r->worker; i++)
            sched_yield();
        if (r->worker == 3 && round == 50)
            board_stop(r->board, WORKERS);
        atomic_store(&r->done[r->worker], round);
    }
    return NULL;
}

static void test_all_workers_end_with_the_same_round(void)
{
    for (int repeat = 0; repeat < 100; repeat++) {
        struct board *b = mem_alloc(1, board_bytes(WORKERS));
        _Atomic int64_t done[WORKERS] = {0};
        struct runner runners[WORKERS];
        pthread_t threads[WORKERS];

        for (int w = 0; w < WORKERS; w++) {
            runners[w] = (struct runner){.board = b, .done = done, .worker = w};
            EXPECT(pthread_create(&threads[w], NULL, run, &runners[w]) == 0);
        }
        for (int w = 0; w < WORKERS; w++)
            pthread_join(threads[w], NULL);
        EXPECT(done[3] >= 50);
        for (int w = 0; w < WORKERS; w++)
            EXPECT_INT(done[w], done[3]);
        mem_free(b);
    }
}

TEST_MAIN(TEST(test_rows_are_read_as_they_were_written),
          TEST(test_no_worker_has_passed_the_round_of_a_stop),
          TEST(test_the_slowest_round_and_the_first_divergence_are_known),
          TEST(test_all_workers_end_with_the_same_round))
