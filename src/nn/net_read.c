/*
 * net_read.c - a network from its YAML form (net.h describes it).
 *
 * Not here: YAML itself (conf/yaml.c), and whether layers fit each other (model_plan.c).
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "conf/yaml.h"
#include "nn/net.h"

enum { NAME_LENGTH_MAX = 100, KINDS_MAX = 64, INPUT_SIZE_MAX = 1 << 20 };

struct reader {
    int64_t size; /* layers so far, inner ones included */
};

struct residual_options {
    bool relu;
};

static const struct field residual_fields[] = {
    FIELD_BOOL(struct residual_options, relu, true, "apply ReLU after the sum"),
    FIELD_LAST,
};

static const char *const residual_skip[] = {"name", "body", "shortcut", NULL};
static const char *const layer_skip[] = {"name", NULL};
static const char *const file_keys[] = {"layers", "input", NULL};

static enum status read_list(struct reader *r, const struct node *list, struct net *n);

static enum status unknown_kind(const char *kind, const struct node *where)
{
    const char *names[KINDS_MAX] = {"residual"};
    int count = 1;
    struct text all = {0};

    for (int i = 0; layer_registry.entries[i] != NULL && count < KINDS_MAX - 1; i++)
        if (strcmp(layer_registry.entries[i]->name, "add") != 0)
            names[count++] = layer_registry.entries[i]->name;
    const char *nearest = text_nearest(kind, names);

    if (nearest != NULL)
        return node_fail(where, "unknown layer \"%s\"; did you mean %s?", kind, nearest);
    for (int i = 0; i < count; i++)
        text_addf(&all, "%s%s", i == 0 ? "" : ", ", names[i]);
    const enum status s =
        node_fail(where, "unknown layer \"%s\"; choose one of %s", kind, text_get(&all));
    text_release(&all);
    return s;
}

/* Names become names of tensors in files, hence plain characters only. */
static enum status read_name(const struct node *options, const char **name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-";
    const struct node *given = options == NULL ? NULL : node_find(options, "name");

    *name = NULL;
    if (given == NULL)
        return STATUS_OK;
    if (given->kind != NODE_SCALAR || given->is_null || given->text[0] == '\0')
        return node_fail(given, "name: must be a word such as conv1");
    const size_t length = strlen(given->text);

    if (strspn(given->text, allowed) != length || length > NAME_LENGTH_MAX)
        return node_fail(given,
                         "name: \"%.120s\" must have letters, digits, '.', '_' and '-' only, "
                         "at most %d of them",
                         given->text, NAME_LENGTH_MAX);
    *name = given->text;
    return STATUS_OK;
}

static void set_position(struct net *n, const struct node *item)
{
    n->layers[n->count - 1].where = node_new_scalar("", item->origin, item->line, item->column);
}

static enum status read_plain(const struct node *item, const char *kind, const struct node *options,
                              struct net *n)
{
    const struct entry *entry = registry_find(&layer_registry, kind);
    const char *name = NULL;

    if (entry == NULL)
        return unknown_kind(kind, item);
    if (((const struct layer_ops *)entry)->input_count != 1)
        return node_fail(item, "%s has two inputs and cannot be in a list; use residual",
                         entry->name);
    TRY(read_name(options, &name));

    void *values = net_add(n, entry->name, name);

    set_position(n, item);
    if (options == NULL)
        return STATUS_OK;
    static const struct field no_fields[] = {FIELD_LAST};
    char *owner = text_format("layer %s", entry->name);
    const struct fields_place place = {.owner = owner, .path = entry->name, .skip = layer_skip};
    const enum status s =
        fields_read(entry->fields == NULL ? no_fields : entry->fields, values, options, &place);

    mem_free(owner);
    return s;
}

/* Fills both lists; the caller owns them. */
static enum status read_branches(struct reader *r, const struct node *options, struct net *body,
                                 struct net *shortcut)
{
    const struct node *inner = node_find(options, "body");

    if (inner == NULL || inner->count == 0)
        return node_fail(inner == NULL ? options : inner,
                         "residual.body: must be a list of at least one layer");
    TRY(read_list(r, inner, body));
    inner = node_find(options, "shortcut");
    if (inner == NULL || (inner->kind == NODE_SCALAR && inner->is_null))
        return STATUS_OK;
    return read_list(r, inner, shortcut);
}

static enum status read_residual(struct reader *r, const struct node *item,
                                 const struct node *options, struct net *n)
{
    const struct fields_place place = {"residual", "residual", residual_skip};
    struct residual_options values;
    const char *name = NULL;

    if (options == NULL)
        return node_fail(item, "residual.body: must be a list of at least one layer");
    TRY(read_name(options, &name));
    fields_default(residual_fields, &values);
    TRY(fields_read(residual_fields, &values, options, &place));

    struct net *body = net_new(), *shortcut = net_new();
    const enum status s = read_branches(r, options, body, shortcut);

    if (s != STATUS_OK) {
        net_free(body);
        net_free(shortcut);
        return s;
    }
    net_add_residual(n, name, body, shortcut);
    n->layers[n->count - 1].relu = values.relu;
    set_position(n, item);
    return STATUS_OK;
}

static enum status read_item(struct reader *r, const struct node *item, struct net *n)
{
    const char *kind = item->text;
    const struct node *options = NULL;

