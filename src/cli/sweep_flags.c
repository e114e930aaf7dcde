/*
 * sweep_flags.c - every value of a list is read as if it were the flag's only value.
 */
#include "cli/sweep_flags.h"

#include <string.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/train_flags.h"
#include "study/sweep.h"

static const struct flag value_flags[] = {
    TRAIN_FLAGS,
    FLAG_LAST,
};

/* The one value in a tree of maps: its path, and a copy of it with this origin. */
static struct node *only_value(const struct node *tree, const char *origin, struct text *path)
{
    const struct node *n = tree;

    while (n->kind == NODE_MAP && n->count > 0) {
        text_addf(path, "%s%s", path->length == 0 ? "" : ".", n->keys[0]);
        n = n->children[0];
    }
    return n->kind == NODE_SCALAR ? node_new_scalar(n->text, origin, 0, 0) : NULL;
}

/* A list that is being read. */
struct reader {
    const char *command; /* whose help lists the flags */
    const char *key, *origin;
    struct text path; /* where its values go */
    struct node *list;
};

/* "--KEY=value", read as behind its flag. */
static enum status read_value(struct reader *r, const char *value)
{
    char *argument = text_format("--%s=%s", r->key, value);
    char *command = mem_text(r->command);
    const struct flags_spec value_spec = {
        .command = r->command,
        .flags = value_flags,
        .tables = run_config_tables,
        .registries = run_config_registries,
    };
    struct flags f = {0};
    enum status s = flags_parse(&f, &value_spec, 2, (char *[]){command, argument, NULL});

    mem_free(command);
    mem_free(argument);
    if (s != STATUS_OK)
        return FAIL(s, "%s: %s", r->origin, status_message());
    struct node *settings = command_settings(&f, &value_spec);
    text_clear(&r->path);
    struct node *n = only_value(settings, r->origin, &r->path);
    if (n != NULL)
        node_add(r->list, n);
    else
        s = FAIL(STATUS_BAD_INPUT, "%s is not a training option", r->origin);
    node_free(settings);
    flags_release(&f);
    return s;
}

static enum status read_values(struct reader *r, const char *values)
{
    const char *const separator = strchr(values, ';') != NULL ? ";" : ",";

    for (const char *at = values;; at++) {
        const size_t length = strcspn(at, separator);

        if (length == 0)
            return FAIL(STATUS_BAD_INPUT, "%s: \"%s\" has an empty item; expected a list V,V,V",
                        r->origin, values);
        char *value = mem_text_n(at, length);
        const enum status s = read_value(r, value);
        mem_free(value);
        TRY(s);
        at += length;
        if (*at == '\0')
            return STATUS_OK;
    }
}

/* Whether what the path names has a list of numbers as its value. */
static bool is_list_path(const char *path)
{
    const char *dot = strchr(path, '.');

    if (dot == NULL)
        return false;
    char *section = mem_text_n(path, (size_t)(dot - path));
    const bool is_list = sweep_is_list_option(section, dot + 1);
    mem_free(section);
    return is_list;
}

/* "8,16" as a list of numbers. */
static struct node *list_of(const struct node *value)
{
    struct node *list = node_new(NODE_LIST, value->origin, 0, 0);

    for (const char *at = value->text;; at++) {
        const size_t length = strcspn(at, ",");
        char *number = mem_text_n(at, length);

        node_add(list, node_new_scalar(number, value->origin, 0, 0));
        mem_free(number);
        at += length;
        if (*at == '\0')
            return list;
    }
}

/* Commas are inside a value that is a list: semicolons part two of them, and without any the values
 * that were read are the numbers of one. */
static void make_lists(struct reader *r, bool has_semicolons)
{
    struct node *lists = node_new(NODE_LIST, r->origin, 0, 0);

    if (has_semicolons) {
        for (int64_t i = 0; i < r->list->count; i++)
            node_add(lists, list_of(r->list->children[i]));
        node_free(r->list);
    } else {
        node_add(lists, r->list);
    }
    r->list = lists;
}

enum status sweep_flags_put(struct node *root, const struct sweep_flag *given)
{
    const char *const values = given->values, *const origin = given->origin;
    struct reader r = {
        .command = given->command,
        .key = given->key,
        .origin = origin,
        .list = node_new(NODE_LIST, origin, 0, 0),
    };
    enum status s = read_values(&r, values);
    const struct node *old = s == STATUS_OK ? node_find_path(root, text_get(&r.path)) : NULL;

    if (old != NULL)
        s = FAIL(STATUS_BAD_INPUT, "%s and %s set the same option", old->origin, origin);
    if (s == STATUS_OK && is_list_path(text_get(&r.path)))
        make_lists(&r, strchr(values, ';') != NULL);
    if (s == STATUS_OK)
        node_put_path(root, text_get(&r.path), r.list);
    else
        node_free(r.list);
    text_release(&r.path);
    return s;
}

static enum status vary(struct node *root, const char *command, const char *given)
{
    const char *equals = strchr(given, '=');

    if (equals == NULL || equals == given || equals[1] == '\0')
        return FAIL(STATUS_BAD_INPUT,
                    "--vary %s: expected a key and its values, such as algorithm=ps-sync,ps-async",
                    given);
    char *key = mem_text_n(given, (size_t)(equals - given));
    char *origin = text_format("--vary %s", key);
    const enum status s =
        sweep_flags_put(root, &(struct sweep_flag){command, key, equals + 1, origin});
    mem_free(origin);
    mem_free(key);
    return s;
}

enum status sweep_flags_vary(const struct flags *f, const char *command, struct node *root)
{
    const struct node *given = node_find(f->tree, "vary");

    for (int64_t i = 0; given != NULL && i < given->count; i++)
        TRY(vary(root, command, given->children[i]->text));
    return STATUS_OK;
}
