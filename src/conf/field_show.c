/*
 * field_show.c - a field table shown: the dump of values, rows of --help, rows of
 * docs/reference/config.md.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "conf/registry.h"

enum { HELP_LEFT = 30, HELP_WIDTH = 96 };

/* From here on a bound says only that there is none that matters. */
static const double no_bound = 1e9;

static bool is_row(const struct field *f)
{
    return f != NULL && f->kind != FIELD_KIND_LAST;
}

static const void *member(const struct field *f, const void *options)
{
    return (const char *)options + f->offset;
}

static void add_ints(const struct field_ints *ints, struct text *out)
{
    for (int64_t i = 0; i < ints->count; i++)
        text_addf(out, "%s%lld", i > 0 ? "," : "", (long long)ints->values[i]);
}

/* "none", or "{name: sgd, lr: 0.7}" with every option. */
static void add_section(const struct choice *c, struct text *out)
{
    const struct field *f = c->entry == NULL ? NULL : c->entry->fields;

    if (c->entry == NULL) {
        text_add(out, CHOICE_NONE);
        return;
    }
    text_addf(out, "{name: %s", c->entry->name);
    for (; is_row(f); f++) {
        text_addf(out, ", %s: ", f->name);
        field_value_text(f, c->options, out);
    }
    text_add(out, "}");
}

void field_value_text(const struct field *f, const void *options, struct text *out)
{
    const void *at = member(f, options);

    switch (f->kind) {
    case FIELD_KIND_INT:
        text_addf(out, "%lld", (long long)*(const int64_t *)at);
        return;
    case FIELD_KIND_REAL:
        text_add_double(out, *(const double *)at);
        return;
    case FIELD_KIND_BOOL:
        text_add(out, *(const bool *)at ? "true" : "false");
        return;
    case FIELD_KIND_TEXT:
        text_add(out, *(char *const *)at == NULL ? "" : *(char *const *)at);
        return;
    case FIELD_KIND_CHOICE:
        text_add(out, f->choices[*(const int *)at]);
        return;
    case FIELD_KIND_INTS:
        add_ints(at, out);
        return;
    case FIELD_KIND_SECTION:
        add_section(at, out);
        return;
    case FIELD_KIND_LAST:
        break;
    }
    BUG("a field of no kind");
}

static struct node *ints_node(const struct field_ints *ints)
{
    struct node *list = node_new(NODE_LIST, "effective", 0, 0);

    for (int64_t i = 0; i < ints->count; i++) {
        char *text = text_format("%lld", (long long)ints->values[i]);
        node_add(list, node_new_scalar(text, "effective", 0, 0));
        mem_free(text);
    }
    return list;
}

static struct node *section_node(const struct choice *c)
{
    if (c->entry == NULL)
        return node_new_scalar(CHOICE_NONE, "effective", 0, 0);

    struct node *map = node_new(NODE_MAP, "effective", 0, 0);

    choice_dump(c, map);
    return map;
}

void fields_dump(const struct field *fields, const void *options, struct node *map)
{
    struct text value = {0};

    for (const struct field *f = fields; is_row(f); f++) {
        const void *at = member(f, options);

        if (f->kind == FIELD_KIND_TEXT && *(char *const *)at == NULL)
            continue;
        if (f->kind == FIELD_KIND_INTS) {
            node_put(map, f->name, ints_node(at));
            continue;
        }
        if (f->kind == FIELD_KIND_SECTION) {
            node_put(map, f->name, section_node(at));
            continue;
        }
        text_clear(&value);
        field_value_text(f, options, &value);
        node_put(map, f->name, node_new_scalar(text_get(&value), "effective", 0, 0));
    }
    text_release(&value);
}

/* ------------------------------------------------------------------ what a row allows */

