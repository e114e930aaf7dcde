/*
 * test_file.c - base/file.h.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "scratch.h"
#include "test.h"

static int64_t count_entries(const char *folder)
{
    DIR *d = opendir(folder);
    int64_t count = -2; /* "." and ".." */

    CHECK(d != NULL);
    while (readdir(d) != NULL)
        count++;
    closedir(d);
    return count;
}

static void expect_content(const char *path, const char *expected)
{
    struct text t = {0};

    if (EXPECT_OK(file_read(path, 1 << 20, &t)))
        EXPECT_TEXT(text_get(&t), expected);
    text_release(&t);
}

static void test_a_written_text_reads_back(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a.txt");

    EXPECT_OK(file_write_text(path, "hello\n"));
    expect_content(path, "hello\n");
    EXPECT_INT(file_size(path), 6);
    EXPECT_INT(count_entries(folder), 1);
    mem_free(path);
    scratch_remove(folder);
}

static void test_until_close_a_reader_sees_the_old_file(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a.txt");
    struct file_writer w;

    EXPECT_OK(file_write_text(path, "old"));
    EXPECT_OK(file_writer_open(&w, path));
    EXPECT_OK(file_writer_put(&w, "new", 3));
    expect_content(path, "old");
    EXPECT_OK(file_writer_close(&w, STATUS_OK));
    expect_content(path, "new");
    EXPECT_INT(count_entries(folder), 1);
    mem_free(path);
    scratch_remove(folder);
}

static void test_who_has_the_old_file_open_keeps_all_of_it(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a.txt");
    char bytes[8] = "";

    EXPECT_OK(file_write_text(path, "old"));

    const int reader = open(path, O_RDONLY);

    EXPECT_OK(file_write_text(path, "newer"));
    EXPECT_INT(read(reader, bytes, sizeof bytes), 3);
    EXPECT(memcmp(bytes, "old", 3) == 0);
    close(reader);
    mem_free(path);
    scratch_remove(folder);
}

static void test_a_body_that_failed_leaves_the_old_file_and_no_other(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a.txt");
    struct file_writer w;

    EXPECT_OK(file_write_text(path, "old"));
    EXPECT_OK(file_writer_open(&w, path));
    EXPECT_OK(file_writer_put(&w, "half", 4));
    EXPECT_INT(file_writer_close(&w, STATUS_DIVERGED), STATUS_DIVERGED);
    expect_content(path, "old");
    EXPECT_INT(count_entries(folder), 1);
    mem_free(path);
    scratch_remove(folder);
}

/* Makes the open writer write to a disk that is full. */
static void fill_disk(struct file_writer *w)
{
    const int full = open("/dev/full", O_WRONLY);

    CHECK(full >= 0 && dup2(full, w->descriptor) == w->descriptor);
    close(full);
}

static void test_a_full_disk_at_close_is_an_error_that_names_the_file(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a.txt");
    struct file_writer w;

    EXPECT_OK(file_write_text(path, "old"));
    EXPECT_OK(file_writer_open(&w, path));
    fill_disk(&w);
    EXPECT_OK(file_writer_put(&w, "new", 3)); /* still in the buffer */
    EXPECT_FAILS(file_writer_close(&w, STATUS_OK), STATUS_IO, "No space left on device");
    EXPECT_HAS(status_message(), path);
    expect_content(path, "old");
    EXPECT_INT(count_entries(folder), 1);
    mem_free(path);
    scratch_remove(folder);
}

static void test_a_full_disk_is_found_by_put_when_the_buffer_is_full(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a.bin");
    char *block = MEM_NEW_N(char, 1 << 20);
    struct file_writer w;

    EXPECT_OK(file_writer_open(&w, path));
    fill_disk(&w);
    EXPECT_FAILS(file_writer_put(&w, block, 1 << 20), STATUS_IO, "No space left on device");
    EXPECT_INT(file_writer_close(&w, STATUS_IO), STATUS_IO);
    EXPECT_INT(count_entries(folder), 0);
    mem_free(block);
    mem_free(path);
    scratch_remove(folder);
}

