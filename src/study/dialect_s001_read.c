/*
 * dialect_s001_read.c - maps of S001's layout by rules: what each key becomes, which have no
 * effect, what is missing, and what nobody knows.
 */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "conf/field.h"
#include "study/dialect_s001_parts.h"
#include "train/experiment.h"

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

static enum status given_twice(const struct node *n, const char *path, const struct node *first)
{
    return node_fail_key(n, path, NULL, "is given twice; first in line %d", first->line);
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

    if (first != NULL)
        return given_twice(n, path, first);
    struct node *copy = node_copy(n);
    translate_words(copy, words);
    node_put_path(out, path, copy);
    place_sections(out, path, n);
    return STATUS_OK;
}

enum status s001_put_count(struct node *out, const char *path, const struct node *n)
{
    double number = 0;

    for (int64_t i = 0; i < (n->kind == NODE_LIST ? n->count : 1); i++) {
        const struct node *one = n->kind == NODE_LIST ? n->children[i] : n;

        if (one->kind == NODE_SCALAR && text_to_double(one->text, &number) && !(number > 0))
            return node_fail_key(one, path, NULL, "%s is not above 0", one->text);
    }
    return s001_put(out, path, n, NULL);
}

enum status s001_lay(struct node *out, const char *key, const struct node *n)
{
    struct node *old = node_find(out, key);

    if (old == NULL) {
        node_put_new(out, key, node_copy(n));
        return STATUS_OK;
    }
    if (old->kind != NODE_MAP)
        return given_twice(n, key, old);
    if (n->kind != NODE_MAP)
        return s001_put(old, "name", n, NULL);
    for (int64_t i = 0; i < n->count; i++)
        TRY(s001_lay(old, n->keys[i], n->children[i]));
    return STATUS_OK;
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
    for (int i = 0; experiment_sections[i] != NULL; i++)
        if (text_same_name(experiment_sections[i], key))
            return true;
    return false;
}

static enum status refuse_unknown(const struct node *n, const char *key,
                                  const struct s001_rule *rules, const char *path)
{
    const char *names[64] = {NULL};
    struct text near = {0};
    int count = 0;

    for (; rules->key != NULL && count < 40; rules++)
        names[count++] = rules->key;
    for (int i = 0; experiment_sections[i] != NULL && count < 60; i++)
        names[count++] = experiment_sections[i];
    field_suggest(key, names, "there are", &near);
    const enum status s = node_fail_key(n, path, key, "there is no such key; %s", text_get(&near));
    text_release(&near);
    return s;
}

static enum status refuse_lidar(const struct node *n, const char *path, const char *key)
{
    return node_fail_key(n, path, key,
                         "is of S001's lidar experiments, which are not here yet; those that "
                         "classify images are");
}

static enum status follow(struct s001 *t, const struct s001_rule *r, const struct node *n,
                          const struct s001_place *place)
{
    switch (r->action) {
    case S001_PUT:
        return s001_put(place->out, r->to, n, r->words);
    case S001_COUNT:
        return s001_put_count(place->out, r->to, n);
    case S001_LIDAR:
        return refuse_lidar(n, place->path, r->key);
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

enum status s001_read(struct s001 *t, const struct node *map, const struct s001_rule *rules,
                      const struct s001_place *place)
{
    if (map->kind != NODE_MAP)
        return node_fail_key(map, place->path, NULL, "is a map of keys in S001's layout");
    for (int64_t i = 0; i < map->count; i++) {
        const struct node *n = map->children[i];
        const struct s001_rule *r = find_rule(rules, map->keys[i]);

        if (r != NULL)
            TRY(follow(t, r, n, place));
        else if (is_section(map->keys[i]))
            TRY(s001_lay(place->out, map->keys[i], n));
        else
            return refuse_unknown(n, map->keys[i], rules, place->path);
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
        return node_fail_key(map, path, NULL, "is a map of keys in S001's layout");
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
