/*
 * problem_setting.h - what a run config says about its problem: the sections problem, data, model
 * and partition, and what else a problem depends on.
 *
 * Who reads the sections is above (train/run_config.c). A problem has data, a model and a partition
 * or none of them (problem_ops.has_data).
 */
#ifndef PROBLEM_PROBLEM_SETTING_H
#define PROBLEM_PROBLEM_SETTING_H

#include "conf/registry.h"
#include "data/dataset.h"
#include "data/validation_split.h"
#include "nn/model.h"

struct data_options {
    char *dir;
    bool download; /* where it is missing */
    double train_fraction, validation;
    int64_t folds, fold; /* 0: none */
    int fold_by;         /* enum fold_by */
    int64_t input_size;  /* 0: what the model's study uses, else the set's own */
    char *normalize;     /* NULL: what the model's study uses */
    int order;           /* enum data_order */
    int crop;            /* enum crop_rule */
    bool flip;           /* half of the training images are mirrored */
    char *broken;        /* error or skip:N */
    int64_t loaders, ahead;
};

/* In which order an epoch visits the training samples. */
enum data_order {
    DATA_ORDER_GLOBAL, /* one random order of all of them */
    DATA_ORDER_FILES,  /* file by file, in random order within each, as S002 */
};

/* Which part of a training image is used, another in each epoch. */
enum crop_rule {
    CROP_NONE,
    CROP_PAD,     /* zeros are added on all sides, then a random window is cut out */
    CROP_RESIZED, /* a random part of random size and shape is resized */
};

extern const struct field data_fields[];

/* What a worker does whose samples are fewer than others'. */
enum uneven_policy {
    UNEVEN_POLICY_AUTO, /* repeat over graphs, wait elsewhere */
    UNEVEN_POLICY_WAIT,
    UNEVEN_POLICY_REPEAT,
    UNEVEN_POLICY_SHORTEST,
};

/* All borrowed. Planning a problem fills in the options that were left open: the problem's and
 * those of the data. */
struct problem_setting {
    const struct choice *problem;
    uint64_t seed;
    int64_t batch_size;  /* of a worker, as it was asked for */
    int64_t micro_batch; /* samples of it that are computed at once; 0: all */
    int workers;
    bool is_synchronous;       /* round k is batch k of every worker */
    enum uneven_policy uneven; /* not AUTO */

    /* Of a problem with data. */
    const struct choice *dataset, *partition;
    struct data_options *data;
    const struct choice *model; /* its entry is NULL with layers of the user's own */
    const char *model_name;     /* the zoo's name, or that of the layers' file */
    const struct node *layers;
    enum convolution convolution;
};

/* How the training part of a data set is split by these options. Borrows its labels. */
struct split_request problem_setting_split(const struct data_options *o, const struct dataset *d,
                                           uint64_t seed);

/* The files that epochs visit one after the other by these options, borrowed from the data set;
 * none: epochs are in one random order. */
enum status problem_setting_files(const struct data_options *o, const struct dataset *d,
                                  struct sample_files *files);

/* The network of the setting for these shapes: the zoo's or the user's own. */
enum status problem_setting_net(const struct problem_setting *s, struct shape in, int64_t outputs,
                                struct net **net);

/* Puts a key, "data.name", before the message of the last failure if it begins with no key of a
 * problem's sections. Answers `s`. */
enum status problem_setting_name_key(const char *key, enum status s);

#endif
