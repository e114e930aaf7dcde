/*
 * crew.h - the endpoints of one process at work, each on its own thread.
 */
#ifndef COMM_CREW_H
#define COMM_CREW_H

#include "comm/world.h"

/*
 * Runs the body for every endpoint, the first on the calling thread, and returns when all have
 * ended. An endpoint that fails aborts the run with its message; the transport keeps the first.
 */
void crew_run(struct transport *const *endpoints, int count, world_body *body, void *context);

#endif
