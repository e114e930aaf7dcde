/*
 * test_share.c - work that is split over a team, with and without ends that others take: every
 * piece is computed once, by a thread of the team, however slow some of them are.
 */
#include <sched.h>
#include <stdatomic.h>

#include "base/team.h"
#include "nn/layers/support.h"
#include "test.h"

enum { PIECES_MOST = 101 };

struct work {
    int threads;
    bool first_is_slow;
    atomic_int count[PIECES_MOST], by_others, wrong;
    int64_t pieces;
};

static void count_pieces(const void *context, int thread, int64_t begin, int64_t end)
{
    struct work *w = (struct work *)(uintptr_t)context;
    int64_t own_begin, own_end;

    team_part(w->pieces, thread, w->threads, &own_begin, &own_end);
    if (thread < 0 || thread >= w->threads || begin >= end)
        atomic_fetch_add(&w->wrong, 1);
    for (int64_t i = begin; i < end; i++) {
        atomic_fetch_add(&w->count[i], 1);
        if (i < own_begin || i >= own_end)
            atomic_fetch_add(&w->by_others, 1);
    }
    /* The first thread waits in its own part until somebody has taken over its end. */
    while (w->first_is_slow && thread == 0 && begin == 0 && atomic_load(&w->by_others) == 0)
        sched_yield();
}

static void check(int threads, int64_t pieces, bool shares, bool first_is_slow)
{
    const struct layer l = {
        .in = {{.height = 256, .width = 256, .channels = 1}},
        .out = { .height = 1, .width = 1, .channels = 1}
    };
    struct work w = {.threads = threads, .pieces = pieces, .first_is_slow = first_is_slow};
    const struct layer_pass p = {.layer = &l, .team = team_new(threads), .batch = 8};
    bool once = true;

    if (shares)
        layer_share(&p, pieces, count_pieces, &w);
    else
        layer_split(&p, pieces, count_pieces, &w);
    for (int64_t i = 0; i < PIECES_MOST; i++)
        once = once && w.count[i] == (i < pieces);
    EXPECT(once);
    EXPECT_INT(0, w.wrong);
    EXPECT(shares || w.by_others == 0);
    team_free(p.team);
}

static void test_every_piece_is_computed_once(void)
{
    for (int threads = 1; threads <= 5; threads++)
        for (int64_t pieces = 0; pieces <= PIECES_MOST; pieces++) {
            check(threads, pieces, false, false);
            check(threads, pieces, true, false);
        }
    check(33, PIECES_MOST, true, false); /* more than share */
}

static void test_others_finish_the_part_of_a_slow_thread(void)
{
    check(2, 16, true, true);
    check(3, PIECES_MOST, true, true);
}

TEST_MAIN(TEST(test_every_piece_is_computed_once),
          TEST(test_others_finish_the_part_of_a_slow_thread))
