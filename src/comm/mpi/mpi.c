/*
 * mpi.c - the transport over MPI: processes with one or several workers each, on one host or many.
 *
 * Here: MPI's beginning and end, opening, running and closing a world, slots and time.
 * Not here: who is where (processes.c), messages (messages.c, inbox.c), sums (sums.c,
 * process_sums.c, chunk_sums.c), failures (failure_thread.c), what all processes do together
 * (collective.c).
 */
#include <sched.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/team.h"
#include "comm/build_id.h"
#include "comm/endpoint_threads.h"
#include "comm/mpi/internal.h"

/* MPI begins and ends once in a process, and this is where the process stands. */
static struct {
    bool is_begun;
    bool has_world;
} process;

/* --- the beginning and the end --- */

/* An end in the middle of a run must end all processes; the others would wait for ever. */
static void finalize_mpi(int code, void *unused)
{
    (void)unused;
    if (process.has_world)
        MPI_Abort(MPI_COMM_WORLD, code == 0 ? EXIT_FAILURE : code);
    MPI_Finalize();
}

static enum status initialize_mpi(void)
{
    int provided = 0;

    if (process.is_begun)
        return STATUS_OK;
    TRY(mpi_check(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread"));
    process.is_begun = true;
    CHECK(on_exit(finalize_mpi, NULL) == 0);
    if (provided < MPI_THREAD_MULTIPLE)
        return FAIL(STATUS_BAD_INPUT, "transport mpi needs an MPI with MPI_THREAD_MULTIPLE");
    return STATUS_OK;
}

/* --- slots, time, abort --- */

static void mpi_compute_begin(struct transport *t)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;
    const double since = clock_seconds();

    core_slots_take(e->world->slots, &e->slot_holder);
    t->counters.waiting += clock_seconds() - since;
}

static void mpi_compute_end(struct transport *t)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;

    core_slots_give(e->world->slots, &e->slot_holder);
}

static enum status mpi_sleep(struct transport *t, double seconds)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;

    if (t->is_computing)
        core_slots_give(e->world->slots, &e->slot_holder);

    const enum status s = failure_thread_sleep(e->world, seconds);
    const double woken = clock_seconds();

    if (t->is_computing)
        core_slots_take(e->world->slots, &e->slot_holder);
    t->counters.waiting += clock_seconds() - woken;
    return s;
}

static double mpi_now(struct transport *t)
{
    return clock_seconds() - ((struct mpi_endpoint *)t)->world->opened;
}

static void mpi_abort(struct transport *t, enum status why, const char *text)
{
    failure_thread_report(((struct mpi_endpoint *)t)->world, why, text);
}

static void mpi_free(struct transport *t)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;

    mpi_outboxes_release(e);
    mpi_sums_release(e);
    core_slot_holder_release(&e->slot_holder);
    pthread_cond_destroy(&e->woken);
    mem_free(e->received);
    mem_free(e);
}

#define MPI_OPS(start, poll, wait)                                                               \
    {                                                                                            \
        .name = "mpi", .send = mpi_send, .recv = mpi_recv, .sum_start = start, .sum_poll = poll, \
        .sum_wait = wait, .compute_begin = mpi_compute_begin, .compute_end = mpi_compute_end,    \
        .sleep = mpi_sleep, .now = mpi_now, .abort = mpi_abort, .free = mpi_free,                \
    }

/* Where every process has one worker, and where one has several. */
static const struct transport_ops single_ops = MPI_OPS(mpi_sum_start, mpi_sum_poll, mpi_sum_wait);
static const struct transport_ops several_ops =
    MPI_OPS(process_sum_start, process_sum_poll, process_sum_wait);

/* --- running --- */

static enum status mpi_run(struct world *base, world_body *body, void *context)
{
    struct mpi_world *w = (struct mpi_world *)base;
    int64_t all_well = 0;

