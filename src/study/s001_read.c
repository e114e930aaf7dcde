/*
 * s001_read.c - maps of S001's layout by rules: what each key becomes, which have no
 * effect, what is missing, and what nobody knows.
 */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "conf/field.h"
#include "study/s001_internal.h"
#include "train/run_config.h"

static struct node *called_as(const struct node *n, struct node *made)
{
    made->written = n->written == NULL ? NULL : mem_text(n->written);
    return made;
}

struct node *s001_scalar(const char *text, const struct node *n)
{
    return called_as(n, node_new_scalar(text, n->origin, n->line, n->column));
}

struct node *s001_map(const struct node *n)
{
    return called_as(n, node_new(NODE_MAP, n->origin, n->line, n->column));
}

void s001_ignore(struct s001 *t, const char *key)
{
    const char *found = strstr(text_get(t->ignored), key);
    const size_t length = strlen(key);

    for (; found != NULL; found = strstr(found + 1, key))
        if ((found == text_get(t->ignored) || found[-1] == ' ') &&
            (found[length] == '\0' || found[length] == ','))
            return;
    text_addf(t->ignored, "%s%s", t->ignored->length > 0 ? ", " : "", key);
}

void s001_ignore_keys(struct s001 *t, const struct node *map, const char *section,
                      const char *const *keys)
{
    for (; *keys != NULL; keys++)
        if (node_find(map, *keys) != NULL) {
            char *what = text_format("%s.%s", section, *keys);
            s001_ignore(t, what);
            mem_free(what);
        }
}

/* --- putting --- */

static void translate_words(struct node *n, const struct s001_word *words)
{
    for (int64_t i = 0; i < n->count; i++)
        translate_words(n->children[i], words);
    for (; n->kind == NODE_SCALAR && words != NULL && words->theirs != NULL; words++) {
        if (strcasecmp(n->text, words->theirs) != 0)
            continue;
        mem_free(n->text);
        n->text = mem_text(words->ours);
        return;
    }
}

static enum status given_twice(const struct node *n, const char *path, const struct node *other)
{
    return node_fail_key(n, path, NULL, "is given twice; also as %s in line %d",
                         other->written == NULL ? path : other->written, other->line);
}

