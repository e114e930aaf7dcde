/*
 * processes.c - which endpoints are in which process. Consecutive workers are together, so that a
 * sum in rank order can go from process to process; a server of its own is in the last process, and
 * any other one in the first; a responder is with its worker.
 */
#include "comm/mpi/internal.h"

static bool has_own_server(const struct world *w)
{
    return w->server == WORLD_SERVER_OWN;
}

int mpi_worker_processes(const struct world *w)
{
    return w->processes - (has_own_server(w) ? 1 : 0);
}

int mpi_first_worker(const struct world *w, int process)
{
    const int64_t processes = mpi_worker_processes(w);

    return process >= processes ? w->workers : (int)(process * (int64_t)w->workers / processes);
}

int mpi_workers_of(const struct world *w, int process)
{
    return mpi_first_worker(w, process + 1) - mpi_first_worker(w, process);
}

static int process_of_worker(const struct world *w, int worker)
{
    return (int)(((worker + 1) * (int64_t)mpi_worker_processes(w) - 1) / w->workers);
}

int mpi_process_of(const struct world *w, int endpoint)
{
    if (endpoint < w->workers)
        return process_of_worker(w, endpoint);
    if (w->server == WORLD_RESPONDERS)
        return process_of_worker(w, endpoint - w->workers);
    return has_own_server(w) ? w->processes - 1 : 0;
}

int mpi_endpoints_of(const struct world *w, int process)
{
    const int workers = mpi_workers_of(w, process);

    if (w->server == WORLD_RESPONDERS && w->workers > 1)
        return 2 * workers;
    return workers + (w->size > w->workers && mpi_process_of(w, w->workers) == process ? 1 : 0);
}

int mpi_endpoint_at(const struct world *w, int process, int place)
{
    const int first = mpi_first_worker(w, process), workers = mpi_workers_of(w, process);

    if (place < workers)
        return first + place;
    return w->workers + (w->server == WORLD_RESPONDERS ? first + place - workers : 0);
}

int mpi_place_of(const struct world *w, int endpoint)
{
    const int process = mpi_process_of(w, endpoint), first = mpi_first_worker(w, process);

    if (endpoint < w->workers)
        return endpoint - first;
    return mpi_workers_of(w, process) +
           (w->server == WORLD_RESPONDERS ? endpoint - w->workers - first : 0);
}
