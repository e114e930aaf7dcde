/*
 * slots.c - a counting semaphore that is fair: a slot given back goes straight to the one who has
 * waited longest.
 *
 * The giver is about to sleep, and its core about to be free. The system cannot know: it may put
 * the one who is woken behind another worker on another core, and leave the free one idle for
 * milliseconds. So the sleeper is told its core before it is woken, and is free again afterwards.
 *
 * Invariant: while somebody waits, no slot is free.
 */
#include "comm/slots.h"

#include <sched.h>
#include <stddef.h>

#include "base/check.h"
#include "base/mem.h"

struct slots {
    pthread_mutex_t mutex;
    int free;
    int *cores; /* [count], [free] in use: where they were given back; -1: nowhere yet */
    bool is_open;
    struct slots_place *first, *last;
};

struct slots *slots_new(int count)
{
    CHECK(count >= 1);

    struct slots *s = MEM_NEW(struct slots);

    pthread_mutex_init(&s->mutex, NULL);
    s->free = count;
    s->cores = MEM_NEW_N(int, count);
    for (int i = 0; i < count; i++)
        s->cores[i] = -1;
    return s;
}

void slots_free(struct slots *s)
{
    if (s == NULL)
        return;
    CHECK(s->first == NULL);
    pthread_mutex_destroy(&s->mutex);
    mem_free(s->cores);
    mem_free(s);
}

void slots_place_init(struct slots_place *p)
{
    *p = (struct slots_place){0};
    pthread_cond_init(&p->granted, NULL);
}

void slots_place_release(struct slots_place *p)
{
    pthread_cond_destroy(&p->granted);
}

/* The sleeper wakes up on this core, if it may run there. */
static void move(struct slots_place *p, int core)
{
    cpu_set_t one;

    if (pthread_getaffinity_np(p->owner, sizeof p->cores, &p->cores) != 0 ||
        !CPU_ISSET(core, &p->cores))
        return;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    p->is_moved = pthread_setaffinity_np(p->owner, sizeof one, &one) == 0;
}

static void grant_first(struct slots *s, int core)
{
    struct slots_place *p = s->first;

    s->first = p->next;
    if (core >= 0 && p->is_asleep)
        move(p, core);
    p->is_granted = true;
    pthread_cond_signal(&p->granted);
}

static void join_line(struct slots *s, struct slots_place *p)
{
    p->next = NULL;
    if (s->first == NULL)
        s->first = p;
    else
        s->last->next = p;
    s->last = p;
}

static void wait_in_line(struct slots *s, struct slots_place *p)
{
    p->owner = pthread_self();
    p->is_asleep = true;
    while (!p->is_granted)
        pthread_cond_wait(&p->granted, &s->mutex);
    if (p->is_moved)
        pthread_setaffinity_np(p->owner, sizeof p->cores, &p->cores);
    p->is_granted = p->is_asleep = p->is_moved = false;
}

/* Whether there was one. */
static bool take_free(struct slots *s)
{
    if (s->free > 0)
        s->free--;
    else if (!s->is_open)
        return false;
    return true;
}

void slots_ask(struct slots *s, struct slots_place *p)
{
    pthread_mutex_lock(&s->mutex);
    join_line(s, p);
    if (take_free(s))
        grant_first(s, s->is_open ? -1 : s->cores[s->free]);
    pthread_mutex_unlock(&s->mutex);
}

void slots_await(struct slots *s, struct slots_place *p)
{
    pthread_mutex_lock(&s->mutex);
    wait_in_line(s, p);
    pthread_mutex_unlock(&s->mutex);
}

void slots_take(struct slots *s)
{
    pthread_mutex_lock(&s->mutex);
    if (!take_free(s)) {
        struct slots_place mine = {.granted = PTHREAD_COND_INITIALIZER};

        join_line(s, &mine);
        wait_in_line(s, &mine);
        pthread_cond_destroy(&mine.granted);
    }
    pthread_mutex_unlock(&s->mutex);
}

void slots_give(struct slots *s)
{
    pthread_mutex_lock(&s->mutex);
    if (s->first != NULL)
        grant_first(s, sched_getcpu());
    else if (!s->is_open)
        s->cores[s->free++] = sched_getcpu();
    pthread_mutex_unlock(&s->mutex);
}

void slots_open(struct slots *s)
{
    pthread_mutex_lock(&s->mutex);
    s->is_open = true;
    while (s->first != NULL)
        grant_first(s, -1);
    pthread_mutex_unlock(&s->mutex);
}
