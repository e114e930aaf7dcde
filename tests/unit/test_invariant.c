/*
 * test_invariant.c - the check that workers hold the same parameters sees a single bit.
 */
#include "algo/list.h"
#include "algo/parts/invariant.h"
#include "comm/world.h"
#include "test.h"

enum { WORKERS = 3, VALUES = 1000 };

struct setup {
    bool paranoid;
    int odd; /* the worker that differs; -1: none */
    int64_t where;
};

static enum status body(void *context, struct transport *t)
{
    const struct setup *s = context;
    struct worker w = {.algo = &sync_algo, .transport = t, .paranoid = s->paranoid, .round = 7};
    float x[VALUES];

    for (int i = 0; i < VALUES; i++)
        x[i] = 0.1F * (float)i;
    if (t->rank == s->odd)
        x[s->where] = nextafterf(x[s->where], 1e9F);
    return invariant_alike(&w, x, VALUES);
}

static enum status check(const struct setup *s)
{
    struct world *world = NULL;
    struct setup copy = *s;

    TRY(world_open(&(struct world_request){.transport = "threads", .workers = WORKERS}, &world));
    const enum status status = world_run(world, body, &copy);
    world_close(world);
    return status;
}

static void test_workers_with_the_same_bits_pass(void)
{
    EXPECT_OK(check(&(struct setup){.paranoid = true, .odd = -1}));
}

static void test_one_bit_of_one_worker_is_seen_and_named(void)
{
    for (int64_t where = 0; where < VALUES; where += 333)
        EXPECT_FAILS(check(&(struct setup){.paranoid = true, .odd = 2, .where = where}),
                     STATUS_DIVERGED, "sync, round 7: worker 2 has other parameters than worker 0");
}

static void test_nobody_looks_without_paranoid(void)
{
    EXPECT_OK(check(&(struct setup){.paranoid = false, .odd = 1}));
}

TEST_MAIN(TEST(test_workers_with_the_same_bits_pass),
          TEST(test_one_bit_of_one_worker_is_seen_and_named),
          TEST(test_nobody_looks_without_paranoid))
