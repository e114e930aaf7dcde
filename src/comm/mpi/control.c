/*
 * control.c - failure over MPI: one message for all processes, and no process left behind.
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
#include "comm/mpi/wire.h"

enum { TAG_NOTICE = 1, TAG_VERDICT = 2 };

/* Between two looks of the control thread; faster when something is going on. */
static const double look_s = 5e-3, busy_look_s = 0.5e-3;

/* After a failure: when rank 0 prints it, when running bodies and when waiting is given up. */
static const double tell_s = 1.0, running_s = 2.0, waiting_s = 4.0;

static bool is_first_process(const struct mpi_world *w)
{
    return w->base.process == 0;
}

static struct timespec moment_after(double seconds)
{
    const double at = clock_seconds() + fmin(seconds, 1e9);
    const double whole = floor(at);

    return (struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)((at - whole) * 1e9)};
}

/* --- notices --- */

/* With the lock held. */
static void post(struct mpi_world *w, int to, int tag)
{
    struct control *c = &w->control;

    MPI_Isend(&c->out, (int)sizeof c->out, MPI_BYTE, to, tag, w->control_comm,
              &c->requests[c->request_count++]);
}

static void write_notice(struct mpi_world *w)
{
    struct notice *out = &w->control.out;

    out->status = (int32_t)w->failure.first.status;
    snprintf(out->text, sizeof out->text, "%s", w->failure.first.text);
}

/* With the lock held, after a failure. */
static void send_notices(struct mpi_world *w)
{
    struct control *c = &w->control;

    if (is_first_process(w) && c->verdict == STATUS_OK) {
        c->verdict = w->failure.first.status;
        write_notice(w);
        for (int r = 1; r < w->base.processes; r++)
            post(w, r, TAG_VERDICT);
        pthread_cond_broadcast(&c->changed);
    } else if (c->has_notice) {
        c->has_notice = false;
        write_notice(w);
        post(w, 0, TAG_NOTICE);
    }
}

static void take_notices(struct mpi_world *w)
{
    struct control *c = &w->control;
    struct notice in;
    MPI_Message message;
    MPI_Status status;
    int is_there = 0;

    while (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, w->control_comm, &is_there, &message,
                       &status) == MPI_SUCCESS &&
           is_there) {
        MPI_Mrecv(&in, (int)sizeof in, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        failure_set(&w->failure, (enum status)in.status, in.text);
        slots_open(w->slots);
        pthread_mutex_lock(&c->mutex);
        if (status.MPI_TAG == TAG_VERDICT)
            c->verdict = (enum status)in.status;
        pthread_cond_broadcast(&c->changed);
        pthread_mutex_unlock(&c->mutex);
    }
}

/* --- what nobody receives any more --- */

/* Whether something was thrown away, or is about to be. */
static bool drain_one(struct mpi_world *w, MPI_Comm comm)
{
    struct control *c = &w->control;
    MPI_Message message;
    MPI_Status status;
    MPI_Count bytes = 0;
    int is_there = 0;

    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &is_there, &message, &status);
    if (!is_there)
        return false;
    MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    c->trash_data = mem_alloc((int64_t)bytes, 1);

    const struct span s = mpi_span((size_t)bytes);

    MPI_Imrecv(c->trash_data, s.count, s.type, &message, &c->trash);
    mpi_span_end(s);
    return true;
}

static bool trash_is_gone(struct control *c)
{
    int done = 0;

    if (c->trash == MPI_REQUEST_NULL)
        return true;
    MPI_Test(&c->trash, &done, MPI_STATUS_IGNORE);
    if (!done)
        return false;
    mem_free(c->trash_data);
    c->trash_data = NULL;
    return true;
}

static void drain(struct mpi_world *w)
{
    while (trash_is_gone(&w->control))
        if (!drain_one(w, w->messages) && !drain_one(w, w->sums))
            return;
}

/* --- the end of what does not end by itself --- */

/* With the lock held: nobody else prints it then. */
static void tell(struct mpi_world *w)
{
    if (w->control.is_told)
        return;
    w->control.is_told = true;
    log_say(LOG_ERROR, "%s", w->failure.first.text);
}

