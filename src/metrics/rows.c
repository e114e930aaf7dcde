/*
 * rows.c - metrics.jsonl as a file of rows (see rows.h).
 *
 * A prefix of a JSON object is never a JSON object, so a row that reads is a whole row.
 */
#include "metrics/rows.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"

static const size_t rows_limit = (size_t)1 << 32; /* bytes */

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

enum status rows_truncate(const char *path, int64_t keep_round)
{
    struct text file = {0}, kept = {0};
    enum status status = STATUS_OK;

    if (file_exists(path))
        status = file_read(path, rows_limit, &file);
    if (status == STATUS_OK) {
        keep_rows(&file, path, keep_round, &kept);
        status = file_write_text(path, text_get(&kept));
    }
    text_release(&kept);
    text_release(&file);
    return status;
}

/* What a line that is no row means: the last one, without its end, is what a killed run leaves. */
static enum status judge_line(const char *path, int64_t number, bool is_cut, enum rows_care care)
{
    if (care == ROWS_LENIENT)
        return STATUS_OK;
    if (!is_cut)
        return FAIL(STATUS_IO, "%s:%lld: is not a row of metrics", path, (long long)number);
    if (care == ROWS_STRICT_AND_TOLD)
        log_warning("%s:%lld: the last row is cut off, as a killed run leaves it; left out", path,
                    (long long)number);
    return STATUS_OK;
}

static enum status each_row(const struct text *file, const char *path, enum rows_care care,
                            const struct rows_taker *taker)
{
    const char *line = text_get(file), *const end = line + file->length;

    for (int64_t number = 1; line < end; number++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const size_t length = (size_t)((newline == NULL ? end : newline) - line);
        json_error_t error;
        json_t *row = json_loadb(line, length, 0, &error);
        enum status s = STATUS_OK;

        if (json_is_integer(json_object_get(row, "round")))
            taker->take(taker->context, row);
        else
            s = judge_line(path, number, newline == NULL, care);
        json_decref(row);
        TRY(s);
        line += length + (newline != NULL);
    }
    return STATUS_OK;
}

enum status rows_each(const char *path, enum rows_care care, const struct rows_taker *taker)
{
    struct text file = {0};

    TRY(file_read(path, rows_limit, &file));
    const enum status s = each_row(&file, path, care, taker);
    text_release(&file);
    return s;
}

static void take_later(void *context, const struct json_t *row)
{
    int64_t *last = context;
    const int64_t round = json_integer_value(json_object_get(row, "round"));

    *last = round > *last ? round : *last;
}

enum status rows_last_round(const char *path, int64_t *round)
{
    const struct rows_taker taker = {take_later, round};

    *round = 0;
    return file_exists(path) ? rows_each(path, ROWS_LENIENT, &taker) : STATUS_OK;
}
