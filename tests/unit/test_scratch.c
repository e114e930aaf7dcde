/*
 * test_scratch.c - scratch vectors: who keeps them, who shares them, and how many there are.
 */
#include <math.h>

#include "algo/scratch.h"
#include "test.h"

enum { COUNT = 5 };

static struct scratch_pool *pool_for(int workers, int cores)
{
    return scratch_pool_new(&(struct scratch_pool_setup){
        .count = COUNT, .workers = workers, .cores = cores, .poisons = true});
}

static void test_workers_that_share_cores_use_one_vector_in_turn(void)
{
    struct scratch_pool *pool = pool_for(3, 2);
    struct scratch a = {.pool = pool}, b = {.pool = pool};
    float *x = scratch_take(&a);

    scratch_give(&a, x);
    EXPECT(scratch_take(&b) == x);
    EXPECT(scratch_take(&a) != x);
    EXPECT_INT(scratch_pool_made(pool), 2);
    scratch_release(&a);
    scratch_release(&b);
    scratch_pool_free(pool);
}

static void test_a_worker_with_a_core_of_its_own_keeps_its_vectors(void)
{
    struct scratch_pool *pool = pool_for(2, 2);
    struct scratch a = {.pool = pool}, b = {.pool = pool};
    float *x = scratch_take(&a), *y = scratch_take(&a);

    scratch_give(&a, x);
    scratch_give(&a, y);
    float *other = scratch_take(&b);
    EXPECT(other != x && other != y);
    float *first = scratch_take(&a), *second = scratch_take(&a);
    EXPECT((first == x && second == y) || (first == y && second == x));
    EXPECT_INT(scratch_pool_made(pool), 3);
    scratch_release(&a);
    scratch_release(&b);
    scratch_pool_free(pool);
}

static void test_a_vector_has_room_for_a_state_and_a_double(void)
{
    struct scratch_pool *pool = pool_for(1, 1);
    struct scratch a = {.pool = pool};
    float *x = scratch_take(&a);

    for (int i = 0; i < COUNT + 2; i++) {
        EXPECT(isnan(x[i])); /* nothing may be expected of it */
        x[i] = 1;
    }
    scratch_give(&a, x);
    EXPECT(isnan(scratch_take(&a)[0]));
    scratch_give(&a, NULL);
    scratch_release(&a);
    scratch_pool_free(pool);
}

static void test_many_workers_for_a_core_wait_before_they_take(void)
{
    static const struct {
        int workers, cores;
        bool waits;
    } cases[] = {
        {1,    1, false},
        {4,    1, false},
        {5,    1, true },
        {8,    2, false},
        {9,    2, true },
        {1000, 2, true }
    };

    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        struct scratch_pool *pool = pool_for(cases[i].workers, cases[i].cores);
        const struct scratch s = {.pool = pool};

        EXPECT(scratch_waits_first(&s) == cases[i].waits);
        scratch_pool_free(pool);
    }
}

TEST_MAIN(TEST(test_workers_that_share_cores_use_one_vector_in_turn),
          TEST(test_a_worker_with_a_core_of_its_own_keeps_its_vectors),
          TEST(test_a_vector_has_room_for_a_state_and_a_double),
          TEST(test_many_workers_for_a_core_wait_before_they_take))
