/*
 * net_write.c - a network to its YAML form, as nodes and as text (net.h describes it).
 */
#include <string.h>

#include "nn/net.h"

static struct node *new_word(const char *word)
{
    return node_new_scalar(word, "net", 0, 0);
}

/* Puts the options that differ from the defaults. */
static void put_options(const struct choice *kind, struct node *options)
{
    const struct field *fields = kind->entry->fields;
    struct node *all = node_new(NODE_MAP, "net", 0, 0);
    struct choice standard = {0};
    struct text mine = {0}, usual = {0};

    choice_init(&standard, kind->entry);
    fields_dump(fields, kind->options, all);
    for (const struct field *f = fields; f->kind != FIELD_KIND_LAST; f++) {
        const struct node *value = node_find(all, f->name);

        text_clear(&mine);
        text_clear(&usual);
        field_value_text(f, kind->options, &mine);
        field_value_text(f, standard.options, &usual);
        if (value != NULL && strcmp(text_get(&mine), text_get(&usual)) != 0)
            node_put(options, f->name, node_copy(value));
    }
    text_release(&mine);
    text_release(&usual);
    choice_release(&standard);
    node_free(all);
}

/* `prefix` is the length of the block's name and its dot, which inner names start with. */
static struct node *write_list(const struct net *n, size_t prefix);

static void put_block(const struct net_layer *l, struct node *options)
{
    const size_t prefix = strlen(l->name) + 1;

    node_put(options, "body", write_list(l->body, prefix));
    if (l->shortcut != NULL)
        node_put(options, "shortcut", write_list(l->shortcut, prefix));
    if (!l->relu)
        node_put(options, "relu", new_word("false"));
}

static struct node *write_layer(const struct net_layer *l, size_t prefix)
{
    const bool is_block = l->kind.entry == NULL;
    const char *kind = is_block ? "residual" : l->kind.entry->name;
    struct node *options = node_new(NODE_MAP, "net", 0, 0);

    if (l->is_named)
        node_put(options, "name", new_word(l->name + prefix));
    if (is_block)
        put_block(l, options);
    else if (l->kind.entry->fields != NULL)
        put_options(&l->kind, options);
    if (options->count == 0) {
        node_free(options);
        return new_word(kind);
    }
    struct node *item = node_new(NODE_MAP, "net", 0, 0);

    node_put(item, kind, options);
    return item;
}

static struct node *write_list(const struct net *n, size_t prefix)
{
    struct node *list = node_new(NODE_LIST, "net", 0, 0);

    for (int i = 0; i < n->count; i++)
        node_add(list, write_layer(&n->layers[i], prefix));
    return list;
}

struct node *net_write(const struct net *n)
{
    return write_list(n, 0);
}

/* A scalar as YAML, quoted where it must be. */
static void print_scalar(const struct node *n, struct text *out)
{
    struct text line = {0};

    node_write(n, &line);
    text_add_n(out, text_get(&line), line.length - 1); /* without its newline */
    text_release(&line);
}

static void print_list(const struct node *list, int indent, struct text *out);

/* {out: 6, kernel: 5} */
static void print_options(const struct node *options, struct text *out)
{
    for (int64_t i = 0; i < options->count; i++) {
        text_addf(out, "%s%s: ", i == 0 ? " {" : ", ", options->keys[i]);
        print_scalar(options->children[i], out);
    }
    text_add(out, "}\n");
}

static void print_block(const struct node *options, int indent, struct text *out)
{
    text_add(out, "\n");
    for (int64_t i = 0; i < options->count; i++) {
        const struct node *value = options->children[i];

        text_addf(out, "%*s%s:", indent, "", options->keys[i]);
        if (value->kind == NODE_LIST) {
            text_add(out, "\n");
            print_list(value, indent + 2, out);
        } else {
            text_add(out, " ");
            print_scalar(value, out);
            text_add(out, "\n");
        }
    }
}

static void print_list(const struct node *list, int indent, struct text *out)
{
    for (int64_t i = 0; i < list->count; i++) {
        const struct node *item = list->children[i];

        text_addf(out, "%*s- %s", indent, "", item->kind == NODE_SCALAR ? item->text : "");
        if (item->kind == NODE_SCALAR) {
            text_add(out, "\n");
            continue;
        }
        text_addf(out, "%s:", item->keys[0]);
        if (strcmp(item->keys[0], "residual") == 0)
            print_block(item->children[0], indent + 4, out);
        else
            print_options(item->children[0], out);
    }
}

void net_print(const struct net *n, struct shape in, struct text *out)
{
    struct node *list = net_write(n);

    text_add(out, "input: ");
    shape_text(in, out);
    text_add(out, "\nlayers:\n");
    print_list(list, 2, out);
    node_free(list);
}
