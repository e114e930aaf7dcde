/*
 * json_write.h - lists and matrices of a record as JSON, and a text as a file of the run.
 */
#ifndef RECORD_JSON_WRITE_H
#define RECORD_JSON_WRITE_H

#include "base/json.h"
#include "base/status.h"

void json_write_ints(struct json *j, const char *key, const int64_t *values, int64_t count);
void json_write_matrix(struct json *j, const char *key, const int64_t *values, int64_t rows,
                       int64_t columns);

/* names[count], or null. */
void json_write_names(struct json *j, const char *key, const char *const *names, int64_t count);

/* Ends the content with a line and writes it as a file of this folder; releases it. */
enum status json_write_file(const char *folder, const char *name, struct text *content);

/* The same of a file that every evaluation writes again: not flushed to the disk, which would hold
 * up runs that are evaluated often. */
enum status json_write_refreshed(const char *folder, const char *name, struct text *content);

/* Appends a line to the file `name` of a run directory. */
enum status json_write_line(const char *run_dir, const char *name, const struct text *line);

#endif
