/*
 * respond.c - the responder's loop: what comes is answered at once, in the order in which it comes.
 */
#include "train/respond.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "train/checkpoint.h"

struct lodge *lodges_new(const struct algo_ops *algo, int workers)
{
    if (algo->answer == NULL)
        return NULL;

    struct lodge *lodges = MEM_NEW_N(struct lodge, workers);

    for (int w = 0; w < workers; w++)
        desk_init(&lodges[w].desk);
    return lodges;
}

void lodges_free(struct lodge *lodges, int workers)
{
    for (int w = 0; lodges != NULL && w < workers; w++) {
        desk_release(&lodges[w].desk);
        mem_free(lodges[w].counters);
        mem_free(lodges[w].asked);
        mem_free(lodges[w].answered);
    }
    mem_free(lodges);
}

void lodge_note(struct lodge *own, const struct tally *mine)
{
    const struct actor *a = own->actor;
    const int workers = a->build->workers;

    own->tally = *mine;
    if (a->build->model->counter_count > 0)
        memcpy(own->counters, a->counters,
               (size_t)a->build->model->counter_count * sizeof *own->counters);
    for (int w = 0; a->sent != NULL && w < workers; w++)
        own->asked[w] = a->sent[w] + a->sent[workers + w];
}

void lodge_open(struct lodge *own, struct actor *a, const struct tally *mine)
{
    desk_lock(&own->desk);
    own->actor = a;
    own->counters = MEM_NEW_N(int64_t, a->build->model->counter_count);
    own->asked = MEM_NEW_N(int64_t, a->build->workers);
    own->answered = MEM_NEW_N(int64_t, a->build->workers);
    lodge_note(own, mine);
    desk_unlock(&own->desk);
}

bool respond_is_mine(const struct build *b, const struct transport *t)
{
    return b->algo->answer != NULL && t->rank >= b->workers;
}

static enum status send_tally(struct transport *t, struct lodge *own, int to)
{
    desk_lock(&own->desk);
    const struct tally tally = own->tally;
    desk_unlock(&own->desk);
    return transport_send(t, to, RESPOND_LOOK, &tally, sizeof tally);
}

static enum status send_model(struct transport *t, struct lodge *own, int to)
{
    struct desk *d = &own->desk;

    desk_lock(d);
    const enum status s =
        transport_send(t, to, RESPOND_LOOK, d->x, (size_t)d->count * sizeof *d->x);
    desk_unlock(d);
    return s;
}

/* The node as it is now: its model and optimiser, which move together, and the rest as of the
 * worker's last round. */
static void pack(struct lodge *own, struct parcel *p)
{
    const struct actor *a = own->actor;
    const int workers = a->build->workers;
    int64_t *sent = MEM_NEW_N(int64_t, workers);

    desk_lock(&own->desk);
    struct actor node = {
        .build = a->build,
        .state = own->desk.x,
        .optim = a->optim,
        .numbers = a->numbers,
        .number_count = a->number_count,
        .counters = own->counters,
        .sent = a->sent == NULL ? NULL : sent,
    };
    for (int w = 0; w < workers; w++)
        sent[w] = own->asked[w] + own->answered[w];
    parcel_pack(p, &node, &own->tally);
    desk_unlock(&own->desk);
    mem_free(sent);
}

static enum status send_parcel(struct transport *t, struct lodge *own, int to)
{
    struct parcel p = {0};

    pack(own, &p);
    const enum status s =
        transport_send(t, to, RESPOND_LOOK, p.words, (size_t)p.count * sizeof *p.words);
    parcel_release(&p);
    return s;
}

static enum status obey(struct transport *t, struct lodge *own, int from, enum respond_word word)
{
    switch (word) {
    case RESPOND_TALLY:
        return send_tally(t, own, from);
    case RESPOND_MODEL:
        return send_model(t, own, from);
    case RESPOND_PARCEL:
        return send_parcel(t, own, from);
    case RESPOND_STOP:
        desk_lock(&own->desk);
        own->stops = true;
        desk_unlock(&own->desk);
        return STATUS_OK;
    case RESPOND_OPEN:
        return STATUS_OK;
    case RESPOND_CLOSE:
        return transport_send(t, from, RESPOND_LOOK, NULL, 0);
    }
    BUG("word out of range");
}

static enum status answer(struct worker *w, struct lodge *own, int from, const void *data,
                          size_t bytes)
{
    const int64_t before = own->bytes; /* only this thread writes it */

    TRY(algo_answer(w, from, data, bytes));
    desk_lock(&own->desk);
    own->bytes = transport_account_now(w->transport).bytes_sent;
    own->answered[from] += own->bytes - before;
    desk_unlock(&own->desk);
    return STATUS_OK;
}

static enum status respond_in(struct worker *w, struct lodge *own, void *room, size_t capacity)
{
    struct transport *t = w->transport;
    unsigned char word = 0;
    struct envelope e;

    TRY(transport_recv(t, t->rank - t->workers, ALGO_ASK, &e, &word, 1));
    CHECK(word == RESPOND_OPEN);
    while (word != RESPOND_CLOSE) {
        TRY(transport_recv(t, TRANSPORT_ANY, ALGO_ASK, &e, room, capacity));
        if (e.bytes == 1) {
            memcpy(&word, room, 1);
            TRY(obey(t, own, e.from, (enum respond_word)word));
        } else {
            TRY(answer(w, own, e.from, room, e.bytes));
        }
    }
    return STATUS_OK;
}

enum status respond(const struct build *b, struct transport *t, struct lodge *own)
{
    const int64_t count = b->model->state_count;
    float *room = MEM_NEW_N(float, count);
    struct worker w = {
        .algo = b->algo,
        .options = b->experiment->algorithm.options,
        .transport = t,
        .desk = &own->desk,
        .model = b->model,
        .statistics = (enum statistics)b->experiment->train.statistics,
    };

    const enum status s = respond_in(&w, own, room, (size_t)count * sizeof *room);
    mem_free(room);
    return s;
}
