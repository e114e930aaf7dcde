/*
 * test_safetensors.c - safetensors files: what is written, what is read, and that every damaged
 * file is rejected.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "file_case.h"
#include "format/safetensors.h"

static const char path[] = "muster_test.safetensors"; /* in a folder of its own */

/*
 * Thousands of damaged files are written: without fsync, and as new files, because some file
 * systems flush one that is written over.
 */
static void put_file(const void *bytes, size_t length)
{
    (void)remove(path);
    FILE *file = fopen(path, "wb");

    if (EXPECT(file != NULL)) {
        EXPECT(fwrite(bytes, 1, length, file) == length);
        EXPECT_INT(fclose(file), 0);
    }
}

/* A file as another program writes it: length, header, data. */
static void put_foreign(const char *header, const void *data, size_t bytes)
{
    struct text file = {0};
    const uint64_t length = strlen(header);

    for (int i = 0; i < 8; i++) {
        const char byte = (char)(unsigned char)(length >> 8 * i & 0xff);
        text_add_n(&file, &byte, 1);
    }
    text_add(&file, header);
    text_add_n(&file, data, bytes);
    put_file(file.data, file.length);
    text_release(&file);
}

static enum status load_once(void)
{
    struct safetensors s;
    const enum status status = safetensors_load(&s, path);

    if (status == STATUS_OK)
        safetensors_release(&s);
    return status;
}

/* header: expected to be refused, with 8 bytes of data, by a message that has `part`. */
static void expect_refused(const char *header, const char *part)
{
    put_foreign(header, "12345678", 8);
    EXPECT_FAILS(load_once(), STATUS_BAD_INPUT, part);
    EXPECT_HAS(status_message(), path);
}

static uint32_t plain_crc32c(const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint32_t crc = 0xffffffffU;

    for (size_t i = 0; i < bytes; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0);
    }
    return ~crc;
}

static const float weights[] = {1.0F, -2.5F, 0.1F, 4.0F, 5.0F, 6.0F, 7.0F, 8.0F, 9.0F};
static const double numbers[] = {0.1, -1e300};
static const int64_t counters[] = {INT64_C(-5000000000)};

/* Nine floats before the doubles: these stand at a place that is not a multiple of 8. */
static void save_example(const char *text)
{
    struct safetensors_writer *w = safetensors_writer_new();

    safetensors_writer_tensor(w, "z.weight", SAFETENSORS_F32, 2, (int64_t[]){3, 3}, weights);
    safetensors_writer_tensor(w, "a \"b\"", SAFETENSORS_F64, 1, (int64_t[]){2}, numbers);
    safetensors_writer_tensor(w, "counter", SAFETENSORS_I64, 0, NULL, counters);
    safetensors_writer_tensor(w, "empty", SAFETENSORS_F32, 2, (int64_t[]){0, 7}, NULL);
    safetensors_writer_text(w, "note", text);
    EXPECT_OK(safetensors_writer_save(w, path));
    safetensors_writer_free(w);
}

static void test_what_is_saved_is_loaded(void)
{
    struct safetensors s;
    const void *data = NULL;
    const char *note = "two\nlines, \"quotes\", \xc3\xa4 and \"header_crc32c\": \"ffffffff\"";

    enter_new_folder();
    save_example(note);
    if (!EXPECT_OK(safetensors_load(&s, path)))
        return;
    EXPECT_INT(s.count, 4);
    EXPECT_TEXT(s.items[0].name, "z.weight"); /* the order of the calls */
    EXPECT_INT(s.items[0].rank, 2);
    EXPECT_INT(s.items[0].dims[1], 3);
    EXPECT_INT(s.items[2].rank, 0);
    EXPECT_OK(safetensors_get(&s, "z.weight", SAFETENSORS_F32, 9, &data));
    for (int i = 0; data != NULL && i < 9; i++)
        EXPECT(((const float *)data)[i] == weights[i]);
    EXPECT_OK(safetensors_get(&s, "a \"b\"", SAFETENSORS_F64, 2, &data));
    EXPECT_INT((uintptr_t)data % 8, 0);
    EXPECT(((const double *)data)[0] == 0.1 && ((const double *)data)[1] == -1e300);
    EXPECT_OK(safetensors_get(&s, "counter", SAFETENSORS_I64, 1, &data));
    EXPECT_INT(((const int64_t *)data)[0], INT64_C(-5000000000));
    EXPECT_OK(safetensors_get(&s, "empty", SAFETENSORS_F32, 0, &data));
    EXPECT_TEXT(safetensors_text(&s, "note"), note);
    EXPECT_TEXT(safetensors_text(&s, "format"), "muster 1");
    EXPECT(safetensors_text(&s, "other") == NULL);
    safetensors_release(&s);
    safetensors_release(&s); /* twice is fine */
    leave_folder(path);
}

