/*
 * json.c - the JSON writer. Separators are ", " and ": ", on one line.
 */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"

void json_init(struct json *j, struct text *out)
{
    CHECK(out != NULL);
    *j = (struct json){.out = out};
}

static void add_character(struct text *out, const char *bytes, size_t n)
{
    switch (bytes[0]) {
    case '"':
        text_add(out, "\\\"");
        return;
    case '\\':
        text_add(out, "\\\\");
        return;
    case '\n':
        text_add(out, "\\n");
        return;
    case '\t':
        text_add(out, "\\t");
        return;
    case '\r':
        text_add(out, "\\r");
        return;
    default:
        break;
    }
    if ((unsigned char)bytes[0] < 0x20)
        text_addf(out, "\\u%04x", (unsigned)(unsigned char)bytes[0]);
    else
        text_add_n(out, bytes, n);
}

/* Bytes from here on that are written as they are. */
static size_t plain_length(const char *bytes, size_t left)
{
    size_t n = 0;

    while (n < left && bytes[n] >= 0x20 && bytes[n] < 0x7f && bytes[n] != '"' && bytes[n] != '\\')
        n++;
    return n;
}

static void add_string(struct text *out, const char *string)
{
    size_t left = strlen(string);

    text_add(out, "\"");
    while (left > 0) {
        const size_t plain = plain_length(string, left);

        text_add_n(out, string, plain);
        string += plain;
        left -= plain;
        if (left == 0)
            break;

        const size_t n = text_utf8_step(string, left);

        if (n == 0)
            text_add(out, "\\ufffd"); /* a JSON text is UTF-8 whatever the file name was */
        else
            add_character(out, string, n);
        string += n == 0 ? 1 : n;
        left -= n == 0 ? 1 : n;
    }
    text_add(out, "\"");
}

/* What stands before a value: the comma, and the key in a map. */
static void begin_value(struct json *j, const char *key)
{
    CHECK((key != NULL) == (j->depth > 0 && j->is_map[j->depth]));
    if (j->depth > 0 && j->has_items[j->depth])
        text_add(j->out, ", ");
    j->has_items[j->depth] = true;
    if (key == NULL)
        return;
    add_string(j->out, key);
    text_add(j->out, ": ");
}

static void open_level(struct json *j, const char *key, bool is_map)
{
    begin_value(j, key);
    CHECK(j->depth + 1 < JSON_DEPTH_MAX);
    j->depth++;
    j->has_items[j->depth] = false;
    j->is_map[j->depth] = is_map;
    text_add(j->out, is_map ? "{" : "[");
}

static void close_level(struct json *j, bool is_map)
{
    CHECK(j->depth > 0 && j->is_map[j->depth] == is_map);
    j->depth--;
    text_add(j->out, is_map ? "}" : "]");
}

void json_open_map(struct json *j, const char *key)
{
    open_level(j, key, true);
}

void json_close_map(struct json *j)
{
    close_level(j, true);
}

void json_open_list(struct json *j, const char *key)
{
    open_level(j, key, false);
}

void json_close_list(struct json *j)
{
    close_level(j, false);
}

void json_text(struct json *j, const char *key, const char *value)
{
    begin_value(j, key);
    if (value == NULL)
        text_add(j->out, "null");
    else
        add_string(j->out, value);
}

void json_int(struct json *j, const char *key, int64_t value)
{
    begin_value(j, key);
    text_add_int(j->out, value);
}

static void add_number(struct text *out, double value, int digits)
{
    if (!isfinite(value))
        text_add(out, "null");
    else if (digits == 0)
        text_add_double(out, value);
    else
        text_addf(out, "%.*g", digits, value);
}

void json_number(struct json *j, const char *key, double value)
{
    begin_value(j, key);
    add_number(j->out, value, 0);
}

void json_number_list(struct json *j, const char *key, const double *values, int64_t count,
                      int digits)
{
    begin_value(j, key);
    text_add(j->out, "[");
    for (int64_t i = 0; i < count; i++) {
        if (i > 0)
            text_add(j->out, ",");
        add_number(j->out, values[i], digits);
    }
    text_add(j->out, "]");
}

void json_bool(struct json *j, const char *key, bool value)
{
    begin_value(j, key);
    text_add(j->out, value ? "true" : "false");
}
