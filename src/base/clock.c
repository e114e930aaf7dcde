/*
 * clock.c - the system's clocks, and durations in words.
 */
#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/check.h"

static double read_clock(clockid_t id)
{
    struct timespec now;

    CHECK(clock_gettime(id, &now) == 0);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double clock_seconds(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double clock_unix(void)
{
    return read_clock(CLOCK_REALTIME);
}

/* The callers' formats are checked by the attribute in clock.h. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
void clock_stamp(char *out, size_t size, const char *format)
{
    const time_t now = time(NULL);
    struct tm local;

    CHECK(out != NULL && size > 0);
    if (localtime_r(&now, &local) == NULL || strftime(out, size, format, &local) == 0)
        out[0] = '\0';
}
#pragma GCC diagnostic pop

/* strftime's zone "+0100" lacks the colon that goes with the colons of the time. */
void clock_date(char *out, size_t size)
{
    char time[32], zone[8];

    clock_stamp(time, sizeof time, "%Y-%m-%dT%H:%M:%S");
    clock_stamp(zone, sizeof zone, "%z");
    if (strlen(zone) == 5)
        (void)snprintf(out, size, "%s%.3s:%s", time, zone, zone + 3);
    else
        (void)snprintf(out, size, "%s", time);
}

void clock_duration(char *out, size_t size, double seconds)
{
    CHECK(out != NULL && size > 0);
    if (!isfinite(seconds) || seconds < 0 || seconds > 1e12) {
        snprintf(out, size, "?");
        return;
    }

    const long long whole = llround(seconds);

    /* The limits are where the rounded text would reach the next unit. */
    if (seconds < 0.0995)
        snprintf(out, size, "%.0f ms", 1000 * seconds);
    else if (seconds < 0.995)
        snprintf(out, size, "%.2f s", seconds);
    else if (seconds < 59.95)
        snprintf(out, size, "%.1f s", seconds);
    else if (whole < 3600)
        snprintf(out, size, "%lld min %lld s", whole / 60, whole % 60);
    else if (whole < 2 * 86400LL)
        snprintf(out, size, "%lld h %lld min", whole / 3600, whole / 60 % 60);
    else
        snprintf(out, size, "%lld d %lld h", whole / 86400, whole / 3600 % 24);
}
