/*
 * slots.h - how many workers of a process compute at once. Who waits for a slot gets it in the
 * order of asking, or a worker that gives its slot back and wants it again would starve the others;
 * and wakes up on the slot's core, which is where it was given back and no other slot's.
 */
#ifndef COMM_SLOTS_H
#define COMM_SLOTS_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

struct slots;

enum { SLOT_NONE = -1 };

/* A place in the line, and the slot that came of it. It belongs to one thread, and is not released
 * before those that give and ask for slots have ended; its content belongs to slots.c. */
struct slots_place {
    struct slots_place *next;
    int slot;   /* that its owner holds; SLOT_NONE: none */
    int coming; /* what was granted: the owner may still have to give its old one back */
    pthread_cond_t granted;
    bool is_granted;
    bool is_asleep, is_moved;
    pthread_t owner; /* while it is asleep */
    cpu_set_t cores; /* where it may run otherwise, while it is moved */
};

struct slots *slots_new(int count);
void slots_free(struct slots *s);

void slots_place_init(struct slots_place *p);
void slots_place_release(struct slots_place *p);

void slots_take(struct slots *s, struct slots_place *p);
void slots_give(struct slots *s, struct slots_place *p); /* nothing where the place holds none */

/*
 * Taking a slot in two steps: somebody asks, and the owner of the place waits until it has the
 * slot. So one thread may ask for many, in an order of its own, and each of them wakes up once.
 */
void slots_ask(struct slots *s, struct slots_place *p);
void slots_await(struct slots *s, struct slots_place *p);

/* From now on nobody waits: the run is ending. */
void slots_open(struct slots *s);

#endif
