/*
 * inbox.c - messages that have come to a process, by the endpoint that they are for.
 *
 * There is no thread that receives. Whoever looks for a message takes all that MPI has for this
 * process and puts each into the inbox of its endpoint, unread: the endpoint itself receives it,
 * straight to its place. So a message is undelivered until its endpoint asks for it, and MPI keeps
 * the order per process and tag, which is that per endpoints and kind.
 *
 * A message inside a process does not go through MPI: its copy is handed over.
 */
#include "base/mem.h"
#include "comm/mpi/internal.h"

enum { KIND_BITS = 5, PLACE_BITS = 13 };
_Static_assert(TRANSPORT_KINDS <= 1 << KIND_BITS, "a kind must fit into a tag");
_Static_assert(MPI_PLACES_MAX == 1 << PLACE_BITS, "a place must fit into a tag");

int mpi_tag_of(const struct world *w, int from, int to, int kind)
{
    return mpi_place_of(w, to) << (KIND_BITS + PLACE_BITS) | mpi_place_of(w, from) << KIND_BITS |
           kind;
}

/* --- putting in --- */

/* With the lock held. */
static struct arrival *arrival_new(struct mpi_world *w)
{
    struct arrival *a = w->spare_arrivals;

    if (a == NULL)
        return MEM_NEW(struct arrival);
    w->spare_arrivals = a->next;
    *a = (struct arrival){0};
    return a;
}

/* With the lock held. */
static void append(struct mpi_endpoint *e, struct arrival *a)
{
    struct inbox *in = &e->inbox;

    if (in->last == NULL)
        in->first = a;
    else
        in->last->next = a;
    in->last = a;
    mpi_wake(e);
}

void mpi_inbox_hand_over(struct mpi_endpoint *to, int from, int kind, struct send_buffer *p)
{
    struct mpi_world *w = to->world;

    pthread_mutex_lock(&w->inbox_mutex);
    struct arrival *a = arrival_new(w);
    a->from = from;
    a->kind = kind;
    a->bytes = p->bytes;
    a->local = p;
    append(to, a);
    pthread_mutex_unlock(&w->inbox_mutex);
}

/* With the lock held: all that MPI has for this process. */
static enum status collect(struct mpi_world *w)
{
    const int mask = MPI_PLACES_MAX - 1;

    for (;;) {
        MPI_Message message;
        MPI_Status status;
        MPI_Count bytes = 0;
        int is_there = 0;

        TRY(mpi_check(
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, w->messages, &is_there, &message, &status),
            "MPI_Improbe"));
        if (!is_there)
            return STATUS_OK;
        TRY(mpi_check(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x"));

        struct arrival *a = arrival_new(w);
        const int tag = status.MPI_TAG;

        a->from = mpi_endpoint_at(&w->base, status.MPI_SOURCE, tag >> KIND_BITS & mask);
        a->kind = tag & (TRANSPORT_KINDS - 1);
        a->bytes = (size_t)bytes;
        a->message = message;
        append((struct mpi_endpoint *)w->endpoints[tag >> (KIND_BITS + PLACE_BITS) & mask], a);
    }
}

/* --- taking out --- */

static bool is_wanted(const struct arrival *a, int from, transport_kinds kinds)
{
    return (from == TRANSPORT_ANY || from == a->from) && (kinds & transport_kinds_of(a->kind)) != 0;
}

/* With the lock held. The highest kind first, because control kinds are few; then the oldest. */
static bool take(struct mpi_endpoint *e, int from, transport_kinds kinds, struct arrival *out)
{
    struct arrival **best = NULL, *before = NULL, *previous = NULL;

    for (struct arrival **at = &e->inbox.first; *at != NULL; at = &(*at)->next) {
        if (is_wanted(*at, from, kinds) && (best == NULL || (*at)->kind > (*best)->kind)) {
            best = at;
            before = previous;
        }
        previous = *at;
    }
    if (best == NULL)
        return false;

    struct arrival *a = *best;

    *out = *a;
    *best = a->next;
    if (e->inbox.last == a)
        e->inbox.last = before;
    a->next = e->world->spare_arrivals;
    e->world->spare_arrivals = a;
    return true;
}

enum status mpi_inbox_take(struct mpi_endpoint *e, int from, transport_kinds kinds,
                           struct arrival *out, bool *found)
{
    enum status s = STATUS_OK;

    pthread_mutex_lock(&e->world->inbox_mutex);
    *found = take(e, from, kinds, out);
    if (!*found) {
        s = collect(e->world);
        *found = s == STATUS_OK && take(e, from, kinds, out);
    }
    pthread_mutex_unlock(&e->world->inbox_mutex);
    return s;
}

bool mpi_inbox_take_any(struct mpi_world *w, struct arrival *out)
{
    const transport_kinds all = ~(transport_kinds)0;
    bool found = false;

    pthread_mutex_lock(&w->inbox_mutex);
    if (collect(w) == STATUS_OK)
        for (int i = 0; i < w->count && !found; i++)
            found = take((struct mpi_endpoint *)w->endpoints[i], TRANSPORT_ANY, all, out);
    pthread_mutex_unlock(&w->inbox_mutex);
    return found;
}

void mpi_inboxes_release(struct mpi_world *w)
{
    while (w->spare_arrivals != NULL) {
        struct arrival *next = w->spare_arrivals->next;

        mem_free(w->spare_arrivals);
        w->spare_arrivals = next;
    }
}
