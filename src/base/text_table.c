/*
 * text_table.c - a table of strings, its columns as wide as they must be.
 */
#include "base/text_table.h"

#include "base/mem.h"

struct text_table text_table_new(int64_t rows, int64_t columns)
{
    return (struct text_table){rows, columns, MEM_NEW_N(char *, rows *columns),
                               MEM_NEW_N(bool, columns)};
}

void text_table_free(struct text_table *g)
{
    for (int64_t i = 0; i < g->rows * g->columns; i++)
        mem_free(g->cells[i]);
    mem_free(g->cells);
    mem_free(g->is_left);
}

void text_table_put(struct text_table *g, int64_t row, int64_t column, char *text)
{
    mem_free(g->cells[row * g->columns + column]);
    g->cells[row * g->columns + column] = text;
}

static void write_row(const struct text_table *g, int64_t row, const int *widths, struct text *out)
{
    const size_t begin = out->length;

    for (int64_t c = 0; c < g->columns; c++) {
        const char *cell = g->cells[row * g->columns + c];
        const char *text = cell == NULL ? "" : cell;
        const int gap = widths[c] - text_letters(text);

        text_addf(out, "%s%*s%s%*s", c == 0 ? "" : "  ", g->is_left[c] ? 0 : gap, "", text,
                  g->is_left[c] ? gap : 0, "");
    }
    while (out->length > begin && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    text_add(out, "\n");
}

void text_table_write(const struct text_table *g, struct text *out)
{
    int *widths = MEM_NEW_N(int, g->columns);

    for (int64_t i = 0; i < g->rows * g->columns; i++) {
        const int width = g->cells[i] == NULL ? 0 : text_letters(g->cells[i]);

        if (width > widths[i % g->columns])
            widths[i % g->columns] = width;
    }
    for (int64_t r = 0; r < g->rows; r++)
        write_row(g, r, widths, out);
    mem_free(widths);
}
