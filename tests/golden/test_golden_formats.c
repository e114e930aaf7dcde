/*
 * test_golden_formats.c - files of Python, NumPy and PyTorch are read as they hold them
 * (golden_formats.py).
 */
#include <glob.h>

#include "base/file.h"
#include "base/file_map.h"
#include "format/npy.h"
#include "format/npz.h"
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

static enum status add_npy(struct text *dump, const struct file_map *file)
{
    struct file_array a;

    TRY(npy_decode(file->path, file->data, file->bytes, &a));
    dump_array(dump, &a);
    return STATUS_OK;
}

static void test_npy_files_of_all_types_orders_and_versions_hold_what_numpy_wrote(void)
{
    with_files(FOLDER "*.npy", 32, add_npy);
}

static enum status add_members(struct text *dump, const struct zip_reader *z)
{
    for (int64_t i = 0; i < z->count; i++) {
        const char *member = z->members[i].name;
        char *name = mem_text_n(member, strlen(member) - strlen(".npy"));
        struct npz_array a;
        const enum status s = npz_get(z, name, &a);

        text_addf(dump, "%s%s: ", i == 0 ? "" : "\n", name);
        mem_free(name);
        TRY(s);
        EXPECT_INT(a.content.copy == NULL, z->members[i].method == 0);
        dump_array(dump, &a.array);
        npz_array_release(&a);
    }
    return STATUS_OK;
}

static enum status add_npz(struct text *dump, const struct file_map *file)
{
    struct zip_reader z;

    TRY(zip_reader_open(&z, file->path, file->data, file->bytes));

    const enum status s = add_members(dump, &z);

    zip_reader_close(&z);
    return s;
}

static void test_npz_files_stored_deflated_and_zip64_hold_what_numpy_wrote(void)
{
    with_files(FOLDER "*.npz", 3, add_npz);
}

/* The tensor "weight" of "state", whose storage is a member of its own. */
static enum status add_weight(struct text *dump, const struct zip_reader *z, const struct pickle *p)
{
    const struct pickle_value *state;
    struct zip_content c;

    TRY(pickle_get(p, "state", PICKLE_DICT, &state));

    const struct pickle_tensor *t = pickle_find(state, "weight")->tensor;
    char *name = text_format("archive/data/%.*s", (int)t->storage->key.bytes,
                             (const char *)t->storage->key.data);
    const struct zip_member *m = zip_reader_find(z, name);
    struct file_array a = {.type = t->storage->type, .rank = 1, .dims = {t->storage->count}};

    mem_free(name);
    EXPECT(m != NULL);
    TRY(zip_reader_get(z, m, &c));
    EXPECT(file_array_set_data(&a, c.data, c.bytes));
    text_add(dump, "weight:");
    for (int64_t i = 0; i < a.count; i++) {
        float value;

        file_array_to_floats(&a, i, 1, &value);
        text_addf(dump, " %.9g", (double)value);
    }
    zip_content_release(&c);
    return STATUS_OK;
}

static enum status add_checkpoint(struct text *dump, const struct file_map *file)
{
    struct zip_reader z;
    struct zip_content c;
    struct pickle p;

    TRY(zip_reader_open(&z, file->path, file->data, file->bytes));
    TRY(zip_reader_get(&z, zip_reader_find(&z, "archive/data.pkl"), &c));
    TRY(pickle_decode(&p, &(struct pickle_source){"data.pkl", c.data, c.bytes, 0}));

    const enum status s = add_weight(dump, &z, &p);

    pickle_release(&p);
    zip_content_release(&c);
    zip_reader_close(&z);
    return s;
}

static void test_a_checkpoint_of_pytorch_holds_its_tensors(void)
{
    with_files(FOLDER "*.pt", 1, add_checkpoint);
}

TEST_MAIN(TEST(test_pickles_of_all_protocols_hold_what_python_wrote),
          TEST(test_npy_files_of_all_types_orders_and_versions_hold_what_numpy_wrote),
          TEST(test_npz_files_stored_deflated_and_zip64_hold_what_numpy_wrote),
          TEST(test_a_checkpoint_of_pytorch_holds_its_tensors))