static void add_default(const struct field *f, struct text *out)
{
    switch (f->kind) {
    case FIELD_KIND_INT:
    case FIELD_KIND_REAL:
        text_add_double(out, f->default_number);
        return;
    case FIELD_KIND_BOOL:
        text_add(out, f->default_number != 0 ? "true" : "false");
        return;
    case FIELD_KIND_TEXT:
    case FIELD_KIND_CHOICE:
    case FIELD_KIND_INTS:
        text_add(out, f->default_text == NULL ? "" : f->default_text);
        return;
    case FIELD_KIND_SECTION:
        text_add(out, f->default_text == NULL ? CHOICE_NONE : f->default_text);
        return;
    case FIELD_KIND_LAST:
        break;
    }
    BUG("a field of no kind");
}

static void add_range(const struct field *f, struct text *out)
{
    const bool low = f->min > -no_bound, high = f->max < no_bound;

    if (low && high)
        text_addf(out, "%g to %g", f->min, f->max);
    else if (low)
        text_addf(out, "at least %g", f->min);
    else if (high)
        text_addf(out, "at most %g", f->max);
}

/* The entries by name, after "none" where that is allowed. */
static void add_entries(const struct field *f, struct text *out)
{
    const struct entry *const *entries = f->registry->entries;

    if (f->default_text == NULL && registry_find(f->registry, CHOICE_NONE) == NULL)
        text_addf(out, "%s, ", CHOICE_NONE);
    for (int64_t i = 0; entries[i] != NULL; i++)
        text_addf(out, "%s%s", i > 0 ? ", " : "", entries[i]->name);
}

static void add_allowed(const struct field *f, struct text *out)
{
    switch (f->kind) {
    case FIELD_KIND_INT:
    case FIELD_KIND_REAL:
    case FIELD_KIND_INTS:
        add_range(f, out);
        return;
    case FIELD_KIND_CHOICE:
        for (int i = 0; f->choices[i] != NULL; i++)
            text_addf(out, "%s%s", i > 0 ? ", " : "", f->choices[i]);
        return;
    case FIELD_KIND_SECTION:
        add_entries(f, out);
        return;
    case FIELD_KIND_BOOL:
    case FIELD_KIND_TEXT:
    case FIELD_KIND_LAST:
        return;
    }
}

static const char *value_word(enum field_kind kind)
{
    switch (kind) {
    case FIELD_KIND_INT:
        return " N";
    case FIELD_KIND_REAL:
        return " X";
    case FIELD_KIND_BOOL:
    case FIELD_KIND_LAST:
        return "";
    case FIELD_KIND_TEXT:
        return " TEXT";
    case FIELD_KIND_CHOICE:
    case FIELD_KIND_SECTION:
        return " NAME";
    case FIELD_KIND_INTS:
        return " N,N,...";
    }
    BUG("a field of no kind");
}

/* ------------------------------------------------------------------ help */

static void pad_to(struct text *out, size_t line_start, size_t column)
{
    while (out->length - line_start < column)
        text_add(out, " ");
}

/* Words up to column 96, further lines beginning at `indent`. The line begins at line_start. */
static void add_words(const char *words, size_t indent, size_t line_start, struct text *out)
{
    bool is_first = true;

    for (const char *s = words + strspn(words, " "); *s != '\0'; s += strspn(s, " ")) {
        const size_t length = strcspn(s, " ");

        if (!is_first && out->length - line_start + 1 + length > HELP_WIDTH) {
            text_add(out, "\n");
            line_start = out->length;
            pad_to(out, line_start, indent);
        } else if (!is_first) {
            text_add(out, " ");
        }
        text_add_n(out, s, length);
        s += length;
        is_first = false;
    }
    text_add(out, "\n");
}

void fields_help_row(const char *left, const char *right, struct text *out)
{
    size_t line_start = out->length;

    text_addf(out, "  %s", left);
    if (out->length - line_start + 2 > HELP_LEFT) {
        text_add(out, "\n");
        line_start = out->length;
    }
    pad_to(out, line_start, HELP_LEFT);
    add_words(right, HELP_LEFT, line_start, out);
}

