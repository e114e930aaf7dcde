/*
 * test_imagenet_small.c - ImageNet32 and ImageNet64: images on the disk, classes, mean images and
 * the cache of files that cannot be mapped.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "unit/own_files_case.h"

static char *folder;

static void write_files(void)
{
    folder = own_files_write("imagenet");
    EXPECT_INT(setenv("XDG_DATA_HOME", folder, 1), 0);
}

static void remove_files(void)
{
    files_remove(folder);
}

/* Image `row` of own_files.py, pixel by pixel. */
static void expect_image(const struct dataset *d, const struct samples *part, int64_t number,
                         int64_t row)
{
    const int64_t size = d->height * d->width * 3;
    struct image im = {0};
    bool same = true;

    EXPECT_OK(sample_source_read(part->source, number, &im));
    for (int64_t i = 0; i < size; i++)
        same = same && im.pixels[i] == (row * size + i) * 7 % 251;
    EXPECT(same);
    sample_source_will_need(part->source, number);
    image_release(&im);
}

/* Pixel p, channel c of a mean image is (c side side + p) / 16 + more. */
static void expect_mean(const struct samples *part, int64_t number, int64_t side, double more)
{
    const float *mean = sample_source_mean(part->source, number);

    if (EXPECT(mean != NULL))
        for (int64_t i = 0; i < 3 * side * side; i++)
            EXPECT_NEAR((double)mean[i], (double)(i % 3 * side * side + i / 3) / 16 + more, 0.0);
}

static void expect_all(const struct dataset_ops *ops, int64_t side)
{
    static const int32_t labels[] = {0, 999, 1, 2, 1};
    struct dataset *d;

    if (!EXPECT_OK(own_files_load(ops, folder, "", &d)))
        return;
    EXPECT_INT(d->height, side);
    EXPECT_INT(d->classes, 1000);
    EXPECT_INT(d->train.count, 10);
    EXPECT_INT(d->test.count, 3);
    for (int64_t i = 0; i < 10; i++) {
        EXPECT_INT(d->train.labels[i], labels[i % 5]);
        expect_image(d, &d->train, i, i % 5);
        expect_mean(&d->train, i, side, i < 5 ? 0 : 1);
    }
    for (int64_t i = 0; i < 3; i++) {
        expect_image(d, &d->test, i, i);
        expect_mean(&d->test, i, side, 1); /* that of the last training file */
    }
    char *path = sample_source_path(d->train.source, 5);
    EXPECT_HAS(path, "train_data_batch_2");
    mem_free(path);
    dataset_free(d);
}

static void test_images_labels_and_means_are_those_of_the_files(void)
{
    expect_all(&imagenet32_data, 32);
    expect_all(&imagenet64_data, 64);
}

/* The path of the cache of the second file of ImageNet32. mem_free */
static char *find_cache(void)
{
    char *path = text_format("%s/muster/cache", folder), *found = NULL;
    DIR *list = opendir(path);

    for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;) {
        char *file = file_join(path, e->d_name);

        if (found == NULL && strncmp(e->d_name, "train_data_batch_2", 18) == 0 &&
            file_size(file) == 64 + 5 * 4 + 3072 * 4 + 5 * 3072)
            found = mem_text(file);
        EXPECT(strncmp(e->d_name, "train_data_batch_1", 18) != 0); /* it is mapped as it is */
        mem_free(file);
    }
    if (list != NULL)
        closedir(list);
    mem_free(path);
    return found;
}

static void test_a_file_that_cannot_be_mapped_is_decoded_once_and_again_if_it_changes(void)
{
    char *cache = find_cache(),
         *pickle = text_format("%s/Imagenet32_train/train_data_batch_2", folder);
    struct stat first, second, third;

    if (EXPECT(cache != NULL)) {
        EXPECT_INT(stat(cache, &first), 0);
        expect_all(&imagenet32_data, 32);
        EXPECT_INT(stat(cache, &second), 0);
        EXPECT(first.st_ino == second.st_ino); /* it was used, not written */
        EXPECT_INT(utimensat(AT_FDCWD, pickle,
                             (struct timespec[2]){
                                 {1, 0},
                                 {1, 0}
        },
                             0),
                   0);
        expect_all(&imagenet32_data, 32);
        EXPECT_INT(stat(cache, &third), 0);
        EXPECT(third.st_mtim.tv_sec != second.st_mtim.tv_sec ||
               third.st_mtim.tv_nsec != second.st_mtim.tv_nsec);
        EXPECT_INT(truncate(cache, 1000), 0);
        expect_all(&imagenet32_data, 32); /* a damaged one is made again */
    }
    mem_free(cache);
    mem_free(pickle);
}

