/*
 * slots.h - how many workers of a process compute at once. Who waits for a slot gets it in the
 * order of asking, or a worker that gives its slot back and wants it again would starve the others.
 */
#ifndef COMM_SLOTS_H
#define COMM_SLOTS_H

struct slots;

struct slots *slots_new(int count);
void slots_free(struct slots *s);

void slots_take(struct slots *s);
void slots_give(struct slots *s);

/* From now on nobody waits: the run is ending. */
void slots_open(struct slots *s);

#endif
