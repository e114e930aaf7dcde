/*
 * npz_data.c - your own arrays: an .npz file of NumPy, as Keras has its data sets, or two .npy
 * files.
 *
 * Not here: the formats (format/npz.h, format/npy.h), from arrays to samples (array_samples.c).
 */
#include <string.h>

#include "base/file_map.h"
#include "base/mem.h"
#include "data/array_samples.h"
#include "data/list.h"
#include "data/test_split.h"
#include "format/npy.h"
#include "format/npz.h"

struct npz_options {
    char *path, *labels;
    char *train_inputs, *train_labels, *test_inputs, *test_labels;
    double test_fraction;
    int64_t seed;
};

static const struct field npz_fields[] = {
    FIELD_PATH(struct npz_options, path, NULL, "the .npz file, or a .npy file with the inputs"),
    FIELD_PATH(struct npz_options, labels, NULL,
               "a .npy file with the labels or targets, if the inputs are one too"),
    FIELD_TEXT(struct npz_options, train_inputs, NULL,
               "array of the training inputs (without it: x_train, X, images or the like)"),
    FIELD_TEXT(struct npz_options, train_labels, NULL,
               "array of their labels (whole numbers) or targets (floats)"),
    FIELD_TEXT(struct npz_options, test_inputs, NULL, "array of the test inputs"),
    FIELD_TEXT(struct npz_options, test_labels, NULL, "array of their labels or targets"),
    FIELD_REAL(struct npz_options, test_fraction, 0.1, 0.001, 0.9,
               "part of each class, or of all samples, that tests, without arrays of tests"),
    FIELD_INT(struct npz_options, seed, 1, 0, 9007199254740991,
              "seed by which samples that test are chosen"),
    FIELD_LAST,
};

/* --- names --- */

enum { TRAIN_INPUTS, TRAIN_LABELS, TEST_INPUTS, TEST_LABELS, ARRAYS };

/* In the order of the enum; NULL: there are none. */
static const char *const usual_names[][ARRAYS] = {
    {"x_train",      "y_train",      "x_test",      "y_test"     }, /* Keras */
    {"X_train",      "y_train",      "X_test",      "y_test"     }, /* scikit-learn */
    {"train_images", "train_labels", "test_images", "test_labels"}, /* MedMNIST */
    {"X",            "y",            NULL,          NULL         },
    {"x",            "y",            NULL,          NULL         },
    {"images",       "labels",       NULL,          NULL         },
    {"data",         "labels",       NULL,          NULL         },
};

static bool has_array(const struct zip_reader *z, const char *name)
{
    char *file = name == NULL ? NULL : text_format("%s.npy", name);
    const bool has = file != NULL && zip_reader_find(z, file) != NULL;

    mem_free(file);
    return has;
}

/* The arrays of a file: those that were named, or the usual ones if the training inputs were not.
 * NULL: none. */
static void choose_names(const struct zip_reader *z, const struct npz_options *o,
                         const char *names[ARRAYS])
{
    const char *given[ARRAYS] = {o->train_inputs, o->train_labels, o->test_inputs, o->test_labels};
    const size_t kinds = sizeof usual_names / sizeof usual_names[0];

    for (size_t k = kinds; k-- > 0;) { /* the first of them wins */
        if (o->train_inputs != NULL || !has_array(z, usual_names[k][TRAIN_INPUTS]))
            continue;
        for (int i = 0; i < ARRAYS; i++)
            names[i] = has_array(z, usual_names[k][i]) ? usual_names[k][i] : NULL;
    }
    for (int i = 0; i < ARRAYS; i++)
        names[i] = given[i] != NULL ? given[i] : names[i];
}

enum { NAMES_SHOWN = 20 };

static enum status fail_unnamed(const struct zip_reader *z, const char *key, const char *usual)
{
    struct text there = {0};

    for (int64_t i = 0; i < z->count && i < NAMES_SHOWN; i++) {
        const char *file = z->members[i].name, *end = strrchr(file, '.'); /* .npy */
        const size_t length = end == NULL ? strlen(file) : (size_t)(end - file);

        text_addf(&there, "%s%.*s", i == 0 ? "" : ", ", (int)length, file);
    }
    const enum status s = FAIL(STATUS_BAD_INPUT,
                               "data.%s: %s has no array with a usual name for it, such as %s; "
                               "name one of its arrays: %s",
                               key, z->name, usual, text_get(&there));
    text_release(&there);
    return s;
}

static enum status check_names(const struct zip_reader *z, const char *const names[ARRAYS])
{
    static const char *const keys[] = {"train_inputs", "train_labels", "test_inputs",
                                       "test_labels"};
    const bool tests = names[TEST_INPUTS] != NULL || names[TEST_LABELS] != NULL;

    for (int i = 0; i < (tests ? ARRAYS : TEST_INPUTS); i++)
        if (names[i] == NULL)
            return fail_unnamed(z, keys[i], usual_names[0][i]);
    return STATUS_OK;
}

