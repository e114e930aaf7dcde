/*
 * free.c - workers that wait for nobody: how they begin and end together, and how those that share
 * no memory are looked at, through the responders beside them.
 *
 * The leader asks responders, which answer at once; so it sees every node as it is in that moment,
 * and holds nobody up. Not here: what a responder does (respond.c), what free workers with a shared
 * vector tell each other (meet.c).
 */
#include <string.h>

#include "algo/shared.h"
#include "base/mem.h"
#include "base/signals.h"
#include "train/loop_parts.h"

bool free_is_far(const struct loop *l)
{
    return l->build->algo->answer != NULL;
}

static struct lodge *own_lodge(const struct loop *l)
{
    return &l->files->lodges[l->worker->transport->rank];
}

/* To the responder beside worker `to`; in no account. */
static enum status say(struct loop *l, int to, enum respond_word word)
{
    struct transport *t = l->worker->transport;
    const unsigned char byte = (unsigned char)word;

    if (t->size == t->workers)
        return STATUS_OK;
    l->before.bytes_sent -= 1;
    if (t->sent_to != NULL)
        t->sent_to[t->workers + to] -= 1;
    return transport_send(t, t->workers + to, ALGO_ASK, &byte, 1);
}

static enum status say_to_others(struct loop *l, enum respond_word word)
{
    for (int w = 0; w < l->build->workers; w++)
        if (w != l->worker->transport->rank)
            TRY(say(l, w, word));
    return STATUS_OK;
}

/* --- the beginning and the end --- */

/* Everybody starts from the leader's model, where it is one for all. */
enum status free_prepare(struct loop *l)
{
    int64_t open = 0;

    if (l->build->algo->shares) {
        l->worker->shared = l->files->shared;
        if (l->is_lead)
            shared_init(l->worker->shared, l->actor->state, l->build->model->state_count);
    } else {
        l->worker->desk = &own_lodge(l)->desk;
    }
    TRY(meet_count_open(l, &open));
    l->report->was_finished = open == 0;
    return STATUS_OK;
}

enum status free_open(struct loop *l)
{
    if (!free_is_far(l))
        return STATUS_OK;
    lodge_open(own_lodge(l), l->actor, &l->mine);
    return say(l, l->worker->transport->rank, RESPOND_OPEN);
}

/* What the responder has sent is the worker's from now on. */
static void take_over(struct loop *l)
{
    struct lodge *own = own_lodge(l);
    const int workers = l->build->workers;
    int64_t *sent = l->actor->sent;

    desk_lock(&own->desk);
    for (int w = 0; sent != NULL && w < workers; w++) {
        sent[w] += sent[workers + w] + own->answered[w];
        sent[workers + w] = 0;
    }
    l->before.bytes_sent += own->bytes;
    desk_unlock(&own->desk);
}

/* When all workers have come here nobody asks any more. */
static enum status close_desk(struct loop *l)
{
    struct transport *t = l->worker->transport;

    TRY(say(l, t->rank, RESPOND_CLOSE));
    if (t->size > t->workers)
        TRY(transport_recv(t, t->workers + t->rank, RESPOND_LOOK, NULL, NULL, 0));
    take_over(l);
    return algo_dismiss(l->worker);
}

enum status free_end_together(struct loop *l, bool *is_cut)
{
    int64_t open = 0;

    TRY(meet(l));
    TRY(meet_count_open(l, &open));
    *is_cut = open > 0;
    if (free_is_far(l))
        TRY(close_desk(l));
    l->has_ended = true;
    TRY(meet(l));
    if (!free_is_far(l) || *is_cut || l->build->workers == 1)
        return STATUS_OK;
    TRY(examine_snapshots(l, true)); /* before the rows of the end */
    return examine_each(l);
}

/* --- looking at others --- */

static enum status receive_look(struct loop *l, int worker, void *data, size_t bytes)
{
    struct transport *t = l->worker->transport;

    return transport_recv(t, t->workers + worker, RESPOND_LOOK, NULL, data, bytes);
}

