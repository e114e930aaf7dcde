/*
 * plan_cache.c - a list of keys and values. A study has a few dozen different ones at most.
 */
#include "problem/plan_cache.h"

#include <string.h>

#include "base/mem.h"

struct cache_item {
    char *key;
    void *value;
    void (*release)(void *value);
};

struct plan_cache {
    struct cache_item *items;
    int64_t count;
};

struct plan_cache *plan_cache_new(void)
{
    return MEM_NEW(struct plan_cache);
}

static void release_value(struct cache_item *item)
{
    if (item->value != NULL)
        item->release(item->value);
    item->value = NULL;
}

void plan_cache_free(struct plan_cache *c)
{
    if (c == NULL)
        return;
    for (int64_t i = 0; i < c->count; i++) {
        release_value(&c->items[i]);
        mem_free(c->items[i].key);
    }
    mem_free(c->items);
    mem_free(c);
}

static struct cache_item *find_item(const struct plan_cache *c, const char *key)
{
    for (int64_t i = 0; i < c->count; i++)
        if (strcmp(c->items[i].key, key) == 0)
            return &c->items[i];
    return NULL;
}

bool plan_cache_find(const struct plan_cache *c, const char *key, void **value)
{
    const struct cache_item *item = find_item(c, key);

    *value = item == NULL ? NULL : item->value;
    return item != NULL;
}

void plan_cache_add(struct plan_cache *c, const char *key, void *value, void (*release)(void *))
{
    struct cache_item *item = find_item(c, key);

    if (item == NULL) {
        c->items = mem_resize(c->items, c->count, c->count + 1, sizeof *c->items);
        item = &c->items[c->count++];
        *item = (struct cache_item){.key = mem_text(key)};
    }
    release_value(item);
    item->value = value;
    item->release = release;
}

void plan_cache_add_choice(struct text *key, const struct choice *chosen)
{
    struct node *map = node_new(NODE_MAP, "key", 0, 0);

    choice_dump(chosen, map);
    node_write(map, key);
    node_free(map);
}