    /* Others may have begun, and failed, before this process comes here. */
    if (!failure_is_set(&w->failure)) {
        failure_thread_set_phase(w, PHASE_RUNNING);
        endpoint_threads_run(w->endpoints, w->count, body, context);
    }
    failure_thread_set_phase(w, PHASE_WAITING);

    enum status s = mpi_agree(base, !failure_is_set(&w->failure), &all_well);

    if (s == STATUS_OK && !all_well)
        s = failure_thread_answer(w);
    failure_thread_set_phase(w, PHASE_IDLE);
    return s;
}

/* --- closing --- */

static void wait_for_outboxes(struct mpi_world *w)
{
    struct mpi_backoff backoff = {.world = w};

    for (int i = 0; i < w->count; i++)
        while (!mpi_outboxes_are_empty((struct mpi_endpoint *)w->endpoints[i]))
            mpi_backoff_wait(&backoff);
}

/* When every process has seen its own messages taken, no message is left anywhere. */
static void mpi_close(struct world *base)
{
    struct mpi_world *w = (struct mpi_world *)base;
    MPI_Request request;

    failure_thread_set_phase(w, PHASE_WAITING);
    failure_thread_drain(w);
    wait_for_outboxes(w);
    if (MPI_Ibarrier(w->control_comm, &request) == MPI_SUCCESS)
        mpi_wait_for(w, &request);
    failure_thread_set_phase(w, PHASE_IDLE);
    failure_thread_stop(w);
    mpi_shared_release(w);
    for (int i = 0; i < w->count; i++)
        w->endpoints[i]->ops->free(w->endpoints[i]);
    mem_free(w->endpoints);
    mpi_inboxes_release(w);
    process_sums_release(w);
    pthread_mutex_destroy(&w->inbox_mutex);
    MPI_Comm_free(&w->messages);
    MPI_Comm_free(&w->sums);
    MPI_Comm_free(&w->control_comm);
    MPI_Comm_free(&w->host);
    failure_release(&w->failure);
    core_slots_free(w->slots);
    mem_free(w);
    process.has_world = false;
}

static const struct world_ops mpi_world_ops = {
    .run = mpi_run,
    .share = mpi_share,
    .agree = mpi_agree,
    .process_of = mpi_process_of,
    .close = mpi_close,
};

/* --- opening --- */

static enum status count_workers(const struct world_request *request, int processes, int *workers)
{
    const int own = request->server == WORLD_SERVER_OWN;

    *workers = request->workers == 0 ? processes - own : request->workers;
    if (processes - own < 1)
        return FAIL(STATUS_BAD_INPUT, "a server in its own process needs one process more than the "
                                      "workers: mpirun -n 2 or more");
    if (*workers / (processes - own) >= MPI_PLACES_MAX / 2)
        return FAIL(STATUS_BAD_INPUT, "%d workers in %d processes: at most %d fit into one",
                    *workers, processes - own, MPI_PLACES_MAX / 2 - 1);
    if (*workers + own >= processes)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "%d worker%s%s: too few for the %d processes that the launcher started; use mpirun "
                "-n %d or fewer, or for a new run leave the number of workers out",
                *workers, *workers == 1 ? "" : "s", own ? " and a server of its own" : "",
                processes, *workers + own);
}

static struct transport *endpoint_new(struct mpi_world *w, int rank)
{
    struct mpi_endpoint *e = MEM_NEW(struct mpi_endpoint);

    e->base = (struct transport){
        .ops = w->process_sums == NULL ? &single_ops : &several_ops,
        .rank = rank,
        .workers = w->base.workers,
        .size = w->base.size,
    };
    e->world = w;
    e->spin_s = mpi_backoff_spin_s;
    e->outboxes = MEM_NEW_N(struct outbox, w->base.size);
    e->received = MEM_NEW_N(int64_t, (int64_t)w->base.size * TRANSPORT_KINDS);
    mpi_sums_init(e);
    mpi_cond_init(&e->woken);
    core_slot_holder_init(&e->slot_holder);
    return &e->base;
}

