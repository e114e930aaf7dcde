/*
 * metrics_reader.c - reads the rows of metrics.jsonl (see metrics_reader.h).
 */
#include "record/metrics_reader.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

static const size_t bytes_limit = (size_t)1 << 32; /* bytes */

static bool row_round(const char *line, size_t length, int64_t *round)
{
    json_error_t error;
    json_t *row = json_loadb(line, length, 0, &error);
    const json_t *value = json_object_get(row, "round");
    const bool is_row = json_is_integer(value);

    if (is_row)
        *round = json_integer_value(value);
    json_decref(row);
    return is_row;
}

static void keep_rows(const struct text *file, const char *path, int64_t keep_round,
                      struct text *kept)
{
    const char *line = text_get(file), *const end = line + file->length;

    for (int64_t number = 1; line < end; number++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const size_t length = (size_t)((newline == NULL ? end : newline) - line);
        int64_t round = 0;

        if (!row_round(line, length, &round)) {
            if (newline != NULL)
                log_warning("%s:%lld: not a row of metrics; dropped", path, (long long)number);
        } else if (round <= keep_round) {
            text_add_n(kept, line, length);
            text_add(kept, "\n");
        }
        line += length + (newline != NULL);
    }
}

enum status metrics_reader_truncate(const char *path, int64_t keep_round)
{
    struct text file = {0}, kept = {0};
    enum status status = STATUS_OK;

    if (file_exists(path))
        status = file_read(path, bytes_limit, &file);
    if (status == STATUS_OK) {
        keep_rows(&file, path, keep_round, &kept);
        status = file_write_text(path, text_get(&kept));
    }
    text_release(&kept);
    text_release(&file);
    return status;
}

enum status metrics_reader_truncate_in(const char *run_dir, const char *name, int64_t keep_round)
{
    char *path = file_join(run_dir, name);
    const enum status s = file_exists(path) ? metrics_reader_truncate(path, keep_round) : STATUS_OK;

    mem_free(path);
    return s;
}

static bool take_row(void *context, json_t *row)
{
    const struct metrics_reader_visitor *visitor = context;
    const bool is_row = json_is_integer(json_object_get(row, "round"));

    if (is_row)
        visitor->visit(visitor->context, row);
    return is_row;
}

enum status metrics_reader_each(const char *path, enum json_care care,
                                const struct metrics_reader_visitor *visitor)
{
    struct metrics_reader_visitor copy = *visitor;

    return json_read_lines(
        path, &(struct json_taker){
                  .take = take_row, .context = &copy, .what = "a row of metrics", .care = care});
}

static void note_round(void *context, const struct json_t *row)
{
    int64_t *last = context;
    const int64_t round = json_integer_value(json_object_get(row, "round"));

    *last = round > *last ? round : *last;
}

enum status metrics_reader_last_round(const char *path, int64_t *round)
{
    const struct metrics_reader_visitor visitor = {note_round, round};

    *round = 0;
    return file_exists(path) ? metrics_reader_each(path, JSON_LINES_LENIENT, &visitor) : STATUS_OK;
}
