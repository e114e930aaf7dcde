/*
 * test_npz_data.c - arrays that NumPy has written as data sets, and what is rejected.
 */
#include "unit/own_files_case.h"

static char *folder;

/* FOLDER/FILE as the set's path, with more options. */
static enum status load(const char *file, const char *options, struct dataset **d)
{
    char *all = text_format("path %s/%s %s", folder, file, options);
    const enum status s = own_files_load(&npz_data, NULL, all, d);

    mem_free(all);
    return s;
}

static void expect_bytes(const struct samples *part, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        EXPECT_INT(part->bytes[i], i * 7 % 251);
}

static void test_names_of_keras_and_grey_images(void)
{
    struct dataset *d;

    if (!EXPECT_OK(load("keras.npz", "", &d)))
        return;
    EXPECT_INT(d->height, 4);
    EXPECT_INT(d->width, 5);
    EXPECT_INT(d->channels, 1);
    EXPECT_INT(d->classes, 3);
    EXPECT_INT(d->train.count, 12);
    EXPECT_INT(d->test.count, 2);
    expect_bytes(&d->train, 12 * 20);
    expect_bytes(&d->test, 2 * 20);
    EXPECT_INT(d->train.labels[5], 2);
    dataset_free(d);
}

/* Which row of the whole a sample is, by its first two bytes; then all of it must be that row. */
static void expect_rows(const struct dataset *d, const struct samples *part, int64_t modulus)
{
    const int64_t size = d->height * d->width * d->channels;

    for (int64_t i = 0; i < part->count; i++) {
        const uint8_t *row = part->bytes + i * size;
        int64_t number = 0;

        while (number < 12 && number * size * 7 % 251 != row[0])
            number++;
        EXPECT_INT(part->labels[i], number % modulus);
        for (int64_t k = 0; k < size; k++)
            EXPECT_INT(row[k], (number * size + k) * 7 % 251);
    }
}

static void test_colour_images_with_channels_first_or_last_are_the_same(void)
{
    static const char *const files[] = {"first.npz", "last.npz"}, *const names[] = {"20", "-5"};
    struct dataset *d;

    for (int k = 0; k < 2; k++) {
        if (!EXPECT_OK(load(files[k], "test_fraction 0.5", &d)))
            continue;
        EXPECT_INT(d->height, 4);
        EXPECT_INT(d->width, 5);
        EXPECT_INT(d->channels, 3);
        EXPECT_INT(d->train.count, 6);
        EXPECT_INT(d->test.count, 6);
        EXPECT_TEXT(d->class_names[2], names[k]);
        expect_rows(d, &d->train, 3);
        expect_rows(d, &d->test, 3);
        dataset_free(d);
    }
}

static void test_floats_are_targets_and_names_may_be_given(void)
{
    struct dataset *d;

    if (EXPECT_OK(
            load("table.npz", "train_inputs a train_labels b test_inputs c test_labels d", &d))) {
        EXPECT_INT(d->height * d->width, 1);
        EXPECT_INT(d->channels, 40);
        EXPECT_INT(d->classes, 0);
        EXPECT_INT(d->target_size, 2);
        EXPECT_INT(d->train.count, 12);
        EXPECT_INT(d->test.count, 3);
        EXPECT_NEAR((double)d->train.values[41], 41 * 7 % 251 / 4.0, 0.0);
        EXPECT_NEAR((double)d->train.targets[3], 41 * 7 % 251 / 4.0, 0.0);
        EXPECT_NEAR((double)d->test.targets[3], 41 * 7 % 251 / 4.0, 0.0);
        dataset_free(d);
    }
}

static void test_two_npy_files_are_inputs_and_labels(void)
{
    char *labels = text_format("labels %s/labels.npy", folder);
    struct dataset *d;

    if (EXPECT_OK(load("inputs.npy", labels, &d))) {
        EXPECT_INT(d->channels, 40);
        EXPECT_INT(d->classes, 2);
        EXPECT_INT(d->train.count, 10);
        EXPECT_INT(d->test.count, 2);
        dataset_free(d);
    }
    EXPECT_FAILS(load("inputs.npy", "", &d), STATUS_BAD_INPUT, "data.labels: is missing; ");
    EXPECT_FAILS(load("keras.npz", labels, &d), STATUS_BAD_INPUT, "data.labels: ");
    mem_free(labels);
}

/* What is said of arrays of wrong.npz. */
static void expect_rejected(const char *inputs, const char *labels, const char *more,
                            const char *message)
{
    char *options = text_format("train_inputs %s train_labels %s%s", inputs, labels, more);
    struct dataset *d;

    EXPECT_FAILS(load("wrong.npz", options, &d), STATUS_BAD_INPUT, message);
    mem_free(options);
}

static void test_what_is_wrong_is_named_with_file_and_array(void)
{
    struct dataset *d;

    expect_rejected("table", "few", "", "wrong.npz: few: has 5 rows for 12 samples");
    expect_rejected("table", "same", "", "wrong.npz: same: all labels are 0");
    expect_rejected("cube", "labels", "",
                    "wrong.npz: cube: has shape (12, 1, 1, 1, 2); it must be");
    expect_rejected("nan", "labels", "", "wrong.npz: nan: element 0 is nan");
    expect_rejected("table", "pairs", "", "wrong.npz: pairs: has shape (12, 2); it must be");
    expect_rejected("table", "none", "", "wrong.npz: has no array \"none\"; it has ");
    expect_rejected("table", "labels", " test_inputs table test_labels other",
                    "wrong.npz: other: element 2: label 3 is not among those of the training part");
    expect_rejected("table", "labels", " test_inputs labels test_labels labels",
                    "wrong.npz: labels: has shape (12,); it must be the shape of the training");
    expect_rejected("table", "labels", " test_inputs table", "data.test_labels: ");
    EXPECT_FAILS(load("wrong.npz", "", &d), STATUS_BAD_INPUT,
                 "has no array with a usual name for it, such as x_train; name one of its arrays: "
                 "few, same");
    EXPECT_FAILS(load("none.npz", "", &d), STATUS_IO, "none.npz");
    EXPECT_FAILS(own_files_load(&npz_data, NULL, "", &d), STATUS_BAD_INPUT,
                 "data.path: is missing; use --dataset npz:FILE");
}

static void write_files(void)
{
    folder = own_files_write("npz");
}

static void remove_files(void)
{
    files_remove(folder);
}

TEST_MAIN(TEST(write_files), TEST(test_names_of_keras_and_grey_images),
          TEST(test_colour_images_with_channels_first_or_last_are_the_same),
          TEST(test_floats_are_targets_and_names_may_be_given),
          TEST(test_two_npy_files_are_inputs_and_labels),
          TEST(test_what_is_wrong_is_named_with_file_and_array), TEST(remove_files))
