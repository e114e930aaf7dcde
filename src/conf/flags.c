/*
 * flags.c - the command line of one command: argv to a tree of nodes.
 *
 * Here: the grammar of flags and where they lead. Not here: whether a value is right (field.c), and
 * what the help shows (flags_help.c).
 */
#include "conf/flags.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

struct parser {
    struct flags *flags;
    const struct flags_spec *spec;
    int at; /* the argument being read */
};

/* One flag as it was written: "--lr=0.1" has origin "--lr", name "lr", value "0.1". */
struct given {
    char *origin;
    const char *name;  /* inside origin */
    const char *value; /* behind '='; NULL: none */
};

/* ------------------------------------------------------------------ unknown flags */

/* Names that a flag, or what stands before its dot, could have been; mem_free the array. */
static const char **candidate_names(const struct flags_spec *spec, bool is_dotted)
{
    const struct registry *const none[] = {NULL};
    const struct registry *const *registries = spec->registries ? spec->registries : none;
    int64_t count = 2; /* "help" and the end */

    for (const struct flag *f = spec->flags; f->name != NULL; f++)
        count++;
    for (int64_t i = 0; registries[i] != NULL; i++) {
        for (int64_t k = 0; registries[i]->entries[k] != NULL; k++)
            count++;
        count++;
    }
    const char **names = MEM_NEW_N(const char *, count);
    count = 0;
    for (int64_t i = 0; is_dotted && registries[i] != NULL; i++) {
        names[count++] = registries[i]->section;
        for (int64_t k = 0; registries[i]->entries[k] != NULL; k++)
            names[count++] = registries[i]->entries[k]->name;
    }
    for (const struct flag *f = spec->flags; !is_dotted && f->name != NULL; f++)
        names[count++] = f->name;
    if (!is_dotted)
        names[count] = "help";
    return names;
}

/* A registry one of whose entries has this option, or NULL: for "--beta1" instead of
 * "--adam.beta1". */
static const struct registry *registry_with_field(const struct flags_spec *spec, const char *name)
{
    for (int64_t i = 0; spec->registries != NULL && spec->registries[i] != NULL; i++) {
        for (const struct entry *const *e = spec->registries[i]->entries; *e != NULL; e++) {
            if (fields_find((*e)->fields, name) != NULL)
                return spec->registries[i];
        }
    }
    return NULL;
}

/* NULL: it is none of them. */
static const char *find_remedy(const struct flags_spec *spec, const char *name)
{
    for (const struct flag_other_name *o = spec->other_names; o != NULL && o->name != NULL; o++)
        if (text_same_name(o->name, name))
            return o->remedy;
    return NULL;
}

static enum status refuse_unknown(const struct parser *p, const struct given *g)
{
    const char *remedy = find_remedy(p->spec, g->name);
    if (remedy != NULL)
        return FAIL(STATUS_BAD_INPUT, "unknown flag %s of muster %s; %s", g->origin,
                    p->spec->command, remedy);

    const char *dot = strchr(g->name, '.');
    char *word = dot == NULL ? mem_text(g->name) : mem_text_n(g->name, (size_t)(dot - g->name));
    const char **names = candidate_names(p->spec, dot != NULL);
    const char *near = text_nearest(word, names);
    const struct registry *r = near == NULL ? registry_with_field(p->spec, g->name) : NULL;
    struct text what = {0};

    text_addf(&what, "unknown flag %s of muster %s; ", g->origin, p->spec->command);
    if (near != NULL)
        text_addf(&what, "did you mean --%s%s?", near, dot == NULL ? "" : dot);
    else if (r != NULL)
        text_addf(&what, "did you mean --%s.%s?", r->section, g->name);
    else
        text_addf(&what, "muster %s --help --all lists them", p->spec->command);
    const enum status status = FAIL(STATUS_BAD_INPUT, "%s", text_get(&what));
    text_release(&what);
    mem_free(names);
    mem_free(word);
    return status;
}

/* ------------------------------------------------------------------ values */

/* "true" or "false" for a word that says so, else NULL. */
static const char *bool_word(const char *text)
{
    bool value = false;

    return !field_to_bool(text, &value) ? NULL : value ? "true" : "false";
}

static const char *next_argument(const struct parser *p)
{
    return p->at + 1 < p->flags->argc ? p->flags->argv[p->at + 1] : NULL;
}

static enum status take_switch(const struct given *g, const char **value)
{
    *value = g->value == NULL ? "true" : bool_word(g->value);
    if (*value == NULL)
        return FAIL(STATUS_BAD_INPUT, "%s is a switch and takes no value; %s is not true or false",
                    g->origin, g->value[0] == '\0' ? "\"\"" : g->value);
    return STATUS_OK;
}

