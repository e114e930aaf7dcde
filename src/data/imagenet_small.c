/*
 * imagenet_small.c - ImageNet with 32 x 32 or 64 x 64 pixels (Chrabaszcz, Loshchilov, Hutter): ten
 * pickles to train, one to test. Labels are 1 to 1000 in the files.
 *
 * Not here: the files (planes_file.c), reading images (planes_source.c), names of classes
 * (imagenet_names.c).
 */
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "data/imagenet_names.h"
#include "data/list.h"
#include "data/planes_source.h"

enum { CLASSES = IMAGENET_CLASSES, TRAIN_FILES = 10, TRAIN_COUNT = 1281167, TEST_COUNT = 50000 };

struct imagenet_options {
    int64_t classes;
};

static const struct field imagenet_fields[] = {
    FIELD_INT(struct imagenet_options, classes, 0, 0, CLASSES,
              "use only the images of the first classes (0: all 1000)"),
    FIELD_LAST,
};

static const char *const probes[] = {"train_data_batch_1",
                                     "train_data_batch_2",
                                     "train_data_batch_3",
                                     "train_data_batch_4",
                                     "train_data_batch_5",
                                     "train_data_batch_6",
                                     "train_data_batch_7",
                                     "train_data_batch_8",
                                     "train_data_batch_9",
                                     "train_data_batch_10",
                                     NULL};

/* --- parts --- */

/* The files of a part under way. */
struct part_files {
    struct planes_file files[TRAIN_FILES];
    int64_t count;
};

static enum status add_file(struct part_files *p, const struct dataset *d, const char *path)
{
    const struct image_pickle_request request = {
        .path = path,
        .side = d->height,
        .labels = "labels",
        .first_label = 1,
        .classes = CLASSES,
    };

    TRY(planes_file_open(&p->files[p->count], &request));
    p->count++;
    return STATUS_OK;
}

/* As many of the ten as there are: a subset of the set is a set. */
static enum status add_training_files(struct part_files *p, const struct dataset *d, bool outline)
{
    for (int64_t k = 0; k < TRAIN_FILES; k++) {
        char *path = file_join(d->path, probes[k]);
        const enum status s = file_exists(path) ? add_file(p, d, path) : STATUS_OK;

        mem_free(path);
        TRY(s);
    }
    if (p->count < TRAIN_FILES && !outline)
        log_warning("%s: only %lld of the %d training files of %s are there", d->path,
                    (long long)p->count, TRAIN_FILES, d->ops->entry.name);
    for (int64_t k = 1; k < p->count; k++)
        if ((p->files[k].mean == NULL) != (p->files[0].mean == NULL))
            return FAIL(STATUS_BAD_INPUT, "%s: has %s mean image, unlike %s", p->files[k].path,
                        p->files[k].mean == NULL ? "no" : "a", p->files[0].path);
    return STATUS_OK;
}

/* Beside the training files, or in the folder with the name of the validation part. */
static enum status add_test_file(struct part_files *p, const struct dataset *d)
{
    char *beside = text_format("%s/../Imagenet%lld_val/val_data", d->path, (long long)d->height);
    const char *const places[] = {"val_data", "../val_data", NULL};
    char *path = file_exists(beside) ? mem_text(beside) : NULL;

    for (int k = 0; path == NULL && places[k] != NULL; k++)
        path = file_exists_in(d->path, places[k]) ? file_join(d->path, places[k]) : NULL;
    const enum status s =
        path != NULL ? add_file(p, d, path)
                     : FAIL(STATUS_IO, "%s: has no val_data, and there is no %s", d->path, beside);
    mem_free(beside);
    mem_free(path);
    return s;
}

/* The images whose class is used, with their labels. */
static enum status set_part(struct samples *part, struct part_files *p, const struct dataset *d)
{
    struct planes_content c = {.side = d->height, .file_count = p->count};