void fields_help_paragraph(const char *paragraph, struct text *out)
{
    for (const char *next; paragraph != NULL; paragraph = next) {
        const char *end = strchr(paragraph, '\n');
        char *line =
            mem_text_n(paragraph, end == NULL ? strlen(paragraph) : (size_t)(end - paragraph));

        add_words(line, 0, out->length, out);
        mem_free(line);
        next = end == NULL ? NULL : end + 1;
    }
}

void field_meaning(const struct field *f, struct text *out)
{
    struct text first = {0}, allowed = {0};

    add_default(f, &first);
    add_allowed(f, &allowed);
    text_add(out, f->help);
    if (first.length > 0 || allowed.length > 0)
        text_add(out, " (");
    if (first.length > 0)
        text_addf(out, "default %s", text_get(&first));
    if (first.length > 0 && allowed.length > 0)
        text_add(out, "; ");
    text_add(out, text_get(&allowed));
    if (first.length > 0 || allowed.length > 0)
        text_add(out, ")");
    text_release(&first);
    text_release(&allowed);
}

/* As flags are written: "--local-sgd.post-local X". */
static void write_dashes(struct text *flag)
{
    for (char *c = flag->data + 2; *c != '\0' && *c != ' '; c++)
        *c = (char)(*c == '_' ? '-' : *c);
}

/* "--local-sgd.outer.KEY VALUE": the options are those of the chosen entry. */
static void help_section(const struct field *f, const char *prefix, struct text *out)
{
    struct text left = {0}, right = {0};

    text_addf(&left, "--%s%s.KEY VALUE", prefix, f->name);
    write_dashes(&left);
    text_addf(&right, "an option of that %s", f->registry->what);
    fields_help_row(text_get(&left), text_get(&right), out);
    text_release(&left);
    text_release(&right);
}

void fields_help(const struct field *fields, const char *prefix, struct text *out)
{
    struct text left = {0}, right = {0};

    for (const struct field *f = fields; is_row(f); f++) {
        text_clear(&left);
        text_clear(&right);
        text_addf(&left, "--%s%s%s", prefix, f->name, value_word(f->kind));
        write_dashes(&left);
        field_meaning(f, &right);
        fields_help_row(text_get(&left), text_get(&right), out);
        if (f->kind == FIELD_KIND_SECTION)
            help_section(f, prefix, out);
    }
    text_release(&left);
    text_release(&right);
}

/* A cell of a Markdown table, in which '|' would end it. */
static void add_cell(const char *text, struct text *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '|')
            text_add(out, "\\");
        text_add_n(out, text, 1);
    }
    text_add(out, " |");
}

/* "| `algorithm.outer.KEY` | | | an option of that optimizer |" */
static void markdown_section(const struct field *f, const char *prefix, struct text *out)
{
    text_addf(out, "| `%s%s.KEY` |  |  | an option of that %s, as under `%s` |\n", prefix, f->name,
              f->registry->what, f->registry->section);
}

void fields_markdown(const struct field *fields, const char *prefix, struct text *out)
{
    struct text cell = {0};

    for (const struct field *f = fields; is_row(f); f++) {
        text_addf(out, "| `%s%s` | ", prefix, f->name);
        text_clear(&cell);
        add_default(f, &cell);
        add_cell(text_get(&cell), out);
        text_add(out, " ");
        text_clear(&cell);
        add_allowed(f, &cell);
        add_cell(cell.length > 0              ? text_get(&cell)
                 : f->kind == FIELD_KIND_BOOL ? "true, false"
                                              : "",
                 out);
        text_add(out, " ");
        add_cell(f->help, out);
        text_add(out, "\n");
        if (f->kind == FIELD_KIND_SECTION)
            markdown_section(f, prefix, out);
    }
    text_release(&cell);
}
