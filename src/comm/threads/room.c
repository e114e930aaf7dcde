/*
 * room.c - the memory that messages between threads lie in, and who still reads it.
 *
 * What is sent to several endpoints lies in one room that all of them read. Rooms that nobody reads
 * any more are kept, up to a limit, so that a round that sends what the last one sent allocates
 * nothing; the one left last is taken first, because it is still in cache.
 *
 * Not here: whose message it is, and when it may be read (mailbox.c).
 */
#include "base/mem.h"
#include "comm/threads/hub.h"

static const size_t spare_bytes_max = (size_t)256 << 20;

void rooms_init(struct rooms *r)
{
    *r = (struct rooms){0};
    pthread_mutex_init(&r->mutex, NULL);
}

static void room_free(struct room *x)
{
    mem_free(x->data);
    mem_free(x);
}

void rooms_release(struct rooms *r)
{
    for (int i = 0; i < ROOM_SIZES; i++) {
        while (r->spare[i] != NULL) {
            struct room *x = r->spare[i];

            r->spare[i] = x->next;
            room_free(x);
        }
    }
    pthread_mutex_destroy(&r->mutex);
}

/* Rooms whose sizes have as many binary digits are kept together. */
static int digits_of(size_t bytes)
{
    int digits = 0;

    for (; bytes > 0 && digits < ROOM_SIZES - 1; bytes /= 2)
        digits++;
    return digits;
}

static struct room *spare_take(struct rooms *r, size_t bytes)
{
    struct room **first = &r->spare[digits_of(bytes)];

    pthread_mutex_lock(&r->mutex);
    struct room *x = *first;

    if (x != NULL) {
        *first = x->next;
        r->spare_bytes -= x->capacity;
    }
    pthread_mutex_unlock(&r->mutex);
    return x;
}

struct room *room_make(struct rooms *r, const struct outgoing *parts, int count)
{
    const size_t bytes = outgoing_bytes(parts, count);
    struct room *x = spare_take(r, bytes);

    if (x == NULL)
        x = MEM_NEW(struct room);
    if (x->capacity < bytes) {
        mem_free(x->data);
        x->data = mem_alloc((int64_t)bytes, 1);
        x->capacity = bytes;
    }
    outgoing_gather(x->data, parts, count);
    x->bytes = bytes;
    atomic_store_explicit(&x->users, 1, memory_order_relaxed);
    return x;
}

void room_enter(struct room *x)
{
    atomic_fetch_add_explicit(&x->users, 1, memory_order_relaxed);
}

/* Whether it was kept. */
static bool spare_put(struct rooms *r, struct room *x)
{
    struct room **first = &r->spare[digits_of(x->capacity)];

    pthread_mutex_lock(&r->mutex);
    const bool fits = r->spare_bytes + x->capacity <= spare_bytes_max;

    if (fits) {
        x->next = *first;
        *first = x;
        r->spare_bytes += x->capacity;
    }
    pthread_mutex_unlock(&r->mutex);
    return fits;
}

void room_leave(struct rooms *r, struct room *x)
{
    if (atomic_fetch_sub_explicit(&x->users, 1, memory_order_acq_rel) > 1)
        return;
    if (!spare_put(r, x))
        room_free(x);
}
