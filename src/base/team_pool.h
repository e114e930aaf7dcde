/*
 * team_pool.h - the teams of threads of a process: whoever computes at the moment takes one and
 * gives it back, so that a thousand workers of which two compute at once have two teams.
 *
 * A compute context is a team and a workspace (problem/compute_pool.h); an optimiser's update needs
 * the team alone. The one given back last is taken first, because its threads are still awake.
 */
#ifndef BASE_TEAM_POOL_H
#define BASE_TEAM_POOL_H

#include "base/team.h"

struct team_pool;

/* Of teams with so many threads. No team is made before it is taken. */
struct team_pool *team_pool_new(int threads);
void team_pool_free(struct team_pool *p); /* after all are given back; accepts NULL */

/* Thread-safe. Makes a team when none is free; never waits for one. */
struct team *team_pool_take(struct team_pool *p);
void team_pool_give(struct team_pool *p, struct team *team);

int team_pool_threads(const struct team_pool *p);

/* How many have been made: the most that were ever in use at once. */
int team_pool_made(struct team_pool *p);

#endif