static enum status take_value(struct parser *p, const struct given *g, const char **value)
{
    *value = g->value;
    if (*value == NULL) {
        *value = next_argument(p);
        if (*value == NULL || strncmp(*value, "--", 2) == 0)
            return FAIL(STATUS_BAD_INPUT, "%s needs a value", g->origin);
        p->at++;
    }
    if (!text_is_utf8(*value, strlen(*value)))
        return FAIL(STATUS_BAD_INPUT, "%s: the value is not valid UTF-8", g->origin);
    return STATUS_OK;
}

/* A field that is true or false works as a switch, but a word that follows may also say which. */
static enum status take_field_value(struct parser *p, const struct given *g, enum field_kind kind,
                                    const char **value)
{
    const char *next = next_argument(p);

    if (kind != FIELD_KIND_BOOL)
        return take_value(p, g, value);
    if (g->value == NULL && next != NULL && bool_word(next) != NULL) {
        *value = bool_word(next);
        p->at++;
        return STATUS_OK;
    }
    return take_switch(g, value);
}

/* Puts a node into the tree, unless an earlier flag did; takes the node. */
static enum status put_node(const struct parser *p, const char *path, struct node *n)
{
    const struct node *old = node_find_path(p->flags->tree, path);
    enum status status = STATUS_OK;

    if (old != NULL && old->kind == NODE_MAP)
        old = node_find(old, "name");
    if (old == NULL) {
        node_put_path(p->flags->tree, path, n);
        return STATUS_OK;
    }
    if (text_same_name(old->origin, n->origin))
        status = FAIL(STATUS_BAD_INPUT, "%s is given twice", n->origin);
    else
        status = FAIL(STATUS_BAD_INPUT, "%s and %s set the same option; give one of them",
                      old->origin, n->origin);
    node_free(n);
    return status;
}

/* ------------------------------------------------------------------ flags of the table */

static const struct flag *find_flag(const struct flags_spec *spec, const char *name)
{
    for (const struct flag *f = spec->flags; f->name != NULL; f++) {
        if (text_same_name(f->name, name))
            return f;
    }
    return NULL;
}

/* Adds to the list of a flag that may come again. */
static void put_again(const struct parser *p, const struct flag *flag, struct node *n)
{
    struct node *list = node_find(p->flags->tree, flag->name);

    if (list == NULL) {
        list = node_new(NODE_LIST, n->origin, 0, 0);
        node_put(p->flags->tree, flag->name, list);
    }
    node_add(list, n);
}

/* An unset variable of a shell, most often: --out "$FOLDER". */
static enum status refuse_no_name(const struct given *g, const struct flag *flag, const char *value)
{
    const char *what = flag->value == NULL ? "" : flag->value;
    const bool is_folder = strstr(what, "DIR") != NULL || strcmp(what, "[RUN]") == 0;

    if (value[0] != '\0' || !(is_folder || strcmp(what, "FILE") == 0))
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT, "%s: the name of the %s is empty", g->origin,
                is_folder ? "folder" : "file");
}

/* Whether a flag with an optional value has none. */
static bool lacks_value(const struct parser *p, const struct given *g, const struct flag *flag)
{
    const char *next = next_argument(p);
    const bool may = flag->value != NULL && flag->value[0] == '[' && g->value == NULL;

    return may && (flag->value[1] == '=' || next == NULL || strncmp(next, "--", 2) == 0);
}

static enum status set_flag(struct parser *p, const struct given *g, const struct flag *flag)
{
    const bool is_switch = flag->value == NULL, is_own = flag->path == NULL;
    const char *value = "";

    if (!lacks_value(p, g, flag)) {
        TRY(is_switch ? take_switch(g, &value) : take_value(p, g, &value));
        TRY(refuse_no_name(g, flag, value));
    }
    if (p->spec->repeated != NULL && text_same_name(flag->name, p->spec->repeated)) {
        put_again(p, flag, node_new_scalar(value, g->origin, 0, 0));
        return STATUS_OK;
    }
    if (is_own && is_switch && strcmp(value, "false") == 0)
        return put_node(p, flag->name,
                        node_new(NODE_SCALAR, g->origin, 0, 0)); /* null: not given */
    return put_node(p, is_own ? flag->name : flag->path, node_new_scalar(value, g->origin, 0, 0));
}

/* ------------------------------------------------------------------ dotted flags */

