/*
 * team.c - the threads of a team and how they meet.
 *
 * A run is a number. The caller publishes body and context, then raises the number; every thread
 * that sees a new number runs the body and takes one from `running`. Both waits spin first and then
 * sleep on a condition variable. What is written before the number is raised is visible to who has
 * read it, and what the threads wrote is visible to who has seen `running` fall to zero.
 */
#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"

enum { SPINS = 2000 }; /* some 20 to 80 microseconds: longer than the gap between two runs */

struct member {
    struct team *team; /* borrowed */
    pthread_t id;
    int thread;
};

struct team {
    int threads;
    bool spins;
    struct member *members; /* [threads]; the first is the caller and has no id */

    team_body *body; /* of the current run; NULL ends the threads */
    void *context;
    atomic_uint run;
    atomic_int running;
    atomic_bool is_busy;

    pthread_mutex_t mutex;
    pthread_cond_t started, ended;
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void wait_for_start(struct team *t, unsigned last_run)
{
    for (int i = 0; t->spins && i < SPINS; i++) {
        if (atomic_load_explicit(&t->run, memory_order_acquire) != last_run)
            return;
        relax();
    }
    pthread_mutex_lock(&t->mutex);
    while (atomic_load_explicit(&t->run, memory_order_acquire) == last_run)
        pthread_cond_wait(&t->started, &t->mutex);
    pthread_mutex_unlock(&t->mutex);
}

static void wait_for_end(struct team *t)
{
    for (int i = 0; t->spins && i < SPINS; i++) {
        if (atomic_load_explicit(&t->running, memory_order_acquire) == 0)
            return;
        relax();
    }
    pthread_mutex_lock(&t->mutex);
    while (atomic_load_explicit(&t->running, memory_order_acquire) != 0)
        pthread_cond_wait(&t->ended, &t->mutex);
    pthread_mutex_unlock(&t->mutex);
}

static void *member_main(void *argument)
{
    struct member *m = argument;
    struct team *t = m->team;

    for (unsigned run = 0;; run++) {
        wait_for_start(t, run);
        if (t->body == NULL)
            return NULL;
        t->body(t->context, m->thread, t->threads);
        if (atomic_fetch_sub_explicit(&t->running, 1, memory_order_acq_rel) == 1) {
            /* With the lock, or the caller could miss it between its question and its sleep. */
            pthread_mutex_lock(&t->mutex);
            pthread_cond_signal(&t->ended);
            pthread_mutex_unlock(&t->mutex);
        }
    }
}

static void start_run(struct team *t, team_body *body, void *context)
{
    t->body = body;
    t->context = context;
    atomic_store_explicit(&t->running, t->threads - 1, memory_order_relaxed);
    pthread_mutex_lock(&t->mutex);
    atomic_fetch_add_explicit(&t->run, 1, memory_order_release);
    pthread_cond_broadcast(&t->started);
    pthread_mutex_unlock(&t->mutex);
}

struct team *team_new(int threads)
{
    CHECK(threads >= 1);

    struct team *t = MEM_NEW(struct team);

    t->members = MEM_NEW_N(struct member, threads);
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->started, NULL);
    pthread_cond_init(&t->ended, NULL);
    t->spins = threads <= team_cores();
    /* Results do not depend on the number of threads: with fewer than asked the work goes on. */
    for (t->threads = 1; t->threads < threads; t->threads++) {
        struct member *m = &t->members[t->threads];
        *m = (struct member){.team = t, .thread = t->threads};

        const int error = pthread_create(&m->id, NULL, member_main, m);

        if (error != 0) {
            log_warning("only %d of %d threads could be started: %s", t->threads, threads,
                        strerror(error));
            break;
        }
    }
    return t;
}

void team_free(struct team *t)
{
    if (t == NULL)
        return;
    start_run(t, NULL, NULL);
    for (int i = 1; i < t->threads; i++)
        pthread_join(t->members[i].id, NULL);
    pthread_cond_destroy(&t->ended);
    pthread_cond_destroy(&t->started);
    pthread_mutex_destroy(&t->mutex);
    mem_free(t->members);
    mem_free(t);
}

int team_size(const struct team *t)
{
    return t->threads;
}

void team_run(struct team *t, team_body *body, void *context)
{
    CHECK(body != NULL);
    if (t->threads == 1) {
        body(context, 0, 1);
        return;
    }
    /* One run at a time: neither from two threads nor from within a body. */
    CHECK(!atomic_exchange_explicit(&t->is_busy, true, memory_order_acquire));
    start_run(t, body, context);
    body(context, 0, t->threads);
    wait_for_end(t);
    atomic_store_explicit(&t->is_busy, false, memory_order_release);
}

void team_part(int64_t count, int thread, int threads, int64_t *begin, int64_t *end)
{
    CHECK(count >= 0 && threads >= 1 && thread >= 0 && thread < threads);

    const int64_t each = count / threads, rest = count % threads;

    *begin = thread * each + (thread < rest ? thread : rest);
    *end = *begin + each + (thread < rest);
}

int team_cores(void)
{
    cpu_set_t mask;

    CPU_ZERO(&mask);
    if (sched_getaffinity(0, sizeof mask, &mask) == 0)
        return CPU_COUNT(&mask);

    const long online = sysconf(_SC_NPROCESSORS_ONLN); /* more CPUs than the mask has room for */

    return online < 1 ? 1 : (int)online;
}
