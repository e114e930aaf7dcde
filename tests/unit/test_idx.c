/*
 * test_idx.c - reading idx files, plain and gzipped, and refusing what is cut off or damaged.
 */
#include "data/idx.h"
#include "test.h"
#include "unit/data_files.h"

static const uint32_t sizes[] = {3, 4, 5};
enum { HEADER = 16, CONTENT = 3 * 4 * 5 };

static enum status parse(const struct blob *b, size_t length, int rank, struct idx *out)
{
    /* A copy of the exact length, so that the sanitizer sees a read beyond the end. */
    uint8_t *exact = MEM_NEW_N(uint8_t, (int64_t)length);
    const struct idx_file file = {.name = "some-images.gz", .data = exact, .length = length};
    enum status s;

    memcpy(exact, b->data, length);
    s = idx_parse(&file, rank, out);
    mem_free(exact);
    return s;
}

static bool is_content(const struct idx *x)
{
    for (int64_t i = 0; i < CONTENT; i++)
        if (x->bytes[i] != (i * 7 + 3) % 251)
            return false;
    return x->size[0] == 3 && x->size[1] == 4 && x->size[2] == 5;
}

static void test_a_plain_file_gives_its_sizes_and_bytes(void)
{
    struct blob b = blob_idx(3, sizes, 251);
    struct idx x;

    if (EXPECT_OK(parse(&b, b.length, IDX_IMAGES, &x)))
        EXPECT(is_content(&x));
    EXPECT_INT(idx_offset(&x, IDX_IMAGES, 2), HEADER + 2 * 20);
    idx_release(&x);
    idx_release(&x);
    blob_release(&b);
}

static void test_a_gzipped_file_gives_the_same(void)
{
    struct blob b = blob_idx(3, sizes, 251), z = blob_gzip(&b);
    struct idx x;

    if (EXPECT_OK(parse(&z, z.length, IDX_IMAGES, &x)))
        EXPECT(is_content(&x));
    idx_release(&x);
    blob_release(&b);
    blob_release(&z);
}

static void test_both_are_read_from_files(void)
{
    char *folder = files_folder(), *path = file_join(folder, "a"), *zipped = file_join(folder, "b");
    struct blob b = blob_idx(3, sizes, 251), z = blob_gzip(&b);
    struct idx x;

    files_write(folder, "a", b.data, b.length);
    files_write(folder, "b", z.data, z.length);
    EXPECT_OK(idx_load(path, IDX_IMAGES, &x));
    EXPECT(is_content(&x));
    idx_release(&x);
    EXPECT_OK(idx_load(zipped, IDX_IMAGES, &x));
    EXPECT(is_content(&x));
    idx_release(&x);
    mem_free(path);
    mem_free(zipped);
    files_remove(folder);
    blob_release(&b);
    blob_release(&z);
}

static void test_every_truncation_of_a_plain_file_is_refused_with_its_name_and_offset(void)
{
    struct blob b = blob_idx(3, sizes, 251);
    struct idx x;
    char where[64];

    for (size_t length = 0; length < b.length; length++) {
        /* In the magic number and in the sizes only the header's end is known. */
        snprintf(where, sizeof where, "some-images.gz: ends at byte %zu of %d", length,
                 length < HEADER ? HEADER : HEADER + CONTENT);
        EXPECT_FAILS(parse(&b, length, IDX_IMAGES, &x), STATUS_IO, where);
        EXPECT(x.bytes == NULL);
    }
    blob_release(&b);
}

static void test_every_truncation_of_a_gzipped_file_is_refused_with_its_name(void)
{
    struct blob b = blob_idx(3, sizes, 251), z = blob_gzip(&b);
    struct idx x;

    for (size_t length = 0; length < z.length; length++) {
        const enum status s = parse(&z, length, IDX_IMAGES, &x);

        EXPECT(s != STATUS_OK);
        EXPECT_HAS(status_message(), "some-images.gz: ");
        EXPECT_HAS(status_message(), "byte");
        EXPECT(x.bytes == NULL);
        idx_release(&x);
    }
    blob_release(&b);
    blob_release(&z);
}

static void test_a_flipped_bit_of_a_gzipped_file_is_refused_or_changes_nothing(void)
{
    struct blob b = blob_idx(3, sizes, 251), z = blob_gzip(&b);
    int64_t harmless = 0;

    for (size_t bit = 0; bit < 8 * z.length; bit++) {
        struct idx x;

        z.data[bit / 8] = (uint8_t)(z.data[bit / 8] ^ 1U << bit % 8);
        if (parse(&z, z.length, IDX_IMAGES, &x) == STATUS_OK) {
            EXPECT(is_content(&x));
            harmless++;
        } else {
            EXPECT_HAS(status_message(), "some-images.gz: ");
        }
        idx_release(&x);
        z.data[bit / 8] = (uint8_t)(z.data[bit / 8] ^ 1U << bit % 8);
    }
    /* Time, level and system (6 bytes), the text hint, and at most 7 bits before the checksum. */
    EXPECT(harmless >= 6 * 8 + 1 && harmless <= 6 * 8 + 1 + 7);
    blob_release(&b);
    blob_release(&z);
}

