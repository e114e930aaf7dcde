/*
 * core_slots.c - a counting semaphore that is fair: a slot given back goes straight to the one who
 * has waited longest.
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
#include "comm/core_slots.h"

#include <sched.h>
#include <stddef.h>

#include "base/check.h"
#include "base/mem.h"

struct core_slots {
    pthread_mutex_t mutex;
    int count, free;
    int *stack; /* [count], [free] in use: the slots that are free */
    int *cores; /* [count] of the slots, no two alike; -1: not known yet */
    bool is_open;
    struct core_slot_holder *first, *last;
};

struct core_slots *core_slots_new(int count)
{
    CHECK(count >= 1);

    struct core_slots *s = MEM_NEW(struct core_slots);

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

void core_slots_free(struct core_slots *s)
{
    if (s == NULL)
        return;
    CHECK(s->first == NULL);
    pthread_mutex_destroy(&s->mutex);
    mem_free(s->stack);
    mem_free(s->cores);
    mem_free(s);
}

void core_slot_holder_init(struct core_slot_holder *h)
{
    *h = (struct core_slot_holder){.slot = CORE_SLOT_NONE};
    pthread_cond_init(&h->granted, NULL);
}

void core_slot_holder_release(struct core_slot_holder *h)
{
    pthread_cond_destroy(&h->granted);
}

/* The sleeper wakes up on this core, if it may run there. */
static void move_to_core(struct core_slot_holder *h, int core)
{
    cpu_set_t one;

    if (pthread_getaffinity_np(h->owner, sizeof h->cores, &h->cores) != 0 ||
        !CPU_ISSET(core, &h->cores))
        return;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    h->is_moved = pthread_setaffinity_np(h->owner, sizeof one, &one) == 0;
}

/* Answers whom, to be woken after the lock was given up: one who wakes up on this core and finds
 * it locked would have to wait for the one who woke it. */
static struct core_slot_holder *grant_first(struct core_slots *s, int slot)
{
    struct core_slot_holder *h = s->first;

    s->first = h->next;
    h->coming = slot;
    if (slot != CORE_SLOT_NONE && s->cores[slot] >= 0 && h->is_asleep)
        move_to_core(h, s->cores[slot]);
    h->is_granted = true;
    return h;
}

static void unlock_and_wake(struct core_slots *s, struct core_slot_holder *h)
{
    pthread_mutex_unlock(&s->mutex);
    if (h != NULL)
        pthread_cond_signal(&h->granted);
}

static void join_line(struct core_slots *s, struct core_slot_holder *h)
{
    h->next = NULL;
    if (s->first == NULL)
        s->first = h;
    else
        s->last->next = h;
    s->last = h;
}

static void wait_in_line(struct core_slots *s, struct core_slot_holder *h)
{
    h->owner = pthread_self();
    h->is_asleep = true;
    while (!h->is_granted)
        pthread_cond_wait(&h->granted, &s->mutex);
    if (h->is_moved)
        pthread_setaffinity_np(h->owner, sizeof h->cores, &h->cores);
    h->is_granted = h->is_asleep = h->is_moved = false;
    h->slot = h->coming;
}

/* Whether there was one; none is needed once all are open. */
static bool take_free(struct core_slots *s, int *slot)
{
    *slot = s->free > 0 ? s->stack[--s->free] : CORE_SLOT_NONE;
    return *slot != CORE_SLOT_NONE || s->is_open;
}

void core_slots_ask(struct core_slots *s, struct core_slot_holder *h)
{
    int slot;

    pthread_mutex_lock(&s->mutex);
    join_line(s, h);
    unlock_and_wake(s, take_free(s, &slot) ? grant_first(s, slot) : NULL);
}

void core_slots_await(struct core_slots *s, struct core_slot_holder *h)
{
    pthread_mutex_lock(&s->mutex);
    wait_in_line(s, h);
    pthread_mutex_unlock(&s->mutex);
}

void core_slots_take(struct core_slots *s, struct core_slot_holder *h)
{
    pthread_mutex_lock(&s->mutex);
    if (!take_free(s, &h->slot)) {
        join_line(s, h);
        wait_in_line(s, h);
    }
    pthread_mutex_unlock(&s->mutex);
}

static void note_core(struct core_slots *s, int slot, int core)
{
    for (int i = 0; i < s->count; i++)
        if (s->cores[i] == core)
            return; /* of another slot, or known already */
    s->cores[slot] = core;
}

void core_slots_give(struct core_slots *s, struct core_slot_holder *h)
{
    const int slot = h->slot;
    struct core_slot_holder *next = NULL;

    if (slot == CORE_SLOT_NONE)
        return;
    h->slot = CORE_SLOT_NONE;
    pthread_mutex_lock(&s->mutex);
    note_core(s, slot, sched_getcpu());
    if (s->first != NULL)
        next = grant_first(s, slot);
    else
        s->stack[s->free++] = slot;
    unlock_and_wake(s, next);
}

void core_slots_open(struct core_slots *s)
{
    pthread_mutex_lock(&s->mutex);
    s->is_open = true;
    while (s->first != NULL)
        pthread_cond_signal(&grant_first(s, CORE_SLOT_NONE)->granted);
    pthread_mutex_unlock(&s->mutex);
}
