/*
 * test_cifar.c - reading CIFAR's binary records, and refusing what is cut off or mislabelled.
 */
#include "data/cifar.h"
#include "unit/own_files_case.h"

enum { RECORD = 3073, IMAGE = 3072 };

static void release(struct samples *s)
{
    mem_free(s->bytes);
    mem_free(s->labels);
    *s = (struct samples){0};
}

static enum status append(const struct cifar_layout *layout, const struct blob *b, size_t length,
                          struct samples *part)
{
    uint8_t *exact = MEM_NEW_N(uint8_t, (int64_t)length);
    const struct cifar_file file = {.name = "some_batch.bin", .data = exact, .length = length};
    enum status s;

    memcpy(exact, b->data, length);
    s = cifar_append(layout, &file, part);
    mem_free(exact);
    return s;
}

/* Record i holds byte (i + p) % 251 at position p of its planes: R, G, B, each 32 x 32. */
static void expect_records(const struct samples *s, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        bool same = true;

        for (int64_t pixel = 0; pixel < 1024; pixel++)
            for (int64_t c = 0; c < 3; c++)
                same = same && s->bytes[((first + i) * 1024 + pixel) * 3 + c] ==
                                   (i + c * 1024 + pixel) % 251;
        EXPECT(same);
    }
}

static void test_planes_become_channel_last(void)
{
    struct blob b = blob_cifar(3, 1);
    struct samples s = {0};

    EXPECT_OK(append(&cifar10_layout, &b, b.length, &s));
    EXPECT_INT(s.count, 3);
    expect_records(&s, 0, 3);
    EXPECT_INT(s.labels[2], 2);
    release(&s);
    blob_release(&b);
}

static void test_files_are_appended_in_order(void)
{
    struct blob b = blob_cifar(3, 1);
    struct samples s = {0};

    EXPECT_OK(append(&cifar10_layout, &b, RECORD, &s));
    EXPECT_OK(append(&cifar10_layout, &b, b.length, &s));
    EXPECT_INT(s.count, 4);
    expect_records(&s, 0, 1);
    expect_records(&s, 1, 3);
    EXPECT_INT(s.labels[3], 2);
    release(&s);
    blob_release(&b);
}

static void test_the_fine_label_is_the_label_of_cifar100(void)
{
    struct blob b = blob_cifar(2, 2);
    struct samples s = {0};

    b.data[1] = 99;
    EXPECT_OK(append(&cifar100_layout, &b, b.length, &s));
    EXPECT_INT(s.count, 2);
    EXPECT_INT(s.labels[0], 99);
    EXPECT_INT(s.labels[1], 2); /* coarse 1, fine 2 */
    expect_records(&s, 0, 2);
    release(&s);
    blob_release(&b);
}

static void test_every_length_that_is_not_whole_records_is_refused_with_name_and_offset(void)
{
    struct blob b = blob_cifar(2, 1);
    struct samples s = {0};
    char where[80];

    EXPECT_FAILS(append(&cifar10_layout, &b, 0, &s), STATUS_IO, "some_batch.bin: is empty");
    for (size_t length = 1; length < b.length; length++) {
        if (length == RECORD)
            continue;
        snprintf(where, sizeof where, "some_batch.bin: ends at byte %zu, inside", length);
        EXPECT_FAILS(append(&cifar10_layout, &b, length, &s), STATUS_IO, where);
        EXPECT(s.bytes == NULL && s.labels == NULL && s.count == 0);
    }
    blob_release(&b);
}

static void test_a_label_out_of_range_is_refused_with_name_and_offset(void)
{
    struct blob b = blob_cifar(3, 1);
    struct samples s = {0};

    b.data[(size_t)2 * RECORD] = 10;
    EXPECT_FAILS(append(&cifar10_layout, &b, b.length, &s), STATUS_BAD_INPUT,
                 "some_batch.bin: byte 6146: label 10 is outside 0..9");
    blob_release(&b);
    b = blob_cifar(2, 2);
    b.data[3074] = 20;
    EXPECT_FAILS(append(&cifar100_layout, &b, b.length, &s), STATUS_BAD_INPUT,
                 "byte 3074: label 20 is outside 0..19");
    b.data[3074] = 0;
    b.data[3075] = 100;
    EXPECT_FAILS(append(&cifar100_layout, &b, b.length, &s), STATUS_BAD_INPUT,
                 "byte 3075: label 100 is outside 0..99");
    EXPECT(s.bytes == NULL && s.count == 0);
    blob_release(&b);
}

static enum status load(const struct dataset_ops *ops, const char *folder, struct dataset **d)
{
    const struct choice chosen = {.entry = &ops->entry};
    const struct dataset_request request = {.data_dir = folder};

