/*
 * test_file_map.c - files as read-only memory.
 */
#include <sys/stat.h>

#include "base/file_map.h"
#include "scratch.h"
#include "test.h"

static void test_a_mapped_file_has_its_bytes_and_its_size(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a");
    struct file_map m;
    struct text content = {0};

    for (int i = 0; i < 5000; i++)
        text_addf(&content, "%d\n", i);
    EXPECT_OK(file_write_text(path, text_get(&content)));
    if (EXPECT_OK(file_map_open(&m, path))) {
        EXPECT_TEXT(m.path, path);
        EXPECT_INT(m.bytes, content.length);
        EXPECT_INT(memcmp(m.data, content.data, content.length), 0);
        file_map_advise(&m, FILE_MAP_RANDOM);
        file_map_advise(&m, FILE_MAP_SEQUENTIAL);
        file_map_advise(&m, FILE_MAP_NORMAL);
        file_map_prefetch(&m, 4097, m.bytes - 4097);
        file_map_prefetch(&m, m.bytes, 0);
        EXPECT_INT(memcmp(m.data, content.data, content.length), 0);
    }
    file_map_close(&m);
    EXPECT(m.data == NULL);
    text_release(&content);
    mem_free(path);
    scratch_remove(folder);
}

/* Another name takes the place of a file that others have mapped: they keep the old one. */
static void test_a_replaced_file_stays_as_it_was_mapped(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a");
    struct file_map m;

    EXPECT_OK(file_write_text(path, "old"));
    EXPECT_OK(file_map_open(&m, path));
    EXPECT_OK(file_write_text(path, "new and longer"));
    EXPECT_INT(m.bytes, 3);
    EXPECT(memcmp(m.data, "old", 3) == 0);
    file_map_close(&m);
    mem_free(path);
    scratch_remove(folder);
}

static void test_an_empty_file_is_mapped_too(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "empty");
    struct file_map m;

    EXPECT_OK(file_write_text(path, ""));
    EXPECT_OK(file_map_open(&m, path));
    EXPECT(m.data != NULL);
    EXPECT_INT(m.bytes, 0);
    file_map_advise(&m, FILE_MAP_RANDOM);
    file_map_prefetch(&m, 0, 0);
    file_map_close(&m);
    mem_free(path);
    scratch_remove(folder);
}

static void test_what_cannot_be_mapped_is_named(void)
{
    char *folder = scratch_new(), *pipe = file_join(folder, "pipe");
    struct file_map m;

    EXPECT_FAILS(file_map_open(&m, "/nonexistent/file"), STATUS_IO,
                 "/nonexistent/file: cannot open: No such file");
    EXPECT(m.path == NULL && m.data == NULL);
    EXPECT_FAILS(file_map_open(&m, folder), STATUS_IO, ": is not a regular file");
    EXPECT_INT(mkfifo(pipe, 0600), 0);
    EXPECT_FAILS(file_map_open(&m, pipe), STATUS_IO, "pipe: is not a regular file");
    EXPECT(m.path == NULL && m.data == NULL);
    file_map_close(&m);
    mem_free(pipe);
    scratch_remove(folder);
}

TEST_MAIN(TEST(test_a_mapped_file_has_its_bytes_and_its_size),
          TEST(test_a_replaced_file_stays_as_it_was_mapped), TEST(test_an_empty_file_is_mapped_too),
          TEST(test_what_cannot_be_mapped_is_named))
