/*
 * threads.h - the transport inside one process.
 */
#ifndef COMM_THREADS_THREADS_H
#define COMM_THREADS_THREADS_H

#include "comm/world.h"

enum status threads_open(const struct world_request *request, struct world **world);

#endif