static void test_the_bytes_of_a_file_are_those_of_the_format(void)
{
    struct safetensors_writer *w = safetensors_writer_new();
    struct text file = {0}, expected = {0};
    static const unsigned char data[] = {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0}; /* 1.0, -2.5 */

    enter_new_folder();
    safetensors_writer_tensor(w, "w", SAFETENSORS_F32, 1, (int64_t[]){2}, weights);
    EXPECT_OK(safetensors_writer_save(w, path));
    safetensors_writer_free(w);
    EXPECT_OK(file_read(path, 1 << 20, &file));
    const size_t length = (unsigned char)file.data[0] | (size_t)(unsigned char)file.data[1] << 8;
    EXPECT_INT(length % 8, 0);
    for (int i = 2; i < 8; i++)
        EXPECT_INT(file.data[i], 0);
    EXPECT_INT(file.length, 8 + length + sizeof data);
    EXPECT(memcmp(file.data + 8 + length, data, sizeof data) == 0);

    text_addf(&expected,
              "{\"__metadata__\": {\"format\": \"muster 1\", \"crc32c\": \"%08x\", "
              "\"header_crc32c\": \"00000000\"}, "
              "\"w\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}}",
              (unsigned)plain_crc32c(data, sizeof data));
    while (expected.length < length)
        text_add(&expected, " ");
    char digits[9];
    (void)snprintf(digits, sizeof digits, "%08x",
                   (unsigned)plain_crc32c(expected.data, expected.length));
    memcpy(strstr(expected.data, "00000000"), digits, 8);
    char *header = mem_text_n(file.data + 8, length);
    EXPECT_TEXT(header, expected.data);
    mem_free(header);
    text_release(&expected);
    text_release(&file);
    leave_folder(path);
}

static void test_equal_contents_are_equal_files(void)
{
    struct text first = {0}, second = {0};

    enter_new_folder();
    save_example("x");
    EXPECT_OK(file_read(path, 1 << 20, &first));
    save_example("x");
    EXPECT_OK(file_read(path, 1 << 20, &second));
    EXPECT_INT(first.length, second.length);
    EXPECT(memcmp(first.data, second.data, first.length) == 0);
    text_release(&first);
    text_release(&second);
    leave_folder(path);
}

static void flip(struct text *file, size_t at, unsigned bits)
{
    unsigned char *byte = (unsigned char *)file->data + at;

    *byte = (unsigned char)(*byte ^ bits);
}

static void test_a_file_cut_at_any_byte_is_refused(void)
{
    struct text file = {0};

    enter_new_folder();
    save_example("x");
    EXPECT_OK(file_read(path, 1 << 20, &file));
    for (size_t length = 0; length < file.length; length++) {
        put_file(file.data, length);
        EXPECT_FAILS(load_once(), STATUS_BAD_INPUT, path);
    }
    text_add(&file, "x");
    put_file(file.data, file.length);
    EXPECT_FAILS(load_once(), STATUS_BAD_INPUT, "1 bytes after the last tensor belong to none");
    text_release(&file);
    leave_folder(path);
}

static void test_a_file_of_ours_with_any_byte_changed_is_refused(void)
{
    static const unsigned char changes[] = {1, 2, 4, 8, 16, 32, 64, 128, 255};
    struct text file = {0};

    enter_new_folder();
    save_example("x");
    EXPECT_OK(file_read(path, 1 << 20, &file));
    for (size_t i = 0; i < file.length; i++) {
        for (size_t k = 0; k < sizeof changes; k++) {
            flip(&file, i, changes[k]);
            put_file(file.data, file.length);
            EXPECT_FAILS(load_once(), STATUS_BAD_INPUT, path);
            flip(&file, i, changes[k]);
        }
    }
    put_file(file.data, file.length);
    EXPECT_OK(load_once());
    text_release(&file);
    leave_folder(path);
}

static const char foreign[] = "{\"__metadata__\":{\"format\":\"np\", \"a\": \"bc\"},"
                              "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]},"
                              "\"a\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[0,4]}}";

static void test_a_file_of_another_program_is_read(void)
{
    struct safetensors s;
    const float values[] = {3.0F, 4.0F};
    const void *data = NULL;

    enter_new_folder();
    EXPECT(strlen(foreign) % 4 != 0); /* not padded: the floats are not aligned in the file */
    put_foreign(foreign, values, sizeof values);
    if (EXPECT_OK(safetensors_load(&s, path))) {
        EXPECT_TEXT(s.items[0].name, "a"); /* in the order of the data */
        EXPECT_OK(safetensors_get(&s, "b", SAFETENSORS_F32, 1, &data));
        EXPECT_INT((uintptr_t)data % 4, 0);
        EXPECT(*(const float *)data == 4.0F);
        safetensors_release(&s);
    }
    put_foreign("{}", "", 0);
    EXPECT_OK(load_once());
    leave_folder(path);
}

