/*
 * board.c - rows of counters and the number of the last round, in shared memory.
 */
#include "train/loop/board.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { LINE = 64 };

struct board_row {
    _Alignas(LINE) _Atomic int64_t begun; /* the round that the worker does, from 1 */
    _Atomic uint64_t words[COUNTERS_COUNT];
};

struct board {
    _Alignas(LINE) _Atomic int64_t stop_requested; /* 0 or 1 */
    _Atomic int64_t stop_after;                    /* 1 + the last round; 0: not decided */
    _Atomic int64_t diverged;                      /* the round; 0: none */
    _Atomic int64_t claimed;                       /* rounds of all workers */
    struct board_row rows[];
};

size_t board_bytes(int workers)
{
    return sizeof(struct board) + (size_t)workers * sizeof(struct board_row);
}

void board_write(struct board *b, int worker, const struct counters *c)
{
    struct board_row *row = &b->rows[worker];
    uint64_t words[COUNTERS_COUNT];

    memcpy(words, c, sizeof words);
    for (int i = 0; i < COUNTERS_COUNT; i++)
        atomic_store_explicit(&row->words[i], words[i], memory_order_relaxed);
}

void board_read(const struct board *b, int workers, struct counters *rows)
{
    uint64_t words[COUNTERS_COUNT];

    for (int w = 0; w < workers; w++) {
        for (int i = 0; i < COUNTERS_COUNT; i++)
            words[i] = atomic_load_explicit(&b->rows[w].words[i], memory_order_relaxed);
        memcpy(&rows[w], words, sizeof words);
    }
}

bool board_begin_round(struct board *b, int worker, int64_t round)
{
    int64_t stop_after = 0;

    atomic_store(&b->rows[worker].begun, round);
    if (atomic_load(&b->stop_requested) == 0)
        return true;
    while ((stop_after = atomic_load(&b->stop_after)) == 0)
        sched_yield(); /* for a moment: the number follows the request at once */
    return round <= stop_after - 1;
}

void board_stop(struct board *b, int workers)
{
    int64_t expected = 0, last = 0;

    if (!atomic_compare_exchange_strong(&b->stop_requested, &expected, 1))
        return;
    for (int w = 0; w < workers; w++) {
        const int64_t begun = atomic_load(&b->rows[w].begun);

        last = begun > last ? begun : last;
    }
    atomic_store(&b->stop_after, 1 + last);
}

bool board_is_stopped(const struct board *b)
{
    return atomic_load_explicit(&b->stop_requested, memory_order_relaxed) != 0;
}

int64_t board_claim_round(struct board *b)
{
    return atomic_fetch_add(&b->claimed, 1);
}

int64_t board_slowest_round(const struct board *b, int workers)
{
    int64_t slowest = atomic_load(&b->rows[0].begun);

    for (int w = 1; w < workers; w++) {
        const int64_t begun = atomic_load(&b->rows[w].begun);

        slowest = begun < slowest ? begun : slowest;
    }
    return slowest;
}

void board_note_divergence(struct board *b, int64_t round)
{
    int64_t none = 0;

    atomic_compare_exchange_strong(&b->diverged, &none, round);
}

int64_t board_divergence(const struct board *b)
{
    return atomic_load(&b->diverged);
}