/* The list, if any, that stands on the way to a path: there is no one place below it. */
static const struct node *find_list(const struct node *out, const char *path)
{
    const struct node *found = NULL;

    for (const char *dot = strchr(path, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
        char *head = mem_text_n(path, (size_t)(dot - path));
        const struct node *section = node_find_path(out, head);

        if (section != NULL && section->kind == NODE_LIST)
            found = section;
        mem_free(head);
    }
    return found;
}

/* Sections that were made on the way stand where their first key does. */
static void place_sections(struct node *out, const char *path, const struct node *n)
{
    for (const char *dot = strchr(path, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
        char *head = mem_text_n(path, (size_t)(dot - path));
        struct node *section = node_find_path(out, head);

        if (section->line == 0) {
            section->line = n->line;
            section->column = n->column;
            (void)called_as(n, section);
        }
        mem_free(head);
    }
}

enum status s001_put(struct node *out, const char *path, const struct node *n,
                     const struct s001_word *words)
{
    const struct node *first = node_find_path(out, path);
    const struct node *list = find_list(out, path);

    if (first != NULL)
        return given_twice(n, path, first);
    if (list != NULL)
        return node_fail_key(
            n, path, NULL,
            "conflicts with the list %s in line %d; give it in each of its maps, as %s",
            list->written == NULL ? "" : list->written, list->line, path);
    struct node *copy = node_copy(n);
    translate_words(copy, words);
    node_put_path(out, path, copy);
    place_sections(out, path, n);
    return STATUS_OK;
}

enum status s001_put_word(struct node *out, const char *path, const char *word,
                          const struct node *n)
{
    struct node *scalar = s001_scalar(word, n);
    const enum status s = s001_put(out, path, scalar, NULL);

    node_free(scalar);
    return s;
}

enum status s001_put_count(struct node *out, const char *path, const struct node *n)
{
    double number = 0;

    for (int64_t i = 0; i < s001_item_count(n); i++) {
        const struct node *one = s001_item(n, i);

        if (one->kind == NODE_SCALAR && text_to_double(one->text, &number) && !(number > 0))
            return node_fail_key(one, path, NULL, "%s is not above 0", one->text);
    }
    return s001_put(out, path, n, NULL);
}

enum status s001_put_key(struct node *out, const char *key, const struct node *n)
{
    struct node *old = node_find(out, key);

    if (old == NULL) {
        node_put_new(out, key, node_copy(n));
        return STATUS_OK;
    }
    if (old->kind != NODE_MAP || s001_has_maps(n))
        return given_twice(n, key, old);
    if (n->kind != NODE_MAP)
        return s001_put(old, "name", n, NULL);
    for (int64_t i = 0; i < n->count; i++)
        TRY(s001_put_key(old, n->keys[i], n->children[i]));
    return STATUS_OK;
}

/* --- lists of maps --- */

int64_t s001_item_count(const struct node *n)
{
    return n->kind == NODE_LIST ? n->count : 1;
}

const struct node *s001_item(const struct node *n, int64_t i)
{
    return n->kind == NODE_LIST ? n->children[i] : n;
}

bool s001_has_maps(const struct node *n)
{
    for (int64_t i = 0; n->kind == NODE_LIST && i < n->count; i++)
        if (n->children[i]->kind == NODE_MAP)
            return true;
    return false;
}

bool s001_is_sweep(const struct node *n, const char *key)
{
    const struct node *value = node_find(n, key);

    return n->kind == NODE_LIST || (value != NULL && value->kind == NODE_LIST);
}

struct node *s001_list(const struct node *n)
{
    return called_as(n, node_new(NODE_LIST, n->origin, n->line, n->column));
}

enum status s001_require_items(const struct node *n)
{
    if (n->kind == NODE_LIST && n->count == 0)
        return node_fail_key(n, NULL, NULL, "empty list; a sweep needs at least one value");
    return STATUS_OK;
}

enum status s001_put_items(struct node *out, const char *path, const struct node *list,
                           bool is_sweep)
{
    return s001_put(out, path, is_sweep ? list : list->children[0], NULL);
}

static bool is_same(const struct node *a, const struct node *b)
{
    struct text left = {0}, right = {0};

    if (a == NULL || b == NULL)
        return a == b;
    node_write(a, &left);
    node_write(b, &right);
    const bool same = text_same_name(text_get(&left), text_get(&right));
    text_release(&left);
    text_release(&right);
    return same;
}

enum status s001_find_common(const struct node *n, const char *key, const struct node **value)
{
    *value = node_find(s001_item(n, 0), key);
    for (int64_t i = 1; i < s001_item_count(n); i++) {
        const struct node *item = s001_item(n, i), *own = node_find(item, key);

        if (!is_same(own, *value))
            return node_fail(own == NULL ? item : own,
                             "%s.%s: must be the same in all maps of the list; to compare several "
                             "values, give one map with a list at this key, or one file each",
                             n->written == NULL ? "" : n->written, key);
    }
    return STATUS_OK;
}

/* --- what is given above the runs too --- */

/* Whether a key of S001's own became this, and not one of our sections in a problem. */
static bool is_theirs(const struct node *n, const char *path)
{
    const size_t length = n->written == NULL ? 0 : strlen(n->written), tail = strlen(path);
    const bool ends_so = length > tail && n->written[length - tail - 1] == '.' &&
                         strcmp(n->written + length - tail, path) == 0;

    return length > 0 && !ends_so;
}

static enum status check_child(const struct node *above, const struct node *run, int64_t at,
                               const char *path)
{
    char *below = text_format("%s%s%s", path, path[0] == '\0' ? "" : ".", run->keys[at]);
    const enum status s =
        s001_check_once(node_find(above, run->keys[at]), run->children[at], below);

    mem_free(below);
    return s;
}

enum status s001_check_once(const struct node *above, const struct node *run, const char *path)
{
    if (node_is_null(above))
        return STATUS_OK;
    if (above->kind == NODE_MAP && run->kind == NODE_MAP) {
        for (int64_t i = 0; i < run->count; i++)
            TRY(check_child(above, run, i, path));
        return STATUS_OK;
    }
    if (above->kind == NODE_LIST && run->kind == NODE_MAP) {
        for (int64_t i = 0; i < above->count; i++)
            TRY(s001_check_once(above->children[i], run, path));
        return STATUS_OK;
    }
    return is_theirs(run, path) ? given_twice(run, path, above) : STATUS_OK;
}

/* --- reading --- */

static const struct s001_rule *find_rule(const struct s001_rule *rules, const char *key)
{
    for (; rules->key != NULL; rules++)
        if (text_same_name(rules->key, key))
            return rules;
    return NULL;
}

static bool is_section(const char *key)
{
    for (int i = 0; run_config_sections[i] != NULL; i++)
        if (text_same_name(run_config_sections[i], key))
            return true;
    return false;
}

static enum status refuse_unknown(const struct node *n, const char *key,
                                  const struct s001_rule *rules, const struct s001_place *place)
{
    const char *names[64] = {NULL};
    struct text near = {0};
    int count = 0;

    for (; rules->key != NULL && count < 40; rules++)
        names[count++] = rules->key;
    for (int i = 0; place->has_sections && run_config_sections[i] != NULL && count < 60; i++)
        names[count++] = run_config_sections[i];
    field_suggest(key, names, "there are", &near);
    const enum status s = node_fail_key(n, place->path, key, "unknown key; %s", text_get(&near));
    text_release(&near);
    return s;
}

static enum status follow(struct s001 *t, const struct s001_rule *r, const struct node *n,
                          const struct s001_place *place)
{
    switch (r->action) {
    case S001_PUT:
        return s001_put(place->out, r->to, n, r->words);
    case S001_COUNT:
        return s001_put_count(place->out, r->to, n);
    case S001_TAKE:
        return r->take(t, n, place->out);
    case S001_IGNORE:
        s001_ignore(t, r->key);
        break;
    case S001_DONE:
        break;
    }
    return STATUS_OK;
}

static enum status refuse_no_map(const struct node *n, const char *path)
{
    return node_fail_key(n, path, NULL, "must be a map of keys in S001's layout%s",
                         n->kind == NODE_LIST ? ", not a list; what varies is a list at its key"
                                              : "");
}

enum status s001_read(struct s001 *t, const struct node *map, const struct s001_rule *rules,
                      const struct s001_place *place)
{
    if (map->kind != NODE_MAP)
        return refuse_no_map(map, place->path);
    for (int64_t i = 0; i < map->count; i++) {
        const struct node *n = map->children[i];
        const struct s001_rule *r = find_rule(rules, map->keys[i]);

        if (r != NULL)
            TRY(follow(t, r, n, place));
        else if (place->has_sections && is_section(map->keys[i]))
            TRY(s001_put_key(place->out, map->keys[i], n));
        else
            return refuse_unknown(n, map->keys[i], rules, place);
    }
    return STATUS_OK;
}

/* Whether the map has one of "a|b|c". */
static bool has_one(const struct node *map, char *alternatives)
{
    for (char *word = alternatives, *next; word != NULL; word = next) {
        const size_t length = strcspn(word, "|");

        next = word[length] == '\0' ? NULL : word + length + 1;
        word[length] = '\0';
        const bool has = !node_is_null(node_find(map, word));
        if (next != NULL)
            word[length] = '|';
        if (has)
            return true;
    }
    return false;
}

static enum status refuse_without(const struct node *map, const char *path, const char *key)
{
    const char *owner = map->written != NULL ? map->written : path;

    return node_fail(map, "%s%s%s: is missing", owner == NULL ? "" : owner,
                     owner == NULL ? "" : ".", key);
}

enum status s001_require(const struct node *map, const char *path, const char *keys)
{
    if (map->kind != NODE_MAP)
        return refuse_no_map(map, path);
    for (const char *at = keys; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        char *word = mem_text_n(at, length);
        enum status s = STATUS_OK;

        if (!has_one(map, word)) {
            word[strcspn(word, "|")] = '\0';
            s = refuse_without(map, path, word);
        }
        mem_free(word);
        TRY(s);
        at += at[length] == '\0' ? length : length + 1;
    }
    return STATUS_OK;
}
