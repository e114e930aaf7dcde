/*
 * collective.c - what all processes do together while no body runs: agreeing on a number, and
 * making memory that all of them can write.
 */
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "comm/mpi/internal.h"

/* --- agreeing --- */

enum status mpi_wait_for(struct mpi_world *w, MPI_Request *request)
{
    struct mpi_backoff backoff = {.world = w};
    int done = 0;

    for (;;) {
        TRY(mpi_check(MPI_Test(request, &done, MPI_STATUS_IGNORE), "MPI_Test"));
        if (done)
            return STATUS_OK;
        mpi_backoff_wait(&backoff);
    }
}

/* The checker does not know mpi_wait_for. */
/* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker) */
enum status mpi_agree(struct world *base, int64_t mine, int64_t *lowest)
{
    struct mpi_world *w = (struct mpi_world *)base;
    MPI_Request request;

    TRY(mpi_check(MPI_Iallreduce(&mine, lowest, 1, MPI_INT64_T, MPI_MIN, w->control_comm, &request),
                  "MPI_Iallreduce"));
    return mpi_wait_for(w, &request);
}
/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */

/* --- shared memory --- */

/* All processes know it; the first one reports it. */
static enum status refuse_hosts(const struct mpi_world *w)
{
    if (w->base.process > 0)
        return FAIL(STATUS_BAD_INPUT, "%s", "");
    return FAIL(STATUS_BAD_INPUT,
                "memory is shared only inside a host, but the launcher started the %d processes on "
                "%d hosts; start all of them on one host, or choose an algorithm that sends "
                "messages",
                w->base.processes, w->hosts);
}

/* The memory is the first process's. A window's address is aligned as pages are, or as MPI likes:
 * the same way in every process. */
static enum status map_memory(struct mpi_world *w, size_t bytes, void **memory)
{
    const size_t room = bytes + WORLD_SHARE_ALIGNMENT;
    MPI_Win *window = &w->windows[w->window_count];
    MPI_Aint size = w->base.process == 0 ? (MPI_Aint)room : 0;
    int unit = 0;
    unsigned char *start = NULL;

    TRY(mpi_check(MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, w->host, &start, window),
                  "MPI_Win_allocate_shared"));
    w->window_count++;
    TRY(mpi_check(MPI_Win_shared_query(*window, 0, &size, &unit, &start), "MPI_Win_shared_query"));

    const size_t beyond = (uintptr_t)start % WORLD_SHARE_ALIGNMENT;

    if (beyond > 0)
        start += WORLD_SHARE_ALIGNMENT - beyond;
    if (w->base.process == 0)
        memset(start, 0, bytes);
    *memory = start;
    return STATUS_OK;
}

enum status mpi_share(struct world *base, size_t bytes, void **memory)
{
    struct mpi_world *w = (struct mpi_world *)base;
    int64_t least = 0, first_failed = 0;

    if (w->hosts > 1)
        return refuse_hosts(w);
    /* The wait for the last process is polite here, and would not be inside MPI. */
    TRY(mpi_agree(base, (int64_t)bytes, &least));
    CHECK((size_t)least == bytes);
    w->windows = mem_resize(w->windows, w->window_count, w->window_count + 1, sizeof(MPI_Win));

    const enum status s = map_memory(w, bytes, memory);

    /* Nobody goes on before the memory is zeroed. */
    TRY(mpi_agree(base, s == STATUS_OK ? INT64_MAX : w->base.process, &first_failed));
    if (first_failed == INT64_MAX)
        return STATUS_OK;
    return first_failed == w->base.process ? s : FAIL(STATUS_PEER, "%s", "");
}

void mpi_shared_release(struct mpi_world *w)
{
    for (int i = 0; i < w->window_count; i++)
        MPI_Win_free(&w->windows[i]);
    mem_free(w->windows);
}