/* The cores that the processes of this host may use, together, and who wants to. */
static enum status measure_host(struct mpi_world *w)
{
    cpu_set_t mine, all;
    int wanted = w->count, total = 0, rank = 0;

    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        CPU_SET(0, &mine);
    TRY(mpi_check(
        MPI_Comm_split_type(w->control_comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &w->host),
        "MPI_Comm_split_type"));
    MPI_Comm_set_errhandler(w->host, MPI_ERRORS_RETURN);
    MPI_Allreduce(&mine, &all, (int)sizeof mine, MPI_BYTE, MPI_BOR, w->host);
    MPI_Allreduce(&wanted, &total, 1, MPI_INT, MPI_SUM, w->host);
    w->is_crowded = total > CPU_COUNT(&all);
    MPI_Comm_rank(w->host, &rank);

    const int is_first = rank == 0;

    return mpi_check(MPI_Allreduce(&is_first, &w->hosts, 1, MPI_INT, MPI_SUM, w->control_comm),
                     "MPI_Allreduce");
}

/* Time begins when all processes are here. The clock is the host's, and so is the beginning. */
static enum status start_clock(struct mpi_world *w)
{
    TRY(mpi_check(MPI_Barrier(w->control_comm), "MPI_Barrier"));
    w->opened = clock_seconds();
    return mpi_check(MPI_Bcast(&w->opened, 1, MPI_DOUBLE, 0, w->host), "MPI_Bcast");
}

static enum status make_comms(struct mpi_world *w)
{
    MPI_Comm *const comms[] = {&w->messages, &w->sums, &w->control_comm};

    for (int i = 0; i < 3; i++) {
        TRY(mpi_check(MPI_Comm_dup(MPI_COMM_WORLD, comms[i]), "MPI_Comm_dup"));
        TRY(mpi_check(MPI_Comm_set_errhandler(*comms[i], MPI_ERRORS_RETURN),
                      "MPI_Comm_set_errhandler"));
    }
    return STATUS_OK;
}

static struct mpi_world *world_new(const struct world_request *request, int workers)
{
    struct mpi_world *w = MEM_NEW(struct mpi_world);

    w->base = (struct world){
        .ops = &mpi_world_ops,
        .server = request->server,
        .workers = workers,
        .size = world_endpoints(request->server, workers),
    };
    MPI_Comm_rank(MPI_COMM_WORLD, &w->base.process);
    MPI_Comm_size(MPI_COMM_WORLD, &w->base.processes);
    pthread_mutex_init(&w->inbox_mutex, NULL);
    if (workers > mpi_worker_processes(&w->base))
        process_sums_init(w);
    w->count = mpi_endpoints_of(&w->base, w->base.process);
    w->endpoints = MEM_NEW_N(struct transport *, w->count);
    for (int i = 0; i < w->count; i++)
        w->endpoints[i] = endpoint_new(w, mpi_endpoint_at(&w->base, w->base.process, i));
    w->slots = core_slots_new(request->slots == 0 ? team_cores() : request->slots);
    failure_init(&w->failure);
    return w;
}

/* What fails after the counting leaves the others waiting: the program's end ends them too. */
static enum status mpi_open(const struct world_request *request, struct world **world)
{
    int processes = 0, workers = 0;

    TRY(initialize_mpi());
    CHECK(!process.has_world);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    TRY(count_workers(request, processes, &workers));

    struct mpi_world *w = world_new(request, workers);

    process.has_world = true;
    TRY(make_comms(w));
    TRY(measure_host(w));
    TRY(failure_thread_start(w));
    TRY(start_clock(w));
    *world = &w->base;
    return STATUS_OK;
}

extern const struct transport_module muster_transport_module;
__attribute__((visibility("default"))) const struct transport_module muster_transport_module = {
    .build_id = MUSTER_BUILD_ID,
    .open = mpi_open,
};
