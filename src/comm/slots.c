/*
 * slots.c - a counting semaphore that is fair: a slot given back goes straight to the one who has
 * waited longest.
 *
 * Invariant: while somebody waits, no slot is free.
 */
#include "comm/slots.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/check.h"
#include "base/mem.h"

/* On the stack of the one who waits. */
struct waiter {
    struct waiter *next;
    pthread_cond_t granted;
    bool is_granted;
};

struct slots {
    pthread_mutex_t mutex;
    int free;
    bool is_open;
    struct waiter *first, *last;
};

struct slots *slots_new(int count)
{
    CHECK(count >= 1);

    struct slots *s = MEM_NEW(struct slots);

    pthread_mutex_init(&s->mutex, NULL);
    s->free = count;
    return s;
}

void slots_free(struct slots *s)
{
    if (s == NULL)
        return;
    CHECK(s->first == NULL);
    pthread_mutex_destroy(&s->mutex);
    mem_free(s);
}

static void wait_in_line(struct slots *s)
{
    struct waiter w = {.granted = PTHREAD_COND_INITIALIZER};

    if (s->first == NULL)
        s->first = &w;
    else
        s->last->next = &w;
    s->last = &w;
    while (!w.is_granted)
        pthread_cond_wait(&w.granted, &s->mutex);
    pthread_cond_destroy(&w.granted);
}

static void grant_first(struct slots *s)
{
    struct waiter *w = s->first;

    s->first = w->next;
    w->is_granted = true;
    pthread_cond_signal(&w->granted);
}

void slots_take(struct slots *s)
{
    pthread_mutex_lock(&s->mutex);
    if (s->free > 0)
        s->free--;
    else if (!s->is_open)
        wait_in_line(s);
    pthread_mutex_unlock(&s->mutex);
}

void slots_give(struct slots *s)
{
    pthread_mutex_lock(&s->mutex);
    if (s->first != NULL)
        grant_first(s);
    else
        s->free++;
    pthread_mutex_unlock(&s->mutex);
}

void slots_open(struct slots *s)
{
    pthread_mutex_lock(&s->mutex);
    s->is_open = true;
    while (s->first != NULL)
        grant_first(s);
    pthread_mutex_unlock(&s->mutex);
}
