/*
 * endpoint_threads.h - the endpoints of one process at work, each on its own thread.
 */
#ifndef COMM_ENDPOINT_THREADS_H
#define COMM_ENDPOINT_THREADS_H

#include "comm/world.h"

/*
 * Runs the body for every endpoint, the first on the calling thread, and returns when all have
 * ended. An endpoint that fails aborts the run with its message; the transport keeps the first.
 */
void endpoint_threads_run(struct transport *const *endpoints, int count, world_body *body,
                          void *context);

#endif
