/*
 * registry.c - choosing by name, with options: the part that all registries share.
 */
#include "conf/registry.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

/* Whether `name` names the entry, or is "NAME:VALUE" of one that takes an argument. */
static bool is_named(const struct entry *e, const char *name)
{
    const char *colon = e->argument == NULL ? NULL : strchr(name, ':');

    if (colon == NULL)
        return text_same_name(e->name, name);
    char *before = mem_text_n(name, (size_t)(colon - name));
    const bool is = text_same_name(e->name, before);
    mem_free(before);
    return is;
}

const struct entry *registry_find(const struct registry *r, const char *name)
{
    for (const struct entry *const *e = r->entries; *e != NULL; e++)
        if (is_named(*e, name))
            return *e;
    return NULL;
}

/* Whether `name` is one of the words, in small or capital letters; '-' and '_' are the same. */
static bool has_word(const char *words, const char *name)
{
    while (words != NULL && *words != '\0') {
        const size_t length = strcspn(words, " ");
        char *word = mem_text_n(words, length);
        const bool is_same = text_same_word(word, name);

        mem_free(word);
        if (is_same)
            return true;
        words += length + (words[length] == ' ' ? 1 : 0);
    }
    return false;
}

/* The entry that others call so; NULL: there is none. */
static const struct entry *find_also(const struct registry *r, const char *name)
{
    for (const struct entry *const *e = r->entries; *e != NULL; e++)
        if (has_word((*e)->also, name))
            return *e;
    return NULL;
}

/* How a section is read: the registry, how messages call it, and what may be chosen. */
struct reading {
    const struct registry *registry;
    const char *path;
    bool may_be_none;
};

/* The names near `name`, or all of them when none is near or it is NULL. */
static void add_suggestion(const struct registry *r, const char *name, bool may_be_none,
                           struct text *out)
{
    const struct entry *also = name == NULL ? NULL : find_also(r, name);
    int64_t count = 0;

    if (also != NULL) {
        text_addf(out, "did you mean %s?", also->name);
        return;
    }
    while (r->entries[count] != NULL)
        count++;
    const char **names = MEM_NEW_N(const char *, count + 2);
    for (int64_t i = 0; i < count; i++)
        names[i] = r->entries[i]->name;
    if (may_be_none)
        names[count] = CHOICE_NONE;
    field_suggest(name, names, "there are", out);
    mem_free(names);
}

/* The key is that of the section, and "name" where it is a map; section NULL: none. */
static enum status fail_unknown(const struct reading *r, const char *name, const struct node *where,
                                const struct node *section)
{
    struct text suggestion = {0};

    add_suggestion(r->registry, name, r->may_be_none, &suggestion);
    const enum status status = node_fail_key(
        where, section == NULL ? NULL : r->path,
        section != NULL && section->kind == NODE_MAP ? "name" : NULL, "there is no %s %s; %s",
        r->registry->what, name[0] == '\0' ? "\"\"" : name, text_get(&suggestion));
    text_release(&suggestion);
    return status;
}

enum status registry_get(const struct registry *r, const char *name, const struct node *where,
                         const struct entry **entry)
{
    *entry = registry_find(r, name);
    return *entry != NULL ? STATUS_OK
                          : fail_unknown(&(struct reading){.registry = r}, name, where, NULL);
}

void choice_init(struct choice *c, const struct entry *entry)
{
    *c = (struct choice){.entry = entry};
    if (entry == NULL || entry->options_size == 0)
        return;
    c->options = mem_alloc(1, entry->options_size);
    fields_default(entry->fields, c->options);
}

void choice_release(struct choice *c)
{
    if (c->options != NULL)
        fields_release(c->entry->fields, c->options);
    mem_free(c->options);
    *c = (struct choice){0};
}

static enum status fail_without_name(const struct reading *r, const struct node *section)
{
    const bool is_made = section != NULL && section->line == 0 && section->count > 0;
    const struct node *where = is_made ? section->children[0] : section; /* the flag that made it */
    struct text suggestion = {0};

    add_suggestion(r->registry, NULL, r->may_be_none, &suggestion);
    const enum status status = node_fail_key(where, r->path, NULL, "no %s is named; %s",
                                             r->registry->what, text_get(&suggestion));
    text_release(&suggestion);
    return status;
}

/* The node that names the entry: the section itself, its `name`, or NULL for the fallback. */
static enum status find_name(const struct reading *r, const struct node *section,
                             const struct node **name)
{
    *name = NULL;
    if (node_is_null(section))
        return STATUS_OK;
    if (section->kind == NODE_LIST)
        return node_fail_key(section, r->path, NULL,
                             "a name or a map with a name is expected, not a list");
    *name = section->kind == NODE_SCALAR ? section : node_find(section, "name");
    if (node_is_null(*name))
        *name = NULL;
    else if ((*name)->kind != NODE_SCALAR)
        return node_fail_key(*name, r->path, "name", "a single name is expected");
    return STATUS_OK;
}