static void test_pieces_of_any_size_arrive_in_order(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a.bin");
    const size_t total = 700000;
    char *bytes = MEM_NEW_N(char, (int64_t)total);
    struct file_writer w;
    struct text t = {0};

    for (size_t i = 0; i < total; i++)
        bytes[i] = (char)(i * 2654435761U >> 13);
    EXPECT_OK(file_writer_open(&w, path));
    for (size_t at = 0, n = 0; at < total; at += n) {
        n = 1 + at / 3 < total - at ? 1 + at / 3 : total - at; /* 1 byte to beyond the buffer */
        EXPECT_OK(file_writer_put(&w, bytes + at, n));
    }
    EXPECT_OK(file_writer_close(&w, STATUS_OK));
    EXPECT_OK(file_read(path, total, &t));
    EXPECT_INT(t.length, total);
    EXPECT(t.length == total && memcmp(t.data, bytes, total) == 0);
    text_release(&t);
    mem_free(bytes);
    mem_free(path);
    scratch_remove(folder);
}

static void test_a_file_that_cannot_be_created_is_an_error_that_names_it(void)
{
    struct file_writer w;

    EXPECT_FAILS(file_writer_open(&w, "/nowhere/at/all.txt"), STATUS_IO, "/nowhere/at/all.txt");
    EXPECT_HAS(status_message(), "No such file or directory");
}

static void test_a_folder_is_not_replaced_by_a_file(void)
{
    char *folder = scratch_new(), *inner = file_join(folder, "inner");

    EXPECT_OK(file_make_folders(inner));
    EXPECT_FAILS(file_write_text(inner, "x"), STATUS_IO, inner);
    EXPECT(file_is_folder(inner));
    EXPECT_INT(count_entries(folder), 1);
    mem_free(inner);
    scratch_remove(folder);
}

