/*
 * calls.c - errors, large counts and polite waiting around MPI calls.
 */
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "base/check.h"
#include "base/clock.h"
#include "comm/mpi/wire.h"

/* Up to the usual wait of one round; a crowded host needs the core for others. */
const double patience_spin_s = 1e-3;
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
struct span mpi_span(size_t bytes)
{
    enum { BLOCK = 1 << 30 };
    struct span s = {.count = 1};

    if (bytes <= INT_MAX)
        return (struct span){.count = (int)bytes, .type = MPI_BYTE};

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

void mpi_span_end(struct span s)
{
    if (s.type != MPI_BYTE)
        MPI_Type_free(&s.type); /* what is under way keeps it */
}

static void nap(double seconds)
{
    const struct timespec t = {.tv_nsec = (long)(seconds * 1e9)};

    nanosleep(&t, NULL); /* a signal may shorten it */
}

void patience_wait(struct patience *p)
{
    const double now = clock_seconds();

    if (p->since == 0.0)
        p->since = now;

    const double waited = now - p->since;
    const bool spins = !p->world->is_crowded && p->endpoint != NULL;

    if (waited < (spins ? p->endpoint->spin_s : least_spin_s)) {
        if (!spins || waited > least_spin_s)
            sched_yield();
        return;
    }
    if (!p->rests && p->endpoint != NULL && p->endpoint->base.is_computing)
        slots_give(p->world->slots, &p->endpoint->place);
    p->rests = true;
    /* In proportion to what was waited: late by an eighth at most. */
    nap(fmin(last_sleep_s, fmax(first_sleep_s, waited / 8)));
}

void patience_end(struct patience *p)
{
    if (p->since == 0.0)
        return;
    if (p->rests && p->endpoint != NULL && p->endpoint->base.is_computing)
        slots_take(p->world->slots, &p->endpoint->place);
    if (p->endpoint != NULL) {
        double *spin = &p->endpoint->spin_s;

        *spin = p->rests ? fmax(*spin / 2, least_spin_s) : fmin(*spin * 2, patience_spin_s);
        if (!p->is_transfer)
            p->endpoint->base.account.waiting += fmax(0.0, clock_seconds() - p->since - p->busy);
    }
    *p = (struct patience){.world = p->world, .endpoint = p->endpoint};
}