/* With the lock held, after a failure. */
static void watch_time(struct mpi_world *w)
{
    struct control *c = &w->control;
    const double now = clock_seconds();

    if (c->place == PLACE_IDLE)
        return;
    if (is_first_process(w) && now > c->failed + tell_s)
        tell(w);

    const bool is_late = c->place == PLACE_RUNNING ? now > c->failed + running_s
                                                   : now > fmax(c->failed, c->waiting) + waiting_s;

    if (!is_late)
        return;
    if (is_first_process(w) || c->verdict == STATUS_OK)
        tell(w);
    MPI_Abort(MPI_COMM_WORLD, status_exit_code(w->failure.first.status));
}

/* --- the thread --- */

/* With the lock held. Whether there is reason to look again soon. */
static bool look_after(struct mpi_world *w)
{
    struct control *c = &w->control;

    if (!failure_is_set(&w->failure))
        return c->is_draining;
    if (c->failed == 0.0)
        c->failed = clock_seconds();
    send_notices(w);
    watch_time(w);
    return true;
}

static void *control_main(void *argument)
{
    struct mpi_world *w = argument;
    struct control *c = &w->control;
    bool is_busy = false;

    log_set_worker(w->base.process);
    pthread_mutex_lock(&c->mutex);
    while (!c->is_stopping || c->trash != MPI_REQUEST_NULL) {
        const struct timespec until = moment_after(is_busy ? busy_look_s : look_s);

        pthread_cond_timedwait(&c->changed, &c->mutex, &until);
        pthread_mutex_unlock(&c->mutex);
        take_notices(w);
        if (is_busy)
            drain(w);
        pthread_mutex_lock(&c->mutex);
        is_busy = look_after(w);
    }
    pthread_mutex_unlock(&c->mutex);
    return NULL;
}

enum status control_start(struct mpi_world *w)
{
    struct control *c = &w->control;
    pthread_condattr_t monotonic;

    *c = (struct control){.trash = MPI_REQUEST_NULL};
    pthread_mutex_init(&c->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&c->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    c->requests = MEM_NEW_N(MPI_Request, w->base.processes);

    const int error = pthread_create(&c->thread, NULL, control_main, w);

    if (error != 0)
        return FAIL(STATUS_BAD_INPUT, "transport mpi cannot start its control thread: %s",
                    strerror(error));
    return STATUS_OK;
}

void control_stop(struct mpi_world *w)
{
    struct control *c = &w->control;

    pthread_mutex_lock(&c->mutex);
    c->is_stopping = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
    pthread_join(c->thread, NULL);
    MPI_Waitall(c->request_count, c->requests, MPI_STATUSES_IGNORE);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->mutex);
    mem_free(c->requests);
}

/* --- what the other threads ask of it --- */

void control_place(struct mpi_world *w, enum place place)
{
    struct control *c = &w->control;

    pthread_mutex_lock(&c->mutex);
    c->place = place;
    c->waiting = clock_seconds();
    pthread_mutex_unlock(&c->mutex);
}

void control_drain(struct mpi_world *w)
{
    pthread_mutex_lock(&w->control.mutex);
    w->control.is_draining = true;
    pthread_cond_broadcast(&w->control.changed);
    pthread_mutex_unlock(&w->control.mutex);
}

void control_fail(struct mpi_world *w, enum status why, const char *text)
{
    struct control *c = &w->control;

    if (!failure_set(&w->failure, why, text))
        return;
    slots_open(w->slots);
    pthread_mutex_lock(&c->mutex);
    c->has_notice = !is_first_process(w);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
}

enum status control_sleep(struct mpi_world *w, double seconds)
{
    struct control *c = &w->control;
    const struct timespec until = moment_after(seconds);
    int error = 0;

    pthread_mutex_lock(&c->mutex);
    while (error != ETIMEDOUT && !failure_is_set(&w->failure))
        error = pthread_cond_timedwait(&c->changed, &c->mutex, &until);
    pthread_mutex_unlock(&c->mutex);
    return failure_is_set(&w->failure) ? failure_answer(&w->failure) : STATUS_OK;
}

enum status control_answer(struct mpi_world *w)
{
    struct control *c = &w->control;

    pthread_mutex_lock(&c->mutex);
    while (c->verdict == STATUS_OK)
        pthread_cond_wait(&c->changed, &c->mutex);

    const enum status verdict = c->verdict;
    const bool tells = is_first_process(w) && !c->is_told;

    c->is_told = true;
    pthread_mutex_unlock(&c->mutex);
    return FAIL(verdict, "%s", tells ? w->failure.first.text : "");
}
