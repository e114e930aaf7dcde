/*
 * dataset_get.h - downloads a data set, and checks files of one that are there.
 */
#ifndef DATA_DATASET_GET_H
#define DATA_DATASET_GET_H

#include "base/text.h"
#include "data/dataset.h"
#include "data/dataset_source.h"

enum { DATASET_PATIENCE_DEFAULT = 60, DATASET_PATIENCE_MAX = 86400 };

struct dataset_get {
    const char *dir;  /* the data directory; NULL: $MUSTER_DATA, or else the user's data folder */
    const char *from; /* an address in place of those of the data set; NULL: <folder of the set>
                         below $MUSTER_MIRROR, if that is set */
    int64_t patience; /* seconds without any byte after which a connection has failed */
};

/*
 * Downloads what is missing and puts all files in their place at once, when all are complete and
 * right. *folder gets where the data set is, also if it was there before (mem_free).
 *
 * A partial file (<name>.part) stays when a download fails or is stopped, and the next call resumes
 * it; one whose bytes are wrong is removed. Only one process downloads into a folder at a time. A
 * set that needs a login, or a build that cannot download, is a failure that says what to do.
 */
enum status dataset_get(const struct dataset_ops *ops, const struct dataset_get *request,
                        char **folder);

/* --- dataset_verify.c --- */

/* Whether a file is the expected one; else the failure says how it differs. */
enum status dataset_check_bytes(const char *path, const struct dataset_file *expected);

/* Checks all files in the folder and adds a line for each to `report` (unless it is NULL). *wrong
 * gets how many are missing or differ. */
void dataset_verify(const struct dataset_source *source, const char *folder, struct text *report,
                    int64_t *wrong);

#endif