/* --- .npz --- */

static enum status get_array(const struct zip_reader *z, const char *name, struct npz_array *a,
                             struct named_array *named)
{
    TRY(npz_get(z, name, a));
    named->array = a->array;
    named->name = text_format("%s: %s", z->name, name);
    return STATUS_OK;
}

static enum status read_arrays(struct dataset *d, const struct zip_reader *z,
                               const char *const names[ARRAYS], struct npz_array *arrays,
                               struct named_array *named)
{
    TRY(get_array(z, names[TRAIN_INPUTS], &arrays[TRAIN_INPUTS], &named[TRAIN_INPUTS]));
    TRY(array_samples_inputs(d, &named[TRAIN_INPUTS]));
    npz_array_release(&arrays[TRAIN_INPUTS]); /* it may be large */
    TRY(get_array(z, names[TRAIN_LABELS], &arrays[TRAIN_LABELS], &named[TRAIN_LABELS]));
    TRY(array_samples_outputs(d, &named[TRAIN_LABELS]));
    if (names[TEST_INPUTS] == NULL)
        return STATUS_OK;
    TRY(get_array(z, names[TEST_INPUTS], &arrays[TEST_INPUTS], &named[TEST_INPUTS]));
    TRY(get_array(z, names[TEST_LABELS], &arrays[TEST_LABELS], &named[TEST_LABELS]));
    return array_samples_test(d, &named[TEST_INPUTS], &named[TEST_LABELS]);
}

static enum status load_members(struct dataset *d, const struct npz_options *o,
                                const struct zip_reader *z)
{
    const char *names[ARRAYS] = {NULL};
    struct npz_array arrays[ARRAYS] = {0};
    struct named_array named[ARRAYS] = {0};

    choose_names(z, o, names);
    enum status s = check_names(z, names);
    if (s == STATUS_OK)
        s = read_arrays(d, z, names, arrays, named);
    for (int i = 0; i < ARRAYS; i++) {
        npz_array_release(&arrays[i]);
        mem_free(named[i].name);
    }
    return s;
}

static enum status load_npz(struct dataset *d, const struct npz_options *o,
                            const struct file_map *map)
{
    struct zip_reader z = {0};

    if (o->labels != NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "data.labels: %s has arrays; name one of them by data.train_labels", o->path);
    TRY(zip_reader_open(&z, o->path, map->data, map->bytes));
    const enum status s = load_members(d, o, &z);
    zip_reader_close(&z);
    return s;
}

/* --- two .npy files --- */

static enum status load_npy(struct dataset *d, const struct npz_options *o,
                            const struct file_map *inputs, struct file_map *labels)
{
    struct named_array x = {.name = inputs->path}, y = {.name = o->labels};

    if (o->labels == NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "data.labels: is missing; %s is one array, and its labels are another file",
                    o->path);
    TRY(npy_decode(x.name, inputs->data, inputs->bytes, &x.array));
    TRY(file_map_open(labels, o->labels));
    TRY(npy_decode(y.name, labels->data, labels->bytes, &y.array));
    TRY(array_samples_inputs(d, &x));
    return array_samples_outputs(d, &y);
}

/* --- both --- */

static bool is_npy(const struct file_map *m)
{
    return m->bytes >= 6 && memcmp(m->data, "\x93NUMPY", 6) == 0;
}

static enum status load_files(struct dataset *d, const struct npz_options *o, struct file_map *maps)
{
    TRY(file_map_open(&maps[0], o->path));
    TRY(is_npy(&maps[0]) ? load_npy(d, o, &maps[0], &maps[1]) : load_npz(d, o, &maps[0]));
    return d->test.count > 0 ? STATUS_OK : test_split(d, o->test_fraction, (uint64_t)o->seed);
}

static enum status npz_load(struct dataset *d, const struct dataset_request *request)
{
    const struct npz_options *o = request->options;
    struct file_map maps[2] = {0};

    if (o->path == NULL)
        return FAIL(STATUS_BAD_INPUT, "data.path: is missing; use --dataset npz:FILE");
    if (request->data_dir != NULL)
        return FAIL(STATUS_BAD_INPUT, "data.dir: data set npz is a file; use --dataset npz:FILE");
    d->path = mem_text(o->path);
    const enum status s = load_files(d, o, maps);
    file_map_close(&maps[0]);
    file_map_close(&maps[1]);
    return s;
}

const struct dataset_ops npz_data = {
    .entry = {.name = "npz",
              .also = "npy numpy arrays",
              .argument = "path",
              .summary = "your own arrays: an .npz file of NumPy, or two .npy files",
              .fields = npz_fields,
              .options_size = sizeof(struct npz_options)},
    .normalize = "channel",
    .hint = "npz:FILE",
    .load = npz_load,
};