static const struct registry *find_section(const struct flags_spec *spec, const char *name)
{
    for (int64_t i = 0; spec->registries != NULL && spec->registries[i] != NULL; i++) {
        if (text_same_name(spec->registries[i]->section, name))
            return spec->registries[i];
    }
    return NULL;
}

/* The table of the first entry that has an option at this path, or NULL. */
static const struct field *any_table(const struct registry *r, const char *path)
{
    for (const struct entry *const *e = r->entries; *e != NULL; e++)
        if (fields_find_path((*e)->fields, path, NULL) != NULL)
            return (*e)->fields;
    return NULL;
}

static const struct flag_table *find_table(const struct flags_spec *spec, const char *section)
{
    for (const struct flag_table *t = spec->tables; t != NULL && t->section != NULL; t++)
        if (t->section[0] != '\0' && text_same_name(t->section, section))
            return t;
    return NULL;
}

/* Puts a dotted flag's value at SECTION.FIELD, by the table that has the field. No table has it:
 * fields_read then refuses. */
static enum status put_field(struct parser *p, const struct given *g, const char *section,
                             const struct field *table)
{
    const char *name = strchr(g->name, '.') + 1;
    struct text path = {0};
    const char *value = NULL;

    text_addf(&path, "%s.", section);
    const struct field *field = fields_find_path(table, name, &path);

    if (field == NULL)
        text_add(&path, name);
    enum status status =
        take_field_value(p, g, field == NULL ? FIELD_KIND_TEXT : field->kind, &value);
    if (status == STATUS_OK)
        status = put_node(p, text_get(&path), node_new_scalar(value, g->origin, 0, 0));
    text_release(&path);
    return status;
}

/* The entry that a prefix names: one that has the field if there are several of that name. */
static const struct entry *find_entry(const struct flags_spec *spec, const char *name,
                                      const char *field, const struct registry **registry)
{
    const struct entry *found = NULL;

    for (int64_t i = 0; spec->registries != NULL && spec->registries[i] != NULL; i++) {
        const struct entry *e = registry_find(spec->registries[i], name);
        const bool has_field = e != NULL && fields_find_path(e->fields, field, NULL) != NULL;

        if (has_field || (e != NULL && found == NULL)) {
            found = e;
            *registry = spec->registries[i];
        }
        if (has_field)
            break;
    }
    return found;
}

static enum status refuse_field(const struct given *g, const struct registry *r,
                                const struct entry *e)
{
    const char *name = strchr(g->name, '.') + 1;
    struct text what = {0};

    fields_suggest(name, e->fields, NULL, &what);
    const enum status status = FAIL(STATUS_BAD_INPUT, "%s: %s %s has no option %s; %s", g->origin,
                                    r->what, e->name, name, text_get(&what));
    text_release(&what);
    return status;
}

static void remember_entry(struct flags *f, const struct given *g, const struct registry *r,
                           const struct entry *e)
{
    struct node *item = node_new(NODE_MAP, g->origin, 0, 0);

    node_put(item, "entry", node_new_scalar(e->name, g->origin, 0, 0));
    node_put(item, "section", node_new_scalar(r->section, g->origin, 0, 0));
    node_put(item, "flag", node_new_scalar(g->origin, g->origin, 0, 0));
    node_add(f->entry_flags, item);
}

/* "--train.epochs", "--optimizer.beta1": a section's own field, or one of what it chooses. */
static enum status set_in_section(struct parser *p, const struct given *g,
                                  const struct flag_table *t, const struct registry *r)
{
    const char *name = strchr(g->name, '.') + 1;
    const struct field *table =
        t == NULL || fields_find_path(t->fields, name, NULL) == NULL ? NULL : t->fields;

    CHECK(t != NULL || r != NULL);
    if (table == NULL && r != NULL)
        table = any_table(r, name);
    return put_field(p, g, r != NULL ? r->section : t->section, table);
}

static enum status set_dotted(struct parser *p, const struct given *g)
{
    const char *field = strchr(g->name, '.') + 1;
    char *prefix = mem_text_n(g->name, (size_t)(field - 1 - g->name));
    const struct flag_table *t = find_table(p->spec, prefix);
    const struct registry *r = find_section(p->spec, prefix);
    const bool is_section = t != NULL || r != NULL;
    const struct entry *e = is_section ? NULL : find_entry(p->spec, prefix, field, &r);

