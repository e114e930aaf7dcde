/*
 * test_host_memory.c - base/host_memory.h: limits of cgroups as the kernel's documentation
 * describes their files, and the limit of address space.
 */
#include <sys/resource.h>
#include <unistd.h>

#include "base/host_memory.h"
#include "scratch.h"
#include "test.h"

/* A file below a folder, whose folders are made. */
static void put(const char *folder, const char *path, const char *content)
{
    char *whole = file_join(folder, path);
    char *slash = strrchr(whole, '/');

    *slash = '\0';
    EXPECT_OK(file_make_folders(whole));
    *slash = '/';
    EXPECT_OK(file_write_text(whole, content));
    mem_free(whole);
}

static double limit_of(const char *folder, const char *list)
{
    char *path = file_join(folder, "list");

    EXPECT_OK(file_write_text(path, list));
    const double limit = host_memory_cgroup(path, folder);
    mem_free(path);
    return limit;
}

static void test_the_least_limit_of_a_group_and_those_around_it_counts(void)
{
    char *folder = scratch_new();

    put(folder, "a/b/memory.max", "max\n");
    EXPECT(limit_of(folder, "0::/a/b\n") > 1e300);
    put(folder, "a/memory.max", "3000\n");
    EXPECT_NEAR(limit_of(folder, "0::/a/b\n"), 3000, 0);
    put(folder, "a/b/memory.max", "2000\n");
    EXPECT_NEAR(limit_of(folder, "0::/a/b\n"), 2000, 0);
    EXPECT_NEAR(limit_of(folder, "0::/a\n"), 3000, 0);
    EXPECT(limit_of(folder, "0::/\n") > 1e300);
    scratch_remove(folder);
}

static void test_a_container_sees_its_own_group_at_the_top(void)
{
    char *folder = scratch_new();

    put(folder, "memory.max", "5000\n");
    EXPECT_NEAR(limit_of(folder, "0::/\n"), 5000, 0);
    EXPECT_NEAR(limit_of(folder, "0::/../outside\n"), 5000, 0);
    scratch_remove(folder);
}

static void test_version_1_has_a_folder_for_memory(void)
{
    char *folder = scratch_new();

    put(folder, "memory/a/memory.limit_in_bytes", "7000\n");
    put(folder, "memory/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT_NEAR(limit_of(folder, "5:cpu,cpuacct:/a\n4:memory:/a\n0::/\n"), 7000, 0);
    EXPECT_NEAR(limit_of(folder, "4:hugetlb,memory:/a\n"), 7000, 0);
    EXPECT(limit_of(folder, "4:memory:/other\n") > 9e18);
    EXPECT(limit_of(folder, "4:memoryless:/a\n3:cpu:/a\n") > 1e300);
    scratch_remove(folder);
}

static void test_what_cannot_be_read_is_no_limit(void)
{
    char *folder = scratch_new();

    EXPECT(host_memory_cgroup("/nowhere/list", folder) > 1e300);
    put(folder, "memory.max", "much\n");
    EXPECT(limit_of(folder, "0::/\n") > 1e300);
    put(folder, "memory.max", "");
    EXPECT(limit_of(folder, "not a line\n0:\n\n0::/\n") > 1e300);
    scratch_remove(folder);
}

static void test_the_limit_of_address_space_counts_for_each_process(void)
{
    const double physical = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const double unlimited = host_memory(1).bytes;
    struct rlimit before, limit, now;

    EXPECT(unlimited <= physical);
    EXPECT(unlimited > 0);
    EXPECT_INT(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = (rlim_t)(unlimited / 4);
    EXPECT_INT(setrlimit(RLIMIT_AS, &limit), 0);
    EXPECT_INT(getrlimit(RLIMIT_AS, &now), 0);
    if (now.rlim_cur != limit.rlim_cur)
        return; /* qemu-user accepts a limit of address space and ignores it */
    const struct host_memory m = host_memory(1), two = host_memory(2), many = host_memory(100);
    EXPECT_INT(setrlimit(RLIMIT_AS, &before), 0);
    EXPECT_NEAR(m.bytes, floor(unlimited / 4), 0);
    EXPECT_NEAR(two.bytes, 2 * floor(unlimited / 4), 0);
    EXPECT_NEAR(many.bytes, unlimited, 0);
    EXPECT(strstr(m.who, "ulimit") != NULL);
}

TEST_MAIN(TEST(test_the_least_limit_of_a_group_and_those_around_it_counts),
          TEST(test_a_container_sees_its_own_group_at_the_top),
          TEST(test_version_1_has_a_folder_for_memory), TEST(test_what_cannot_be_read_is_no_limit),
          TEST(test_the_limit_of_address_space_counts_for_each_process))
