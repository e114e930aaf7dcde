/*
 * plan_cache.h - what planning many runs finds more than once: each value under a key that says
 * what it is and of which settings.
 *
 * It serves checks of many runs before the first one starts: what they have in common - a data set,
 * a partition, a network, a graph - is made once.
 */
#ifndef PROBLEM_PLAN_CACHE_H
#define PROBLEM_PLAN_CACHE_H

#include "base/text.h"
#include "conf/registry.h"

struct plan_cache;

struct plan_cache *plan_cache_new(void);
void plan_cache_free(struct plan_cache *c); /* accepts NULL */

/* Whether there is a value under the key; it may be NULL. It stays the cache's. */
bool plan_cache_find(const struct plan_cache *c, const char *key, void **value);

/* Takes the value, or replaces the one of that key; `release` frees it and is not called for NULL.
 */
void plan_cache_add(struct plan_cache *c, const char *key, void *value, void (*release)(void *));

/* A choice with all its options, as part of a key. */
void plan_cache_add_choice(struct text *key, const struct choice *chosen);

#endif
