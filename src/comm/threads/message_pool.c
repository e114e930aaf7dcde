/*
 * message_pool.c - the memory that messages between threads lie in, and who still reads it.
 *
 * What is sent to several endpoints lies in one buffer that all of them read. Buffers that nobody
 * reads any more are kept, up to a limit, so that a round that sends what the last one sent
 * allocates nothing; the one left last is taken first, because it is still in cache.
 *
 * Not here: whose message it is, and when it may be read (receive.c).
 */
#include "base/mem.h"
#include "comm/threads/internal.h"

static const size_t spare_bytes_max = (size_t)256 << 20;

void message_pool_init(struct message_pool *pool)
{
    *pool = (struct message_pool){0};
    pthread_mutex_init(&pool->mutex, NULL);
}

static void message_buffer_free(struct message_buffer *x)
{
    mem_free(x->data);
    mem_free(x);
}

void message_pool_release(struct message_pool *pool)
{
    for (int i = 0; i < MESSAGE_POOL_SIZES; i++) {
        while (pool->spare[i] != NULL) {
            struct message_buffer *x = pool->spare[i];

            pool->spare[i] = x->next;
            message_buffer_free(x);
        }
    }
    pthread_mutex_destroy(&pool->mutex);
}

/* Buffers whose sizes have as many binary digits are kept together. */
static int digits_of(size_t bytes)
{
    int digits = 0;

    for (; bytes > 0 && digits < MESSAGE_POOL_SIZES - 1; bytes /= 2)
        digits++;
    return digits;
}

static struct message_buffer *spare_take(struct message_pool *pool, size_t bytes)
{
    struct message_buffer **first = &pool->spare[digits_of(bytes)];

    pthread_mutex_lock(&pool->mutex);
    struct message_buffer *x = *first;

    if (x != NULL) {
        *first = x->next;
        pool->spare_bytes -= x->capacity;
    }
    pthread_mutex_unlock(&pool->mutex);
    return x;
}

struct message_buffer *message_buffer_new(struct message_pool *pool, const struct outgoing *parts,
                                          int count)
{
    const size_t bytes = transport_outgoing_bytes(parts, count);
    struct message_buffer *x = spare_take(pool, bytes);

    if (x == NULL)
        x = MEM_NEW(struct message_buffer);
    if (x->capacity < bytes) {
        mem_free(x->data);
        x->data = mem_alloc((int64_t)bytes, 1);
        x->capacity = bytes;
    }
    transport_gather_parts(x->data, parts, count);
    x->bytes = bytes;
    atomic_store_explicit(&x->users, 1, memory_order_relaxed);
    return x;
}

void message_buffer_retain(struct message_buffer *x)
{
    atomic_fetch_add_explicit(&x->users, 1, memory_order_relaxed);
}

/* Whether it was kept. */
static bool spare_put(struct message_pool *pool, struct message_buffer *x)
{
    struct message_buffer **first = &pool->spare[digits_of(x->capacity)];

    pthread_mutex_lock(&pool->mutex);
    const bool fits = pool->spare_bytes + x->capacity <= spare_bytes_max;

    if (fits) {
        x->next = *first;
        *first = x;
        pool->spare_bytes += x->capacity;
    }
    pthread_mutex_unlock(&pool->mutex);
    return fits;
}

void message_buffer_release(struct message_pool *pool, struct message_buffer *x)
{
    if (atomic_fetch_sub_explicit(&x->users, 1, memory_order_acq_rel) > 1)
        return;
    if (!spare_put(pool, x))
        message_buffer_free(x);
}
