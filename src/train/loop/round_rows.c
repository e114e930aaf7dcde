/*
 * round_rows.c - a queue of rounds, guarded by a mutex.
 *
 * All workers hand in the same rounds in the same order, so a new round is always the last. Workers
 * may be many rounds apart: rounds are found by a hash of their number.
 */
#include "train/loop/round_rows.h"

#include <pthread.h>

#include "base/check.h"
#include "base/mem.h"

enum { BUCKETS = 1024 };

struct round_queue {
    int workers;
    pthread_mutex_t mutex;             /* guards what follows */
    struct round_rows *first, *last;   /* in order of rounds */
    struct round_rows *found[BUCKETS]; /* by round % BUCKETS, the latest first */
};

struct round_queue *round_queue_new(int workers)
{
    struct round_queue *q = MEM_NEW(struct round_queue);

    q->workers = workers;
    pthread_mutex_init(&q->mutex, NULL);
    return q;
}

void round_queue_free(struct round_queue *q)
{
    if (q == NULL)
        return;
    while (q->first != NULL) {
        struct round_rows *r = q->first;

        q->first = r->next;
        mem_free(r);
    }
    pthread_mutex_destroy(&q->mutex);
    mem_free(q);
}

/* With the lock held. */
static struct round_rows *append_round(struct round_queue *q, int64_t round)
{
    struct round_rows *r =
        mem_alloc(1, sizeof(struct round_rows) + (size_t)q->workers * sizeof(struct counters));

    CHECK(q->last == NULL || round > q->last->facts.round);
    *r = (struct round_rows){.facts.round = round, .next_found = q->found[round % BUCKETS]};
    q->found[round % BUCKETS] = r;
    if (q->last == NULL)
        q->first = r;
    else
        q->last->next = r;
    q->last = r;
    return r;
}

/* With the lock held. */
static struct round_rows *find_round(struct round_queue *q, int64_t round)
{
    struct round_rows *r = q->found[round % BUCKETS];

    while (r != NULL && r->facts.round != round)
        r = r->next_found;
    return r;
}

void round_queue_hand_in(struct round_queue *q, int worker, const struct round_facts *facts,
                         const struct counters *c)
{
    pthread_mutex_lock(&q->mutex);
    struct round_rows *r = find_round(q, facts->round);

    if (r == NULL)
        r = append_round(q, facts->round);
    r->workers[worker] = *c;
    r->arrived++;
    if (worker == 0)
        r->facts = *facts;
    pthread_mutex_unlock(&q->mutex);
}

/* With the lock held. It is the earliest, and so the last of its bucket. */
static void remove_first(struct round_queue *q)
{
    struct round_rows *r = q->first, **at = &q->found[r->facts.round % BUCKETS];

    while (*at != r)
        at = &(*at)->next_found;
    *at = r->next_found;
    q->first = r->next;
    if (q->first == NULL)
        q->last = NULL;
}

struct round_rows *round_queue_take(struct round_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    struct round_rows *r = q->first;

    if (r != NULL && r->arrived == q->workers)
        remove_first(q);
    else
        r = NULL;
    pthread_mutex_unlock(&q->mutex);
    return r;
}
