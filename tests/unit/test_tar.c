/*
 * test_tar.c - format/tar.h and format/gzip_file.h, with archives of the program tar.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "data_files.h"
#include "format/tar.h"
#include "test.h"

enum { LARGE = 300000 };

static const char long_name[] =
    "box/a_folder_whose_name_is_so_long_that_the_header_has_no_room_for_it/and_for_the_name_of_the_"
    "file_in_it_which_is_rather_long_as_well";

/* A shell command in the folder. */
static void run_in(const char *folder, const char *command)
{
    char *line = text_format("cd '%s' && %s", folder, command);

    CHECK(system(line) == 0); /* NOLINT: a fixed command */
    mem_free(line);
}

static void write_box(const char *folder)
{
    uint8_t *large = MEM_NEW_N(uint8_t, LARGE);

    for (int64_t i = 0; i < LARGE; i++)
        large[i] = (uint8_t)(i * 7 + i / 251);
    files_write(folder, "box/large", large, LARGE);
    files_write(folder, "box/empty", "", 0);
    files_write(folder, "box/small", "hello", 5);
    files_write(folder, long_name, "long", 4);
    mem_free(large);
    run_in(folder, "ln -s small box/link");
}

/* "name size sum of bytes\n" of every regular file. */
static enum status list_archive(const char *path, struct text *list)
{
    uint8_t buffer[1000];
    bool is_there = false;
    struct tar t;
    enum status s;

    text_clear(list);
    TRY(tar_open(&t, path));
    while ((s = tar_next(&t, &is_there)) == STATUS_OK && is_there) {
        int64_t bytes = 0, sum = 0;
        size_t got = 1;

        while (t.is_regular && s == STATUS_OK && got > 0) {
            s = tar_read(&t, buffer, sizeof buffer, &got);
            for (size_t i = 0; i < got; i++)
                sum += buffer[i];
            bytes += (int64_t)got;
        }
        if (s != STATUS_OK)
            break;
        if (t.is_regular)
            text_addf(list, "%s %lld %lld\n", text_get(&t.name), (long long)bytes, (long long)sum);
    }
    tar_close(&t);
    return s;
}

static enum status list_named(const char *folder, const char *name, struct text *list)
{
    char *path = file_join(folder, name);
    const enum status s = list_archive(path, list);

    mem_free(path);
    return s;
}

static void test_archives_of_every_format_are_read(void)
{
    char *folder = files_folder();
    int64_t sum = 0;
    char *expected = NULL;

    write_box(folder);
    for (int64_t i = 0; i < LARGE; i++)
        sum += (uint8_t)(i * 7 + i / 251);
    expected =
        text_format("%s 4 %d\nbox/empty 0 0\nbox/large %d %lld\nbox/small 5 %d\n", long_name,
                    'l' + 'o' + 'n' + 'g', LARGE, (long long)sum, 'h' + 'e' + 'l' + 'l' + 'o');
    static const char *const formats[] = {"ustar", "gnu", "pax", "oldgnu"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        for (int is_gzipped = 0; is_gzipped < 2; is_gzipped++) {
            char *command = text_format("tar --sort=name --format=%s -c%sf archive box", formats[i],
                                        is_gzipped != 0 ? "z" : "");
            struct text list = {0};

            run_in(folder, command);
            EXPECT_OK(list_named(folder, "archive", &list));
            EXPECT_TEXT(text_get(&list), expected);
            text_release(&list);
            mem_free(command);
        }
    }
    mem_free(expected);
    files_remove(folder);
}

static void test_names_outside_of_the_folder_are_rejected(void)
{
    static const char *const names[] = {"../evil", "/evil", "box/../../evil", "box/.."};
    char *folder = files_folder();

    files_write(folder, "box/small", "hello", 5);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        static const char *const formats[] = {"ustar", "gnu", "pax"};

        for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
            char *command =
                text_format("tar --format=%s -P --transform='s,.*,%s,' -cf archive box/small",
                            formats[k], names[i]);
            struct text list = {0};

            run_in(folder, command);
            EXPECT_FAILS(list_named(folder, "archive", &list), STATUS_IO, names[i]);
            EXPECT_HAS(status_message(), "rejected, because it has a file outside of its folder");
            text_release(&list);
            mem_free(command);
        }
    }
    run_in(folder, "tar --transform='s,.*,box/..small..,' -cf archive box/small");
    struct text list = {0};
    EXPECT_OK(list_named(folder, "archive", &list));
    EXPECT_HAS(text_get(&list), "box/..small.. 5");
    text_release(&list);
    files_remove(folder);
}

static void test_an_archive_that_is_cut_off_is_no_longer_one(void)
{
    char *folder = files_folder();
    struct text list = {0};

    write_box(folder);
    run_in(folder, "tar -czf whole box && head -c 700 whole >cut");
    EXPECT_FAILS(list_named(folder, "cut", &list), STATUS_IO,
                 "cut: ends in the middle of its gzip data");
    run_in(folder, "tar -cf whole box/large && head -c 200000 whole >cut");
    EXPECT_FAILS(list_named(folder, "cut", &list), STATUS_IO,
                 "cut: ends in the middle of box/large");
    run_in(folder, "head -c 300 whole >cut");
    EXPECT_FAILS(list_named(folder, "cut", &list), STATUS_IO, "it ends in a header");
    text_release(&list);
    files_remove(folder);
}

static void test_damage_is_found(void)
{
    char *folder = files_folder();
    struct text list = {0};

    write_box(folder);
    run_in(folder, "tar -cf archive box/small && printf x | dd of=archive conv=notrunc bs=1 "
                   "seek=3 2>/dev/null");
    EXPECT_FAILS(list_named(folder, "archive", &list), STATUS_IO,
                 "archive: is not a tar archive that can be read: the checksum of a header");
    run_in(folder, "tar -czf archive box && printf xxxx | dd of=archive conv=notrunc bs=1 "
                   "seek=500 2>/dev/null");
    EXPECT_FAILS(list_named(folder, "archive", &list), STATUS_IO, "archive: ");
    run_in(folder, "seq 1000 >archive");
    EXPECT_FAILS(list_named(folder, "archive", &list), STATUS_IO, "checksum of a header");
    EXPECT_FAILS(list_named(folder, "nothing", &list), STATUS_IO, "nothing: cannot open");
    text_release(&list);
    files_remove(folder);
}

static void test_the_digest_is_that_of_the_content_plain_or_gzipped(void)
{
    static const char *const names[] = {"plain", "plain.gz"};
    char *folder = files_folder();

    files_write(folder, "plain", "abc", 3);
    run_in(folder, "gzip -k plain");
    for (int i = 0; i < 2; i++) {
        char *path = file_join(folder, names[i]);
        uint8_t digest[SHA256_BYTES];
        struct text hex = {0};
        int64_t bytes = 0;

        EXPECT_OK(gzip_file_digest(path, &bytes, digest));
        EXPECT_INT(bytes, 3);
        text_add_hex(&hex, digest, sizeof digest);
        EXPECT_TEXT(text_get(&hex),
                    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        text_release(&hex);
        mem_free(path);
    }
    files_remove(folder);
}

TEST_MAIN(TEST(test_archives_of_every_format_are_read),
          TEST(test_names_outside_of_the_folder_are_rejected),
          TEST(test_an_archive_that_is_cut_off_is_no_longer_one), TEST(test_damage_is_found),
          TEST(test_the_digest_is_that_of_the_content_plain_or_gzipped))