static void test_a_link_stays_and_its_file_is_replaced(void)
{
    char *folder = scratch_new(), *real = file_join(folder, "real"), *link = file_join(folder, "l"),
         *outer = file_join(folder, "outer");
    struct stat info;

    CHECK(symlink("real", link) == 0 && symlink(link, outer) == 0);
    EXPECT_OK(file_write_text(outer, "new")); /* where there was no file */
    expect_content(real, "new");
    EXPECT_OK(file_write_text(outer, "newer"));
    expect_content(real, "newer");
    EXPECT(lstat(real, &info) == 0 && S_ISREG(info.st_mode));
    EXPECT(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    EXPECT(lstat(outer, &info) == 0 && S_ISLNK(info.st_mode));
    EXPECT_INT(count_entries(folder), 3);
    mem_free(outer);
    mem_free(link);
    mem_free(real);
    scratch_remove(folder);
}

static void test_a_link_that_leads_to_itself_is_an_error(void)
{
    char *folder = scratch_new(), *link = file_join(folder, "l");
    struct stat info;

    CHECK(symlink("l", link) == 0);
    EXPECT_FAILS(file_write_text(link, "x"), STATUS_IO, link);
    EXPECT(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    EXPECT_INT(count_entries(folder), 1);
    mem_free(link);
    scratch_remove(folder);
}

static void test_a_pipe_is_written_and_stays(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "pipe");
    char bytes[8] = "";
    struct stat info;

    CHECK(mkfifo(path, 0600) == 0);

    const int reader = open(path, O_RDONLY | O_NONBLOCK);

    EXPECT_OK(file_write_text(path, "abc"));
    EXPECT_INT(read(reader, bytes, sizeof bytes), 3);
    EXPECT(memcmp(bytes, "abc", 3) == 0);
    EXPECT(lstat(path, &info) == 0 && S_ISFIFO(info.st_mode));
    EXPECT_INT(count_entries(folder), 1);
    close(reader);
    mem_free(path);
    scratch_remove(folder);
}

/* Through a link in a folder of the test's own: a writer that renames would take the link. */
static void test_a_full_device_is_an_error_and_stays_a_device(void)
{
    char *folder = scratch_new(), *link = file_join(folder, "full");
    struct stat info;

    CHECK(symlink("/dev/full", link) == 0);
    EXPECT_FAILS(file_write_text(link, "x"), STATUS_IO, "No space left on device");
    EXPECT(stat(link, &info) == 0 && S_ISCHR(info.st_mode));
    EXPECT(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    EXPECT_INT(count_entries(folder), 1);
    mem_free(link);
    scratch_remove(folder);
}

/* What stdout has so far stays, and what follows comes behind. */
static void test_the_file_of_stdout_is_written_on(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "out");
    const int usual = dup(STDOUT_FILENO), file = open(path, O_WRONLY | O_CREAT, 0600);

    CHECK(usual >= 0 && file >= 0 && dup2(file, STDOUT_FILENO) == STDOUT_FILENO);
    EXPECT_INT(write(STDOUT_FILENO, "a", 1), 1);

    const enum status s = file_write_text("/dev/stdout", "b");

    EXPECT_INT(write(STDOUT_FILENO, "c", 1), 1);
    CHECK(dup2(usual, STDOUT_FILENO) == STDOUT_FILENO);
    EXPECT_OK(s);
    expect_content(path, "abc");
    EXPECT_INT(count_entries(folder), 1);
    close(file);
    close(usual);
    mem_free(path);
    scratch_remove(folder);
}

static void expect_writable_as_written(const char *path, const char *error)
{
    if (error == NULL) {
        EXPECT_OK(file_check_writable(path));
        return;
    }
    EXPECT_FAILS(file_check_writable(path), STATUS_IO, error);
    EXPECT_FAILS(file_write_text(path, "x"), STATUS_IO, error);
}

static void test_what_cannot_be_written_is_known_before(void)
{
    char *folder = scratch_new(), *new = file_join(folder, "a"), *deep = file_join(new, "b"),
         *link = file_join(folder, "l");

    CHECK(symlink("no/such/place", link) == 0);
    expect_writable_as_written(new, NULL);
    expect_writable_as_written("/dev/full", NULL);
    expect_writable_as_written("/dev/stdout", NULL);
    expect_writable_as_written(deep, "No such file or directory");
    expect_writable_as_written(link, "No such file or directory");
    expect_writable_as_written(folder, "Is a directory");
    EXPECT_INT(count_entries(folder), 1); /* the link */
    EXPECT_OK(file_write_text(new, "x"));
    expect_writable_as_written(new, NULL);
    expect_writable_as_written(deep, "Not a directory");
    expect_content(new, "x");
    mem_free(link);
    mem_free(deep);
    mem_free(new);
    scratch_remove(folder);
}

static void test_reading_refuses_more_than_the_limit(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a.txt");
    struct text t = {0};

    EXPECT_OK(file_write_text(path, "12345"));
    EXPECT_OK(file_read(path, 5, &t));
    EXPECT_FAILS(file_read(path, 4, &t), STATUS_IO, "larger than the 4 bytes");
    EXPECT_FAILS(file_read("/dev/zero", 1000, &t), STATUS_IO, "/dev/zero");
    text_release(&t);
    mem_free(path);
    scratch_remove(folder);
}

static void test_reading_nothing_or_a_folder_is_an_error(void)
{
    struct text t = {0};

    EXPECT_FAILS(file_read("/nowhere.txt", 10, &t), STATUS_IO,
                 "/nowhere.txt: cannot open: No such");
    EXPECT_FAILS(file_read("/tmp", 10, &t), STATUS_IO, "/tmp: cannot read: Is a directory");
    text_release(&t);
}

static void test_an_empty_file_reads_as_an_empty_text(void)
{
    struct text t = {0};

    text_add(&t, "what was there before goes away");
    EXPECT_OK(file_read("/dev/null", 10, &t));
    EXPECT_TEXT(text_get(&t), "");
    text_release(&t);
}

static void test_log_lines_are_appended_across_openings(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "log.txt");

    for (int i = 0; i < 2; i++) {
        struct file_log l;

        EXPECT_OK(file_log_open(&l, path));
        EXPECT_OK(file_log_line(&l, i == 0 ? "one" : "two"));
        file_log_close(&l);
        file_log_close(&l); /* may be called twice */
    }
    expect_content(path, "one\ntwo\n");
    mem_free(path);
    scratch_remove(folder);
}

static void test_a_log_line_on_a_full_disk_is_an_error(void)
{
    struct file_log l;

    EXPECT_OK(file_log_open(&l, "/dev/full"));
    EXPECT_FAILS(file_log_line(&l, "x"), STATUS_IO, "/dev/full: cannot write: No space left");
    file_log_close(&l);
}

static void test_folders_are_made_with_their_parents_and_twice(void)
{
    char *folder = scratch_new(), *deep = file_join(folder, "a/b//c/");

    EXPECT_OK(file_make_folders(deep));
    EXPECT_OK(file_make_folders(deep));
    EXPECT(file_is_folder(deep));
    mem_free(deep);
    scratch_remove(folder);
}

static void test_a_file_in_the_way_of_a_folder_is_an_error(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a"), *below = file_join(path, "b");

    EXPECT_OK(file_write_text(path, ""));
    EXPECT_FAILS(file_make_folders(path), STATUS_IO, path);
    EXPECT_FAILS(file_make_folders(below), STATUS_IO, "cannot make the folder");
    mem_free(below);
    mem_free(path);
    scratch_remove(folder);
}

