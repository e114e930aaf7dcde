/*
 * failure_thread.c - failure over MPI: one message for all processes, and no process left behind.
 *
 * Who fails first in a process sends a notice to rank 0. Rank 0 decides on the first and sends the
 * verdict to all. Blocked calls see their process's failure and answer; so all come home, agree in
 * world_run and close the world as usual. Who does not come home in time - a long computation, a
 * stopped process - is ended by MPI_Abort, after rank 0 has printed the message itself.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "comm/mpi/internal.h"

enum { TAG_NOTICE = 1, TAG_VERDICT = 2 };

/* Between two polls of the failure thread; faster when something is going on. */
static const double poll_s = 5e-3, busy_poll_s = 0.5e-3;

/* After a failure: when rank 0 prints it, when running bodies and when waiting is given up. */
static const double print_s = 1.0, running_s = 2.0, waiting_s = 4.0;

static bool is_first_process(const struct mpi_world *w)
{
    return w->base.process == 0;
}

/* --- notices --- */

/* With the lock held. */
static void send_notice(struct mpi_world *w, int to, int tag)
{
    struct failure_thread *f = &w->failure_thread;

    MPI_Isend(&f->out, (int)sizeof f->out, MPI_BYTE, to, tag, w->control_comm,
              &f->requests[f->request_count++]);
}

static void write_notice(struct mpi_world *w)
{
    struct failure_notice *out = &w->failure_thread.out;

    out->status = (int32_t)w->failure.first.status;
    snprintf(out->text, sizeof out->text, "%s", w->failure.first.text);
}

/* With the lock held, after a failure. */
static void send_notices(struct mpi_world *w)
{
    struct failure_thread *f = &w->failure_thread;

    if (is_first_process(w) && f->verdict == STATUS_OK) {
        f->verdict = w->failure.first.status;
        write_notice(w);
        for (int r = 1; r < w->base.processes; r++)
            send_notice(w, r, TAG_VERDICT);
        pthread_cond_broadcast(&f->changed);
    } else if (f->has_notice) {
        f->has_notice = false;
        write_notice(w);
        send_notice(w, 0, TAG_NOTICE);
    }
}

static void receive_notices(struct mpi_world *w)
{
    struct failure_thread *f = &w->failure_thread;
    struct failure_notice in;
    MPI_Message message;
    MPI_Status status;
    int is_there = 0;

    while (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, w->control_comm, &is_there, &message,
                       &status) == MPI_SUCCESS &&
           is_there) {
        MPI_Mrecv(&in, (int)sizeof in, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        failure_set(&w->failure, (enum status)in.status, in.text);
        core_slots_open(w->slots);
        pthread_mutex_lock(&f->mutex);
        if (status.MPI_TAG == TAG_VERDICT)
            f->verdict = (enum status)in.status;
        pthread_cond_broadcast(&f->changed);
        pthread_mutex_unlock(&f->mutex);
    }
}

/* --- what nobody receives any more --- */

static void discard(struct failure_thread *f, MPI_Message *message, size_t bytes)
{
    const struct mpi_bytes s = mpi_bytes_of(bytes);

    f->trash_data = mem_alloc((int64_t)bytes, 1);
    MPI_Imrecv(f->trash_data, s.count, s.type, message, &f->trash);
    mpi_bytes_end(s);
}

/* Whether something was thrown away, or is about to be. */
static bool drain_message(struct mpi_world *w)
{
    struct arrival a;

    if (!mpi_inbox_take_any(w, &a))
        return false;
    if (a.local != NULL)
        atomic_store(&a.local->is_delivered, true);
    else
        discard(&w->failure_thread, &a.message, a.bytes);
    return true;
}

static bool drain_sum(struct mpi_world *w)
{
    MPI_Message message;
    MPI_Status status;
    MPI_Count bytes = 0;
    int is_there = 0;

    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, w->sums, &is_there, &message, &status);
    if (!is_there)
        return false;
    MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    discard(&w->failure_thread, &message, (size_t)bytes);
    return true;
}

static bool trash_is_gone(struct failure_thread *f)
{
    int done = 0;

    if (f->trash == MPI_REQUEST_NULL)
        return true;
    MPI_Test(&f->trash, &done, MPI_STATUS_IGNORE);
    if (!done)
        return false;
    mem_free(f->trash_data);
    f->trash_data = NULL;
    return true;
}

static void drain(struct mpi_world *w)
{
    while (trash_is_gone(&w->failure_thread))
        if (!drain_message(w) && !drain_sum(w))
            return;
}

/* --- the end of what does not end by itself --- */

/* With the lock held: nobody else prints it then. */
static void print_failure(struct mpi_world *w)
{
    if (w->failure_thread.is_reported)
        return;
    w->failure_thread.is_reported = true;
    log_say(LOG_ERROR, "%s", w->failure.first.text);
}

