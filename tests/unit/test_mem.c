/*
 * test_mem.c - base/mem.h.
 */
#include <sys/resource.h>
#include <sys/time.h>

#include "base/mem.h"
#include "child.h"
#include "test.h"

static void test_blocks_of_every_size_are_aligned_to_64_bytes(void)
{
    for (int64_t n = 0; n < 300; n++) {
        char *block = MEM_NEW_N(char, n);

        EXPECT_INT((uintptr_t)block % 64, 0);
        mem_free(block);
    }
}

static bool is_zero(const unsigned char *bytes, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static void test_blocks_are_zeroed_also_where_memory_is_used_again(void)
{
    for (int64_t n = 1; n < 400000; n = 3 * n + 1) {
        unsigned char *block = MEM_NEW_N(unsigned char, n);

        memset(block, 0xaa, (size_t)n);
        mem_free(block);
        block = MEM_NEW_N(unsigned char, n);
        EXPECT(is_zero(block, n));
        mem_free(block);
    }
}

static void test_a_large_block_is_not_touched_before_it_is_used(void)
{
    struct rusage before, after;

    getrusage(RUSAGE_SELF, &before);

    char *block = MEM_NEW_N(char, 64 << 20); /* 16384 pages */

    getrusage(RUSAGE_SELF, &after);
    EXPECT(after.ru_minflt - before.ru_minflt < 4096);
    block[0] = 1;
    mem_free(block);
}

static void test_a_resized_block_keeps_content_and_alignment(void)
{
    int *block = NULL;
    int64_t count = 0;

    for (int64_t n = 1; n < 5000; n = 2 * n + 3) {
        block = mem_resize(block, count, n, sizeof *block);
        EXPECT_INT((uintptr_t)block % 64, 0);
        for (int64_t i = 0; i < count; i++)
            EXPECT_INT(block[i], i);
        for (int64_t i = count; i < n; i++)
            block[i] = (int)i;
        count = n;
    }
    block = mem_resize(block, count, 2, sizeof *block);
    EXPECT_INT(block[1], 1);
    mem_free(block);
}

static void test_a_list_grows_by_one_and_keeps_its_content(void)
{
    int *list = NULL;

    for (int n = 0; n < 1000; n++) {
        list = mem_grow(list, n + 1, sizeof *list);
        list[n] = n;
    }
    for (int n = 0; n < 1000; n++)
        EXPECT_INT(list[n], n);
    mem_free(list);
}

static void test_free_accepts_null(void)
{
    mem_free(NULL);
}

static void test_copies_of_strings_end_with_nul(void)
{
    char *whole = mem_text("lenet5"), *part = mem_text_n("lenet5", 5), *none = mem_text_n(NULL, 0);

    EXPECT_TEXT(whole, "lenet5");
    EXPECT_TEXT(part, "lenet");
    EXPECT_TEXT(none, "");
    mem_free(whole);
    mem_free(part);
    mem_free(none);
}

static void ask_for_too_much(void)
{
    mem_free(mem_alloc(INT64_MAX / 4, 16));
}

static void test_a_size_that_overflows_ends_the_program_with_a_message(void)
{
    struct child c;

    child_run(&c, ask_for_too_much);
    EXPECT_INT(c.exit_code, 1);
    EXPECT_HAS(text_get(&c.said), "out of memory");
    child_release(&c);
}

static void ask_for_a_negative_count(void)
{
    signal(SIGABRT, SIG_DFL);
    mem_free(mem_alloc(-1, 4));
}

static void test_a_negative_count_is_a_bug(void)
{
    struct child c;

    child_run(&c, ask_for_a_negative_count);
    EXPECT_INT(c.signal, SIGABRT);
    EXPECT_HAS(text_get(&c.said), "count >= 0");
    child_release(&c);
}

TEST_MAIN(TEST(test_blocks_of_every_size_are_aligned_to_64_bytes),
          TEST(test_blocks_are_zeroed_also_where_memory_is_used_again),
          TEST(test_a_large_block_is_not_touched_before_it_is_used),
          TEST(test_a_resized_block_keeps_content_and_alignment),
          TEST(test_a_list_grows_by_one_and_keeps_its_content), TEST(test_free_accepts_null),
          TEST(test_copies_of_strings_end_with_nul),
          TEST(test_a_size_that_overflows_ends_the_program_with_a_message),
          TEST(test_a_negative_count_is_a_bug))
