/*
 * folder_data.c - your own pictures: a folder for each class, of JPEG and PNG files.
 *
 * Layouts: a folder for each class in DIR/train and in DIR/val (or test, valid, validation); the
 * same of Tiny ImageNet, whose DIR/val has val_annotations.txt instead; or a folder for each class
 * in DIR, of which a part becomes the test part.
 *
 * Not here: the list of files (image_index.c), reading them (folder_source.c).
 */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/folder_source.h"
#include "data/list.h"
#include "data/test_split.h"
#include "data/tiny_imagenet.h"

struct folder_options {
    char *path;
    int64_t size;
    double test_fraction;
    int64_t seed;
};

static const struct field folder_fields[] = {
    FIELD_PATH(struct folder_options, path, NULL,
               "folder with train/CLASS/* and val/CLASS/*, or with CLASS/* alone"),
    FIELD_INT(struct folder_options, size, 224, 8, 4096,
              "height and width that pictures become, in pixels"),
    FIELD_REAL(struct folder_options, test_fraction, 0.1, 0.001, 0.9,
               "part of each class that tests, if no folder val or test exists"),
    FIELD_INT(struct folder_options, seed, 1, 0, 9007199254740991,
              "seed by which pictures that test are chosen"),
    FIELD_LAST,
};

/* --- parts --- */

static void set_part(struct samples *part, const struct image_index *x, int64_t *items,
                     int64_t count)
{
    part->count = count;
    part->labels = MEM_NEW_N(int32_t, count);
    for (int64_t i = 0; i < count; i++)
        part->labels[i] = x->labels[items[i]];
    part->source = folder_source_new(x, items, count);
}

static void take_all(struct samples *part, const struct image_index *x)
{
    int64_t *items = MEM_NEW_N(int64_t, x->count);

    for (int64_t i = 0; i < x->count; i++)
        items[i] = i;
    set_part(part, x, items, x->count);
}

static void divide(struct dataset *d, const struct image_index *x, const bool *tests)
{
    int64_t *items[2], counts[2] = {0};

    for (int k = 0; k < 2; k++)
        items[k] = MEM_NEW_N(int64_t, x->count);
    for (int64_t i = 0; i < x->count; i++)
        items[tests[i]][counts[tests[i]]++] = i;
    set_part(&d->train, x, items[0], counts[0]);
    set_part(&d->test, x, items[1], counts[1]);
}

/* --- layouts --- */

/* The folder of the test part inside `folder`, or NULL; mem_free. */
static char *find_test_folder(const char *folder)
{
    static const char *const names[] = {"val", "test", "valid", "validation", NULL};

    for (const char *const *name = names; *name != NULL; name++) {
        char *path = file_join(folder, *name);

        if (file_is_folder(path))
            return path;
        mem_free(path);
    }
    return NULL;
}

static enum status check_same_classes(const struct image_index *train,
                                      const struct image_index *test)
{
    for (int64_t c = 0; c < train->class_count || c < test->class_count; c++) {
        const char *a = c < train->class_count ? train->names[c] : "";
        const char *b = c < test->class_count ? test->names[c] : "";
        const int order = *a == '\0' ? 1 : *b == '\0' ? -1 : strcmp(a, b);

        if (order != 0)
            return FAIL(STATUS_BAD_INPUT, "%s: has no class %s, which is in %s",
                        order < 0 ? test->folder : train->folder, order < 0 ? a : b,
                        order < 0 ? train->folder : test->folder);
    }
    return STATUS_OK;
}

static enum status read_two(struct dataset *d, const char *train, const char *test)
{
    struct image_index *x = d->image_indices;

    TRY(tiny_imagenet_is(train) ? image_index_read(&x[0], train, "images")
                                : image_index_read(&x[0], train, ""));
    TRY(tiny_imagenet_has_annotations(test) ? tiny_imagenet_read_test(&x[1], test, &x[0])
                                            : image_index_read(&x[1], test, ""));
    TRY(check_same_classes(&x[0], &x[1]));
    take_all(&d->train, &x[0]);
    take_all(&d->test, &x[1]);
    return STATUS_OK;
}

static enum status read_one(struct dataset *d, const struct folder_options *o)
{
    struct image_index *x = d->image_indices;

    TRY(image_index_read(&x[0], d->path, ""));
    bool *tests = MEM_NEW_N(bool, x[0].count);
    test_split_choose(&(struct test_choice){x[0].labels, x[0].count, x[0].class_count,
                                            o->test_fraction, (uint64_t)o->seed},
                      tests);
    divide(d, &x[0], tests);
    mem_free(tests);
    if (d->test.count == 0)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: has one picture of each class; a class needs two, one to "
                    "train and one to test",
                    d->path);
    return STATUS_OK;
}

static enum status read_folders(struct dataset *d, const struct folder_options *o)
{
    char *train = file_join(d->path, "train"), *test = find_test_folder(d->path);
    const bool has_train = file_is_folder(train);
    enum status s;

    if (has_train && test == NULL)
        s = FAIL(STATUS_BAD_INPUT,
                 "%s: has a folder train, but no folder val, test, valid or validation", d->path);
    else
        s = has_train ? read_two(d, train, test) : read_one(d, o);
    mem_free(train);
    mem_free(test);
    return s;
}

static enum status folder_load(struct dataset *d, const struct dataset_request *request)
{
    const struct folder_options *o = request->options;
    const char *path = o->path != NULL ? o->path : request->data_dir;

    if (path == NULL || path[0] == '\0')
        return FAIL(STATUS_BAD_INPUT,
                    "data.path: the folder is not given; use --dataset folder:DIR");
    d->path = mem_text(path);
    d->height = d->width = o->size;
    d->channels = 3;
    d->image_indices = MEM_NEW_N(struct image_index, 2);
    TRY(read_folders(d, o));
    d->classes = d->image_indices[0].class_count;
    d->class_names = (const char *const *)d->image_indices[0].names;
    return STATUS_OK;
}

const struct dataset_ops folder_data = {
    .entry = {.name = "folder",
              .also = "imagefolder images imagenet",
              .argument = "path",
              .summary = "your own pictures: JPEG and PNG files, a folder for each class",
              .fields = folder_fields,
              .options_size = sizeof(struct folder_options)},
    .hint = "folder:DIR",
    .channels = 3,
    .load = folder_load,
};