    for (int64_t k = 0; k < p->count; k++) {
        for (int64_t i = 0; i < p->files[k].count; i++) {
            const int32_t label = p->files[k].labels[i];

            if (label >= d->classes)
                continue;
            c.count++;
            c.items = mem_grow(c.items, c.count, sizeof *c.items);
            part->labels = mem_grow(part->labels, c.count, sizeof *part->labels);
            c.items[c.count - 1] = (struct planes_item){(int32_t)k, (int32_t)i};
            part->labels[c.count - 1] = label;
        }
        sample_files_add(&part->files, c.count);
    }
    if (c.count == 0)
        return FAIL(STATUS_BAD_INPUT, "data.classes: %s has no images of the first %lld classes",
                    p->files[0].path, (long long)d->classes);
    c.files = MEM_NEW_N(struct planes_file, p->count);
    memcpy(c.files, p->files, (size_t)p->count * sizeof *c.files);
    p->count = 0; /* they belong to the source */
    part->count = c.count;
    part->source = planes_source_new(&c);
    return STATUS_OK;
}

/* The test file has no mean image: that of the last training file is used. */
static void lend_mean(struct planes_file *to, const struct planes_file *from, int64_t side)
{
    const int64_t size = 3 * side * side;

    if (to->mean != NULL || from->mean == NULL)
        return;
    to->mean = MEM_NEW_N(float, size);
    memcpy(to->mean, from->mean, (size_t)size * sizeof *to->mean);
}

static enum status load_parts(struct dataset *d, bool outline, struct part_files *train,
                              struct part_files *test)
{
    TRY(add_training_files(train, d, outline));
    TRY(add_test_file(test, d));
    lend_mean(&test->files[0], &train->files[train->count - 1], d->height);
    TRY(set_part(&d->train, train, d));
    return set_part(&d->test, test, d);
}

/* --- both sizes --- */

static enum status load_imagenet(struct dataset *d, const struct dataset_request *request)
{
    const struct imagenet_options *o = request->options;
    struct part_files train = {0}, test = {0};

    TRY(dataset_find_folder(d->ops, request->data_dir, &d->path));
    d->height = d->width = d->ops->height;
    d->channels = 3;
    d->classes = o == NULL || o->classes == 0 ? CLASSES : o->classes;
    d->own_names = MEM_NEW_N(char *, d->classes);
    TRY(imagenet_names_read(d->path, d->own_names, d->classes));
    d->class_names = (const char *const *)d->own_names;
    const enum status s = load_parts(d, request->outline, &train, &test);
    for (int64_t k = 0; k < train.count; k++)
        planes_file_close(&train.files[k]);
    for (int64_t k = 0; k < test.count; k++)
        planes_file_close(&test.files[k]);
    return s;
}

static const char *const folders32[] = {"Imagenet32_train", "Imagenet32", "imagenet32", NULL};
static const char *const folders64[] = {"Imagenet64_train", "Imagenet64", "imagenet64", NULL};

#define HINT(size)                                        \
    "unpack Imagenet" size "_train.zip and Imagenet" size \
    "_val.zip of https://image-net.org (Download, with an account) in DIR and give --data-dir DIR"

const struct dataset_ops imagenet32_data = {
    .entry = {.name = "imagenet32",
              .summary = "ImageNet with 32x32 pixels, in 1000 classes (Chrabaszcz)",
              .fields = imagenet_fields,
              .options_size = sizeof(struct imagenet_options)},
    .folders = folders32,
    .probes = probes,
    .hint = HINT("32"),
    .height = 32,
    .width = 32,
    .channels = 3,
    .classes = CLASSES,
    .train_count = TRAIN_COUNT,
    .test_count = TEST_COUNT,
    .load = load_imagenet,
};

const struct dataset_ops imagenet64_data = {
    .entry = {.name = "imagenet64",
              .summary = "ImageNet with 64x64 pixels, in 1000 classes (Chrabaszcz)",
              .fields = imagenet_fields,
              .options_size = sizeof(struct imagenet_options)},
    .folders = folders64,
    .probes = probes,
    .hint = HINT("64"),
    .height = 64,
    .width = 64,
    .channels = 3,
    .classes = CLASSES,
    .train_count = TRAIN_COUNT,
    .test_count = TEST_COUNT,
    .load = load_imagenet,
};
