/*
 * test_npy.c - arrays as .npy files; expected bytes are those of NumPy's description of
 * version 1.0.
 */
#include "base/file.h"
#include "format/npy.h"
#include "scratch.h"
#include "test.h"

/* Where the data begins; -1: the file is wrong before that. */
static int64_t data_begin(const struct text *file, const char *header)
{
    const size_t length = strlen(header);

    if (!EXPECT(file->length > 10 + length) ||
        !EXPECT(memcmp(file->data, "\x93NUMPY\x01\x00", 8) == 0) ||
        !EXPECT(memcmp(file->data + 10, header, length) == 0))
        return -1;
    const size_t begin = 10 + (size_t)(uint8_t)file->data[8] + 256 * (size_t)(uint8_t)file->data[9];
    EXPECT_INT(begin % 64, 0);
    EXPECT_INT(file->data[begin - 1], '\n');
    for (size_t i = 10 + length; i < begin - 1; i++)
        EXPECT_INT(file->data[i], ' ');
    return (int64_t)begin;
}

static void expect_file(const struct text *file, const char *header, const void *data, size_t bytes)
{
    const int64_t begin = data_begin(file, header);

    if (begin < 0 || !EXPECT(file->length == (size_t)begin + bytes))
        return;
    EXPECT_INT(memcmp(file->data + begin, data, bytes), 0);
}

static void test_each_type_has_its_name_and_its_little_endian_bytes(void)
{
    struct text f32 = {0}, f64 = {0}, i64 = {0}, u8 = {0};

    npy_add(&f32, NPY_F32, 1, (int64_t[]){2}, (float[]){1.0F, -2.5F});
    expect_file(&f32, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
                "\0\0\x80\x3f\0\0\x20\xc0", 8);
    npy_add(&f64, NPY_F64, 1, (int64_t[]){1}, (double[]){-2.0});
    expect_file(&f64, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
                "\0\0\0\0\0\0\0\xc0", 8);
    npy_add(&i64, NPY_I64, 1, (int64_t[]){1}, (int64_t[]){0x0102030405060708});
    expect_file(&i64, "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }",
                "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
    npy_add(&u8, NPY_U8, 1, (int64_t[]){3}, "abc");
    expect_file(&u8, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", "abc", 3);
    text_release(&f32);
    text_release(&f64);
    text_release(&i64);
    text_release(&u8);
}

static void test_shapes_have_any_rank_and_may_be_empty(void)
{
    struct text scalar = {0}, matrix = {0}, empty = {0};

    npy_add(&scalar, NPY_U8, 0, NULL, "x");
    expect_file(&scalar, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "x", 1);
    npy_add(&matrix, NPY_U8, 3, (int64_t[]){2, 1, 3}, "abcdef");
    expect_file(&matrix, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1, 3,), }",
                "abcdef", 6);
    npy_add(&empty, NPY_F64, 2, (int64_t[]){0, 5}, NULL);
    expect_file(&empty, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 5,), }", "", 0);
    text_release(&scalar);
    text_release(&matrix);
    text_release(&empty);
}

static void test_a_file_has_the_bytes_of_its_array(void)
{
    const int64_t dims[2] = {2, 1};
    const float values[2] = {1.5F, -2};
    char *folder = scratch_new(), *path = file_join(folder, "a.npy");
    struct text expected = {0}, found = {0};

    npy_add(&expected, NPY_F32, 2, dims, values);
    EXPECT_OK(npy_write(path, NPY_F32, 2, dims, values));
    EXPECT_OK(file_read(path, 1000, &found));
    EXPECT_INT(found.length, expected.length);
    EXPECT(memcmp(found.data, expected.data, expected.length) == 0);
    EXPECT_FAILS(npy_write(folder, NPY_F32, 2, dims, values), STATUS_IO, folder);
    text_release(&expected);
    text_release(&found);
    mem_free(path);
    scratch_remove(folder);
}

TEST_MAIN(TEST(test_each_type_has_its_name_and_its_little_endian_bytes),
          TEST(test_shapes_have_any_rank_and_may_be_empty),
          TEST(test_a_file_has_the_bytes_of_its_array))
