/*
 * html.h - pieces of the page: text that cannot become markup, and tables.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "base/text.h"
#include "base/text_table.h"

/* Text of any origin, harmless as content and as the value of a quoted attribute (svg_escape). NULL
 * adds nothing. */
void html_text(struct text *out, const char *text);

/* As html_text, by a format. */
void html_textf(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The rows of a table, the first as headings; `hidden` for programs only. */
void html_numbers(struct text *out, const struct text_table *g);

/* JSON inside a script element: "<" becomes \u003c. */
void html_json(struct text *out, const char *json, size_t length);

#endif
