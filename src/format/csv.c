/*
 * csv.c - splits a file into rows and cells.
 */
#include "format/csv.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "format/csv_number.h"

/* --- lines --- */

static bool is_end_of_line(const struct csv *c)
{
    return c->at == c->bytes || c->file[c->at] == '\n' || c->file[c->at] == '\r';
}

/* After LF, CRLF or CR; nothing at the end of the file. */
static void skip_end_of_line(struct csv *c)
{
    if (c->at == c->bytes)
        return;

    const bool is_return = c->file[c->at++] == '\r';

    if (is_return && c->at < c->bytes && c->file[c->at] == '\n')
        c->at++;
    c->line++;
    c->line_begin = c->at;
}

static enum status fail_at(const struct csv *c, const struct csv_cell *cell, const char *what)
{
    return FAIL(STATUS_BAD_INPUT, "%s:%lld:%lld: %s", c->name, (long long)cell->line,
                (long long)cell->column, what);
}

/* --- cells --- */

static struct csv_cell *add_cell(struct csv *c)
{
    if (c->count == c->capacity) {
        const int64_t capacity = 2 * c->capacity + 16;

        c->cells = mem_resize(c->cells, c->capacity, capacity, sizeof *c->cells);
        c->capacity = capacity;
    }

    struct csv_cell *cell = &c->cells[c->count++];

    *cell = (struct csv_cell){.text = c->file + c->at,
                              .line = c->line,
                              .column = (int64_t)(c->at - c->line_begin) + 1,
                              .place = -1};
    return cell;
}

static void read_plain(struct csv *c, struct csv_cell *cell)
{
    while (!is_end_of_line(c) && c->file[c->at] != c->separator)
        c->at++;
    cell->length = (size_t)(c->file + c->at - cell->text);
}

/* Goes to the quote that ends the cell; true: there are doubled quotes before it. */
static bool find_quote(struct csv *c)
{
    bool is_doubled = false;

    while (c->at < c->bytes) {
        if (c->file[c->at] == '"') {
            if (c->at + 1 == c->bytes || c->file[c->at + 1] != '"')
                break;
            is_doubled = true;
            c->at += 2;
        } else if (is_end_of_line(c)) {
            skip_end_of_line(c);
        } else {
            c->at++;
        }
    }
    return is_doubled;
}

/* Puts one quote in place of two. */
static void add_unquoted(struct csv *c, struct csv_cell *cell)
{
    const char *at = cell->text, *end = at + cell->length;

    cell->place = (int64_t)c->unquoted.length;
    while (at < end) {
        const char *quote = memchr(at, '"', (size_t)(end - at));
        const char *stop = quote == NULL ? end : quote + 1;

        text_add_n(&c->unquoted, at, (size_t)(stop - at));
        at = quote == NULL ? end : stop + 1;
    }
    cell->length = c->unquoted.length - (size_t)cell->place;
}

static enum status read_quoted(struct csv *c, struct csv_cell *cell)
{
    c->at++;
    cell->text = c->file + c->at;

    const bool is_doubled = find_quote(c);

    if (c->at == c->bytes)
        return fail_at(c, cell, "the quote is not closed");
    cell->length = (size_t)(c->file + c->at - cell->text);
    c->at++;
    if (!is_end_of_line(c) && c->file[c->at] != c->separator)
        return fail_at(c, cell, "the quoted cell must end with its quote");
    if (is_doubled)
        add_unquoted(c, cell);
    return STATUS_OK;
}

static enum status read_cell(struct csv *c)
{
    struct csv_cell *cell = add_cell(c);

    if (c->at < c->bytes && c->file[c->at] == '"')
        return read_quoted(c, cell);
    read_plain(c, cell);
    return STATUS_OK;
}

/* --- rows --- */

static enum status read_row(struct csv *c)
{
    c->count = 0;
    text_clear(&c->unquoted);
    TRY(read_cell(c));
    while (!is_end_of_line(c)) {
        c->at++; /* a separator */
        TRY(read_cell(c));
    }
    skip_end_of_line(c);
    for (int64_t i = 0; i < c->count; i++) { /* now the text grows no more */
        if (c->cells[i].place >= 0)
            c->cells[i].text = text_get(&c->unquoted) + c->cells[i].place;
    }
    return STATUS_OK;
}

