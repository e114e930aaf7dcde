/*
 * cores.h - which cores of this process a child process gets.
 */
#ifndef BASE_CORES_H
#define BASE_CORES_H

#include <sched.h>
#include <stdbool.h>

/*
 * Share 0 to parts - 1 of the cores that this process may use; shares differ by at most one core
 * and do not overlap. The threads of one physical core are next to each other, so that they go to
 * one share. With more parts than cores some share one. false: unknown, because the
 * machine has more cores than a mask has room for.
 */
bool cores_share(int part, int parts, cpu_set_t *share);

#endif
