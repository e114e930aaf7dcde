/*
 * team.h - the threads inside one worker. A team runs a function on all its threads and waits.
 *
 * The caller is thread 0, so a team of one makes no thread and costs nothing. Threads wait by
 * spinning for a short while (only if the team fits the machine's cores) and then sleep. Work is
 * cut in pieces that do not depend on the number of threads, so that sums repeat to the bit.
 */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include <stdint.h>

struct team;

typedef void team_body(void *context, int thread, int threads);

struct team *team_new(int threads);
void team_free(struct team *t);
int team_size(const struct team *t);

/* Runs body(context, thread, threads) on every thread and returns when all have ended. */
void team_run(struct team *t, team_body *body, void *context);

/* This thread's contiguous part [*begin, *end) of `count` pieces; sizes differ by at most one. */
void team_part(int64_t count, int thread, int threads, int64_t *begin, int64_t *end);

/* Cores that this process may use (its affinity mask). */
int team_cores(void);

#endif
