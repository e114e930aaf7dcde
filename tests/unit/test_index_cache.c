/*
 * test_index_cache.c - names of pictures that are kept from run to run: used when nothing has
 * changed, and never wrong.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/dataset.h"
#include "data/index_cache.h"
#include "scratch.h"
#include "test.h"
#include "unit/file_case.h"

enum { CLASSES = 3, PICTURES = IMAGE_INDEX_KEPT / CLASSES + 1 };

static char *scratch, *tree; /* tree has more than IMAGE_INDEX_KEPT pictures */

/* --- files --- */

static void make_file(const char *folder, const char *name)
{
    char *path = file_join(folder, name);
    const int file = open(path, O_CREAT | O_WRONLY, 0666);

    CHECK(file >= 0 && close(file) == 0);
    mem_free(path);
}

static void make_class(const char *root, int64_t number, int64_t pictures)
{
    char *folder = text_format("%s/class%lld", root, (long long)number);

    CHECK(file_make_folders(folder) == STATUS_OK);
    for (int64_t i = 0; i < pictures; i++) {
        char *name = text_format("%lld_%lld.%s", (long long)number, (long long)(i * 7919 % 100003),
                                 i % 2 == 0 ? "JPEG" : "png");

        make_file(folder, name);
        mem_free(name);
    }
    mem_free(folder);
}

/* Another time of modification in the past, which is another one for each `day`. */
static void set_time(const char *folder, int64_t day)
{
    const struct timespec at = {.tv_sec = 86400 * (1000 + day)};

    EXPECT_INT(utimensat(AT_FDCWD, folder, (struct timespec[2]){at, at}, 0), 0);
}

static void set_times(const char *root, int64_t classes, int64_t day)
{
    for (int64_t k = 0; k < classes; k++) {
        char *folder = text_format("%s/class%lld", root, (long long)k);

        set_time(folder, day);
        mem_free(folder);
    }
}

static char *make_tree(const char *name, int64_t classes, int64_t pictures)
{
    char *root = file_join(scratch, name);

    for (int64_t k = 0; k < classes; k++)
        make_class(root, k, pictures);
    set_times(root, classes, 0);
    return root;
}

static void begin(void)
{
    scratch = scratch_new();
    EXPECT_INT(setenv("XDG_DATA_HOME", scratch, 1), 0);
    tree = make_tree("tree", CLASSES, PICTURES);
}

static void end(void)
{
    mem_free(tree);
    scratch_remove(scratch);
}

static char *cache_of(const char *root)
{
    return dataset_cache_path(root, "names");
}

/* --- indices --- */

static bool is_same(const struct image_index *a, const struct image_index *b)
{
    if (a->class_count != b->class_count || a->count != b->count ||
        a->text.length != b->text.length || memcmp(a->text.data, b->text.data, a->text.length) != 0)
        return false;
    for (int64_t k = 0; k < a->class_count; k++)
        if (strcmp(a->names[k], b->names[k]) != 0)
            return false;
    return memcmp(a->labels, b->labels, (size_t)a->count * sizeof *a->labels) == 0 &&
           memcmp(a->starts, b->starts, (size_t)a->count * sizeof *a->starts) == 0;
}

/* Where there is no place for a cache, names are those of the folders. */
static void read_plainly(struct image_index *x, const char *root)
{
    EXPECT_INT(setenv("XDG_DATA_HOME", "/dev/null", 1), 0);
    EXPECT_OK(image_index_read(x, root, ""));
    EXPECT_INT(setenv("XDG_DATA_HOME", scratch, 1), 0);
}

/* Twice, so that the second time has the cache of the first. */
static void expect_right(const char *root)
{
    struct image_index plain, x;

    read_plainly(&plain, root);
    for (int k = 0; k < 2; k++) {
        if (EXPECT_OK(image_index_read(&x, root, "")))
            EXPECT(is_same(&x, &plain));
        image_index_release(&x);
    }
    image_index_release(&plain);
}

/* How many classes need not be read. */
static int64_t count_kept(const char *root)
{
    struct image_index x;
    struct index_cache c;
    int64_t kept = 0, bytes;

    read_plainly(&x, root);
    index_cache_open(&c, &x);
    for (int64_t k = 0; k < x.class_count; k++) {
        char *folder = file_join(root, x.names[k]);
        const struct folder_stamp stamp = folder_stamp_of(folder);

        kept += index_cache_find(&c, x.names[k], &stamp, &bytes) != NULL;
        mem_free(folder);
    }
    index_cache_close(&c);
    image_index_release(&x);
    return kept;
}

/* --- statements --- */