static enum status read_options(struct choice *c, const struct reading *r,
                                const struct node *section, const char *const *skip)
{
    int64_t count = 0;

    while (skip != NULL && skip[count] != NULL)
        count++;
    const char **all = MEM_NEW_N(const char *, count + 2);
    all[0] = "name";
    for (int64_t i = 0; i < count; i++)
        all[i + 1] = skip[i];
    char *owner = text_format("%s %s", r->registry->what, c->entry->name);
    const struct fields_place place = {.owner = owner, .path = r->path, .skip = all};
    const enum status status = fields_read(c->entry->fields, c->options, section, &place);
    mem_free(owner);
    mem_free(all);
    return status;
}

/* Where nothing is chosen, nothing has options. */
static enum status reject_options(const struct reading *r, const struct node *section)
{
    for (int64_t i = 0; section->kind == NODE_MAP && i < section->count; i++)
        if (!text_same_name(section->keys[i], "name"))
            return node_fail_key(section->children[i], r->path, section->keys[i],
                                 "no %s is chosen, so there is no such option", r->registry->what);
    return STATUS_OK;
}

/* Whether a section says that nothing is chosen. */
static bool is_none(const struct reading *r, const struct node *section, const struct node *name)
{
    if (!r->may_be_none)
        return false;
    if (name != NULL)
        return text_same_name(name->text, CHOICE_NONE) &&
               registry_find(r->registry, CHOICE_NONE) == NULL;
    return node_is_null(section) || section->count == 0;
}

/* One of the two would be ignored. */
static enum status check_argument(const struct reading *r, const struct node *section,
                                  const char *option, const struct node *name)
{
    const struct node *given = section->kind == NODE_MAP ? node_find(section, option) : NULL;

    if (node_is_null(given) || given->kind != NODE_SCALAR ||
        strcmp(given->text, strchr(name->text, ':') + 1) == 0)
        return STATUS_OK;
    return node_fail_key(given, r->path, option, "%s contradicts the name %s; give one of them",
                         given->text, name->text);
}

static enum status read_argument(struct choice *c, const struct reading *r, const char *value,
                                 const struct node *name)
{
    struct node *map = node_new(NODE_MAP, name->origin, name->line, name->column);
    const struct fields_place place = {.owner = c->entry->name, .path = r->path};

    node_put(map, c->entry->argument,
             node_new_scalar(value, name->origin, name->line, name->column));
    const enum status s = fields_read(c->entry->fields, c->options, map, &place);
    node_free(map);
    return s;
}

static enum status read_choice(struct choice *c, const struct reading *r,
                               const struct node *section, const struct choice_place *place)
{
    const struct entry *entry = NULL;
    const struct node *name = NULL;

    TRY(find_name(r, section, &name));
    if (is_none(r, section, name))
        return name == NULL ? STATUS_OK : reject_options(r, section);
    if (name == NULL && place->fallback == NULL)
        return fail_without_name(r, section);
    entry = registry_find(r->registry, name != NULL ? name->text : place->fallback);
    if (entry == NULL)
        return fail_unknown(r, name != NULL ? name->text : place->fallback, name, section);
    choice_init(c, entry);
    if (name != NULL && strchr(name->text, ':') != NULL) {
        TRY(check_argument(r, section, entry->argument, name));
        TRY(read_argument(c, r, strchr(name->text, ':') + 1, name));
    }
    if (node_is_null(section) || section->kind != NODE_MAP)
        return STATUS_OK;
    return read_options(c, r, section, place->skip);
}

enum status choice_read(struct choice *c, const struct registry *r, const struct node *section,
                        const struct choice_place *place)
{
    const struct choice_place usual = {0};
    const struct choice_place *p = place == NULL ? &usual : place;
    const struct reading reading = {
        .registry = r,
        .path = p->path == NULL ? r->section : p->path,
        .may_be_none = p->may_be_none,
    };

    *c = (struct choice){0};
    const enum status status = read_choice(c, &reading, section, p);
    if (status != STATUS_OK)
        choice_release(c);
    return status;
}

void registry_split_name(const struct registry *r, struct node *section)
{
    struct node *name = section->kind == NODE_MAP ? node_find(section, "name") : NULL;
    const bool has_value =
        !node_is_null(name) && name->kind == NODE_SCALAR && strchr(name->text, ':') != NULL;
    const struct entry *e = has_value ? registry_find(r, name->text) : NULL;

    if (e == NULL || node_find(section, e->argument) != NULL)
        return;
    node_put(section, e->argument,
             node_new_scalar(strchr(name->text, ':') + 1, name->origin, name->line, name->column));
    node_put(section, "name", node_new_scalar(e->name, name->origin, name->line, name->column));
}

void choice_dump(const struct choice *c, struct node *section)
{
    CHECK(section->kind == NODE_MAP);
    if (c->entry == NULL)
        return;
    node_put(section, "name", node_new_scalar(c->entry->name, "effective", 0, 0));
    if (c->options != NULL)
        fields_dump(c->entry->fields, c->options, section);
}
