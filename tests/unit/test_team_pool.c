/*
 * test_team_pool.c - base/team_pool.h: threads that compute share teams.
 */
#include <pthread.h>

#include "base/team_pool.h"
#include "test.h"

enum { CALLERS = 4, TURNS = 300, PIECES = 64 };

static void test_the_team_given_back_last_is_taken_first(void)
{
    struct team_pool *p = team_pool_new(2);
    struct team *a = team_pool_take(p), *b = team_pool_take(p);

    EXPECT(a != b);
    EXPECT_INT(team_size(a), 2);
    team_pool_give(p, b);
    team_pool_give(p, a);
    EXPECT(team_pool_take(p) == a);
    EXPECT(team_pool_take(p) == b);
    EXPECT_INT(team_pool_made(p), 2);
    team_pool_give(p, a);
    team_pool_give(p, b);
    team_pool_free(p);
}

static void test_no_team_is_made_before_it_is_taken(void)
{
    struct team_pool *p = team_pool_new(3);

    EXPECT_INT(team_pool_made(p), 0);
    EXPECT_INT(team_pool_threads(p), 3);
    team_pool_free(p);
    team_pool_free(NULL);
}

struct caller {
    struct team_pool *pool;
    int64_t pieces[PIECES]; /* plain: each belongs to one thread of a team */
};

static void count_pieces(void *context, int thread, int threads)
{
    struct caller *c = context;
    int64_t begin, end;

    team_part(PIECES, thread, threads, &begin, &end);
    for (int64_t i = begin; i < end; i++)
        c->pieces[i]++;
}

static void *call(void *context)
{
    struct caller *c = context;

    for (int i = 0; i < TURNS; i++) {
        struct team *team = team_pool_take(c->pool);
        team_run(team, count_pieces, c);
        team_pool_give(c->pool, team);
    }
    return NULL;
}

/* Under ThreadSanitizer it also shows that a team may pass from caller to caller. */
static void test_a_team_serves_one_caller_after_the_other(void)
{
    struct team_pool *p = team_pool_new(2);
    struct caller callers[CALLERS] = {0};
    pthread_t threads[CALLERS];

    for (int i = 0; i < CALLERS; i++) {
        callers[i].pool = p;
        EXPECT(pthread_create(&threads[i], NULL, call, &callers[i]) == 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        for (int k = 0; k < PIECES; k++)
            EXPECT_INT(callers[i].pieces[k], TURNS);
    }
    EXPECT(team_pool_made(p) <= CALLERS);
    team_pool_free(p);
}

TEST_MAIN(TEST(test_the_team_given_back_last_is_taken_first),
          TEST(test_no_team_is_made_before_it_is_taken),
          TEST(test_a_team_serves_one_caller_after_the_other))
