/*
 * world_ops.h - what a transport implements to be a world, and what its module shows. For the
 * transports alone; everybody else uses world.h.
 */
#ifndef COMM_WORLD_OPS_H
#define COMM_WORLD_OPS_H

#include "comm/world.h"

enum { WORLD_SHARE_ALIGNMENT = 64 };

/* A transport embeds struct world as the FIRST member of its own. */
struct world_ops {
    enum status (*run)(struct world *w, world_body *body, void *context);
    enum status (*share)(struct world *w, size_t bytes, void **memory);
    enum status (*agree)(struct world *w, int64_t mine, int64_t *lowest);
    int (*process_of)(const struct world *w, int endpoint); /* optional: all are in process 0 */
    void (*close)(struct world *w);
};

static inline int world_endpoints(enum world_server server, int workers)
{
    switch (server) {
    case WORLD_NO_SERVER:
        return workers;
    case WORLD_SERVER_THREAD:
    case WORLD_SERVER_OWN:
        return workers + 1;
    case WORLD_RESPONDERS:
        return workers > 1 ? 2 * workers : 1;
    }
    return workers;
}

/*
 * The one symbol of a module. The build id names the version and the headers that both sides were
 * compiled with; a module with another one is not used.
 */
struct transport_module {
    const char *build_id;
    enum status (*open)(const struct world_request *request, struct world **world);
};

#define TRANSPORT_MODULE_SYMBOL "muster_transport_module"

#endif
