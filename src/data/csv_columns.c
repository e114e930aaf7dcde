/*
 * csv_columns.c - see csv_columns.h.
 */
#include "data/csv_columns.h"

#include <string.h>

#include "base/mem.h"

enum { NAMES_SHOWN = 12 };

static void add_names(struct text *out, const struct csv *c)
{
    for (int64_t i = 0; c->header != NULL && i < c->columns && i < NAMES_SHOWN; i++)
        text_addf(out, "%s%s", i == 0 ? ", named " : ", ", c->header[i]);
    if (c->header != NULL && c->columns > NAMES_SHOWN)
        text_add(out, ", ...");
}

/* By its name in the header, else by its number. */
static enum status find_column(const struct csv *c, const char *key, const char *text,
                               int64_t *column)
{
    struct text names = {0};

    *column = csv_find(c, text);
    if (*column >= 0)
        return STATUS_OK;
    if (text_to_int(text, column) && *column >= 1 && *column <= c->columns) {
        --*column;
        return STATUS_OK;
    }
    add_names(&names, c);
    const enum status s =
        FAIL(STATUS_BAD_INPUT, "data.%s: %s has no column \"%s\"; it has columns 1 to %lld%s", key,
             c->name, text, (long long)c->columns, text_get(&names));
    text_release(&names);
    return s;
}

static enum status set_role(struct csv_columns *x, const struct csv *c, const char *key,
                            const char *text, enum csv_role role)
{
    int64_t column;

    TRY(find_column(c, key, text, &column));
    x->has_name |= csv_find(c, text) >= 0;
    if (x->roles[column] != CSV_INPUT)
        return FAIL(STATUS_BAD_INPUT, "data.%s: column \"%s\" of %s is already used otherwise", key,
                    text, c->name);
    x->roles[column] = role;
    x->label = role == CSV_LABEL ? column : x->label;
    return STATUS_OK;
}

static enum status set_roles(struct csv_columns *x, const struct csv *c, const char *key,
                             const char *list, enum csv_role role)
{
    while (list != NULL) {
        const size_t length = strcspn(list, ",");
        char *text = mem_text_n(list, length);
        const enum status s = set_role(x, c, key, text, role);

        mem_free(text);
        TRY(s);
        list = list[length] == ',' ? list + length + 1 : NULL;
    }
    return STATUS_OK;
}

/* The last column, from behind; the others are inputs. */
static void set_last_as_label(struct csv_columns *x)
{
    for (int64_t i = x->count - 1; i >= 0 && x->label < 0; i--)
        x->label = x->roles[i] == CSV_INPUT ? i : -1;
    if (x->label >= 0)
        x->roles[x->label] = CSV_LABEL;
}

static enum status assign(struct csv_columns *x, const struct csv *c,
                          const struct csv_column_request *q)
{
    if (q->label != NULL && q->targets != NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "data.targets: conflicts with data.label; a table has classes or numbers to "
                    "predict");
    TRY(set_roles(x, c, "ignore", q->ignored, CSV_IGNORED));
    TRY(set_roles(x, c, "targets", q->targets, CSV_TARGET));
    if (q->label != NULL)
        TRY(set_role(x, c, "label", q->label, CSV_LABEL));
    else if (q->targets == NULL)
        set_last_as_label(x);
    for (int64_t i = 0; i < x->count; i++) {
        x->inputs += x->roles[i] == CSV_INPUT;
        x->targets += x->roles[i] == CSV_TARGET;
    }
    if (x->inputs == 0)
        return FAIL(STATUS_BAD_INPUT, "%s: has %lld columns, and none of them is left as an input",
                    c->name, (long long)c->columns);
    return STATUS_OK;
}

/* Whether a column that must have numbers has a word in the first row. */
static bool has_word(const struct csv_columns *x, const struct csv *c)
{
    for (int64_t i = 0; i < x->count; i++)
        if ((x->roles[i] == CSV_INPUT || x->roles[i] == CSV_TARGET) && csv_is_word(c, i))
            return true;
    return false;
}

static enum status init(struct csv_columns *x, struct csv *c, const struct csv_column_request *q)
{
    if (c->columns == 0)
        return FAIL(STATUS_BAD_INPUT, "%s: is empty", c->name);
    if (q->header != CSV_HEADER_AUTO)
        TRY(csv_set_header(c, q->header == CSV_HEADER_YES));
    x->count = c->columns;
    x->label = -1;
    x->roles = MEM_NEW_N(enum csv_role, x->count);
    TRY(assign(x, c, q));
    if (q->header == CSV_HEADER_AUTO && c->header != NULL && !x->has_name && !has_word(x, c))
        TRY(csv_set_header(c, false));
    return STATUS_OK;
}

enum status csv_columns_init(struct csv_columns *x, struct csv *c,
                             const struct csv_column_request *q)
{
    *x = (struct csv_columns){0};
    const enum status s = init(x, c, q);

    if (s != STATUS_OK)
        csv_columns_release(x);
    return s;
}

void csv_columns_release(struct csv_columns *x)
{
    mem_free(x->roles);
    *x = (struct csv_columns){0};
}