/* Without checksums not every change can be seen; none may crash or be read past the end. */
static void test_a_damaged_file_of_another_program_does_no_harm(void)
{
    struct text file = {0};
    const float values[] = {3.0F, 4.0F};
    int64_t refused = 0;

    enter_new_folder();
    put_foreign(foreign, values, sizeof values);
    EXPECT_OK(file_read(path, 1 << 20, &file));
    for (size_t i = 0; i < file.length; i++) {
        for (int bit = 0; bit < 8; bit++) {
            flip(&file, i, 1U << bit);
            put_file(file.data, file.length);
            refused += load_once() != STATUS_OK;
            flip(&file, i, 1U << bit);
        }
    }
    for (size_t length = 0; length < file.length; length++) {
        put_file(file.data, length);
        EXPECT_FAILS(load_once(), STATUS_BAD_INPUT, path);
    }
    EXPECT(refused > (int64_t)file.length * 4);
    text_release(&file);
    leave_folder(path);
}

#define ENTRY(type, shape, offsets) \
    "{\"w\":{\"dtype\":" type ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

static void test_every_wrong_header_is_refused_by_name(void)
{
    enter_new_folder();
    put_foreign(ENTRY("\"F32\"", "[2]", "[0,8]"), "12345678", 8);
    EXPECT_OK(load_once()); /* what the others are variations of */
    expect_refused("", "offset 8: the header is not JSON");
    expect_refused("[1]", "offset 8: the header is not a map");
    expect_refused("{\"w\":", "the header is not JSON");
    expect_refused("{\"w\":1}", "tensor \"w\": its entry in the header is not a map");
    expect_refused("{\"w\":{\"dtype\":\"F32\",\"shape\":[2]}}", "is not a map of dtype");
    expect_refused("{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"offsets\":[0,8]}}",
                   "tensor \"w\": data_offsets are not two whole numbers");
    expect_refused("{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
                   "\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
                   "duplicate");
    expect_refused(ENTRY("\"U16\"", "[4]", "[0,8]"),
                   "tensor \"w\": dtype \"U16\" is not supported");
    expect_refused(ENTRY("7", "[4]", "[0,8]"), "tensor \"w\": has no dtype");
    expect_refused(ENTRY("\"F32\"", "2", "[0,8]"), "tensor \"w\": has no shape");
    expect_refused(ENTRY("\"F32\"", "[-2]", "[0,8]"), "tensor \"w\": dimension 0");
    expect_refused(ENTRY("\"F32\"", "[1,2.0]", "[0,8]"), "tensor \"w\": dimension 1");
    expect_refused(ENTRY("\"F32\"", "[1,1,1,1,1,1,1,1,2]", "[0,8]"), "has 9 dimensions");
    expect_refused(ENTRY("\"F32\"", "[4294967296,4294967296]", "[0,8]"), "too many values");
    expect_refused(ENTRY("\"F32\"", "[4611686018427387906]", "[0,8]"), "do not fit");
    expect_refused(ENTRY("\"F32\"", "[99999999999999999999]", "[0,8]"), "too big integer");
    expect_refused(ENTRY("\"F32\"", "[3]", "[0,8]"), "do not fit 3 values of F32");
    expect_refused(ENTRY("\"F32\"", "[2]", "[8,0]"), "data_offsets [8, 0] are not within");
    expect_refused(ENTRY("\"F32\"", "[2]", "[-8,0]"), "are not within");
    expect_refused(ENTRY("\"F32\"", "[4]", "[0,16]"), "are not within the 8 bytes of data");
    expect_refused(ENTRY("\"F32\"", "[1]", "[0,4]"), "4 bytes after the last tensor");
    expect_refused(ENTRY("\"F32\"", "[1]", "[4,8]"), "tensor \"w\": its data begins at 4");
    expect_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
                   "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
                   "tensor \"b\": its data begins at 4");
    expect_refused("{\"__metadata__\":[]}", "__metadata__ of the header is not a map");
    expect_refused("{\"__metadata__\":{\"a\":1}}", "\"a\" in __metadata__ of the header");
    leave_folder(path);
}

