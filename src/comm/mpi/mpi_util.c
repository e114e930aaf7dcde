/*
 * mpi_util.c - errors, large counts and polite waiting around MPI calls.
 */
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "base/check.h"
#include "base/clock.h"
#include "comm/mpi/internal.h"

/* Up to the usual wait of one round; a crowded host needs the core for others. */
const double mpi_backoff_spin_s = 1e-3;
static const double least_spin_s = 5e-6;
static const double first_sleep_s = 50e-6, last_sleep_s = 1e-3;

enum status mpi_check(int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;

    if (code == MPI_SUCCESS)
        return STATUS_OK;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        snprintf(text, sizeof text, "error %d", code);
    return FAIL(STATUS_PEER, "%s: %s", what, text);
}

/* Beyond INT_MAX bytes: one element of a type that is made of large blocks and a rest. */
struct mpi_bytes mpi_bytes_of(size_t bytes)
{
    enum { BLOCK = 1 << 30 };
    struct mpi_bytes s = {.count = 1};

    if (bytes <= INT_MAX)
        return (struct mpi_bytes){.count = (int)bytes, .type = MPI_BYTE};

    MPI_Datatype block;
    const size_t blocks = bytes / BLOCK, rest = bytes % BLOCK;
    const MPI_Aint places[2] = {0, (MPI_Aint)(blocks * BLOCK)};
    const int counts[2] = {(int)blocks, (int)rest};

    CHECK(blocks <= INT_MAX);
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    MPI_Type_create_struct(2, counts, places, (const MPI_Datatype[2]){block, MPI_BYTE}, &s.type);
    MPI_Type_commit(&s.type);
    MPI_Type_free(&block);
    return s;
}

void mpi_bytes_end(struct mpi_bytes s)
{
    if (s.type != MPI_BYTE)
        MPI_Type_free(&s.type); /* what is under way keeps it */
}

void mpi_cond_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

struct timespec mpi_moment_after(double seconds)
{
    const double at = clock_seconds() + fmin(seconds, 1e9);
    const double whole = floor(at);

    return (struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)((at - whole) * 1e9)};
}

void mpi_wake(struct mpi_endpoint *e)
{
    e->has_news = true;
    pthread_cond_signal(&e->woken);
}

/* Until then, or until another endpoint of this process has something for this one. */
static void sleep_until_news(struct mpi_endpoint *e, double seconds)
{
    const struct timespec until = mpi_moment_after(seconds);

    pthread_mutex_lock(&e->world->inbox_mutex);
    if (!e->has_news)
        pthread_cond_timedwait(&e->woken, &e->world->inbox_mutex, &until);
    e->has_news = false;
    pthread_mutex_unlock(&e->world->inbox_mutex);
}

static void sleep_seconds(double seconds)
{
    const struct timespec t = {.tv_nsec = (long)(seconds * 1e9)};

    nanosleep(&t, NULL); /* a signal may shorten it */
}

void mpi_backoff_wait(struct mpi_backoff *b)
{
    const double now = clock_seconds();

    if (b->since == 0.0)
        b->since = now;

    const double waited = now - b->since;
    const bool spins = !b->world->is_crowded && b->endpoint != NULL;

    if (waited < (spins ? b->endpoint->spin_s : least_spin_s)) {
        if (!spins || waited > least_spin_s)
            sched_yield();
        return;
    }
    if (!b->is_asleep && b->endpoint != NULL && b->endpoint->base.is_computing)
        core_slots_give(b->world->slots, &b->endpoint->slot_holder);
    b->is_asleep = true;
    /* In proportion to what was waited: late by an eighth at most. */
    const double pause = fmin(last_sleep_s, fmax(first_sleep_s, waited / 8));

    if (b->endpoint != NULL && b->world->count > 1)
        sleep_until_news(b->endpoint, pause);
    else
        sleep_seconds(pause);
}

void mpi_backoff_end(struct mpi_backoff *b)
{
    if (b->since == 0.0)
        return;
    if (b->is_asleep && b->endpoint != NULL && b->endpoint->base.is_computing)
        core_slots_take(b->world->slots, &b->endpoint->slot_holder);
    if (b->endpoint != NULL) {
        double *spin = &b->endpoint->spin_s;

        *spin = b->is_asleep ? fmax(*spin / 2, least_spin_s) : fmin(*spin * 2, mpi_backoff_spin_s);
        if (!b->is_transfer)
            b->endpoint->base.counters.waiting += fmax(0.0, clock_seconds() - b->since - b->busy);
    }
    *b = (struct mpi_backoff){.world = b->world, .endpoint = b->endpoint};
}
