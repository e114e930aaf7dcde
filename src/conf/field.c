/*
 * field.c - from nodes to option structs by a field table: defaults, types, ranges, suggestions.
 *
 * Here: filling and emptying options. Not here: showing them (field_show.c), suggestions
 * (field_suggest.c).
 */
#include "conf/field.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"
#include "base/mem.h"
#include "conf/registry.h"

/* One value on its way into an option: where it goes and how messages call it. */
struct target {
    const struct field *field;
    void *options;
    const char *path, *key; /* "optimizer", "lr" as written */
};

static bool is_row(const struct field *f)
{
    return f != NULL && f->kind != FIELD_KIND_LAST;
}

static void *member(const struct field *f, void *options)
{
    return (char *)options + f->offset;
}

const struct field *fields_find(const struct field *fields, const char *name)
{
    for (const struct field *f = fields; is_row(f); f++) {
        if (text_same_name(f->name, name))
            return f;
    }
    return NULL;
}

/* The section itself by its name, else what some entry of its registry has at this path. */
static const struct field *find_in_section(const struct field *section, const char *path,
                                           struct text *found)
{
    const struct field *option = text_same_name(path, "name") ? section : NULL;
    struct text rest = {0};

    if (option != NULL)
        text_add(&rest, "name");
    for (const struct entry *const *e = section->registry->entries; *e != NULL && option == NULL;
         e++)
        option = fields_find_path((*e)->fields, path, &rest);
    if (option != NULL && found != NULL)
        text_addf(found, "%s.%s", section->name, text_get(&rest));
    text_release(&rest);
    return option;
}

const struct field *fields_find_path(const struct field *fields, const char *path,
                                     struct text *found)
{
    const char *dot = strchr(path, '.');
    char *head = mem_text_n(path, dot == NULL ? strlen(path) : (size_t)(dot - path));
    const struct field *f = fields_find(fields, head);

    mem_free(head);
    if (f != NULL && f->kind == FIELD_KIND_SECTION)
        return find_in_section(f, dot == NULL ? "name" : dot + 1, found);
    if (dot != NULL)
        return NULL;
    if (f != NULL && found != NULL)
        text_add(found, f->name);
    return f;
}

/* ------------------------------------------------------------------ text to values */

/* Whole numbers may also be written 1e6 or 64.0, up to where a double counts exactly. */
static bool parse_whole(const char *text, int64_t *value)
{
    const double exact = 9007199254740992.0; /* 2^53 */
    double real = 0;

    if (text_to_int(text, value))
        return true;
    if (!text_to_double(text, &real) || fabs(real) > exact || real != floor(real))
        return false;
    *value = (int64_t)real;
    return true;
}

bool field_to_bool(const char *text, bool *value)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};

    for (int i = 0; i < 6; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            *value = i % 2 == 1;
            return true;
        }
    }
    return false;
}

/* The position of a word among the choices, or -1. */
static int parse_choice(const struct field *f, const char *text)
{
    for (int i = 0; f->choices[i] != NULL; i++) {
        if (text_same_name(f->choices[i], text))
            return i;
    }
    return -1;
}

/* ------------------------------------------------------------------ refusals */

/* Values in messages are quoted when they would not show otherwise. */
static enum status fail_value(const struct target *t, const struct node *n, const char *text,
                              const char *what)
{
    const char *quote = text[0] == '\0' || strchr(text, ' ') != NULL ? "\"" : "";

    return node_fail_key(n, t->path, t->key, "%s%s%s %s", quote, text, quote, what);
}

static enum status check_range(const struct target *t, const struct node *n, const char *text,
                               double value)
{
    const struct field *f = t->field;

    if (value >= f->min && value <= f->max)
        return STATUS_OK;
    return node_fail_key(n, t->path, t->key, "%s is outside [%g, %g]", text, f->min, f->max);
}

static enum status fail_choice(const struct target *t, const struct node *n)
{
    const char *near = text_nearest(n->text, t->field->choices);
    struct text what = {0};

    text_add(&what, "is not one of ");
    for (int i = 0; t->field->choices[i] != NULL; i++)
        text_addf(&what, "%s%s", i > 0 ? ", " : "", t->field->choices[i]);
    if (near != NULL)
        text_addf(&what, "; did you mean %s?", near);
    const enum status status = fail_value(t, n, n->text, text_get(&what));
    text_release(&what);
    return status;
}

