/*
 * core_slots.h - how many workers of a process compute at once. Who waits for a slot gets it in the
 * order of asking, or a worker that gives its slot back and wants it again would starve the others;
 * and wakes up on the slot's core, which is where it was given back and no other slot's.
 */
#ifndef COMM_CORE_SLOTS_H
#define COMM_CORE_SLOTS_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

struct core_slots;

enum { CORE_SLOT_NONE = -1 };

/* A place in the line, and the slot that came of it. It belongs to one thread, and is not released
 * before those that give and ask for slots have ended; its content belongs to core_slots.c. */
struct core_slot_holder {
    struct core_slot_holder *next;
    int slot;   /* that its owner holds; CORE_SLOT_NONE: none */
    int coming; /* what was granted: the owner may still have to give its old one back */
    pthread_cond_t granted;
    bool is_granted;
    bool is_asleep, is_moved;
    pthread_t owner; /* while it is asleep */
    cpu_set_t cores; /* where it may run otherwise, while it is moved */
};

struct core_slots *core_slots_new(int count);
void core_slots_free(struct core_slots *s);

void core_slot_holder_init(struct core_slot_holder *h);
void core_slot_holder_release(struct core_slot_holder *h);

void core_slots_take(struct core_slots *s, struct core_slot_holder *h);
void core_slots_give(struct core_slots *s,
                     struct core_slot_holder *h); /* nothing where it holds none */

/*
 * Taking a slot in two steps: somebody asks, and its owner waits until it has the
 * slot. So one thread may ask for many, in an order of its own, and each of them wakes up once.
 */
void core_slots_ask(struct core_slots *s, struct core_slot_holder *h);
void core_slots_await(struct core_slots *s, struct core_slot_holder *h);

/* From now on nobody waits: the run is ending. */
void core_slots_open(struct core_slots *s);

#endif
