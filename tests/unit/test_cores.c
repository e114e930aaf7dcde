/*
 * test_cores.c - base/cores.h: the shares of the cores of this machine.
 */
#include "base/cores.h"
#include "base/team.h"
#include "test.h"

static void test_shares_cover_the_cores_once_and_are_even(void)
{
    cpu_set_t all, seen, share, both;
    const int cores = team_cores();

    EXPECT(sched_getaffinity(0, sizeof all, &all) == 0);
    for (int parts = 1; parts <= cores; parts++) {
        CPU_ZERO(&seen);
        for (int part = 0; part < parts; part++) {
            EXPECT(cores_share(part, parts, &share));
            EXPECT(CPU_COUNT(&share) == cores / parts || CPU_COUNT(&share) == cores / parts + 1);
            CPU_AND(&both, &seen, &share);
            EXPECT_INT(CPU_COUNT(&both), 0);
            CPU_OR(&seen, &seen, &share);
        }
        EXPECT(CPU_EQUAL(&seen, &all));
    }
}

static void test_more_parts_than_cores_get_one_core_each_in_turn(void)
{
    cpu_set_t first, again;
    const int cores = team_cores();

    for (int part = 0; part < 2; part++) {
        EXPECT(cores_share(part, cores + 2, &first));
        EXPECT_INT(CPU_COUNT(&first), 1);
        EXPECT(cores_share(part + cores, cores + 2, &again));
        EXPECT(CPU_EQUAL(&first, &again));
    }
}

TEST_MAIN(TEST(test_shares_cover_the_cores_once_and_are_even),
          TEST(test_more_parts_than_cores_get_one_core_each_in_turn))