static void test_names_are_kept_and_used_again(void)
{
    char *path = cache_of(tree);
    struct stat first, second;

    EXPECT_INT(count_kept(tree), 0);
    expect_right(tree);
    EXPECT_INT(stat(path, &first), 0);
    EXPECT_INT(count_kept(tree), CLASSES);
    expect_right(tree);
    EXPECT_INT(stat(path, &second), 0);
    EXPECT(first.st_ino == second.st_ino); /* it was not written again */
    mem_free(path);
}

static void test_names_of_small_folders_are_not_kept(void)
{
    char *small = make_tree("small", 2, 3), *path = cache_of(small);

    expect_right(small);
    EXPECT(!file_exists(path));
    mem_free(path);
    mem_free(small);
}

/* Names are read again where a folder has changed, and kept again. */
static void expect_noticed(int64_t kept, int64_t classes)
{
    EXPECT_INT(count_kept(tree), kept);
    expect_right(tree);
    EXPECT_INT(count_kept(tree), classes);
}

static void test_a_file_that_is_added_removed_or_renamed_is_noticed(void)
{
    char *folder = file_join(tree, "class1"), *new = file_join(folder, "a new one.jpg"),
         *other = file_join(folder, "0.jpg");

    make_file(folder, "a new one.jpg");
    set_time(folder, 1);
    expect_noticed(CLASSES - 1, CLASSES);
    EXPECT_OK(file_rename(new, other));
    set_time(folder, 1); /* as before: the time of the change says it */
    expect_noticed(CLASSES - 1, CLASSES);
    EXPECT_OK(file_remove(other));
    set_time(folder, 2);
    expect_noticed(CLASSES - 1, CLASSES);
    mem_free(folder);
    mem_free(new);
    mem_free(other);
}

static void test_a_file_that_is_replaced_in_place_keeps_its_name(void)
{
    char *folder = file_join(tree, "class0");
    struct image_index x;

    EXPECT_OK(image_index_read(&x, tree, ""));
    EXPECT_OK(file_write_in(scratch, "picture", "other content"));
    char *path = image_index_path(&x, 0), *content = file_join(scratch, "picture");
    EXPECT_INT(truncate(path, 5), 0);
    EXPECT_INT(count_kept(tree), CLASSES);
    EXPECT_INT(rename(content, path), 0);
    set_time(folder, 3);
    expect_noticed(CLASSES - 1, CLASSES);
    mem_free(path);
    mem_free(content);
    mem_free(folder);
    image_index_release(&x);
}

static void test_classes_that_are_added_removed_or_renamed_are_noticed(void)
{
    char *first = file_join(tree, "class0"), *before = file_join(tree, "a class");

    make_class(tree, CLASSES, 5);
    set_times(tree, CLASSES + 1, 4);
    expect_noticed(0, CLASSES + 1);
    EXPECT_OK(file_rename(first, before));
    set_time(before, 5);
    expect_noticed(CLASSES, CLASSES + 1);
    EXPECT_OK(file_rename(before, first));
    char *last = text_format("%s/class%d", tree, CLASSES);
    scratch_remove(last);
    set_time(first, 6);
    expect_noticed(CLASSES - 1, CLASSES);
    mem_free(first);
    mem_free(before);
}

static void test_a_link_to_a_folder_is_a_class_as_long_as_it_leads_somewhere(void)
{
    char *link = file_join(tree, "link"), *target = file_join(scratch, "elsewhere/class0");
    char *elsewhere = file_join(scratch, "elsewhere");

    EXPECT_INT(symlink(target, link), 0);
    expect_noticed(CLASSES, CLASSES);
    make_class(elsewhere, 0, 3);
    set_time(target, 7);
    expect_noticed(CLASSES, CLASSES + 1);
    scratch_remove(elsewhere);
    expect_noticed(CLASSES, CLASSES);
    EXPECT_OK(file_remove(link));
    mem_free(link);
    mem_free(target);
}

static void test_a_folder_that_has_just_changed_is_not_kept(void)
{
    char *path = cache_of(tree), *folder = file_join(tree, "class2");

    EXPECT_OK(file_remove(path));
    EXPECT_INT(utimensat(AT_FDCWD, folder, NULL, 0), 0);
    expect_right(tree);
    EXPECT(!file_exists(path));
    set_time(folder, 8);
    expect_noticed(0, CLASSES);
    mem_free(path);
    mem_free(folder);
}

/* --- damage --- */

static void write_bytes(const char *path, const struct text *bytes, size_t count)
{
    struct file_writer w;

    EXPECT_OK(file_writer_open(&w, path));
    EXPECT_OK(file_writer_close(&w, file_writer_put(&w, bytes->data, count)));
}

/* The cache of a small folder, whatever its size. */
static char *keep_small(const char *root)
{
    struct folder_stamp stamps[2];
    struct image_index x;
    struct index_cache c;

    EXPECT_OK(image_index_read(&x, root, ""));
    for (int64_t k = 0; k < 2; k++) {
        char *folder = file_join(root, x.names[k]);

        stamps[k] = folder_stamp_of(folder);
        mem_free(folder);
    }
    index_cache_open(&c, &x);
    EXPECT(index_cache_update(&c, &x, stamps));
    index_cache_close(&c);
    image_index_release(&x);
    return cache_of(root);
}