static void test_metadata_that_does_not_hold_is_refused(void)
{
    enter_new_folder();
    put_foreign("{\"__metadata__\":{\"format\":\"muster 2\"}}", "", 0);
    EXPECT_FAILS(load_once(), STATUS_BAD_INPUT, "its format is \"muster 2\"");
    put_foreign("{\"__metadata__\":{\"format\":\"muster 1\"}}", "", 0);
    EXPECT_FAILS(load_once(), STATUS_BAD_INPUT, "a checksum is missing");
    put_foreign("{\"__metadata__\":{\"crc32c\":\"00000001\"}}", "", 0);
    EXPECT_FAILS(load_once(), STATUS_BAD_INPUT, "crc32c is 00000000");
    put_foreign("{\"__metadata__\":{\"crc32c\":\"00000000\"}}", "", 0);
    EXPECT_OK(load_once());
    leave_folder(path);
}

static void test_lengths_are_checked_against_the_file(void)
{
    static const unsigned char huge[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const unsigned char more[16] = {9};

    enter_new_folder();
    put_file(huge, sizeof huge);
    EXPECT_FAILS(load_once(), STATUS_BAD_INPUT, "offset 0: a header of 18446744073709551615");
    put_file(more, sizeof more);
    EXPECT_FAILS(load_once(), STATUS_BAD_INPUT, "offset 8: a header of 9 bytes goes past the end");
    put_file("", 0);
    EXPECT_FAILS(load_once(), STATUS_BAD_INPUT, "has 0 bytes");
    EXPECT_OK(file_remove(path));
    EXPECT_FAILS(load_once(), STATUS_IO, path);
    leave_folder(path);
}

static void test_a_tensor_that_is_not_as_wanted_is_an_error_that_names_it(void)
{
    struct safetensors s;
    const void *data = NULL;

    enter_new_folder();
    save_example("x");
    EXPECT_OK(safetensors_load(&s, path));
    EXPECT_FAILS(safetensors_get(&s, "w", SAFETENSORS_F32, 1, &data), STATUS_BAD_INPUT,
                 "muster_test.safetensors: tensor \"w\": is missing");
    EXPECT_FAILS(safetensors_get(&s, "counter", SAFETENSORS_F64, 1, &data), STATUS_BAD_INPUT,
                 "tensor \"counter\": is I64, not F64");
    EXPECT_FAILS(safetensors_get(&s, "counter", SAFETENSORS_I64, 2, &data), STATUS_BAD_INPUT,
                 "tensor \"counter\": has 1 values, not 2");
    EXPECT(data == NULL);
    safetensors_release(&s);
    leave_folder(path);
}

static enum status save_with_room_for(rlim_t bytes)
{
    struct safetensors_writer *w = safetensors_writer_new();
    static const float large[1 << 16];

    safetensors_writer_tensor(w, "large", SAFETENSORS_F32, 1, (int64_t[]){1 << 16}, large);
    const rlim_t before = limit_file_size(bytes);
    const enum status status = safetensors_writer_save(w, path);
    limit_file_size(before);
    safetensors_writer_free(w);
    return status;
}

static void test_a_failed_save_keeps_the_old_file_and_leaves_no_other(void)
{
    struct safetensors s;

    enter_new_folder();
    save_example("old");
    EXPECT_FAILS(save_with_room_for(0), STATUS_IO, path);
    EXPECT_FAILS(save_with_room_for(100000), STATUS_IO, path);
    if (EXPECT_OK(safetensors_load(&s, path))) {
        EXPECT_TEXT(safetensors_text(&s, "note"), "old");
        safetensors_release(&s);
    }
    leave_folder(path); /* fails when anything else is there */
}

static void test_a_folder_that_is_missing_is_an_error_that_names_the_file(void)
{
    struct safetensors_writer *w = safetensors_writer_new();

    EXPECT_FAILS(safetensors_writer_save(w, "no/folder.safetensors"), STATUS_IO, "no/folder");
    safetensors_writer_free(w);
    safetensors_writer_free(NULL);
}

TEST_MAIN(TEST(test_what_is_saved_is_loaded),
          TEST(test_the_bytes_of_a_file_are_those_of_the_format),
          TEST(test_equal_contents_are_equal_files), TEST(test_a_file_cut_at_any_byte_is_refused),
          TEST(test_a_file_of_ours_with_any_byte_changed_is_refused),
          TEST(test_a_file_of_another_program_is_read),
          TEST(test_a_damaged_file_of_another_program_does_no_harm),
          TEST(test_every_wrong_header_is_refused_by_name),
          TEST(test_metadata_that_does_not_hold_is_refused),
          TEST(test_lengths_are_checked_against_the_file),
          TEST(test_a_tensor_that_is_not_as_wanted_is_an_error_that_names_it),
          TEST(test_a_failed_save_keeps_the_old_file_and_leaves_no_other),
          TEST(test_a_folder_that_is_missing_is_an_error_that_names_the_file))
