/*
 * dataset_source.h - where the files of a data set come from, and how they are recognised.
 *
 * The table of each data set is in dataset_sources.c, its struct dataset_ops refers to it, and
 * dataset_get.h uses it.
 */
#ifndef DATA_DATASET_SOURCE_H
#define DATA_DATASET_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct dataset_file {
    const char *name;
    int64_t bytes;
    const char *sha256; /* 64 lower-case digits */
};

struct dataset_source {
    const char *folder;           /* one of the data set's folders: where a download is put */
    const char *login;            /* who may download it, and where: a sentence; NULL: anybody */
    const char *const *addresses; /* of folders, each with '/' at its end; tried in this
                                     order; ends with NULL */
    const struct dataset_file *downloads; /* the files there; ends with a zero row */
    bool is_archive; /* the download is a tar archive that has the files in `folder`; else each
                        download is one of the files, gzipped */
    const struct dataset_file *files; /* of the data set, not gzipped; ends with a zero row */
};

extern const struct dataset_source mnist_source, fashion_mnist_source, cifar10_source,
    cifar100_source;

#endif