    if (item->kind == NODE_LIST || (item->kind == NODE_SCALAR && item->is_null))
        return node_fail(item, "a layer is a kind (relu) or a map of one to its options "
                               "(conv2d: {out: 6, kernel: 5})");
    if (item->kind == NODE_MAP) {
        if (item->count != 1)
            return node_fail(item,
                             "a layer is a map of one kind to its options; this has %lld keys "
                             "(are the options indented under the kind?)",
                             (long long)item->count);
        kind = item->keys[0];
        options = item->children[0];
    }
    if (options != NULL && options->kind == NODE_SCALAR && options->is_null)
        options = NULL;
    if (options != NULL && options->kind != NODE_MAP)
        return node_fail(options, "%s: its options must be a map such as {name: first}", kind);
    if (++r->size > NET_LAYERS_MAX)
        return node_fail(item, "a network may have at most %d layers", NET_LAYERS_MAX);
    if (text_same_name(kind, "residual"))
        return read_residual(r, item, options, n);
    return read_plain(item, kind, options, n);
}

static enum status read_list(struct reader *r, const struct node *list, struct net *n)
{
    if (list->kind != NODE_LIST)
        return node_fail(list, "layers must be a list, one layer per item");
    for (int64_t i = 0; i < list->count; i++)
        TRY(read_item(r, list->children[i], n));
    return STATUS_OK;
}

static int64_t list_layers(const struct net *n, const struct net_layer **all)
{
    int64_t count = 0;

    for (int i = 0; n != NULL && i < n->count; i++) {
        const struct net_layer *l = &n->layers[i];

        all[count++] = l;
        count += list_layers(l->body, all + count);
        count += list_layers(l->shortcut, all + count);
    }
    return count;
}

static int by_name(const void *a, const void *b)
{
    const struct net_layer *x = *(const struct net_layer *const *)a;
    const struct net_layer *y = *(const struct net_layer *const *)b;
    const int order = strcmp(x->name, y->name);

    if (order != 0)
        return order;
    if (x->where->line != y->where->line)
        return x->where->line < y->where->line ? -1 : 1;
    return (x->where->column > y->where->column) - (x->where->column < y->where->column);
}

static enum status check_names(const struct net *n)
{
    const int64_t count = net_size(n);
    const struct net_layer **all = MEM_NEW_N(const struct net_layer *, count);
    enum status s = STATUS_OK;

    list_layers(n, all);
    qsort(all, (size_t)count, sizeof(const struct net_layer *), by_name);
    for (int64_t i = 1; i < count && s == STATUS_OK; i++)
        if (strcmp(all[i - 1]->name, all[i]->name) == 0)
            s = node_fail(all[i]->where, "name: two layers are called \"%s\"", all[i]->name);
    mem_free(all);
    return s;
}

enum status net_read(const struct node *list, struct net **net)
{
    struct reader r = {0};
    struct net *n = net_new();
    enum status s = read_list(&r, list, n);

    if (s == STATUS_OK && n->count == 0)
        s = node_fail(list, "layers: the list is empty");
    if (s == STATUS_OK)
        s = check_names(n);
    if (s != STATUS_OK) {
        net_free(n);
        n = NULL;
    }
    *net = n;
    return s;
}

/* --------------------------------------------------------------------------------------- files */

static bool take_number(const char **at, int64_t *number)
{
    *number = 0;
    for (; **at >= '0' && **at <= '9' && *number <= INPUT_SIZE_MAX; ++*at)
        *number = 10 * *number + (**at - '0');
    return *number >= 1 && *number <= INPUT_SIZE_MAX;
}

bool net_parse_input(const char *text, struct shape *in)
{
    const char *at = text;
    int64_t dims[3] = {0};
    int rank = 0;

    do {
        if (rank == 3 || !take_number(&at, &dims[rank++]))
            return false;
    } while (*at++ == 'x');
    if (at[-1] != '\0')
        return false;
    if (rank == 1)
        *in = shape_vector(dims[0]);
    else if (rank == 2)
        *in = (struct shape){.height = dims[0], .width = dims[1], .channels = 1};
    else
        *in = (struct shape){.height = dims[1], .width = dims[2], .channels = dims[0]};
    return shape_size(*in) <= INPUT_SIZE_MAX;
}

static enum status read_map(const struct node *root, struct net **net, struct shape *in)
{
    for (int64_t i = 0; i < root->count; i++) {
        if (strcmp(root->keys[i], "layers") == 0 || strcmp(root->keys[i], "input") == 0)
            continue;
        const char *nearest = text_nearest(root->keys[i], file_keys);

        return node_fail(root->children[i], "%s: a network has no such key; %s%s%s", root->keys[i],
                         nearest == NULL ? "it has layers and input" : "did you mean ",
                         nearest == NULL ? "" : nearest, nearest == NULL ? "" : "?");
    }
    const struct node *layers = node_find(root, "layers"), *input = node_find(root, "input");

    if (layers == NULL)
        return node_fail(root, "a network needs the key layers: a list of layers");
    if (input != NULL &&
        (input->kind != NODE_SCALAR || input->is_null || !net_parse_input(input->text, in)))
        return node_fail(input, "input: \"%s\" is not a shape such as 3x32x32, 28x28 or 2",
                         input->kind == NODE_SCALAR ? input->text : "(not a word)");
    return net_read(layers, net);
}

enum status net_read_file(const struct node *root, struct net **net, struct shape *in)
{
    struct shape unused;

    if (in == NULL)
        in = &unused;
    *in = (struct shape){0};
    *net = NULL;
    if (root->kind == NODE_MAP)
        return read_map(root, net, in);
    return net_read(root, net);
}

enum status net_load(const char *path, struct net **net, struct shape *in)
{
    struct node *root = NULL;

    *net = NULL;
    TRY(yaml_load(path, &root));
    const enum status s = net_read_file(root, net, in);

    node_free(root);
    return s;
}