/* With the lock held, after a failure. */
static void watch_time(struct mpi_world *w)
{
    struct failure_thread *f = &w->failure_thread;
    const double now = clock_seconds();

    if (f->phase == PHASE_IDLE)
        return;
    if (is_first_process(w) && now > f->failed + print_s)
        print_failure(w);

    const bool is_late = f->phase == PHASE_RUNNING ? now > f->failed + running_s
                                                   : now > fmax(f->failed, f->waiting) + waiting_s;

    if (!is_late)
        return;
    if (is_first_process(w) || f->verdict == STATUS_OK)
        print_failure(w);
    MPI_Abort(MPI_COMM_WORLD, status_exit_code(w->failure.first.status));
}

/* --- the thread --- */

/* With the lock held. Whether there is reason to poll again soon. */
static bool poll_failure(struct mpi_world *w)
{
    struct failure_thread *f = &w->failure_thread;

    if (!failure_is_set(&w->failure))
        return f->is_draining;
    if (f->failed == 0.0)
        f->failed = clock_seconds();
    send_notices(w);
    watch_time(w);
    return true;
}

static void *thread_main(void *argument)
{
    struct mpi_world *w = argument;
    struct failure_thread *f = &w->failure_thread;
    bool is_busy = false;

    log_set_worker(w->base.process);
    pthread_mutex_lock(&f->mutex);
    while (!f->is_stopping || f->trash != MPI_REQUEST_NULL) {
        const struct timespec until = mpi_moment_after(is_busy ? busy_poll_s : poll_s);

        pthread_cond_timedwait(&f->changed, &f->mutex, &until);
        pthread_mutex_unlock(&f->mutex);
        receive_notices(w);
        if (is_busy)
            drain(w);
        pthread_mutex_lock(&f->mutex);
        is_busy = poll_failure(w);
    }
    pthread_mutex_unlock(&f->mutex);
    return NULL;
}

enum status failure_thread_start(struct mpi_world *w)
{
    struct failure_thread *f = &w->failure_thread;

    *f = (struct failure_thread){.trash = MPI_REQUEST_NULL};
    pthread_mutex_init(&f->mutex, NULL);
    mpi_cond_init(&f->changed);
    f->requests = MEM_NEW_N(MPI_Request, w->base.processes);

    const int error = pthread_create(&f->thread, NULL, thread_main, w);

    if (error != 0)
        return FAIL(STATUS_BAD_INPUT, "transport mpi cannot start its control thread: %s",
                    strerror(error));
    return STATUS_OK;
}

void failure_thread_stop(struct mpi_world *w)
{
    struct failure_thread *f = &w->failure_thread;

    pthread_mutex_lock(&f->mutex);
    f->is_stopping = true;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->mutex);
    pthread_join(f->thread, NULL);
    MPI_Waitall(f->request_count, f->requests, MPI_STATUSES_IGNORE);
    pthread_cond_destroy(&f->changed);
    pthread_mutex_destroy(&f->mutex);
    mem_free(f->requests);
}

/* --- what the other threads ask of it --- */

void failure_thread_set_phase(struct mpi_world *w, enum run_phase phase)
{
    struct failure_thread *f = &w->failure_thread;

    pthread_mutex_lock(&f->mutex);
    f->phase = phase;
    f->waiting = clock_seconds();
    pthread_mutex_unlock(&f->mutex);
}

void failure_thread_drain(struct mpi_world *w)
{
    pthread_mutex_lock(&w->failure_thread.mutex);
    w->failure_thread.is_draining = true;
    pthread_cond_broadcast(&w->failure_thread.changed);
    pthread_mutex_unlock(&w->failure_thread.mutex);
}

void failure_thread_report(struct mpi_world *w, enum status why, const char *text)
{
    struct failure_thread *f = &w->failure_thread;

    if (!failure_set(&w->failure, why, text))
        return;
    core_slots_open(w->slots);
    pthread_mutex_lock(&f->mutex);
    f->has_notice = !is_first_process(w);
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->mutex);
}

enum status failure_thread_sleep(struct mpi_world *w, double seconds)
{
    struct failure_thread *f = &w->failure_thread;
    const struct timespec until = mpi_moment_after(seconds);
    int error = 0;

    pthread_mutex_lock(&f->mutex);
    while (error != ETIMEDOUT && !failure_is_set(&w->failure))
        error = pthread_cond_timedwait(&f->changed, &f->mutex, &until);
    pthread_mutex_unlock(&f->mutex);
    return failure_is_set(&w->failure) ? failure_answer(&w->failure) : STATUS_OK;
}

enum status failure_thread_answer(struct mpi_world *w)
{
    struct failure_thread *f = &w->failure_thread;

    pthread_mutex_lock(&f->mutex);
    while (f->verdict == STATUS_OK)
        pthread_cond_wait(&f->changed, &f->mutex);

    const enum status verdict = f->verdict;
    const bool prints = is_first_process(w) && !f->is_reported;

    f->is_reported = true;
    pthread_mutex_unlock(&f->mutex);
    return FAIL(verdict, "%s", prints ? w->failure.first.text : "");
}
