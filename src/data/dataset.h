/*
 * dataset.h - a data set: bytes or floats per sample, and a label or floats as target.
 *
 * Images stay bytes, channel-last, and become floats when a batch is gathered (gather.h). Inputs
 * that are not in memory have a source, which reads them (sample_source.h). A data
 * set has two parts, train and test; a validation part is split off train by number
 * (validation_split.h).
 */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/registry.h"
#include "data/file_order.h"
#include "data/sample_source.h"

struct dataset_source; /* data/dataset_source.h */

struct samples {
    int64_t count;
    uint8_t *bytes;               /* [count][height][width][channels], or NULL */
    float *values;                /* the same shape, or NULL */
    struct sample_source *source; /* owned, or NULL: exactly one of the three */
    int32_t *labels;              /* [count], or NULL */
    float *targets;               /* [count][target_size], or NULL: exactly one of the two */
    int32_t *groups; /* [count]: where each comes from, in [0, dataset.groups); NULL: no groups */
    struct sample_files files; /* of a set with many samples in each of several files; else none */
};

/* How the training samples of a group came one after the other: the scans of a robot. */
struct scan_path {
    int64_t scans;
    int64_t *first_row; /* [scans + 1] the sample with which each scan begins, and the end */
    double *places;     /* [scans][2] where each was made */
    int64_t beams;      /* of a scan */
    float *ends;        /* [scans][beams][2] where its beams end; NULL: not known, of an outline */
};

struct image_index;

struct dataset {
    const struct dataset_ops *ops;
    char *path;                      /* the folder it came from; NULL: generated */
    int64_t height, width, channels; /* of samples of different sizes: what they become */
    int64_t classes;                 /* 0: targets are numbers */
    int64_t target_size;             /* floats per target when classes is 0 */
    const char *const *class_names;  /* [classes] or NULL */
    char **own_names;                /* [classes]: those of class_names, if they are owned */
    int64_t groups;                  /* of the training samples, such as robots; 0: none */
    struct scan_path *paths;         /* [groups], where scans come one after the other; or NULL */
    int64_t window;  /* scans that a worker has at a time, of paths; 0: it has all of them */
    bool is_density; /* the target is one number: 1 in a wall, 0 where it is free */
    struct image_index *image_indices; /* [2] of sources, owned; or NULL */
    struct samples train, test;
    struct samples map;            /* a mesh over all of a plan, row by row; count 0: none */
    int64_t map_height, map_width; /* of the mesh */
    float known_mean, known_std;   /* published constants in [0, 1] units; std 0: none, compute */
};

struct dataset_request {
    const char *data_dir; /* --data-dir, or NULL */
    uint64_t seed;        /* of the run; generated sets take the seed of their own fields */
    const void *options;  /* of the entry's fields */
    bool outline;         /* all but the inputs: shapes, counts, labels and targets, sooner; what
                             is only known by measuring it is 0 */
};

/*
 * Adding a data set: its file with one of these, and its line in list.h.
 * load fills path, shape and samples, and may leave out what an outline does without; on failure it
 * may leave parts filled: dataset_free takes all.
 */
struct dataset_ops {
    struct entry entry;
    bool is_generated;
    const char *const *folders; /* names of its folder under a data directory; ends with NULL. NULL:
                                   generated, or the user names its files */
    const char *const *probes;  /* a folder is the set's if it holds one of these; ends with NULL */
    const char *hint;           /* how else a user gets it: "apt install dataset-fashion-mnist" */
    const struct dataset_source *source;      /* where it is downloaded from; NULL: it cannot be */
    int64_t height, width, channels, classes; /* for lists; 0: depends */
    int64_t train_count, test_count;          /* of the published set, for lists; 0: depends */
    const char *partition; /* what it is divided by unless another is chosen; NULL: the usual */
    const char *normalize; /* how its samples are normalised if they are no images; NULL: not */
    double mean;           /* of the pixels of its training images, in [0, 1]; 0: not known */
    enum status (*load)(struct dataset *d, const struct dataset_request *request);
};

extern const struct registry dataset_registry;

/* Whether the user names its files, as in folder:DIR. */
bool dataset_is_named_by_user(const struct dataset_ops *ops);

/* With request->outline, bytes and values of the samples are NULL. */
enum status dataset_load(const struct choice *chosen, const struct dataset_request *request,
                         struct dataset **dataset);
void dataset_free(struct dataset *d);

/* For generated sets: labels 0, 1, ..., classes - 1, 0, 1, ... of so many samples. */
void dataset_cycle_labels(struct samples *s, int64_t count, int64_t classes);

/*
 * The folder that holds one of the set's probes: under data_dir, <folder> for each name of the
 * set's folders, then data_dir itself, each also with raw/ (torchvision) and data/ (npm) below it.
 * Without data_dir: the named folders under $MUSTER_DATA, the user's data folder
 * ($XDG_DATA_HOME/muster or ~/.local/share/muster) and /usr/share/datasets. There the folder must
 * have the set's name, because MNIST and Fashion-MNIST have files of the same names.
 * When there is none the error lists every place and the hint.
 */
enum status dataset_find_folder(const struct dataset_ops *ops, const char *data_dir, char **folder);

/* The data directory that a download goes to: data_dir, or else $MUSTER_DATA or the user's data
 * folder (mem_free). */
enum status dataset_download_root(const char *data_dir, char **root);

/* $XDG_DATA_HOME/muster or ~/.local/share/muster, which need not exist; NULL: neither variable is
 * set. mem_free */
char *dataset_user_folder(void);

/* A file of cache/ in that folder for what is made from a file or folder, by its absolute path;
 * NULL: no folder. mem_free */
char *dataset_cache_path(const char *path, const char *ending);

/* Whether dataset_find_folder would succeed, for lists: the folder or NULL (mem_free). */
char *dataset_where(const struct dataset_ops *ops, const char *data_dir);

#endif