static enum status check_scalar(const struct target *t, const struct node *n)
{
    if (n->kind != NODE_SCALAR)
        return node_fail_key(n, t->path, t->key, "a single value is expected, not a %s",
                             n->kind == NODE_LIST ? "list" : "map");
    if (n->is_null)
        return node_fail_key(n, t->path, t->key, "missing value");
    return STATUS_OK;
}

/* ------------------------------------------------------------------ one kind each */

static enum status read_int(const struct target *t, const struct node *n, const char *text,
                            int64_t *value)
{
    int64_t number = 0;

    if (!parse_whole(text, &number))
        return fail_value(t, n, text, "is not a whole number");
    TRY(check_range(t, n, text, (double)number));
    *value = number;
    return STATUS_OK;
}

static enum status read_real(const struct target *t, const struct node *n)
{
    double number = 0;

    if (!text_to_double(n->text, &number))
        return fail_value(t, n, n->text, "is not a number");
    TRY(check_range(t, n, n->text, number));
    *(double *)member(t->field, t->options) = number;
    return STATUS_OK;
}

static enum status read_bool(const struct target *t, const struct node *n)
{
    if (!field_to_bool(n->text, member(t->field, t->options)))
        return fail_value(t, n, n->text, "is not true or false");
    return STATUS_OK;
}

static enum status read_choice(const struct target *t, const struct node *n)
{
    const int chosen = parse_choice(t->field, n->text);

    if (chosen < 0)
        return fail_choice(t, n);
    *(int *)member(t->field, t->options) = chosen;
    return STATUS_OK;
}

static void set_text(const struct field *f, void *options, const char *text)
{
    char **at = member(f, options);

    mem_free(*at);
    *at = text == NULL ? NULL : mem_text(text);
}

static enum status refuse_count(const struct target *t, const struct node *n)
{
    return node_fail_key(n, t->path, t->key, "more than %d numbers", FIELD_INTS_MAX);
}

/* "16, 16": numbers between commas, spaces around them allowed; "" is none. */
static enum status read_ints_text(const struct target *t, const struct node *n,
                                  struct field_ints *values)
{
    const char *s = n->text;
    enum status status = STATUS_OK;

    if (s[strspn(s, " ")] == '\0')
        return STATUS_OK;
    while (status == STATUS_OK && s != NULL) {
        const char *comma = strchr(s, ',');
        size_t length = comma != NULL ? (size_t)(comma - s) : strlen(s);

        if (values->count == FIELD_INTS_MAX)
            return refuse_count(t, n);
        for (; length > 0 && s[0] == ' '; length--)
            s++;
        while (length > 0 && s[length - 1] == ' ')
            length--;
        char *piece = mem_text_n(s, length);
        status = read_int(t, n, piece, &values->values[values->count++]);
        mem_free(piece);
        s = comma != NULL ? comma + 1 : NULL;
    }
    return status;
}

static enum status read_ints_list(const struct target *t, const struct node *n,
                                  struct field_ints *values)
{
    if (n->count > FIELD_INTS_MAX)
        return refuse_count(t, n);
    for (int64_t i = 0; i < n->count; i++) {
        const struct node *child = n->children[i];

        TRY(check_scalar(t, child));
        TRY(read_int(t, child, child->text, &values->values[values->count++]));
    }
    return STATUS_OK;
}

static enum status read_ints(const struct target *t, const struct node *n)
{
    struct field_ints values = {0};

    if (n->kind == NODE_LIST) {
        TRY(read_ints_list(t, n, &values));
    } else {
        TRY(check_scalar(t, n));
        TRY(read_ints_text(t, n, &values));
    }
    *(struct field_ints *)member(t->field, t->options) = values;
    return STATUS_OK;
}

/* Nothing need be chosen where nothing is by default. */
static enum status read_section(const struct target *t, const struct node *n)
{
    const struct field *f = t->field;
    const bool has_path = t->path != NULL && t->path[0] != '\0';
    char *path = text_format("%s%s%s", has_path ? t->path : "", has_path ? "." : "", t->key);
    const struct choice_place place = {
        .fallback = f->default_text, .path = path, .may_be_none = f->default_text == NULL};
    struct choice chosen;
    const enum status status = choice_read(&chosen, f->registry, n, &place);

    mem_free(path);
    TRY(status);
    choice_release(member(f, t->options));
    *(struct choice *)member(f, t->options) = chosen;
    return STATUS_OK;
}

