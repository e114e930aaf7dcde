/*
 * test_golden_formats.c - files of Python, NumPy and PyTorch are read as they hold them
 * (golden_formats.py).
 */
#include <glob.h>

#include "base/file.h"
#include "base/file_map.h"
#include "format/pickle.h"
#include "format_dump.h"
#include "test.h"

#define FOLDER TEST_SOURCE_DIR "/golden/vectors/formats/"

/* Compares with FILE.txt, which ends with a newline. */
static void expect_dump(struct text *dump, const char *path)
{
    char *expected_path = text_format("%s.txt", path);
    struct text expected = {0};

    text_add(dump, "\n");
    if (EXPECT_OK(file_read(expected_path, 1 << 20, &expected)) &&
        !EXPECT(text_equal(text_get(dump), text_get(&expected))))
        printf("# %s is\n%s, not\n%s", path, text_get(dump), text_get(&expected));
    text_release(&expected);
    mem_free(expected_path);
}

/* Calls `add` for the files that have such names; it appends what a file holds. */
static void with_files(const char *pattern, int count,
                       enum status (*add)(struct text *dump, const struct file_map *file))
{
    glob_t found = {0};

    EXPECT_INT(glob(pattern, 0, NULL, &found), 0);
    EXPECT_INT(found.gl_pathc, count); /* none was forgotten */
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct file_map file;
        struct text dump = {0};

        if (EXPECT_OK(file_map_open(&file, found.gl_pathv[i])) && EXPECT_OK(add(&dump, &file)))
            expect_dump(&dump, found.gl_pathv[i]);
        text_release(&dump);
        file_map_close(&file);
    }
    globfree(&found);
}

static enum status add_pickle(struct text *dump, const struct file_map *file)
{
    struct pickle p;
    const struct pickle_source source = {
        .name = file->path, .file = file->data, .bytes = file->bytes};

    TRY(pickle_decode(&p, &source));
    EXPECT_INT(p.end, p.bytes);
    dump_value(dump, p.root);
    pickle_release(&p);
    return STATUS_OK;
}

static void test_pickles_of_all_protocols_hold_what_python_wrote(void)
{
    with_files(FOLDER "*.pkl", 23, add_pickle);
}

TEST_MAIN(TEST(test_pickles_of_all_protocols_hold_what_python_wrote))
