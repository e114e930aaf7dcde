/*
 * json.h - writing JSON, one value after the other, into a text.
 *
 * Commas and quotes are put by the writer; NaN and infinity become null. Numbers are written so
 * that they read back as the same double. Reading JSON is jansson's.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { JSON_DEPTH_MAX = 32 };

struct json {
    struct text *out; /* borrowed */
    int depth;
    bool has_items[JSON_DEPTH_MAX]; /* whether a comma is due, per level */
    bool is_map[JSON_DEPTH_MAX];
};

void json_init(struct json *j, struct text *out);

/* `key` is NULL inside a list and at the top. */
void json_open_map(struct json *j, const char *key);
void json_close_map(struct json *j);
void json_open_list(struct json *j, const char *key);
void json_close_list(struct json *j);
void json_text(struct json *j, const char *key, const char *value); /* NULL becomes null */
void json_int(struct json *j, const char *key, int64_t value);
void json_number(struct json *j, const char *key, double value);
/* A list on as little room as possible, with so many significant digits (0: as json_number). */
void json_number_list(struct json *j, const char *key, const double *values, int64_t count,
                      int digits);
void json_bool(struct json *j, const char *key, bool value);

#endif
