/*
 * transport_registry.h - the transports that can be chosen, and what each of them is able to do.
 * Adding one: its folder with one of these tables, and its line in list.h.
 */
#ifndef COMM_TRANSPORT_REGISTRY_H
#define COMM_TRANSPORT_REGISTRY_H

#include <stdbool.h>

#include "conf/registry.h"

struct world;
struct world_request;

struct transport_entry {
    struct entry entry;
    bool needs_launcher;  /* which starts its processes; else there is this one only */
    bool is_virtual;      /* its time is simulated */
    bool shares_memory;   /* between all endpoints; else perhaps between those of a host */
    const char *launcher; /* with needs_launcher: starts as many processes as follow, "mpirun -n" */
    const char *packages; /* that a build with it needs, for messages; NULL: none */
    const char *module;   /* the file to open on demand; NULL: built in */
    enum status (*open)(const struct world_request *request, struct world **world); /* built in */
};

extern const struct registry transport_registry;

/* NULL when there is none. */
const struct transport_entry *transport_find(const char *name);

/* The one that is taken where none is named: for launched processes, or for this one alone. */
const struct transport_entry *transport_usual(bool is_launched);

/* Whether this build, as installed, can open the transport: built in, or its module is there. */
bool transport_is_available(const struct transport_entry *entry);

#endif
