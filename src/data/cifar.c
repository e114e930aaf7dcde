/*
 * cifar.c - CIFAR-10 and CIFAR-100 from their binary versions, or from those for Python, which are
 * pickles (image_pickle.c).
 *
 * Not here: the search path (dataset_folder.c).
 */
#include "data/cifar.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "data/dataset_source.h"
#include "data/image_pickle.h"
#include "data/list.h"
#include "data/planes.h"

enum { CHANNELS = 3, FILE_MAX = 2147483647, TRAIN_FILES = 5 };

const struct cifar_layout cifar10_layout = {.label_bytes = 1, .limits = {10}};
const struct cifar_layout cifar100_layout = {
    .label_bytes = 2, .limits = {20, 100}
};

static int64_t record_bytes(const struct cifar_layout *layout)
{
    return layout->label_bytes + (int64_t)CHANNELS * CIFAR_PIXELS;
}

static enum status check_length(const struct cifar_layout *layout, const struct cifar_file *file)
{
    const int64_t length = (int64_t)file->length, record = record_bytes(layout);

    if (length == 0)
        return FAIL(STATUS_IO, "%s: is empty; expected records of %lld bytes", file->name,
                    (long long)record);
    if (length % record != 0)
        return FAIL(STATUS_IO,
                    "%s: ends at byte %lld, inside the record of %lld bytes at byte %lld",
                    file->name, (long long)length, (long long)record,
                    (long long)(length - length % record));
    return STATUS_OK;
}

static enum status check_labels(const struct cifar_layout *layout, const struct cifar_file *file)
{
    const int64_t record = record_bytes(layout), count = (int64_t)file->length / record;

    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < layout->label_bytes; k++) {
            const int label = file->data[i * record + k];

            if (label >= layout->limits[k])
                return FAIL(STATUS_BAD_INPUT, "%s: byte %lld: label %d is outside 0..%lld",
                            file->name, (long long)(i * record + k), label,
                            (long long)layout->limits[k] - 1);
        }
    }
    return STATUS_OK;
}

/* Room for more samples. */
static void grow(struct samples *part, int64_t more)
{
    const int64_t before = part->count, image = (int64_t)CHANNELS * CIFAR_PIXELS;

    part->count += more;
    part->bytes = mem_resize(part->bytes, before, part->count, (size_t)image);
    part->labels = mem_resize(part->labels, before, part->count, sizeof *part->labels);
}

enum status cifar_append(const struct cifar_layout *layout, const struct cifar_file *file,
                         struct samples *part)
{
    const int64_t record = record_bytes(layout), image = (int64_t)CHANNELS * CIFAR_PIXELS;
    const int64_t before = part->count;

    TRY(check_length(layout, file));
    TRY(check_labels(layout, file));
    grow(part, (int64_t)file->length / record);
    for (int64_t i = before; i < part->count; i++) {
        const uint8_t *at = file->data + (i - before) * record;

        part->labels[i] = at[layout->label_bytes - 1];
        planes_to_pixels(part->bytes + i * image, at + layout->label_bytes, CIFAR_PIXELS);
    }
    return STATUS_OK;
}

static enum status append_pickle(const struct image_pickle *x, const char *path,
                                 struct samples *part)
{
    const int64_t image = (int64_t)CHANNELS * CIFAR_PIXELS, before = part->count;
    uint8_t planes[CHANNELS * CIFAR_PIXELS];

    grow(part, x->count);
    for (int64_t i = 0; i < x->count; i++) {
        TRY(file_array_to_bytes(x->data, path, i * image, image, planes));
        planes_to_pixels(part->bytes + (before + i) * image, planes, CIFAR_PIXELS);
        part->labels[before + i] = x->labels[i];
    }
    return STATUS_OK;
}

static enum status load_pickle(const struct cifar_layout *layout, const char *path,
                               struct samples *part)
{
    const struct image_pickle_request request = {
        .path = path,
        .side = CIFAR_SIDE,
        .labels = layout->label_bytes == 2 ? "fine_labels" : "labels",
        .classes = layout->limits[layout->label_bytes - 1],
    };
    struct image_pickle x;

    TRY(image_pickle_open(&x, &request));
    const enum status s = append_pickle(&x, path, part);
    image_pickle_close(&x);
    return s;
}

static enum status load_binary(const struct cifar_layout *layout, const char *path,
                               struct samples *part)
{
    struct text content = {0};
    enum status s = file_read(path, FILE_MAX, &content);

    if (s == STATUS_OK)
        s = cifar_append(layout,
                         &(struct cifar_file){
                             .name = path,
                             .data = (const uint8_t *)text_get(&content),
                             .length = content.length,
                         },
                         part);
    text_release(&content);
    return s;
}

static enum status load_file(const struct cifar_layout *layout, const char *path,
                             struct samples *part)
{
    const size_t length = strlen(path), ending = strlen(".bin");
    const bool is_binary = length > ending && strcmp(path + length - ending, ".bin") == 0;

    return is_binary ? load_binary(layout, path, part) : load_pickle(layout, path, part);
}

static enum status load_named(const struct dataset *d, const struct cifar_layout *layout,
                              const char *name, struct samples *part)
{
    char *path = file_join(d->path, name);
    const enum status s = load_file(layout, path, part);

    mem_free(path);
    return s;
}

static enum status find_folder(struct dataset *d, const struct dataset_request *request)
{
    d->height = d->width = CIFAR_SIDE;
    d->channels = CHANNELS;
    return dataset_find_folder(d->ops, request->data_dir, &d->path);
}

