/*
 * csv_rows.c - see csv_rows.h.
 */
#include "data/csv_rows.h"

#include <math.h>

#include "base/mem.h"

/* Where the numbers of the row go next. */
struct row_target {
    float *input, *target;
};

static enum status fail_cell(const struct csv *c, int64_t column, const char *what)
{
    return FAIL(STATUS_BAD_INPUT, "%s:%lld:%lld: %s", c->name, (long long)c->cells[column].line,
                (long long)c->cells[column].column, what);
}

static enum status read_number(const struct csv *c, int64_t column, float *out)
{
    double value;

    TRY(csv_number(c, column, &value));
    *out = (float)value;
    if (!isfinite(*out))
        return fail_cell(c, column, "the number is too large");
    return STATUS_OK;
}

/* A class is a word or a whole number. */
static enum status read_label(const struct csv *c, int64_t column, char **word)
{
    double value;

    TRY(csv_word(c, column, word));
    if (csv_is_word(c, column))
        return STATUS_OK;
    TRY(csv_number(c, column, &value));
    if (!(value == floor(value)))
        return fail_cell(c, column,
                         "the class must be a word or a whole number; if it is a number to "
                         "predict, name its column by data.targets");
    return STATUS_OK;
}

/* Room for one more row. */
static struct row_target grow(struct csv_rows *r, const struct csv_columns *x)
{
    const int64_t n = ++r->count;
    const size_t inputs = (size_t)x->inputs, targets = (size_t)x->targets;

    r->values = mem_grow(r->values, n, inputs * sizeof *r->values);
    r->lines = mem_grow(r->lines, n, sizeof *r->lines);
    if (targets > 0)
        r->targets = mem_grow(r->targets, n, targets * sizeof *r->targets);
    if (x->label >= 0) {
        r->words = mem_grow(r->words, n, sizeof *r->words);
        r->words[n - 1] = NULL;
    }
    return (struct row_target){
        .input = r->values + (n - 1) * x->inputs,
        .target = targets > 0 ? r->targets + (n - 1) * x->targets : NULL,
    };
}

static enum status read_row(struct csv_rows *r, const struct csv *c, const struct csv_columns *x)
{
    struct row_target to = grow(r, x);

    r->lines[r->count - 1] = c->cells[0].line;
    for (int64_t i = 0; i < x->count; i++) {
        if (x->roles[i] == CSV_INPUT)
            TRY(read_number(c, i, to.input++));
        else if (x->roles[i] == CSV_TARGET)
            TRY(read_number(c, i, to.target++));
        else if (x->roles[i] == CSV_LABEL)
            TRY(read_label(c, i, &r->words[r->count - 1]));
    }
    return STATUS_OK;
}

enum status csv_rows_read(struct csv_rows *r, struct csv *c, const struct csv_columns *x)
{
    bool has_row = false;

    for (;;) {
        TRY(csv_next(c, &has_row));
        if (!has_row)
            break;
        TRY(read_row(r, c, x));
    }
    if (r->count == 0)
        return FAIL(STATUS_BAD_INPUT, "%s: has no rows of data", c->name);
    return STATUS_OK;
}

void csv_rows_release(struct csv_rows *r)
{
    for (int64_t i = 0; r->words != NULL && i < r->count; i++)
        mem_free(r->words[i]);
    mem_free(r->words);
    mem_free(r->values);
    mem_free(r->targets);
    mem_free(r->lines);
    *r = (struct csv_rows){0};
}