static void test_without_a_place_for_the_cache_images_stay_in_memory(void)
{
    EXPECT_INT(setenv("XDG_DATA_HOME", "/dev/null", 1), 0);
    expect_all(&imagenet32_data, 32);
    EXPECT_INT(setenv("XDG_DATA_HOME", folder, 1), 0);
}

static void test_the_first_classes_keep_their_images_and_labels_together(void)
{
    static const int64_t rows[] = {0, 2, 4};
    static const int32_t labels[] = {0, 1, 1};
    struct dataset *d;

    if (!EXPECT_OK(own_files_load(&imagenet32_data, folder, "classes 2", &d)))
        return;
    EXPECT_INT(d->classes, 2);
    EXPECT_TEXT(d->class_names[1], "English_setter");
    EXPECT_INT(d->train.count, 6);
    EXPECT_INT(d->test.count, 2);
    EXPECT_INT(d->train.files.count, 2);
    EXPECT_INT(d->train.files.ends[0], 3);
    EXPECT_INT(d->train.files.ends[1], 6);
    for (int64_t i = 0; i < 6; i++) {
        EXPECT_INT(d->train.labels[i], labels[i % 3]);
        expect_image(d, &d->train, i, rows[i % 3]);
    }
    expect_image(d, &d->test, 1, 2);
    EXPECT_INT(d->test.labels[1], 0);
    dataset_free(d);
}

static void test_the_fingerprint_depends_on_which_images_there_are(void)
{
    struct dataset *a, *b;

    if (!EXPECT_OK(own_files_load(&imagenet32_data, folder, "", &a)) ||
        !EXPECT_OK(own_files_load(&imagenet32_data, folder, "classes 3", &b)))
        return;
    EXPECT(sample_source_fingerprint(a->train.source, 0) ==
           sample_source_fingerprint(a->train.source, 0));
    EXPECT(sample_source_fingerprint(a->train.source, 0) !=
           sample_source_fingerprint(b->train.source, 0));
    dataset_free(a);
    dataset_free(b);
}

static void test_what_is_wrong_is_named_with_the_file(void)
{
    char *wrong = file_join(folder, "wrong");
    struct dataset *d;

    EXPECT_FAILS(own_files_load(&imagenet32_data, wrong, "", &d), STATUS_BAD_INPUT,
                 "train_data_batch_1: labels: element 0: label 0 is outside 1..1000");
    EXPECT_FAILS(own_files_load(&imagenet64_data, wrong, "", &d), STATUS_BAD_INPUT,
                 "train_data_batch_1: data has 1 rows and 3072 values of type u1; it must have");
    files_write(folder, "Imagenet64_train/map_clsloc.txt", "n1 1 fox\nfox\n", 13);
    EXPECT_FAILS(own_files_load(&imagenet64_data, folder, "", &d), STATUS_BAD_INPUT,
                 "map_clsloc.txt:2: is not a line like");
    mem_free(wrong);
}

TEST_MAIN(TEST(write_files), TEST(test_images_labels_and_means_are_those_of_the_files),
          TEST(test_a_file_that_cannot_be_mapped_is_decoded_once_and_again_if_it_changes),
          TEST(test_without_a_place_for_the_cache_images_stay_in_memory),
          TEST(test_the_first_classes_keep_their_images_and_labels_together),
          TEST(test_the_fingerprint_depends_on_which_images_there_are),
          TEST(test_what_is_wrong_is_named_with_the_file), TEST(remove_files))