    mem_free(prefix);
    if (!is_section && e == NULL)
        return refuse_unknown(p, g);
    if (field[0] == '\0')
        return FAIL(STATUS_BAD_INPUT, "%s: missing option name after the dot", g->origin);
    if (is_section)
        return set_in_section(p, g, t, r);
    if (fields_find_path(e->fields, field, NULL) == NULL)
        return refuse_field(g, r, e);
    remember_entry(p->flags, g, r, e);
    return put_field(p, g, r->section, e->fields);
}

enum status flags_check_entries(const struct flags *f, const struct registry *r, const char *chosen)
{
    for (int64_t i = 0; i < f->entry_flags->count; i++) {
        const struct node *item = f->entry_flags->children[i];
        const char *entry = node_find(item, "entry")->text;

        if (strcmp(node_find(item, "section")->text, r->section) != 0)
            continue;
        if (chosen == NULL)
            return node_fail(item, "this is an option of %s %s, but none is chosen", r->what,
                             entry);
        if (registry_find(r, entry) != registry_find(r, chosen))
            return node_fail(item, "this is an option of %s %s, but %s is chosen", r->what, entry,
                             chosen);
    }
    return STATUS_OK;
}

/* ------------------------------------------------------------------ the whole line */

static enum status set_given(struct parser *p, const struct given *g)
{
    const struct flag *flag = find_flag(p->spec, g->name);

    if (flag != NULL)
        return set_flag(p, g, flag);
    if (strchr(g->name, '.') != NULL)
        return set_dotted(p, g);
    return refuse_unknown(p, g);
}

static enum status take_flag(struct parser *p, const char *argument)
{
    const char *equals = strchr(argument, '=');
    struct given g = {.value = equals == NULL ? NULL : equals + 1};

    g.origin =
        equals == NULL ? mem_text(argument) : mem_text_n(argument, (size_t)(equals - argument));
    g.name = g.origin + 2;
    const enum status status = set_given(p, &g);
    mem_free(g.origin);
    return status;
}

static enum status take_operand(const struct parser *p, char *argument)
{
    struct flags *f = p->flags;
    const int most = p->spec->positional_max;

    if (most == 0)
        return FAIL(STATUS_BAD_INPUT, "%s: muster %s takes flags only, no operands", argument,
                    p->spec->command);
    if (most > 0 && f->positional_count == most)
        return FAIL(STATUS_BAD_INPUT, "%s: muster %s takes at most %d operand%s", argument,
                    p->spec->command, most, most == 1 ? "" : "s");
    f->positional[f->positional_count++] = argument;
    return STATUS_OK;
}

/* "-x", but neither "-" nor a negative number. */
static bool is_short_flag(const char *argument)
{
    return argument[0] == '-' && argument[1] != '\0' && strchr("0123456789.", argument[1]) == NULL;
}

static enum status parse_all(struct parser *p)
{
    bool flags_ended = false;

    for (p->at = 1; p->at < p->flags->argc; p->at++) {
        char *argument = p->flags->argv[p->at];

        if (flags_ended || !is_short_flag(argument)) {
            TRY(take_operand(p, argument));
            flags_ended = flags_ended || p->spec->ends_with_command;
        } else if (strcmp(argument, "--") == 0) {
            flags_ended = true;
        } else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            p->flags->help = true;
            return STATUS_OK;
        } else if (argument[1] != '-') {
            const char *remedy = find_remedy(p->spec, argument + 1);

            return FAIL(STATUS_BAD_INPUT, "unknown flag %s of muster %s; %s", argument,
                        p->spec->command, remedy != NULL ? remedy : "flags begin with --");
        } else {
            TRY(take_flag(p, argument));
        }
    }
    return STATUS_OK;
}

enum status flags_parse(struct flags *f, const struct flags_spec *spec, int argc, char **argv)
{
    *f = (struct flags){
        .argc = argc,
        .argv = argv,
        .tree = node_new(NODE_MAP, "flags", 0, 0),
        .positional = MEM_NEW_N(char *, argc),
        .entry_flags = node_new(NODE_LIST, "flags", 0, 0),
    };
    const enum status status = parse_all(&(struct parser){.flags = f, .spec = spec});
    if (status != STATUS_OK)
        flags_release(f);
    return status;
}

bool flags_has(const struct flags *f, const char *name)
{
    return !node_is_null(node_find(f->tree, name));
}

const char *flags_value(const struct flags *f, const char *name)
{
    const struct node *n = node_find(f->tree, name);

    return node_is_null(n) || n->kind != NODE_SCALAR ? NULL : n->text;
}

void flags_release(struct flags *f)
{
    node_free(f->tree);
    node_free(f->entry_flags);
    mem_free(f->positional);
    *f = (struct flags){0};
}
