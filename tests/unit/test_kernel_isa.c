/*
 * test_kernel_isa.c - which table a machine gets, and what a wrong MUSTER_ISA is answered.
 */
#include <stdlib.h>

#include "test_kernel.h"

static void test_every_table_is_found_by_its_name_and_is_complete(void)
{
    int count = 0;

    FOR_EACH_KERNEL(k)
    {
        /* All members are pointers: a hole would be a function that table.c does not list. */
        const void *members[sizeof *k / sizeof(void *)];
        memcpy(members, k, sizeof *k);
        for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
            EXPECT(members[i] != NULL);
        EXPECT(kernel_find(k->isa) == k);
        count++;
    }
    EXPECT(count >= 1);
    EXPECT(kernel_find("z80") == NULL);
    EXPECT(kernel_find("") == NULL);
}

static void test_a_wrong_isa_is_an_error_that_lists_the_right_ones(void)
{
    setenv("MUSTER_ISA", "z80", 1);
    EXPECT_FAILS(kernel_init(), STATUS_BAD_INPUT, "MUSTER_ISA");
    EXPECT_HAS(status_message(), "z80");
    FOR_EACH_KERNEL(k)
    EXPECT_HAS(status_message(), k->isa);
    unsetenv("MUSTER_ISA");
    EXPECT_OK(kernel_init());
}

static void test_every_isa_of_the_machine_may_be_asked_for(void)
{
    FOR_EACH_KERNEL(k)
    {
        setenv("MUSTER_ISA", k->isa, 1);
        EXPECT_OK(kernel_init());
    }
    unsetenv("MUSTER_ISA");
}

static void test_the_choice_is_the_one_asked_for_and_is_made_once(void)
{
    const struct kernel *last = kernel_all()[0];

    FOR_EACH_KERNEL(k)
    last = k;
    setenv("MUSTER_ISA", last->isa, 1);
    EXPECT(kernel_get() == last);
    unsetenv("MUSTER_ISA");
    EXPECT(kernel_get() == last);
}

TEST_MAIN(TEST(test_every_table_is_found_by_its_name_and_is_complete),
          TEST(test_a_wrong_isa_is_an_error_that_lists_the_right_ones),
          TEST(test_every_isa_of_the_machine_may_be_asked_for),
          TEST(test_the_choice_is_the_one_asked_for_and_is_made_once))
