/*
 * download.c - attempts at a download one after the other, and its progress line.
 */
#include "format/download.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"

enum { ATTEMPTS = 3, PAUSE_STEPS = 20, PAUSE_STEP_US = 50000 };

static const double show_every_s = 0.2, rate_after_s = 0.5, megabyte = 1e6;

/* Of one attempt. */
struct progress {
    const struct download *download;
    double start, shown; /* clock_seconds */
    int64_t first;       /* bytes that were there before */
};

static void show_progress(struct progress *p, int64_t bytes, double now)
{
    const int64_t whole = p->download->bytes;
    const double seconds = now - p->start;
    const double rate = seconds > 0 ? (double)(bytes - p->first) / seconds : 0;
    struct text line = {0};
    char left[32];

    text_addf(&line, "%s: %.1f of %.1f MB (%d %%)", p->download->title, (double)bytes / megabyte,
              (double)whole / megabyte, (int)(100 * bytes / whole));
    if (seconds > rate_after_s && rate > 0) {
        clock_duration(left, sizeof left, (double)(whole - bytes) / rate);
        text_addf(&line, ", %.1f MB/s, %s left", rate / megabyte, left);
    }
    log_progress(text_get(&line), false);
    text_release(&line);
    p->shown = now;
}

static bool on_progress(void *context, int64_t bytes)
{
    struct progress *p = context;
    const double now = clock_seconds();

    if (now - p->shown >= show_every_s && bytes > p->first)
        show_progress(p, bytes, now);
    return !signals_stop_requested();
}

/* The size of the partial file. */
static int64_t size_of(const struct download *d)
{
    const int64_t size = file_size(d->path);

    return size < 0 ? 0 : size;
}

static enum status attempt(const struct download *d, enum download_fault *fault)
{
    const double now = clock_seconds();
    struct progress p = {.download = d, .start = now, .shown = now, .first = size_of(d)};

    *fault = DOWNLOAD_NO_FAULT;
    const enum status s = download_attempt(d, on_progress, &p, fault);
    if (signals_stop_requested() && s != STATUS_OK) {
        *fault = DOWNLOAD_OWN;
        return FAIL(STATUS_INTERRUPTED,
                    "stopped by %s; %s has %lld of %lld bytes, and the same command resumes",
                    signals_stop_name(), d->path, (long long)size_of(d), (long long)d->bytes);
    }
    return s;
}

static void pause_before_next(void)
{
    log_info("%s; trying again", status_message());
    for (int i = 0; i < PAUSE_STEPS && !signals_stop_requested(); i++)
        (void)usleep(PAUSE_STEP_US);
}

enum status download_file(const struct download *d, enum download_fault *fault)
{
    int64_t most = size_of(d);
    int failures = 0;

    for (;;) {
        const enum status s = attempt(d, fault);
        const int64_t size = size_of(d);

        if (s == STATUS_OK || *fault != DOWNLOAD_CONNECTION)
            return s;
        failures = size > most ? 1 : failures + 1;
        most = size > most ? size : most;
        if (failures == ATTEMPTS)
            return s;
        pause_before_next();
    }
}
