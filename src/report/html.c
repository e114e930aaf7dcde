/*
 * html.c - escapes text, and writes tables.
 */
#include "report/html.h"

#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "report/svg.h"

void html_text(struct text *out, const char *text)
{
    if (text != NULL)
        svg_escape(out, text);
}

void html_textf(struct text *out, const char *format, ...)
{
    struct text plain = {0};
    va_list arguments;

    va_start(arguments, format);
    text_addv(&plain, format, arguments);
    va_end(arguments);
    html_text(out, text_get(&plain));
    text_release(&plain);
}

void html_numbers(struct text *out, const struct text_table *g)
{
    text_add(out, "<table class=\"numbers\" hidden>\n");
    for (int64_t row = 0; row < g->rows; row++) {
        text_add(out, "<tr>");
        for (int64_t column = 0; column < g->columns; column++) {
            text_add(out, row == 0 ? "<th>" : "<td>");
            html_text(out, g->cells[row * g->columns + column]);
            text_add(out, row == 0 ? "</th>" : "</td>");
        }
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table>\n");
}

/* --- the page --- */

static void add_hash(struct text *out, const struct asset *a)
{
    uint8_t digest[SHA256_BYTES];

    sha256(a->bytes, a->size, digest);
    text_add(out, " 'sha256-");
    text_add_base64(out, digest, sizeof digest);
    text_add(out, "'");
}

void html_head(struct text *out, const char *title, const struct asset *const *scripts)
{
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'; img-src data: blob:; script-src");
    for (; *scripts != NULL; scripts++)
        add_hash(out, *scripts);
    text_add(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<title>");
    html_text(out, title);
    text_add(out, "</title>\n<style>\n");
    text_add_n(out, (const char *)asset_style.bytes, asset_style.size);
    text_add(out, "</style>\n</head>\n<body>\n<header>\n<h1>");
    html_text(out, title);
    text_add(out, "</h1>\n");
}

/* "<" becomes \u003c: nothing in a text ends the script element. */
static void add_json(struct text *out, const char *json, size_t length)
{
    const char *end = json + length;

    while (json < end) {
        const char *next = memchr(json, '<', (size_t)(end - json));
        const char *stop = next == NULL ? end : next;

        text_add_n(out, json, (size_t)(stop - json));
        if (next != NULL)
            text_add(out, "\\u003c");
        json = next == NULL ? end : next + 1;
    }
}

static void add_script(struct text *out, const struct asset *script)
{
    text_add(out, "<script>");
    text_add_n(out, (const char *)script->bytes, script->size);
    text_add(out, "</script>\n");
}

void html_end(struct text *out, const struct text *json, const struct asset *const *scripts)
{
    text_add(out, "<script type=\"application/json\" id=\"data\">");
    add_json(out, text_get(json), json->length);
    text_add(out, "</script>\n");
    for (; *scripts != NULL; scripts++)
        add_script(out, *scripts);
    text_add(out, "</body>\n</html>\n");
}