static void test_a_cache_with_any_bit_changed_or_any_end_missing_is_not_used(void)
{
    char *small = file_join(scratch, "small"), *path = keep_small(small);
    struct text file = {0};

    EXPECT_INT(count_kept(small), 2);
    EXPECT_OK(file_read(path, 1 << 20, &file));
    for (size_t bytes = 0; bytes < file.length; bytes++) {
        write_bytes(path, &file, bytes);
        EXPECT_INT(count_kept(small), 0);
    }
    for (size_t i = 0; i < file.length; i++) {
        file.data[i] = (char)(file.data[i] ^ 1 << i % 8);
        write_bytes(path, &file, file.length);
        EXPECT_INT(count_kept(small), 0);
        file.data[i] = (char)(file.data[i] ^ 1 << i % 8);
    }
    write_bytes(path, &file, file.length + 1); /* one more byte, of 0 */
    EXPECT_INT(count_kept(small), 0);
    write_bytes(path, &file, file.length);
    EXPECT_INT(count_kept(small), 2);
    text_release(&file);
    mem_free(path);
    mem_free(small);
}

static void test_a_damaged_cache_is_written_again(void)
{
    char *path = cache_of(tree);

    expect_right(tree);
    for (int64_t k = 0; k < 3; k++) {
        flip_byte(path, k == 0 ? 20 : file_size(path) * k / 3);
        expect_noticed(0, CLASSES);
    }
    EXPECT_INT(truncate(path, 1000), 0);
    expect_noticed(0, CLASSES);
    EXPECT_OK(file_remove(path));
    EXPECT_OK(file_make_folders(path)); /* what is no file stays, and does not disturb */
    expect_noticed(0, 0);
    EXPECT_OK(file_remove(path));
    expect_noticed(0, CLASSES);
    mem_free(path);
}

/* A folder that gets another name has the same classes with the same times. */
static void test_the_cache_of_another_folder_is_not_used(void)
{
    char *small = file_join(scratch, "small"), *moved = file_join(scratch, "moved");
    char *from = keep_small(small), *to = cache_of(moved);

    EXPECT_OK(file_rename(small, moved));
    EXPECT_INT(count_kept(moved), 0);
    EXPECT_OK(file_rename(from, to));
    EXPECT_INT(count_kept(moved), 0);
    EXPECT_OK(file_rename(moved, small));
    EXPECT_OK(file_rename(to, from));
    mem_free(small);
    mem_free(moved);
    mem_free(from);
    mem_free(to);
}

/* --- several processes --- */

/* Reads the index again and again, and removes or damages the cache in between. */
static int disturb(const struct image_index *plain, int64_t number)
{
    char *path = cache_of(tree);
    struct image_index x;

    for (int64_t k = 0; k < 12; k++) {
        if (k % 4 == number)
            (void)file_remove(path);
        if (k % 4 == number + 2)
            (void)truncate(path, 5000);
        if (image_index_read(&x, tree, "") != STATUS_OK || !is_same(&x, plain))
            return 1;
        image_index_release(&x);
    }
    return 0;
}

static void test_processes_do_not_disturb_each_other(void)
{
    struct image_index plain;
    pid_t ids[2];
    int code;

    read_plainly(&plain, tree);
    for (int64_t k = 0; k < 2; k++) {
        ids[k] = fork();
        if (ids[k] == 0)
            _exit(disturb(&plain, k));
    }
    for (int64_t k = 0; k < 2; k++) {
        EXPECT_INT(waitpid(ids[k], &code, 0), ids[k]);
        EXPECT_INT(code, 0);
    }
    image_index_release(&plain);
    expect_right(tree);
    EXPECT_INT(count_kept(tree), CLASSES);
}

TEST_MAIN(TEST(begin), TEST(test_names_are_kept_and_used_again),
          TEST(test_names_of_small_folders_are_not_kept),
          TEST(test_a_file_that_is_added_removed_or_renamed_is_noticed),
          TEST(test_a_file_that_is_replaced_in_place_keeps_its_name),
          TEST(test_classes_that_are_added_removed_or_renamed_are_noticed),
          TEST(test_a_link_to_a_folder_is_a_class_as_long_as_it_leads_somewhere),
          TEST(test_a_folder_that_has_just_changed_is_not_kept),
          TEST(test_a_cache_with_any_bit_changed_or_any_end_missing_is_not_used),
          TEST(test_a_damaged_cache_is_written_again),
          TEST(test_the_cache_of_another_folder_is_not_used),
          TEST(test_processes_do_not_disturb_each_other), TEST(end))
