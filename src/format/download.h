/*
 * download.h - a file from an address (http, https or file) into a file, which a later call
 * resumes.
 *
 * The bytes go to a partial file, and what is there of it is not requested again. A server that
 * cannot send a part of a file sends all of it. Not here: whether the bytes are right, and what
 * becomes of the file.
 */
#ifndef FORMAT_DOWNLOAD_H
#define FORMAT_DOWNLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct download {
    const char *address;
    const char *path;  /* of the partial file; one without any byte is removed */
    const char *title; /* of the progress line */
    int64_t bytes;     /* of the whole file, which must be known */
    int64_t patience;  /* seconds without any byte after which the connection has failed */
};

/* Whose fault it is that a file is not complete. */
enum download_fault {
    DOWNLOAD_NO_FAULT,
    DOWNLOAD_CONNECTION, /* it may work when it is tried again */
    DOWNLOAD_SERVER,     /* it will not, at this address */
    DOWNLOAD_OWN,        /* the disk, or a signal that stops the program */
};

/* Whether this build can do it: it needs libcurl. */
bool download_is_available(void);

/* Tries again while attempts bring new bytes, and a few times after that. A signal to stop ends it
 * with STATUS_INTERRUPTED. */
enum status download_file(const struct download *d, enum download_fault *fault);

/* --- download_curl.c, or download_none.c in a build without libcurl --- */

/* Called with the size of the partial file, often; false: stop. */
typedef bool download_progress(void *context, int64_t bytes);

enum status download_attempt(const struct download *d, download_progress *progress, void *context,
                             enum download_fault *fault);

#endif