    return dataset_load(&chosen, &request, d);
}

static void test_cifar10_takes_the_training_files_that_are_there(void)
{
    char *folder = files_folder();
    struct blob b = blob_cifar(3, 1);
    struct dataset *d;

    files_write(folder, "cifar-10-batches-bin/data_batch_1.bin", b.data, b.length);
    files_write(folder, "cifar-10-batches-bin/data_batch_2.bin", b.data, RECORD);
    EXPECT_FAILS(load(&cifar10_data, folder, &d), STATUS_IO, "test_batch.bin");
    files_write(folder, "cifar-10-batches-bin/test_batch.bin", b.data, (size_t)2 * RECORD);
    if (EXPECT_OK(load(&cifar10_data, folder, &d))) {
        EXPECT_INT(d->train.count, 4);
        EXPECT_INT(d->test.count, 2);
        EXPECT_HAS(d->path, "cifar-10-batches-bin");
        expect_records(&d->train, 0, 3);
        dataset_free(d);
    }
    files_write(folder, "cifar-10-batches-bin/data_batch_2.bin", b.data, 100);
    EXPECT_FAILS(load(&cifar10_data, folder, &d), STATUS_IO, "data_batch_2.bin: ends at byte 100");
    files_remove(folder);
    blob_release(&b);
}

static void test_cifar100_loads_from_its_two_files(void)
{
    char *folder = files_folder();
    struct blob b = blob_cifar(3, 2);
    struct dataset *d;

    files_write(folder, "train.bin", b.data, b.length);
    files_write(folder, "test.bin", b.data, b.length);
    if (EXPECT_OK(load(&cifar100_data, folder, &d))) {
        EXPECT_INT(d->train.count, 3);
        EXPECT_INT(d->classes, 100);
        EXPECT_TEXT(d->class_names[99], "worm");
        dataset_free(d);
    }
    files_remove(folder);
    blob_release(&b);
}

/* Bytes of own_files.py. */
static void expect_written(const uint8_t *bytes, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        EXPECT_INT(bytes[i], i * 7 % 251);
}

static void test_the_versions_for_python_are_read(void)
{
    char *folder = own_files_write("cifar");
    struct dataset *d;

    if (EXPECT_OK(load(&cifar10_data, folder, &d))) {
        EXPECT_INT(d->train.count, 8);
        EXPECT_INT(d->test.count, 2);
        expect_written(d->train.bytes, (int64_t)4 * IMAGE);
        expect_written(d->train.bytes + (size_t)4 * IMAGE, (int64_t)4 * IMAGE);
        expect_written(d->test.bytes, (int64_t)2 * IMAGE);
        EXPECT_INT(d->train.labels[0], 9);
        EXPECT_INT(d->train.labels[5], 2);
        EXPECT_INT(d->test.labels[1], 6);
        dataset_free(d);
    }
    if (EXPECT_OK(load(&cifar100_data, folder, &d))) {
        EXPECT_INT(d->train.labels[0], 99);
        expect_written(d->train.bytes, (int64_t)3 * IMAGE);
        expect_written(d->test.bytes, (int64_t)3 * IMAGE); /* in Fortran order */
        dataset_free(d);
    }
    files_remove(folder);
}

static void test_what_is_wrong_in_a_pickle_is_named_with_the_file(void)
{
    static const struct {
        const char *name, *message;
    } cases[] = {
        {"labels",  "data_batch_1: labels: element 1: label 10 is outside 0..9"        },
        {"counts",  "data_batch_1: has 1 labels for 2 images"                          },
        {"nothing", "data_batch_1: has no list \"labels\""                             },
        {"small",   "data_batch_1: data has 2 rows and 1536 values of type u1; it must"},
        {"type",    "data_batch_1: data has 2 rows and 6144 values of type f4; it must"},
    };
    char *folder = own_files_write("cifar");
    struct dataset *d;

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char *path = text_format("%s/wrong/%s", folder, cases[k].name);

        EXPECT_FAILS(load(&cifar10_data, path, &d), STATUS_BAD_INPUT, cases[k].message);
        mem_free(path);
    }
    files_remove(folder);
}

TEST_MAIN(TEST(test_planes_become_channel_last), TEST(test_files_are_appended_in_order),
          TEST(test_the_fine_label_is_the_label_of_cifar100),
          TEST(test_every_length_that_is_not_whole_records_is_refused_with_name_and_offset),
          TEST(test_a_label_out_of_range_is_refused_with_name_and_offset),
          TEST(test_cifar10_takes_the_training_files_that_are_there),
          TEST(test_cifar100_loads_from_its_two_files), TEST(test_the_versions_for_python_are_read),
          TEST(test_what_is_wrong_in_a_pickle_is_named_with_the_file))
