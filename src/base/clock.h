/*
 * clock.h - time: a monotonic clock for durations, and the wall clock for names and logs.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>

double clock_seconds(void); /* monotonic; only differences mean anything */
double clock_unix(void);    /* seconds since 1970, for files that need a date */

/* The local date and time by strftime's format. */
void clock_stamp(char *out, size_t size, const char *format)
    __attribute__((format(strftime, 3, 0)));

/* Now, by ISO 8601 with the zone: "2026-01-31T14:05:09+01:00". */
void clock_date(char *out, size_t size);

/* "2.5 s", "3 min 12 s", "1 h 4 min": a duration as a person says it. */
void clock_duration(char *out, size_t size, double seconds);

#endif
