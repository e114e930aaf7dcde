/*
 * test_npz.c - reading .npy, .npz and .zip files that are wrong or damaged; tests/golden has files
 * of NumPy that are right.
 */
#include "base/check.h"
#include "base/file.h"
#include "damage.h"
#include "format/npy.h"
#include "format/npz.h"
#include "format/zip.h"
#include "scratch.h"

#define FOLDER TEST_SOURCE_DIR "/golden/vectors/formats/"

/* --- .npy --- */

/* A file of version 1.0 with this header and so many bytes of data. */
static void make_npy(struct text *file, const char *header, size_t bytes)
{
    const char length[2] = {(char)strlen(header), 0};

    text_clear(file);
    text_add_n(file, "\x93NUMPY\x01\x00", 8);
    text_add_n(file, length, 2);
    text_add(file, header);
    for (size_t i = 0; i < bytes; i++)
        text_add(file, "x");
}

static void expect_rejected(const char *header, size_t bytes, const char *part)
{
    struct text file = {0};
    struct file_array a;

    make_npy(&file, header, bytes);
    EXPECT_FAILS(npy_decode("some.npy", file.data, file.length, &a), STATUS_BAD_INPUT, part);
    EXPECT(a.data == NULL);
    text_release(&file);
}

static void test_wrong_headers_are_rejected_with_a_reason(void)
{
    expect_rejected("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 7,
                    "some.npy: is damaged: its shape is (2,) of type f4, but it has 7 bytes");
    expect_rejected("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", 16,
                    "some.npy: has values of type |O; it must have numbers");
    expect_rejected("{'descr': '<U5', 'fortran_order': False, 'shape': (), }", 20, "of type <U5");
    expect_rejected("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (), }", 4,
                    "some.npy: has records");
    expect_rejected("{'descr': '|u1', 'fortran_order': Maybe, 'shape': (), }", 1,
                    "header is damaged");
    expect_rejected("{'descr': '|u1', 'fortran_order': True, 'shape': (1 x), }", 1,
                    "header is damaged");
    expect_rejected("{'descr': '|u1', 'fortran_order': True, 'shape': (1,1,1,1,1,1,1,1,1), }", 1,
                    "has more than 8 dimensions");
    expect_rejected("{'descr': '<f8', 'fortran_order': True, "
                    "'shape': (100000000000000000, 100000000000000000), }",
                    8, "is damaged");
}

static void test_a_range_that_does_not_fit_is_named_by_its_element(void)
{
    const int16_t values[] = {3, -1, 256, 255};
    struct file_array a = {.type = {.kind = ELEMENT_I16}, .rank = 1, .dims = {4}};
    uint8_t bytes[4];
    int64_t ints[4];

    EXPECT(file_array_set_data(&a, (const uint8_t *)values, sizeof values));
    EXPECT_OK(file_array_to_bytes(&a, "x", 3, 1, bytes));
    EXPECT_INT(bytes[0], 255);
    EXPECT_FAILS(file_array_to_bytes(&a, "x", 0, 4, bytes), STATUS_BAD_INPUT,
                 "x: element 1 is -1; it must be a whole number from 0 to 255");
    EXPECT_FAILS(file_array_to_bytes(&a, "x", 2, 1, bytes), STATUS_BAD_INPUT,
                 "x: element 2 is 256");
    EXPECT_OK(file_array_to_ints(&a, "x", 1, 3, ints));
    EXPECT_INT(ints[0], -1);
    a.type.kind = ELEMENT_U16;
    EXPECT_OK(file_array_to_ints(&a, "x", 1, 1, ints));
    EXPECT_INT(ints[0], 65535);
}

static void test_whole_floats_are_integers_and_large_ones_are_not(void)
{
    const double values[] = {7, -0x1p63, 0x1p63, 0.5};
    const uint64_t large[] = {INT64_MAX, UINT64_MAX};
    struct file_array a = {.type = {.kind = ELEMENT_F64}, .rank = 1, .dims = {4}};
    int64_t ints[4];

    EXPECT(file_array_set_data(&a, (const uint8_t *)values, sizeof values));
    EXPECT_OK(file_array_to_ints(&a, "x", 0, 2, ints));
    EXPECT(ints[0] == 7 && ints[1] == INT64_MIN);
    EXPECT_FAILS(file_array_to_ints(&a, "x", 2, 1, ints), STATUS_BAD_INPUT, "of 64 bits");
    EXPECT_FAILS(file_array_to_ints(&a, "x", 3, 1, ints), STATUS_BAD_INPUT, "element 3 is 0.5");
    a = (struct file_array){.type = {.kind = ELEMENT_U64}, .rank = 1, .dims = {2}};
    EXPECT(file_array_set_data(&a, (const uint8_t *)large, sizeof large));
    EXPECT_FAILS(file_array_to_ints(&a, "x", 0, 2, ints), STATUS_BAD_INPUT, "element 1 is 1.84");
    EXPECT(ints[0] == INT64_MAX);
}

/* --- .npz --- */

static void read_golden(struct text *file, const char *name)
{
    char *path = file_join(FOLDER, name);

    CHECK(file_read(path, 1 << 20, file) == STATUS_OK);
    mem_free(path);
}

