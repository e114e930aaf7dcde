/*
 * table.c - builds a table cell by cell, and writes it.
 */
#include "report/table.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/text_table.h"
#include "report/html.h"

void table_column(struct table *t, char *heading, bool is_number)
{
    CHECK(t->rows == 0);
    t->headings = mem_grow(t->headings, t->columns + 1, sizeof *t->headings);
    t->is_number = mem_grow(t->is_number, t->columns + 1, sizeof *t->is_number);
    t->headings[t->columns] = heading;
    t->is_number[t->columns++] = is_number;
}

void table_row(struct table *t, enum table_mark mark)
{
    CHECK(t->next == t->rows * t->columns);
    t->marks = mem_grow(t->marks, t->rows + 1, sizeof *t->marks);
    t->marks[t->rows++] = mark;
}

void table_put_number(struct table *t, char *text, double value)
{
    CHECK(t->next < t->rows * t->columns);
    t->cells = mem_grow(t->cells, t->next + 1, sizeof *t->cells);
    t->cells[t->next++] = (struct table_cell){text == NULL ? mem_text("-") : text, value};
}

void table_put(struct table *t, char *text)
{
    table_put_number(t, text, (double)NAN);
}

void table_release(struct table *t)
{
    for (int64_t i = 0; i < t->columns; i++)
        mem_free(t->headings[i]);
    for (int64_t i = 0; i < t->next; i++)
        mem_free(t->cells[i].text);
    mem_free(t->headings);
    mem_free(t->is_number);
    mem_free(t->cells);
    mem_free(t->marks);
    mem_free(t->note);
    *t = (struct table){0};
}

/* --- HTML --- */

static void html_cell(const struct table *t, int64_t at, struct text *out)
{
    const struct table_cell *c = &t->cells[at];

    text_add(out, t->is_number[at % t->columns] ? "<td class=\"number\"" : "<td");
    if (!isnan(c->value)) {
        text_add(out, " data-value=\"");
        text_add_double(out, c->value);
        text_add(out, "\"");
    }
    text_add(out, ">");
    html_text(out, c->text);
    text_add(out, "</td>");
}

void table_html(const struct table *t, struct text *out)
{
    static const char *const rows[] = {
        [TABLE_PLAIN] = "<tr>",
        [TABLE_BEST] = "<tr class=\"best\">",
        [TABLE_TIED] = "<tr class=\"tied\">",
    };

    text_add(out, "<div class=\"scroll\"><table class=\"table\"");
    if (t->id != NULL)
        text_addf(out, " id=\"%s\"", t->id);
    text_add(out, ">\n<thead><tr>");
    for (int64_t i = 0; i < t->columns; i++) {
        text_add(out, t->is_number[i] ? "<th class=\"number\">" : "<th>");
        html_text(out, t->headings[i]);
        text_add(out, "</th>");
    }
    text_add(out, "</tr></thead>\n<tbody>\n");
    for (int64_t row = 0; row < t->rows; row++) {
        text_add(out, rows[t->marks[row]]);
        for (int64_t i = 0; i < t->columns; i++)
            html_cell(t, row * t->columns + i, out);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</tbody></table></div>\n");
    if (t->note != NULL) {
        text_add(out, "<p class=\"note\">");
        html_text(out, t->note);
        text_add(out, "</p>\n");
    }
}

/* --- Markdown --- */

void table_markdown_text(struct text *out, const char *text)
{
    for (; *text != '\0'; text++)
        if (strchr("|\\`*_[]!~#", *text) != NULL)
            text_addf(out, "\\%c", *text);
        else if (*text == '<' || *text == '>' || *text == '&')
            text_add(out, *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;");
        else
            text_add_n(out, (unsigned char)*text < ' ' ? " " : text, 1);
}

void table_markdown(const struct table *t, struct text *out)
{
    text_add(out, "|");
    for (int64_t i = 0; i < t->columns; i++) {
        text_add(out, " ");
        table_markdown_text(out, t->headings[i]);
        text_add(out, " |");
    }
    text_add(out, "\n|");
    for (int64_t i = 0; i < t->columns; i++)
        text_add(out, t->is_number[i] ? "---:|" : "---|");
    for (int64_t row = 0; row < t->rows; row++) {
        text_add(out, "\n|");
        for (int64_t i = 0; i < t->columns; i++) {
            const char *bold = t->marks[row] == TABLE_BEST && i == 0 ? "**" : "";

            text_addf(out, " %s", bold);
            table_markdown_text(out, t->cells[row * t->columns + i].text);
            text_addf(out, "%s |", bold);
        }
    }
    text_add(out, "\n");
    if (t->note != NULL) {
        text_add(out, "\n");
        table_markdown_text(out, t->note);
        text_add(out, "\n");
    }
}

/* --- the terminal --- */

void table_text(const struct table *t, struct text *out)
{
    struct text_table g = text_table_new(t->rows + 1, t->columns);

    for (int64_t i = 0; i < t->columns; i++) {
        g.is_left[i] = !t->is_number[i];
        text_table_put(&g, 0, i, mem_text(t->headings[i]));
    }
    for (int64_t i = 0; i < t->next; i++)
        text_table_put(&g, 1 + i / t->columns, i % t->columns, mem_text(t->cells[i].text));
    text_table_write(&g, out);
    text_table_free(&g);
}