static enum status look_at_tallies(struct loop *l)
{
    TRY(say_to_others(l, RESPOND_TALLY));
    for (int w = 0; w < l->build->workers; w++)
        if (w != l->worker->transport->rank)
            TRY(receive_look(l, w, &l->everybody[w], sizeof l->everybody[w]));
    return STATUS_OK;
}

/* About once a second, and when something is recorded. */
static bool looks_now(struct loop *l)
{
    const int64_t round = l->place.round, log = l->build->experiment->train.log_every;
    const double now = transport_now(l->worker->transport);

    if (round != l->total && !rounds_end_epoch(&l->pace, round, 1) &&
        (log == 0 || round % log != 0) && !drive_evaluates(l) && now - l->met_at < 1.0)
        return false;
    l->met_at = now;
    return true;
}

/* A signal may have met one process alone. */
static enum status pass_on_stop(struct loop *l)
{
    if (l->stops || !signals_stop_requested())
        return STATUS_OK;
    l->stops = true;
    return say_to_others(l, RESPOND_STOP);
}

enum status free_meet(struct loop *l)
{
    struct lodge *own = own_lodge(l);

    desk_lock(&own->desk);
    l->mine.bytes += (double)own->bytes;
    lodge_note(own, &l->mine);
    l->stops = l->stops || own->stops;
    desk_unlock(&own->desk);
    l->everybody[l->worker->transport->rank] = l->mine;
    TRY(pass_on_stop(l));
    return l->is_lead && looks_now(l) ? look_at_tallies(l) : STATUS_OK;
}

enum status free_ask_parcel(struct loop *l, int worker)
{
    return say(l, worker, RESPOND_PARCEL);
}

/* --- the models of all nodes --- */

static enum status look_at_models(struct loop *l, float *models, int64_t count)
{
    const int rank = l->worker->transport->rank;

    TRY(say_to_others(l, RESPOND_MODEL));
    desk_read(l->worker->desk, models + rank * count);
    for (int w = 0; w < l->build->workers; w++)
        if (w != rank)
            TRY(receive_look(l, w, models + w * count, (size_t)count * sizeof *models));
    return STATUS_OK;
}

/* As the mean of workers that keep step: added in rank order. */
static void average_models(struct loop *l, const float *models, int64_t count)
{
    const struct model *m = l->build->model;
    const struct kernel *k = l->worker->optim->kernel;
    const int64_t mixed =
        l->worker->statistics == STATISTICS_AVERAGE ? m->state_count : m->param_count;

    memcpy(l->view, models, (size_t)count * sizeof *l->view);
    if (l->build->workers == 1)
        return;
    for (int w = 1; w < l->build->workers; w++)
        k->axpy(l->view, 1.0F, models + w * count, mixed);
    k->scale(l->view, 1.0F / (float)l->build->workers, mixed);
}

/* Each node's, before the mean of all. */
static enum status put_aside(struct loop *l, const float *models, int64_t count)
{
    struct spread spread = {0};
    enum status s = STATUS_OK;

    if (l->build->workers == 1)
        return STATUS_OK;
    apart_models(l, models, count, &spread);
    for (int w = 0; w < l->build->workers && s == STATUS_OK; w++)
        s = snapshots_add(
            l->snapshots,
            &(struct snapshot_label){.place = l->place,
                                     .node = w,
                                     .tally = l->everybody[w],
                                     .distance = spread.from_mean[w],
                                     .normalized_distance = spread.from_mean_normalized[w]},
            models + w * count);
    if (s == STATUS_OK)
        s = spread_log_add(&l->spreads, l->place.round, &spread);
    spread_release(&spread);
    return s;
}

enum status free_view(struct loop *l, bool puts_aside)
{
    const int64_t count = l->build->model->state_count;
    float *models = MEM_NEW_N(float, l->build->workers *count);
    enum status s = look_at_models(l, models, count);

    if (l->view == NULL)
        l->view = MEM_NEW_N(float, count);
    if (s == STATUS_OK)
        average_models(l, models, count);
    if (s == STATUS_OK && puts_aside)
        s = put_aside(l, models, count);
    mem_free(models);
    return s;
}