static void test_a_missing_array_is_named_with_those_that_there_are(void)
{
    struct text file = {0};
    struct zip_reader z;
    struct npz_array a;

    read_golden(&file, "zip64.npz");
    EXPECT_OK(zip_reader_open(&z, "some.npz", file.data, file.length));
    EXPECT_FAILS(npz_get(&z, "x", &a), STATUS_BAD_INPUT,
                 "some.npz: has no array \"x\"; it has lf4.npy, bi2.npy");
    EXPECT(a.content.data == NULL);
    zip_reader_close(&z);
    text_release(&file);
}

static void test_what_is_written_here_is_read_again(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a.zip");
    struct text file = {0};
    struct zip w;
    struct zip_reader z;
    struct zip_content c;

    EXPECT_OK(zip_open(&w, path));
    enum status s = zip_add(&w, "first", "abc", 3);
    if (s == STATUS_OK)
        s = zip_add(&w, "empty", "", 0);
    EXPECT_OK(zip_close(&w, s));
    EXPECT_OK(file_read(path, 1 << 20, &file));
    if (EXPECT_OK(zip_reader_open(&z, "a.zip", file.data, file.length))) {
        EXPECT_INT(z.count, 2);
        EXPECT_OK(zip_reader_get(&z, zip_reader_find(&z, "first"), &c));
        EXPECT(c.bytes == 3 && memcmp(c.data, "abc", 3) == 0 && c.copy == NULL);
        EXPECT_OK(zip_reader_get(&z, zip_reader_find(&z, "empty"), &c));
        EXPECT_INT(c.bytes, 0);
        EXPECT(zip_reader_find(&z, "third") == NULL);
        zip_reader_close(&z);
    }
    text_release(&file);
    mem_free(path);
    scratch_remove(folder);
}

static void test_what_is_not_a_zip_file_is_rejected(void)
{
    struct zip_reader z;

    EXPECT_FAILS(zip_reader_open(&z, "a.npz", "", 0), STATUS_BAD_INPUT, "a.npz: is not a zip file");
    EXPECT_FAILS(zip_reader_open(&z, "a.npz", "PK\3\4 and no directory", 22), STATUS_BAD_INPUT,
                 "a.npz: is not a zip file");
    EXPECT(z.name == NULL);
}

/* --- damage --- */

static enum status read_npy(const char *name, const uint8_t *file, size_t bytes)
{
    struct file_array a;

    TRY(npy_decode(name, file, bytes, &a));

    float *values = MEM_NEW_N(float, a.count);

    file_array_to_floats(&a, 0, a.count, values);
    mem_free(values);
    return STATUS_OK;
}

static enum status read_members(const struct zip_reader *z)
{
    for (int64_t i = 0; i < z->count; i++) {
        struct zip_content c;

        TRY(zip_reader_get(z, &z->members[i], &c));

        const enum status s = read_npy(z->name, c.data, c.bytes);

        zip_content_release(&c);
        TRY(s);
    }
    return STATUS_OK;
}

static enum status read_npz(const char *name, const uint8_t *file, size_t bytes)
{
    struct zip_reader z;

    TRY(zip_reader_open(&z, name, file, bytes));

    const enum status s = read_members(&z);

    zip_reader_close(&z);
    return s;
}

static void test_no_damage_makes_the_readers_crash(void)
{
    static const struct {
        const char *name;
        damage_reader read;
    } files[] = {
        {"fortran.npy",  read_npy},
        {"version2.npy", read_npy},
        {"big_f8.npy",   read_npy},
        {"stored.npz",   read_npz},
        {"deflated.npz", read_npz},
        {"zip64.npz",    read_npz},
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct text file = {0};

        read_golden(&file, files[i].name);
        EXPECT_OK(files[i].read("whole", (const uint8_t *)file.data, file.length));
        EXPECT_INT(damage_cut(files[i].read, (const uint8_t *)file.data, file.length), 0);
        EXPECT(damage_bytes(files[i].read, (const uint8_t *)file.data, file.length, 128) > 0);
        text_release(&file);
    }
}

/* A flipped bit of what a member holds is noticed by its checksum; the last byte of deflated data
 * has bits that mean nothing. */
static void test_damaged_contents_are_noticed(void)
{
    struct text file = {0};
    struct zip_reader z;

    read_golden(&file, "deflated.npz");
    EXPECT_OK(zip_reader_open(&z, "x", file.data, file.length));
    for (int64_t i = 0; i < z.count; i++) {
        const struct zip_member *m = &z.members[i];
        const uint64_t end = i + 1 < z.count ? z.members[i + 1].offset : z.directory;
        struct zip_content c;

        for (uint64_t at = end - m->packed_bytes; at + 1 < end; at++) {
            file.data[at] ^= 16;
            EXPECT_FAILS(zip_reader_get(&z, m, &c), STATUS_BAD_INPUT, "is damaged");
            file.data[at] ^= 16;
        }
    }
    zip_reader_close(&z);
    text_release(&file);
}

TEST_MAIN(TEST(test_wrong_headers_are_rejected_with_a_reason),
          TEST(test_a_range_that_does_not_fit_is_named_by_its_element),
          TEST(test_whole_floats_are_integers_and_large_ones_are_not),
          TEST(test_a_missing_array_is_named_with_those_that_there_are),
          TEST(test_what_is_written_here_is_read_again),
          TEST(test_what_is_not_a_zip_file_is_rejected),
          TEST(test_no_damage_makes_the_readers_crash), TEST(test_damaged_contents_are_noticed))