/* Whether the folder has the version for Python, and not the binary one. */
static bool is_python(const struct dataset *d, const char *const *binary)
{
    for (; *binary != NULL && strstr(*binary, ".bin") != NULL; binary++)
        if (file_exists_in(d->path, *binary))
            return false;
    return true;
}

/* As many of the five as there are: a subset of the set is a set. */
static enum status load_batches(struct dataset *d, bool outline)
{
    const char *const *names = d->ops->probes + (is_python(d, d->ops->probes) ? TRAIN_FILES : 0);
    int64_t present = 0;

    for (int64_t k = 0; k < TRAIN_FILES; k++) {
        char *path = file_join(d->path, names[k]);
        enum status s = STATUS_OK;

        if (file_exists(path)) {
            present++;
            s = load_file(&cifar10_layout, path, &d->train);
            sample_files_add(&d->train.files, d->train.count);
        }
        mem_free(path);
        TRY(s);
    }
    if (present < TRAIN_FILES && !outline)
        log_warning("%s: only %lld of the %d training files of cifar10 are there", d->path,
                    (long long)present, TRAIN_FILES);
    return STATUS_OK;
}

static enum status load_cifar10(struct dataset *d, const struct dataset_request *request)
{
    static const char *const names[] = {
        "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck",
    };

    TRY(find_folder(d, request));
    d->classes = 10;
    d->class_names = names;
    TRY(load_batches(d, request->outline));
    return load_named(d, &cifar10_layout,
                      is_python(d, d->ops->probes) ? "test_batch" : "test_batch.bin", &d->test);
}

static enum status load_cifar100(struct dataset *d, const struct dataset_request *request)
{
    static const char *const names[] = {
        "apple",       "aquarium fish", "baby",      "bear",       "beaver",       "bed",
        "bee",         "beetle",        "bicycle",   "bottle",     "bowl",         "boy",
        "bridge",      "bus",           "butterfly", "camel",      "can",          "castle",
        "caterpillar", "cattle",        "chair",     "chimpanzee", "clock",        "cloud",
        "cockroach",   "couch",         "crab",      "crocodile",  "cup",          "dinosaur",
        "dolphin",     "elephant",      "flatfish",  "forest",     "fox",          "girl",
        "hamster",     "house",         "kangaroo",  "keyboard",   "lamp",         "lawn mower",
        "leopard",     "lion",          "lizard",    "lobster",    "man",          "maple tree",
        "motorcycle",  "mountain",      "mouse",     "mushroom",   "oak tree",     "orange",
        "orchid",      "otter",         "palm tree", "pear",       "pickup truck", "pine tree",
        "plain",       "plate",         "poppy",     "porcupine",  "possum",       "rabbit",
        "raccoon",     "ray",           "road",      "rocket",     "rose",         "sea",
        "seal",        "shark",         "shrew",     "skunk",      "skyscraper",   "snail",
        "snake",       "spider",        "squirrel",  "streetcar",  "sunflower",    "sweet pepper",
        "table",       "tank",          "telephone", "television", "tiger",        "tractor",
        "train",       "trout",         "tulip",     "turtle",     "wardrobe",     "whale",
        "willow tree", "wolf",          "woman",     "worm",
    };
    _Static_assert(sizeof names / sizeof names[0] == 100, "cifar100 has a hundred classes");

    TRY(find_folder(d, request));
    d->classes = 100;
    d->class_names = names;
    const bool is_pickle = is_python(d, d->ops->probes);
    TRY(load_named(d, &cifar100_layout, is_pickle ? "train" : "train.bin", &d->train));
    return load_named(d, &cifar100_layout, is_pickle ? "test" : "test.bin", &d->test);
}

static const char *const folders10[] = {"cifar-10-batches-bin", "cifar-10-batches-py", "cifar10",
                                        "cifar-10", NULL};
static const char *const folders100[] = {"cifar-100-binary", "cifar-100-python", "cifar100",
                                         "cifar-100", NULL};
/* The five binary files, then those for Python. */
static const char *const probes10[] = {"data_batch_1.bin",
                                       "data_batch_2.bin",
                                       "data_batch_3.bin",
                                       "data_batch_4.bin",
                                       "data_batch_5.bin",
                                       "data_batch_1",
                                       "data_batch_2",
                                       "data_batch_3",
                                       "data_batch_4",
                                       "data_batch_5",
                                       NULL};
static const char *const probes100[] = {"train.bin", "train", NULL};

const struct dataset_ops cifar10_data = {
    .entry = {.name = "cifar10",
              .also = "cifar",
              .summary = "32x32 colour photographs in 10 classes (Krizhevsky)"},
    .folders = folders10,
    .probes = probes10,
    .hint = "unpack https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz (or the version for "
            "Python) in DIR and give --data-dir DIR",
    .source = &cifar10_source,
    .height = CIFAR_SIDE,
    .width = CIFAR_SIDE,
    .channels = CHANNELS,
    .classes = 10,
    .train_count = 50000,
    .test_count = 10000,
    .mean = 0.4734,
    .load = load_cifar10,
};

const struct dataset_ops cifar100_data = {
    .entry = {.name = "cifar100",
              .summary = "32x32 colour photographs in 100 classes (Krizhevsky)"},
    .folders = folders100,
    .probes = probes100,
    .hint = "unpack https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz (or the version for "
            "Python) in DIR and give --data-dir DIR",
    .source = &cifar100_source,
    .height = CIFAR_SIDE,
    .width = CIFAR_SIDE,
    .channels = CHANNELS,
    .classes = 100,
    .train_count = 50000,
    .test_count = 10000,
    .mean = 0.4782,
    .load = load_cifar100,
};
