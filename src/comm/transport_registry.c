/*
 * transport_registry.c - the registry of transports (list.h).
 */
#include "comm/transport_registry.h"

#include "base/check.h"
#include "comm/list.h"

#define ENTRY(symbol) &symbol.entry,

static const struct entry *const entries[] = {TRANSPORT_LIST(ENTRY) NULL};

const struct registry transport_registry = {
    .what = "transport",
    .section = "transport",
    .entries = entries,
};

const struct transport_entry *transport_find(const char *name)
{
    return (const struct transport_entry *)registry_find(&transport_registry, name);
}

const struct transport_entry *transport_usual(bool is_launched)
{
    for (const struct entry *const *e = entries; *e != NULL; e++) {
        const struct transport_entry *t = (const struct transport_entry *)*e;

        if (t->needs_launcher == is_launched)
            return t;
    }
    BUG("no transport for this");
}
