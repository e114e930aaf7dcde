/*
 * json_read.h - values out of JSON files, with defaults for what is missing or of another type.
 *
 * Nothing that a file says is believed: sizes come from the lists that are really there.
 */
#ifndef RECORD_JSON_READ_H
#define RECORD_JSON_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "record/counters.h"
#include "record/rundir.h"

struct json_t; /* jansson's */

/* From here on jansson allocates by mem.h: with its own allocator, lack of memory would look like a
 * damaged file. Of the process; to be called once, before the first file is read. */
void json_read_use_mem(void);

/* A whole file; an error names file and line. json_decref. */
enum status json_read_file(const char *path, struct json_t **root);

/* A copy (mem_free), or NULL. */
char *json_read_text(const struct json_t *map, const char *key);
int64_t json_read_int(const struct json_t *map, const char *key, int64_t missing);
double json_read_number(const struct json_t *map, const char *key); /* NaN: missing, or null */
bool json_read_bool(const struct json_t *map, const char *key);     /* false: missing */

/* Into room for a short text; empty when missing. */
void json_read_short(const struct json_t *map, const char *key, char *out, size_t size);

/* The counters that stand in a map by their keys; the others are 0. */
void json_read_counters(const struct json_t *map, struct counters *c);

/* A list of `count` whole numbers; false: it is something else. */
bool json_read_ints(const struct json_t *list, int64_t count, int64_t *values);

/* A list of texts, or null for none; false: it is something else. */
bool json_read_names(const struct json_t *list, struct rundir_names *names);

/* What is done about a line that is not a row. An incomplete last line is always left out. */
enum json_care {
    JSON_LINES_LENIENT,         /* it is skipped */
    JSON_LINES_STRICT,          /* it is an error that names file and line */
    JSON_LINES_STRICT_AND_WARN, /* and an incomplete last line is a warning */
};

/*
 * Calls `take` with every line of a JSON-lines file, in order; it answers false for what is not a
 * row of this file. The first error is returned when all other rows have been taken.
 */
struct json_taker {
    bool (*take)(void *context, struct json_t *row);
    void *context;
    const char *what; /* "a row of metrics" */
    enum json_care care;
};
enum status json_read_lines(const char *path, const struct json_taker *taker);

/* points[count][2] of a list of pairs; false: it is another list, or none. */
bool json_read_points(const struct json_t *list, int64_t count, double *points);

#endif
