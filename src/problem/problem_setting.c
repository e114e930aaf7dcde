/*
 * problem_setting.c - the options of data, and what problems ask of a setting.
 */
#include "problem/problem_setting.h"

#include <string.h>

#include "base/mem.h"
#include "nn/zoo.h"

/* In the order of enum fold_by. */
static const char *const fold_by_names[] = {"contiguous", "shuffled", "stratified", NULL};

/* In the order of enum data_order. */
static const char *const order_names[] = {"global", "files", NULL};

/* In the order of enum crop_rule. */
static const char *const crop_names[] = {"none", "pad", "resized", NULL};

const struct field data_fields[] = {
    FIELD_PATH(struct data_options, dir, NULL,
               "folder of the data set; without it the usual places are searched"),
    FIELD_BOOL(struct data_options, download, false,
               "download the data set if it is missing; see muster data get"),
    FIELD_REAL(struct data_options, train_fraction, 1, 0, 1,
               "part of the training set that is used, chosen at random"),
    FIELD_REAL(struct data_options, validation, 0, 0, 0.99,
               "part of the used training set that is set aside to validate"),
    FIELD_INT(struct data_options, folds, 0, 0, 1e6,
              "divide the used training set into this many folds; one of them validates, and the "
              "others are trained on (0: none)"),
    FIELD_INT(struct data_options, fold, 0, 0, 1e6,
              "which fold validates, from 1 on; a list of folds is averaged like a list of seeds"),
    FIELD_CHOICE(struct data_options, fold_by, "contiguous", fold_by_names,
                 "folds are consecutive samples, random ones, or random ones with the same share "
                 "of each class"),
    FIELD_INT(struct data_options, input_size, 0, 0, 4096,
              "resize images to this height and width, in pixels (0: as the model's study does)"),
    FIELD_TEXT(struct data_options, normalize, NULL,
               "none, set, channel, image (the data set's mean image), imagenet, s004, or "
               "MEAN,STD; without it, as the model's study does"),
    FIELD_CHOICE(struct data_options, order, "global", order_names,
                 "order of an epoch: a random one of all samples (global), or file by file and "
                 "random within each file, which reads the disk in sequence (files)"),
    FIELD_CHOICE(struct data_options, crop, "none", crop_names,
                 "random part of each training image: shifted by up to 4 pixels (pad), or a part "
                 "of random size and shape that is resized (resized)"),
    FIELD_BOOL(struct data_options, flip, false,
               "mirror half of the training images, others in each epoch"),
    FIELD_TEXT(struct data_options, broken, "error",
               "what to do if a sample cannot be read: error, or skip:N for at most N samples"),
    FIELD_INT(struct data_options, loaders, -1, -1, 1024,
              "threads that read and augment the next batches (-1: one for each core)"),
    FIELD_INT(struct data_options, ahead, 2, 0, 1000,
              "batches of each worker that are read in advance"),
    FIELD_LAST,
};

struct split_request problem_setting_split(const struct data_options *o, const struct dataset *d,
                                           uint64_t seed)
{
    return (struct split_request){
        .count = d->train.count,
        .labels = d->train.labels,
        .classes = d->classes,
        .train_fraction = o->train_fraction,
        .validation = o->validation,
        .folds = o->folds,
        .fold = o->fold,
        .fold_by = (enum fold_by)o->fold_by,
        .seed = seed,
    };
}

enum status problem_setting_files(const struct data_options *o, const struct dataset *d,
                                  struct sample_files *files)
{
    *files = (struct sample_files){0};
    if (o->order != DATA_ORDER_FILES)
        return STATUS_OK;
    if (d->train.files.count == 0)
        return FAIL(STATUS_BAD_INPUT,
                    "data.order: files needs a data set with many samples in each of several "
                    "files, such as cifar10, imagenet32 or imagenet64; use global for %s",
                    d->ops->entry.name);
    *files = d->train.files;
    return STATUS_OK;
}

enum status problem_setting_net(const struct problem_setting *s, struct shape in, int64_t outputs,
                                struct net **net)
{
    if (s->layers != NULL)
        return net_read(s->layers, net);
    return zoo_build(s->model, in, outputs, net);
}

/* Whether a message begins with "data: ", "data.name: ", ... */
static bool begins_with_key(const char *message)
{
    static const char *const sections[] = {"data", "model", "partition", "problem"};
    const size_t length = strcspn(message, ": "), top = strcspn(message, ".: ");

    if (message[length] != ':' || message[length + 1] != ' ')
        return false;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (strlen(sections[i]) == top && strncmp(sections[i], message, top) == 0)
            return true;
    return false;
}

enum status problem_setting_name_key(const char *key, enum status s)
{
    if (begins_with_key(status_message()))
        return s;

    char *message = mem_text(status_message());
    s = FAIL(s, "%s: %s", key, message);
    mem_free(message);
    return s;
}