enum status csv_next(struct csv *c, bool *has_row)
{
    while (c->at < c->bytes && is_end_of_line(c))
        skip_end_of_line(c);
    *has_row = c->at < c->bytes;
    if (!*has_row)
        return STATUS_OK;
    TRY(read_row(c));
    if (c->columns == 0)
        c->columns = c->count;
    if (c->count != c->columns)
        return FAIL(STATUS_BAD_INPUT, "%s:%lld: the row has %lld cells; the first row has %lld",
                    c->name, (long long)c->cells[0].line, (long long)c->count,
                    (long long)c->columns);
    return STATUS_OK;
}

/* --- the beginning --- */

static char find_separator(const struct csv *c)
{
    bool has_semicolon = false, is_quoted = false;

    for (size_t i = c->at; i < c->bytes; i++) {
        const char letter = c->file[i];

        is_quoted ^= letter == '"';
        if (is_quoted)
            continue;
        if (letter == '\t')
            return '\t';
        if ((letter == '\n' || letter == '\r') && i > c->at)
            break;
        has_semicolon |= letter == ';';
    }
    return has_semicolon ? ';' : ',';
}

/* Skips the mark of UTF-8, and rejects that of UTF-16. */
static enum status skip_mark(struct csv *c)
{
    if (c->bytes >= 2 &&
        (memcmp(c->file, "\xff\xfe", 2) == 0 || memcmp(c->file, "\xfe\xff", 2) == 0))
        return FAIL(STATUS_BAD_INPUT, "%s: is in UTF-16; it must be in UTF-8", c->name);
    if (c->bytes >= 3 && memcmp(c->file, "\xef\xbb\xbf", 3) == 0)
        c->at = c->line_begin = 3;
    return STATUS_OK;
}

static bool is_header(const struct csv *c)
{
    double value;

    for (int64_t i = 0; i < c->count; i++) {
        const struct csv_cell *cell = &c->cells[i];

        if (csv_number_parse(cell->text, cell->length, &value) == CSV_NOT_A_NUMBER)
            return true;
    }
    return false;
}

static void take_header(struct csv *c)
{
    c->header = MEM_NEW_N(char *, c->columns);
    for (int64_t i = 0; i < c->columns; i++) {
        const char *text = c->cells[i].text;
        size_t length = c->cells[i].length;

        csv_number_trim(&text, &length);
        c->header[i] = mem_text_n(text, length);
    }
}

static void release_header(struct csv *c)
{
    for (int64_t i = 0; c->header != NULL && i < c->columns; i++)
        mem_free(c->header[i]);
    mem_free(c->header);
    c->header = NULL;
}

/* It begins a line, perhaps after a byte order mark. */
static void go_to_first_row(struct csv *c)
{
    c->at = c->line_begin = c->first_row;
    c->line = c->first_line;
}

enum status csv_set_header(struct csv *c, bool has_header)
{
    bool has_row = false;

    release_header(c);
    go_to_first_row(c);
    if (!has_header)
        return STATUS_OK;
    TRY(csv_next(c, &has_row));
    if (has_row)
        take_header(c);
    return STATUS_OK;
}

static enum status read_beginning(struct csv *c)
{
    bool has_row = false;

    TRY(skip_mark(c));
    while (c->at < c->bytes && is_end_of_line(c))
        skip_end_of_line(c);
    if (c->separator == 0)
        c->separator = find_separator(c);

    c->first_row = c->at;
    c->first_line = c->line;
    TRY(csv_next(c, &has_row));
    if (has_row && is_header(c))
        take_header(c);
    else
        go_to_first_row(c);
    return STATUS_OK;
}

enum status csv_open(struct csv *c, const char *name, const void *file, size_t bytes,
                     char separator)
{
    *c = (struct csv){
        .name = mem_text(name), .file = file, .bytes = bytes, .line = 1, .separator = separator};

    const enum status s = read_beginning(c);

    if (s != STATUS_OK)
        csv_close(c);
    return s;
}

void csv_close(struct csv *c)
{
    release_header(c);
    mem_free(c->cells);
    mem_free(c->name);
    text_release(&c->unquoted);
    *c = (struct csv){0};
}

int64_t csv_find(const struct csv *c, const char *name)
{
    for (int64_t i = 0; c->header != NULL && i < c->columns; i++) {
        if (strcmp(c->header[i], name) == 0)
            return i;
    }
    return -1;
}
