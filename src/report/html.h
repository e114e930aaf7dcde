/*
 * html.h - pieces of the page: text that cannot become markup, and tables.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "base/text.h"
#include "base/text_table.h"
#include "report/assets.h"

/* Text of any origin, harmless as content and as the value of a quoted attribute (svg_escape). NULL
 * adds nothing. */
void html_text(struct text *out, const char *text);

/* As html_text, by a format. */
void html_textf(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The rows of a table, the first as headings; `hidden` for programs only. */
void html_numbers(struct text *out, const struct text_table *g);

/*
 * The page up to its heading, inside <header>. A content security policy forbids all that is not in
 * the page itself: no network, and of scripts only those whose hashes it names. scripts: ends with
 * NULL.
 */
void html_head(struct text *out, const char *title, const struct asset *const *scripts);

/* The end of a page: JSON for its scripts, in an element "data" where "<" becomes \u003c, and the
 * scripts, those of html_head. */
void html_end(struct text *out, const struct text *json, const struct asset *const *scripts);

#endif
