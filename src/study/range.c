/*
 * range.c - reads a range of numbers, and maps [0, 1) to its values.
 */
#include "study/range.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/portable_math.h"
#include "study/overlay.h"
#include "train/run_config.h"

static const char LOG[] = "log:", LINEAR[] = "linear:", DOTS[] = "..";

/* --- which options have ranges --- */

static bool is_number(const struct field *f)
{
    return f != NULL && (f->kind == FIELD_KIND_INT || f->kind == FIELD_KIND_REAL);
}

/* The option as its table, or the first entry of its registry that has it, describes it. */
static const struct field *find_option(const char *section, const char *key)
{
    const struct registry *r = section == NULL ? NULL : overlay_registry(section);
    const struct field *found = NULL;

    for (const struct flag_table *t = run_config_tables; t->section != NULL && found == NULL; t++)
        if (strcmp(t->section, section == NULL ? "" : section) == 0)
            found = fields_find(t->fields, key);
    for (int64_t i = 0; r != NULL && r->entries[i] != NULL && found == NULL; i++)
        if (r->entries[i]->fields != NULL)
            found = fields_find(r->entries[i]->fields, key);
    return found;
}

/* What repeats a case does not vary in it. */
static bool is_repetition(const char *section, const char *key)
{
    if (section == NULL)
        return strcmp(key, "seed") == 0;
    return strcmp(section, "data") == 0 &&
           (text_same_name(key, "fold") || text_same_name(key, "folds"));
}

/* --- the text --- */

static const char *after(const char *text, const char *prefix)
{
    const size_t length = strlen(prefix);

    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

static const char *skip_scale(const char *text)
{
    const char *limits = after(text, LOG);

    if (limits == NULL)
        limits = after(text, LINEAR);
    return limits == NULL ? text : limits;
}

static bool read_limits(const char *text, double *low, double *high)
{
    const char *dots = strstr(text, DOTS);

    if (dots == NULL)
        return false;
    char *first = mem_text_n(text, (size_t)(dots - text));
    const bool is_read = text_to_double(first, low) && text_to_double(dots + strlen(DOTS), high);
    mem_free(first);
    return is_read;
}

bool range_is(const struct node *value, const char *section, const char *key)
{
    double low, high;

    return value->kind == NODE_SCALAR && !is_repetition(section, key) &&
           read_limits(skip_scale(value->text), &low, &high) &&
           is_number(find_option(section, key));
}

enum status range_check_repetition(const struct node *value, const char *section, const char *key)
{
    double low, high;

    if (value->kind != NODE_SCALAR || !is_repetition(section, key) ||
        !read_limits(skip_scale(value->text), &low, &high))
        return STATUS_OK;
    return node_fail_key(value, section, key,
                         "%s cannot have a range, because it repeats a case; use a list", key);
}

static bool draws_by_log(const char *text, const char *key)
{
    return after(text, LOG) != NULL || (after(text, LINEAR) == NULL && strcmp(key, "lr") == 0);
}

enum status range_read(struct range *r, const struct node *value, const char *section,
                       const char *key)
{
    const char *limits = skip_scale(value->text);

    *r = (struct range){
        .is_log = draws_by_log(value->text, key),
        .is_whole = find_option(section, key)->kind == FIELD_KIND_INT,
    };
    (void)read_limits(limits, &r->low, &r->high);
    if (!(r->low < r->high) || !isfinite(r->low) || !isfinite(r->high))
        return node_fail_key(value, section, key,
                             "the range %s must go from a number to a larger one", value->text);
    if (r->is_whole && (r->low != floor(r->low) || r->high != floor(r->high)))
        return node_fail_key(value, section, key,
                             "the limits of the range %s must be whole numbers", value->text);
    if (r->is_log && r->low <= 0)
        return node_fail_key(value, section, key,
                             "the range %s must begin above 0 to be drawn on a logarithmic scale; "
                             "%s%s draws evenly",
                             value->text, LINEAR, limits);
    return STATUS_OK;
}

/* --- its values --- */

static double round_to_digits(double value)
{
    char digits[32];
    double rounded = value;

    (void)snprintf(digits, sizeof digits, "%.3g", value);
    (void)text_to_double(digits, &rounded);
    return rounded;
}

/* Whole numbers are the parts of equal length (of the logarithm) from low to high + 1. */
char *range_value(const struct range *r, double place)
{
    const double end = r->is_whole ? r->high + 1 : r->high;
    const double value =
        r->is_log ? r->low * portable_pow(end / r->low, place) : r->low + place * (end - r->low);
    const double rounded = round_to_digits(r->is_whole ? floor(value) : value);
    struct text out = {0};

    text_add_double(&out, fmin(fmax(rounded, r->low), r->high));
    return text_take(&out);
}