static void test_what_exists_is_told_apart(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a");

    EXPECT(!file_exists(path));
    EXPECT_INT(file_size(path), -1);
    EXPECT_OK(file_write_text(path, "abc"));
    EXPECT(file_exists(path) && !file_is_folder(path));
    EXPECT(file_exists(folder) && file_is_folder(folder));
    EXPECT_INT(file_size(folder), -1);
    mem_free(path);
    scratch_remove(folder);
}

static void test_removing_twice_is_fine(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a");

    EXPECT_OK(file_write_text(path, "abc"));
    EXPECT_OK(file_remove(path));
    EXPECT(!file_exists(path));
    EXPECT_OK(file_remove(path));
    EXPECT_OK(file_write_text(path, "abc"));
    EXPECT_FAILS(file_remove(folder), STATUS_IO, folder);
    mem_free(path);
    scratch_remove(folder);
}

static void expect_joined(const char *a, const char *b, const char *expected)
{
    char *joined = file_join(a, b);

    EXPECT_TEXT(joined, expected);
    mem_free(joined);
}

static void test_paths_are_joined_by_one_slash(void)
{
    expect_joined("a", "b", "a/b");
    expect_joined("a/", "b", "a/b");
    expect_joined("/", "b", "/b");
    expect_joined("a", "/b", "/b");
    expect_joined("", "b", "b");
}

static void expect_absolute(const char *path, const char *folder, const char *below)
{
    char *absolute = file_absolute(path), *expected = text_format("%s%s", folder, below);

    EXPECT_TEXT(absolute, expected);
    mem_free(absolute);
    mem_free(expected);
}

static void test_a_file_has_one_absolute_path_however_it_is_written(void)
{
    char *scratch = scratch_new(), *folder = realpath(scratch, NULL), *before = getcwd(NULL, 0);
    char *deep = file_join(folder, "a/b"), *link = file_join(folder, "a/link");

    EXPECT_OK(file_make_folders(deep));
    EXPECT_INT(symlink(folder, link), 0);
    EXPECT_INT(chdir(deep), 0);
    expect_absolute("x.png", folder, "/a/b/x.png");
    expect_absolute("./c//x.png", folder, "/a/b/c/x.png");
    expect_absolute("../../x.png", folder, "/x.png");
    expect_absolute(deep, folder, "/a/b");
    expect_absolute("../b/../x/", folder, "/a/x");
    expect_absolute("../link/x.png", folder, "/a/link/x.png");
    expect_absolute("../link/../x.png", folder, "/a/link/../x.png"); /* not in a */
    expect_absolute("/", "/", "");
    expect_absolute("/..", "/", "");
    EXPECT_INT(chdir(before), 0);
    free(before);
    free(folder);
    mem_free(deep);
    mem_free(link);
    scratch_remove(scratch);
}

TEST_MAIN(
    TEST(test_a_written_text_reads_back), TEST(test_until_close_a_reader_sees_the_old_file),
    TEST(test_who_has_the_old_file_open_keeps_all_of_it),
    TEST(test_a_body_that_failed_leaves_the_old_file_and_no_other),
    TEST(test_a_full_disk_at_close_is_an_error_that_names_the_file),
    TEST(test_a_full_disk_is_found_by_put_when_the_buffer_is_full),
    TEST(test_pieces_of_any_size_arrive_in_order),
    TEST(test_a_file_that_cannot_be_created_is_an_error_that_names_it),
    TEST(test_a_folder_is_not_replaced_by_a_file), TEST(test_a_link_stays_and_its_file_is_replaced),
    TEST(test_a_link_that_leads_to_itself_is_an_error), TEST(test_a_pipe_is_written_and_stays),
    TEST(test_a_full_device_is_an_error_and_stays_a_device),
    TEST(test_the_file_of_stdout_is_written_on), TEST(test_what_cannot_be_written_is_known_before),
    TEST(test_reading_refuses_more_than_the_limit),
    TEST(test_reading_nothing_or_a_folder_is_an_error),
    TEST(test_an_empty_file_reads_as_an_empty_text),
    TEST(test_log_lines_are_appended_across_openings),
    TEST(test_a_log_line_on_a_full_disk_is_an_error),
    TEST(test_folders_are_made_with_their_parents_and_twice),
    TEST(test_a_file_in_the_way_of_a_folder_is_an_error), TEST(test_what_exists_is_told_apart),
    TEST(test_removing_twice_is_fine), TEST(test_paths_are_joined_by_one_slash),
    TEST(test_a_file_has_one_absolute_path_however_it_is_written))
