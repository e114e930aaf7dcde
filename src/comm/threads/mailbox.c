/*
 * mailbox.c - the memory of an endpoint's mailbox, and waking its owner.
 *
 * Not here: sending (send.c), receiving (receive.c).
 */
#include <time.h>

#include "base/mem.h"
#include "comm/threads/internal.h"

void mailbox_init(struct mailbox *m)
{
    pthread_condattr_t monotonic;

    *m = (struct mailbox){0};
    pthread_mutex_init(&m->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&m->arrived, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static void free_messages(struct message_pool *pool, struct message *m)
{
    while (m != NULL) {
        struct message *next = m->next;

        if (m->buffer != NULL)
            message_buffer_release(pool, m->buffer);
        mem_free(m);
        m = next;
    }
}

void mailbox_release(struct threads_endpoint *e)
{
    struct mailbox *m = &e->mailbox;
    struct message_pool *pool = &e->world->pool;

    for (int kind = 0; kind < TRANSPORT_KINDS; kind++)
        free_messages(pool, m->first[kind]);
    free_messages(pool, m->spare);
    threads_give_back(&e->base);
    for (int i = 0; i < e->base.size && m->senders != NULL; i++)
        mem_free(m->senders[i]);
    mem_free(m->senders);
    pthread_cond_destroy(&m->arrived);
    pthread_mutex_destroy(&m->mutex);
    *m = (struct mailbox){0};
}

/*
 * Made on demand: most endpoints receive from few others or from none, and the states of all would
 * be a square of memory.
 */
struct sender_state *mailbox_sender(struct mailbox *m, int from, int size)
{
    if (m->senders == NULL)
        m->senders = MEM_NEW_N(struct sender_state *, size);
    if (m->senders[from] == NULL)
        m->senders[from] = MEM_NEW(struct sender_state);
    return m->senders[from];
}

/* Unlocked first: the receiver begins with locking it. */
void mailbox_unlock_and_wake(struct threads_endpoint *e)
{
    struct mailbox *m = &e->mailbox;
    const bool is_parked = m->is_parked;

    m->is_parked = false;
    pthread_mutex_unlock(&m->mutex);
    if (is_parked)
        core_slots_ask(e->world->slots, &e->slot_holder);
    else
        pthread_cond_signal(&m->arrived);
}

void mailbox_wake(struct threads_endpoint *e)
{
    pthread_mutex_lock(&e->mailbox.mutex);
    mailbox_unlock_and_wake(e);
}
