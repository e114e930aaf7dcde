/*
 * coordinator.c - the registry of coordinators: which one an algorithm of a kind has.
 */
#include "train/loop/coordinator.h"

static const struct coordinator *const coordinators[] = {
    [ALGO_LOCKSTEP] = &lockstep_coordinator,
    [ALGO_SERVER_BASED] = &server_coordinator,
    [ALGO_SHARED_MEMORY] = &shared_coordinator,
    [ALGO_PEER_TO_PEER] = &peers_coordinator,
};

const struct coordinator *coordinator_of(const struct algo_ops *algo)
{
    return coordinators[algo->kind];
}

int coordinator_leader(const struct build *b)
{
    return coordinator_of(b->algo)->has_server ? b->workers : 0;
}

enum world_server coordinator_endpoints(const struct algo_ops *algo, bool own_server)
{
    const struct coordinator *c = coordinator_of(algo);

    if (c->has_responders)
        return WORLD_RESPONDERS;
    if (!c->has_server)
        return WORLD_NO_SERVER;
    return own_server ? WORLD_SERVER_OWN : WORLD_SERVER_THREAD;
}