static void test_every_flipped_bit_of_the_header_is_refused(void)
{
    struct blob b = blob_idx(3, sizes, 251);

    for (size_t bit = 0; bit < (size_t)8 * HEADER; bit++) {
        struct idx x;

        b.data[bit / 8] = (uint8_t)(b.data[bit / 8] ^ 1U << bit % 8);
        EXPECT(parse(&b, b.length, IDX_IMAGES, &x) != STATUS_OK);
        idx_release(&x);
        b.data[bit / 8] = (uint8_t)(b.data[bit / 8] ^ 1U << bit % 8);
    }
    blob_release(&b);
}

static void test_labels_are_not_taken_for_images(void)
{
    struct blob b = blob_idx(1, sizes, 10);
    struct idx x;

    EXPECT_FAILS(parse(&b, b.length, IDX_IMAGES, &x), STATUS_BAD_INPUT,
                 "byte 0: magic number 0x00000801; idx images have 0x00000803");
    EXPECT_OK(parse(&b, b.length, IDX_LABELS, &x));
    EXPECT_INT(x.size[0], 3);
    idx_release(&x);
    blob_release(&b);
}

static void test_bytes_after_the_end_are_refused(void)
{
    struct blob b = blob_idx(3, sizes, 251);
    struct blob longer = {.data = MEM_NEW_N(uint8_t, (int64_t)b.length + 20)}, z;
    struct idx x;

    memcpy(longer.data, b.data, b.length);
    longer.length = b.length + 1;
    EXPECT_FAILS(parse(&longer, longer.length, IDX_IMAGES, &x), STATUS_IO,
                 "has 77 bytes, should end at byte 76");
    z = blob_gzip(&longer);
    EXPECT_FAILS(parse(&z, z.length, IDX_IMAGES, &x), STATUS_IO, "continues after byte 76");
    blob_release(&z);
    z = blob_gzip(&b);
    z.length += 3; /* its room is larger and zeroed */
    EXPECT_FAILS(parse(&z, z.length, IDX_IMAGES, &x), STATUS_IO, "3 bytes follow the gzip stream");
    blob_release(&z);
    blob_release(&b);
    blob_release(&longer);
}

/* Allocating what these headers claim would end the program. */
static void test_absurd_sizes_are_refused_before_anything_is_allocated(void)
{
    struct blob b = blob_idx(3, sizes, 251), z;
    struct idx x;

    memset(b.data + 4, 0xff, 4);
    EXPECT_FAILS(parse(&b, b.length, IDX_IMAGES, &x), STATUS_IO, "ends at byte 76 of 85899345916");
    memcpy(b.data + 8, (uint8_t[]){0, 0, 16, 0, 0, 0, 16, 0}, 8);
    z = blob_gzip(&b);
    EXPECT_FAILS(parse(&z, z.length, IDX_IMAGES, &x), STATUS_IO,
                 "cannot hold the 72057594021150736 bytes that its header claims");
    blob_release(&z);
    memset(b.data + 8, 0xff, 4);
    EXPECT_FAILS(parse(&b, b.length, IDX_IMAGES, &x), STATUS_BAD_INPUT,
                 "byte 8: height 4294967295 is outside 1..4096");
    memset(b.data + 4, 0, 4);
    EXPECT_FAILS(parse(&b, b.length, IDX_IMAGES, &x), STATUS_BAD_INPUT,
                 "byte 4: count 0 is outside");
    blob_release(&b);
}

static void test_a_missing_file_is_named(void)
{
    struct idx x;

    EXPECT_FAILS(idx_load("/tmp/no/such/idx", IDX_LABELS, &x), STATUS_IO, "/tmp/no/such/idx");
}

TEST_MAIN(TEST(test_a_plain_file_gives_its_sizes_and_bytes),
          TEST(test_a_gzipped_file_gives_the_same), TEST(test_both_are_read_from_files),
          TEST(test_every_truncation_of_a_plain_file_is_refused_with_its_name_and_offset),
          TEST(test_every_truncation_of_a_gzipped_file_is_refused_with_its_name),
          TEST(test_a_flipped_bit_of_a_gzipped_file_is_refused_or_changes_nothing),
          TEST(test_every_flipped_bit_of_the_header_is_refused),
          TEST(test_labels_are_not_taken_for_images), TEST(test_bytes_after_the_end_are_refused),
          TEST(test_absurd_sizes_are_refused_before_anything_is_allocated),
          TEST(test_a_missing_file_is_named))
