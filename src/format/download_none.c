/*
 * download_none.c - in place of download_curl.c in a build without libcurl.
 */
#include "format/download.h"

bool download_is_available(void)
{
    return false;
}

enum status download_attempt(const struct download *d, download_progress *progress, void *context,
                             enum download_fault *fault)
{
    (void)progress;
    (void)context;
    *fault = DOWNLOAD_OWN;
    return FAIL(STATUS_IO, "%s: this build of muster cannot download (it has no libcurl)",
                d->address);
}
