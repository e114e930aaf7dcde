/*
 * worlds.h - what the tests of transports share: worlds of every size, and bodies that must hold.
 *
 * Alone such a test judges threads. Under mpirun it judges mpi, with as many workers as there are
 * processes, or $WORKERS; under_mpirun.sh starts it so. Bodies run on many threads and processes:
 * they answer a status, and the test expects it of world_run.
 */
#ifndef TESTS_CONFORM_WORLDS_H
#define TESTS_CONFORM_WORLDS_H

#include <stdlib.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "comm/world.h"
#include "test.h"

/* In a body: what must hold, or the run fails with the place. */
#define MUST(condition)                                                                         \
    do {                                                                                        \
        if (!(condition))                                                                       \
            return FAIL(STATUS_BAD_INPUT, "%s:%d: does not hold for endpoint %d: %s", __FILE__, \
                        __LINE__, t->rank, #condition);                                         \
    } while (0)

/* --- the worlds --- */

static inline bool is_told(void)
{
    return status_message()[0] != '\0';
}

/* Under a launcher $WORKERS, or 0: as many as processes; else what is given. */
static inline int workers_or(int otherwise)
{
    const char *given = getenv("WORKERS");

    if (!world_is_launched())
        return otherwise;
    return given == NULL ? 0 : atoi(given);
}

typedef void world_test(struct world *w);

static inline void with_world(const struct world_request *request, world_test *test)
{
    struct world *w = NULL;

    if (EXPECT_OK(world_open(request, &w)))
        test(w);
    world_close(w);
}

/* Calls the function with every number of workers: one, few, more than cores; or the launcher's. */
typedef void workers_test(int workers);

static inline void with_workers(workers_test *test)
{
    static const int numbers[] = {1, 2, 3, 5, 9};

    if (world_is_launched()) {
        test(workers_or(0));
        return;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        test(numbers[i]);
}

/* Opens each of them without a server, with one, and with responders. */
static inline void with_worlds(world_test *test)
{
    static const int numbers[] = {1, 2, 3, 5, 9};
    const bool launched = world_is_launched();

    for (size_t i = 0; i < (launched ? 1 : sizeof numbers / sizeof numbers[0]); i++) {
        struct world_request request = {.workers = workers_or(numbers[i])};

        with_world(&request, test);
        request.server = WORLD_SERVER_THREAD;
        with_world(&request, test);
        request.server = WORLD_RESPONDERS;
        with_world(&request, test);
    }
}

static inline void expect_run(struct world *w, world_body *body)
{
    EXPECT_OK(world_run(w, body, w));
}

static inline bool is_server(const struct transport *t)
{
    return t->rank >= t->workers;
}

enum { KIND_A = 3, KIND_B = 17, KIND_DONE = 5 };

/* Says who wrote which message of which kind. */
static inline int64_t stamp(int from, int to, int kind, int number)
{
    return (((int64_t)from * 1000 + to) * 100 + kind) * 1000 + number;
}

static inline enum status send_number(struct transport *t, int to, int kind, int number)
{
    const int64_t value = stamp(t->rank, to, kind, number);

    return transport_send(t, to, kind, &value, sizeof value);
}

static inline enum status expect_number(struct transport *t, int from, int kind, int number)
{
    struct envelope e;
    int64_t value = 0;

    TRY(transport_recv(t, from, kind, &e, &value, sizeof value));
    MUST(value == stamp(from, t->rank, kind, number));
    MUST(e.from == from && e.kind == kind && e.bytes == sizeof value);
    MUST(e.sequence == number);
    return STATUS_OK;
}

#endif
