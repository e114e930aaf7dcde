/*
 * slots.c - a counting semaphore that is fair: a slot given back goes straight to the one who has
 * waited longest.
 *
 * The giver is about to sleep, and its core about to be free. The system cannot know: it may put
 * the one who is woken behind another worker on another core, and leave the free one idle for
 * milliseconds. So the sleeper is told its core before it is woken, and is free again afterwards.
 *
 * A slot's core is where its holder was when it gave it back, unless another slot has that core:
 * two slots whose holders met on one core would go on there, one behind the other, for as long as
 * anything else keeps the other core from being idle.
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
    int count, free;
    int *stack; /* [count], [free] in use: the slots that are free */
    int *cores; /* [count] of the slots, no two alike; -1: not known yet */
    bool is_open;
    struct slots_place *first, *last;
};

struct slots *slots_new(int count)
{
    CHECK(count >= 1);

    struct slots *s = MEM_NEW(struct slots);

    pthread_mutex_init(&s->mutex, NULL);
    s->count = s->free = count;
    s->stack = MEM_NEW_N(int, count);
    s->cores = MEM_NEW_N(int, count);
    for (int i = 0; i < count; i++) {
        s->stack[i] = i;
        s->cores[i] = -1;
    }
    return s;
}

void slots_free(struct slots *s)
{
    if (s == NULL)
        return;
    CHECK(s->first == NULL);
    pthread_mutex_destroy(&s->mutex);
    mem_free(s->stack);
    mem_free(s->cores);
    mem_free(s);
}

void slots_place_init(struct slots_place *p)
{
    *p = (struct slots_place){.slot = SLOT_NONE};
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

/* Answers whom, to be woken after the lock was given up: one who wakes up on this core and finds
 * it locked would have to wait for the one who woke it. */
static struct slots_place *grant_first(struct slots *s, int slot)
{
    struct slots_place *p = s->first;

    s->first = p->next;
    p->coming = slot;
    if (slot != SLOT_NONE && s->cores[slot] >= 0 && p->is_asleep)
        move(p, s->cores[slot]);
    p->is_granted = true;
    return p;
}

static void unlock_and_wake(struct slots *s, struct slots_place *p)
{
    pthread_mutex_unlock(&s->mutex);
    if (p != NULL)
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
    p->slot = p->coming;
}

/* Whether there was one; none is needed once all are open. */
static bool take_free(struct slots *s, int *slot)
{
    *slot = s->free > 0 ? s->stack[--s->free] : SLOT_NONE;
    return *slot != SLOT_NONE || s->is_open;
}

void slots_ask(struct slots *s, struct slots_place *p)
{
    int slot;

    pthread_mutex_lock(&s->mutex);
    join_line(s, p);
    unlock_and_wake(s, take_free(s, &slot) ? grant_first(s, slot) : NULL);
}

void slots_await(struct slots *s, struct slots_place *p)
{
    pthread_mutex_lock(&s->mutex);
    wait_in_line(s, p);
    pthread_mutex_unlock(&s->mutex);
}

void slots_take(struct slots *s, struct slots_place *p)
{
    pthread_mutex_lock(&s->mutex);
    if (!take_free(s, &p->slot)) {
        join_line(s, p);
        wait_in_line(s, p);
    }
    pthread_mutex_unlock(&s->mutex);
}

static void note_core(struct slots *s, int slot, int core)
{
    for (int i = 0; i < s->count; i++)
        if (s->cores[i] == core)
            return; /* of another slot, or known already */
    s->cores[slot] = core;
}

void slots_give(struct slots *s, struct slots_place *p)
{
    const int slot = p->slot;
    struct slots_place *next = NULL;

    if (slot == SLOT_NONE)
        return;
    p->slot = SLOT_NONE;
    pthread_mutex_lock(&s->mutex);
    note_core(s, slot, sched_getcpu());
    if (s->first != NULL)
        next = grant_first(s, slot);
    else
        s->stack[s->free++] = slot;
    unlock_and_wake(s, next);
}

void slots_open(struct slots *s)
{
    pthread_mutex_lock(&s->mutex);
    s->is_open = true;
    while (s->first != NULL)
        pthread_cond_signal(&grant_first(s, SLOT_NONE)->granted);
    pthread_mutex_unlock(&s->mutex);
}
