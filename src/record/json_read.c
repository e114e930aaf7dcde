/*
 * json_read.c - jansson's values as those of C.
 *
 * A prefix of a JSON object is never a JSON object, so a line that reads is a whole one.
 */
#include "record/json_read.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

static const size_t bytes_limit = (size_t)1 << 32;

static void *allocate(size_t bytes)
{
    return mem_alloc((int64_t)bytes, 1);
}

void json_read_use_mem(void)
{
    json_set_alloc_funcs(allocate, mem_free);
}

enum status json_read_file(const char *path, struct json_t **root)
{
    struct text content = {0};
    json_error_t error = {.line = 1};

    *root = NULL;
    TRY(file_read(path, bytes_limit, &content));
    *root = json_loadb(text_get(&content), content.length, 0, &error);
    text_release(&content);
    return *root == NULL ? FAIL(STATUS_IO, "%s:%d: %s", path, error.line, error.text) : STATUS_OK;
}

/* --- values --- */

char *json_read_text(const struct json_t *map, const char *key)
{
    const char *text = json_string_value(json_object_get(map, key));

    return text == NULL ? NULL : mem_text(text);
}

void json_read_short(const struct json_t *map, const char *key, char *out, size_t size)
{
    const char *text = json_string_value(json_object_get(map, key));

    (void)snprintf(out, size, "%s", text == NULL ? "" : text);
}

/* Also of a number with a point, such as a counter that another program wrote. */
static bool is_whole(const json_t *value)
{
    const double number = json_number_value(value);

    return json_is_integer(value) ||
           (json_is_real(value) && fabs(number) < 9e18 && number == floor(number));
}

static int64_t whole_of(const json_t *value)
{
    return json_is_integer(value) ? json_integer_value(value) : (int64_t)json_real_value(value);
}

int64_t json_read_int(const struct json_t *map, const char *key, int64_t missing)
{
    const json_t *value = json_object_get(map, key);

    return is_whole(value) ? whole_of(value) : missing;
}

double json_read_number(const struct json_t *map, const char *key)
{
    const json_t *value = json_object_get(map, key);

    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

bool json_read_bool(const struct json_t *map, const char *key)
{
    return json_is_true(json_object_get(map, key));
}

void json_read_counters(const struct json_t *map, struct counters *c)
{
    double values[COUNTERS_COUNT] = {0};

    for (int i = 0; i < COUNTERS_COUNT; i++) {
        const double value = json_read_number(map, counters_list[i].key);

        values[i] = isnan(value) ? 0 : value;
    }
    memcpy(c, values, sizeof values); /* a struct of doubles alone */
}

bool json_read_ints(const struct json_t *list, int64_t count, int64_t *values)
{
    if ((int64_t)json_array_size(list) != count)
        return false;
    for (int64_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(list, (size_t)i);

        if (!is_whole(value))
            return false;
        values[i] = whole_of(value);
    }
    return true;
}

bool json_read_names(const struct json_t *list, struct rundir_names *names)
{
    const json_t *name;
    size_t i;

    if (list == NULL || json_is_null(list))
        return true;
    json_array_foreach(list, i, name)
    {
        if (!json_is_string(name))
            return false;
        rundir_names_add(names, json_string_value(name));
    }
    return json_is_array(list);
}

/* --- lines --- */

/* What a line that is no row means: the last one, without its end, is what a killed run leaves. */
static enum status check_line(const char *path, int64_t number, bool is_cut,
                              const struct json_taker *taker)
{
    if (taker->care == JSON_LINES_LENIENT)
        return STATUS_OK;
    if (!is_cut)
        return FAIL(STATUS_IO, "%s:%lld: is not %s", path, (long long)number, taker->what);
    if (taker->care == JSON_LINES_STRICT_AND_WARN)
        log_warning("%s:%lld: the last row is cut off, as a killed run leaves it; left out", path,
                    (long long)number);
    return STATUS_OK;
}

static enum status take_lines(const struct text *file, const char *path,
                              const struct json_taker *taker)
{
    const char *line = text_get(file), *const end = line + file->length;
    enum status s = STATUS_OK;

    for (int64_t number = 1; line < end; number++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const size_t length = (size_t)((newline == NULL ? end : newline) - line);
        json_error_t error;
        json_t *row = json_loadb(line, length, 0, &error);

        if ((!json_is_object(row) || !taker->take(taker->context, row)) && s == STATUS_OK)
            s = check_line(path, number, newline == NULL, taker);
        json_decref(row);
        line += length + (newline != NULL);
    }
    return s;
}

enum status json_read_lines(const char *path, const struct json_taker *taker)
{
    struct text file = {0};

    TRY(file_read(path, bytes_limit, &file));
    const enum status s = take_lines(&file, path, taker);
    text_release(&file);
    return s;
}

bool json_read_points(const json_t *list, int64_t count, double *points)
{
    if (!json_is_array(list) || (int64_t)json_array_size(list) != count)
        return false;
    for (int64_t i = 0; i < 2 * count; i++) {
        const json_t *point = json_array_get(list, (size_t)(i / 2));
        const json_t *value = json_array_get(point, (size_t)(i % 2));

        if (!json_is_number(value))
            return false;
        points[i] = json_number_value(value);
    }
    return true;
}