static enum status read_value(const struct target *t, const struct node *n)
{
    const struct field *f = t->field;

    if (f->kind == FIELD_KIND_SECTION)
        return read_section(t, n);
    if (f->kind == FIELD_KIND_INTS)
        return read_ints(t, n);
    if (f->kind == FIELD_KIND_TEXT && node_is_null(n)) {
        set_text(f, t->options, NULL);
        return STATUS_OK;
    }
    TRY(check_scalar(t, n));
    switch (f->kind) {
    case FIELD_KIND_INT:
        return read_int(t, n, n->text, member(f, t->options));
    case FIELD_KIND_REAL:
        return read_real(t, n);
    case FIELD_KIND_BOOL:
        return read_bool(t, n);
    case FIELD_KIND_CHOICE:
        return read_choice(t, n);
    case FIELD_KIND_TEXT:
        set_text(f, t->options, n->text);
        return STATUS_OK;
    case FIELD_KIND_INTS:
    case FIELD_KIND_SECTION:
    case FIELD_KIND_LAST:
        break;
    }
    BUG("a field of no kind");
}

/* ------------------------------------------------------------------ whole tables */

static bool is_in(const char *const *names, const char *name)
{
    for (; names != NULL && *names != NULL; names++) {
        if (text_same_name(*names, name))
            return true;
    }
    return false;
}

static enum status refuse_key(const struct field *fields, const struct node *n, const char *key,
                              const struct fields_place *place)
{
    struct text what = {0};

    fields_suggest(key, fields, place->skip, &what);
    const enum status status = node_fail_key(n, place->path, key, "%s has no such option; %s",
                                             place->owner, text_get(&what));
    text_release(&what);
    return status;
}

enum status fields_read(const struct field *fields, void *options, const struct node *map,
                        const struct fields_place *place)
{
    if (node_is_null(map))
        return STATUS_OK;
    if (map->kind != NODE_MAP)
        return node_fail_key(map, place->path, NULL, "a map of options is expected, not a %s",
                             map->kind == NODE_LIST ? "list" : "single value");
    for (int64_t i = 0; i < map->count; i++) {
        const struct field *f = fields_find(fields, map->keys[i]);
        const struct target t = {
            .field = f, .options = options, .path = place->path, .key = map->keys[i]};

        if (is_in(place->skip, map->keys[i]))
            continue;
        if (f == NULL)
            return refuse_key(fields, map->children[i], map->keys[i], place);
        TRY(read_value(&t, map->children[i]));
    }
    return STATUS_OK;
}

/* Sets a default that is a word. It is checked as a user's value is: a wrong one is a bug. */
static void set_default_word(const struct field *f, void *options)
{
    struct node *word = node_new_scalar(f->default_text, "default", 0, 0);
    const struct target t = {.field = f, .options = options, .key = f->name};

    if (read_value(&t, word) != STATUS_OK)
        BUG(status_message());
    node_free(word);
}

static void set_default_section(const struct field *f, void *options)
{
    const struct entry *entry =
        f->default_text == NULL ? NULL : registry_find(f->registry, f->default_text);

    CHECK(entry != NULL || f->default_text == NULL);
    choice_init(member(f, options), entry);
}

void fields_default(const struct field *fields, void *options)
{
    for (const struct field *f = fields; is_row(f); f++) {
        switch (f->kind) {
        case FIELD_KIND_INT:
            *(int64_t *)member(f, options) = (int64_t)f->default_number;
            break;
        case FIELD_KIND_REAL:
            *(double *)member(f, options) = f->default_number;
            break;
        case FIELD_KIND_BOOL:
            *(bool *)member(f, options) = f->default_number != 0;
            break;
        case FIELD_KIND_TEXT:
            *(char **)member(f, options) = f->default_text ? mem_text(f->default_text) : NULL;
            break;
        case FIELD_KIND_CHOICE:
        case FIELD_KIND_INTS:
            set_default_word(f, options);
            break;
        case FIELD_KIND_SECTION:
            set_default_section(f, options);
            break;
        case FIELD_KIND_LAST:
            break;
        }
    }
}

void fields_release(const struct field *fields, void *options)
{
    for (const struct field *f = fields; is_row(f); f++) {
        if (f->kind == FIELD_KIND_TEXT)
            set_text(f, options, NULL);
        if (f->kind == FIELD_KIND_SECTION)
            choice_release(member(f, options));
    }
}
