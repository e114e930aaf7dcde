/*
 * net.c - making a network in memory: layers, residual blocks and their names.
 *
 * Not here: reading and writing YAML (net_read.c, net_write.c), shapes and memory (model_plan.c).
 */
#include "nn/net.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

struct net *net_new(void)
{
    return MEM_NEW(struct net);
}

static void layer_release(struct net_layer *l)
{
    mem_free(l->name);
    choice_release(&l->kind);
    net_free(l->body);
    net_free(l->shortcut);
    node_free(l->where);
}

void net_free(struct net *n)
{
    if (n == NULL)
        return;
    for (int i = 0; i < n->count; i++)
        layer_release(&n->layers[i]);
    mem_free(n->layers);
    mem_free(n);
}

int64_t net_size(const struct net *n)
{
    int64_t size = 0;

    for (int i = 0; n != NULL && i < n->count; i++)
        size += 1 + net_size(n->layers[i].body) + net_size(n->layers[i].shortcut);
    return size;
}

static bool is_taken(const struct net *n, const char *name)
{
    for (int i = 0; i < n->count; i++)
        if (strcmp(n->layers[i].name, name) == 0)
            return true;
    return false;
}

static const char *short_form(const struct entry *kind)
{
    if (kind == NULL)
        return "block";
    if (strcmp(kind->name, "conv2d") == 0)
        return "conv";
    if (strcmp(kind->name, "batchnorm") == 0)
        return "bn";
    return kind->name;
}

/* The kind's short form and its running number in this list; the next free one if it is taken. */
static char *make_name(const struct net *n, const struct entry *kind)
{
    int64_t number = 1;

    for (int i = 0; i < n->count; i++)
        number += n->layers[i].kind.entry == kind;
    for (;; number++) {
        char *name = text_format("%s%lld", short_form(kind), (long long)number);

        if (!is_taken(n, name))
            return name;
        mem_free(name);
    }
}

static struct net_layer *append_layer(struct net *n, const struct entry *kind, const char *name)
{
    char *made = name == NULL ? make_name(n, kind) : mem_text(name);

    if (n->count == n->capacity) {
        const int capacity = n->capacity == 0 ? 16 : 2 * n->capacity;

        n->layers = mem_resize(n->layers, n->capacity, capacity, sizeof *n->layers);
        n->capacity = capacity;
    }
    n->layers[n->count] = (struct net_layer){.name = made, .is_named = name != NULL};
    return &n->layers[n->count++];
}

void *net_add(struct net *n, const char *kind, const char *name)
{
    const struct entry *entry = registry_find(&layer_registry, kind);

    CHECK(entry != NULL);
    struct net_layer *l = append_layer(n, entry, name);

    choice_init(&l->kind, entry);
    return l->kind.options;
}

/* Puts the block's name before the name of a layer and of all inside it. */
static void add_prefix(struct net_layer *l, const char *block, const char *between)
{
    char *name = text_format("%s.%s%s", block, between, l->name);

    mem_free(l->name);
    l->name = name;
    for (int i = 0; l->body != NULL && i < l->body->count; i++)
        add_prefix(&l->body->layers[i], block, between);
    for (int i = 0; l->shortcut != NULL && i < l->shortcut->count; i++)
        add_prefix(&l->shortcut->layers[i], block, between);
}

void net_add_residual(struct net *n, const char *name, struct net *body, struct net *shortcut)
{
    CHECK(body != NULL);
    struct net_layer *l = append_layer(n, NULL, name);

    if (shortcut != NULL && shortcut->count == 0) {
        net_free(shortcut);
        shortcut = NULL;
    }
    l->body = body;
    l->shortcut = shortcut;
    l->relu = true;
    for (int i = 0; i < body->count; i++)
        add_prefix(&body->layers[i], l->name, "");
    for (int i = 0; shortcut != NULL && i < shortcut->count; i++) {
        struct net_layer *inner = &shortcut->layers[i];

        add_prefix(inner, l->name, inner->is_named ? "" : "shortcut.");
    }
}
