/*
 * csv_number.c - cells of tables as numbers.
 */
#include "format/csv_number.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "format/csv.h"

enum { NUMBER_LONGEST = 127, DIGITS_EXACT = 15, CELL_SHOWN = 40 };

void csv_number_trim(const char **text, size_t *length)
{
    while (*length > 0 && (**text == ' ' || **text == '\t')) {
        ++*text;
        --*length;
    }
    while (*length > 0 && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t'))
        --*length;
}

static bool is_missing(const char *text, size_t length)
{
    static const char *const marks[] = {"NA",   "N/A",  "NaN",  "nan", "NAN",
                                        "null", "NULL", "None", "?"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (length == strlen(marks[i]) && memcmp(text, marks[i], length) == 0)
            return true;
    }
    return length == 0;
}

/*
 * Most cells: up to 15 digits, perhaps with a point. Digits and power of ten are both exact, so
 * that their quotient is rounded once, as strtod does.
 */
static bool parse_short(const char *text, size_t length, double *value)
{
    const bool is_negative = length > 0 && text[0] == '-';
    int64_t digits = 0, power = 1;
    int digit_count = 0, point_count = 0;

    for (size_t i = is_negative; i < length; i++) {
        if (text[i] == '.' && point_count == 0) {
            point_count++;
            continue;
        }
        if (text[i] < '0' || text[i] > '9' || digit_count == DIGITS_EXACT)
            return false;
        digits = 10 * digits + (text[i] - '0');
        power *= point_count > 0 ? 10 : 1;
        digit_count++;
    }
    *value = (double)digits / (double)power;
    if (is_negative)
        *value = -*value;
    return digit_count > 0;
}

enum csv_number_kind csv_number_parse(const char *text, size_t length, double *value)
{
    char copy[NUMBER_LONGEST + 1];

    csv_number_trim(&text, &length);
    if (parse_short(text, length, value))
        return CSV_NUMBER;
    if (is_missing(text, length))
        return CSV_MISSING;
    if (length > NUMBER_LONGEST || memchr(text, '\0', length) != NULL)
        return CSV_NOT_A_NUMBER;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return text_to_double(copy, value) ? CSV_NUMBER : CSV_NOT_A_NUMBER;
}

/* Any bytes of the file, for a message. mem_free */
static char *shown_cell(const struct csv_cell *cell)
{
    struct text t = {0};

    for (size_t i = 0; i < cell->length && i < CELL_SHOWN; i++) {
        const bool is_shown = cell->text[i] >= ' ' && cell->text[i] <= '~';

        text_add_n(&t, is_shown ? &cell->text[i] : "?", 1);
    }
    text_add(&t, cell->length > CELL_SHOWN ? "..." : "");
    return text_take(&t);
}

/* FILE:LINE:COLUMN: ... of column 3 (width) */
static enum status fail_cell(const struct csv *c, int64_t column, const char *what)
{
    const struct csv_cell *cell = &c->cells[column];
    const char *name = c->header == NULL ? "" : c->header[column];

    return FAIL(STATUS_BAD_INPUT, "%s:%lld:%lld: %s in column %lld%s%s%s", c->name,
                (long long)cell->line, (long long)cell->column, what, (long long)column + 1,
                name[0] == '\0' ? "" : " (", name, name[0] == '\0' ? "" : ")");
}

bool csv_is_word(const struct csv *c, int64_t column)
{
    double value;

    CHECK(column >= 0 && column < c->count);
    return csv_number_parse(c->cells[column].text, c->cells[column].length, &value) ==
           CSV_NOT_A_NUMBER;
}

enum status csv_word(const struct csv *c, int64_t column, char **word)
{
    CHECK(column >= 0 && column < c->count);

    const char *text = c->cells[column].text;
    size_t length = c->cells[column].length;

    *word = NULL;
    csv_number_trim(&text, &length);
    if (is_missing(text, length))
        return fail_cell(c, column, "the value is missing");
    if (memchr(text, '\0', length) != NULL || !text_is_utf8(text, length))
        return fail_cell(c, column, "the text is not UTF-8");
    *word = mem_text_n(text, length);
    return STATUS_OK;
}

/* Whether it would be a number with a point in place of the comma. */
static bool has_decimal_comma(const struct csv_cell *cell)
{
    char *text = mem_text_n(cell->text, cell->length), *comma = strchr(text, ',');
    double value;

    if (comma != NULL)
        *comma = '.';
    const bool is_number =
        comma != NULL && csv_number_parse(text, cell->length, &value) == CSV_NUMBER;
    mem_free(text);
    return is_number;
}

enum status csv_number(const struct csv *c, int64_t column, double *value)
{
    CHECK(column >= 0 && column < c->count);

    const struct csv_cell *cell = &c->cells[column];
    const enum csv_number_kind kind = csv_number_parse(cell->text, cell->length, value);

    if (kind == CSV_NUMBER)
        return STATUS_OK;
    if (kind == CSV_MISSING)
        return fail_cell(c, column, "the value is missing");

    char *shown = shown_cell(cell);
    char *what = text_format("\"%s\" is not a number%s", shown,
                             has_decimal_comma(cell) ? " (a decimal comma must be a point)" : "");
    const enum status s = fail_cell(c, column, what);

    mem_free(shown);
    mem_free(what);
    return s;
}
