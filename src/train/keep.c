/*
 * keep.c - what a run leaves on disk: checkpoints to go on from, and the final model.
 *
 * What workers have of their own travels to the leader as parcels. Workers that keep step all take
 * part; a server writes what it has, and its workers follow from the number of their steps.
 */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "train/loop_parts.h"

/* Whether checkpoints hold what each worker has. */
static bool has_parcels(const struct loop *l)
{
    return l->build->workers > 1 || l->is_server;
}

/* --- parcels to the leader --- */

static enum status send_parcel(struct loop *l)
{
    struct parcel p = {0};

    parcel_pack(&p, l->actor, &l->mine);
    const enum status s = transport_send(l->worker->transport, 0, LOOP_PARCEL, p.words,
                                         (size_t)p.count * sizeof *p.words);
    parcel_release(&p);
    return s;
}

/* All workers' parcels are of nearly one size: only optimisers that have not begun are smaller. */
static enum status receive_parcel(struct loop *l, int from, int kind, struct parcel *p)
{
    const struct actor *a = l->actor;
    const struct model *m = l->build->model;
    const int64_t floats =
        m->state_count + a->optim.vector_count * m->param_count + a->vector_count * m->state_count;
    const int64_t words = 8 + TALLY_NUMBERS + a->number_count + m->counter_count +
                          l->build->workers + a->optim.number_count + (floats + 1) / 2;
    struct envelope e;

    p->words = MEM_NEW_N(int64_t, words);
    TRY(transport_recv(l->worker->transport, from, kind, &e, p->words,
                       (size_t)words * sizeof *p->words));
    p->count = (int64_t)(e.bytes / sizeof *p->words);
    return STATUS_OK;
}

/* From the responders, while all nodes go on: each as it is when it is asked. */
static enum status fetch_parcels(struct loop *l, struct parcel *parcels)
{
    const int workers = l->build->workers;

    for (int w = 0; w < workers; w++)
        TRY(free_ask_parcel(l, w));
    for (int w = 0; w < workers; w++)
        TRY(receive_parcel(l, workers + w, RESPOND_LOOK, &parcels[w]));
    return STATUS_OK;
}

static enum status gather_parcels(struct loop *l, struct parcel *parcels)
{
    const int own = l->worker->transport->rank;

    if (free_is_far(l) && !l->gathers)
        return fetch_parcels(l, parcels);
    parcel_pack(&parcels[own], l->actor, &l->mine);
    for (int w = 0; w < l->build->workers && !l->is_server && l->gathers; w++)
        if (w != own)
            TRY(receive_parcel(l, w, LOOP_PARCEL, &parcels[w]));
    return STATUS_OK;
}

/* --- checkpoints --- */

static enum status write_checkpoint(struct loop *l, const struct checkpoint *c, const char *name)
{
    char *path = text_format("%s/checkpoints/%s.safetensors", l->files->run_dir, name);
    const enum status s = checkpoint_save(c, path);

    mem_free(path);
    return s;
}

enum status keep_checkpoint(struct loop *l, const char *name)
{
    const int64_t count = l->build->workers + 1;
    struct checkpoint c = {.actor = l->actor, .place = &l->place};

    if (!l->files->save)
        return STATUS_OK;
    l->gathers = l->build->algo->kind == ALGO_LOCKSTEP || l->has_ended;
    TRY(examine_view(l, &c.values));
    if (!l->is_lead)
        return l->gathers ? send_parcel(l) : STATUS_OK;

    struct parcel *parcels = MEM_NEW_N(struct parcel, count);
    enum status s = STATUS_OK;
    if (l->build->algo->kind == ALGO_FREE && !free_is_far(l) && !l->gathers)
        c.tallies = l->everybody;
    if (has_parcels(l)) {
        s = gather_parcels(l, parcels);
        c.parcels = parcels;
    }
    if (s == STATUS_OK)
        s = write_checkpoint(l, &c, name);
    for (int64_t i = 0; i < count; i++)
        parcel_release(&parcels[i]);
    mem_free(parcels);
    return s;
}

static enum status keep_best(struct loop *l, const struct loop_place *place, float *state)
{
    const struct checkpoint c = {
        .actor = l->actor,
        .place = place,
        .values = {.model = l->build->model, .state = state, .counters = l->actor->counters},
    };

    return l->files->save ? write_checkpoint(l, &c, "best") : STATUS_OK;
}

/* Only the leader knows, and only it writes: `best` is to look at, not to go on from. */
enum status keep_if_best(struct loop *l)
{
    if (!l->is_lead || !(l->report->validation_loss < l->place.best_loss))
        return STATUS_OK;
    l->place.best_loss = l->report->validation_loss;
    l->place.best_round = l->place.round;
    return keep_best(l, &l->place, l->view != NULL ? l->view : l->actor->state);
}

enum status keep_snapshot_if_best(struct loop *l, const struct loop_place *place, float *state)
{
    if (!(l->report->validation_loss < l->place.best_loss))
        return STATUS_OK;
    l->place.best_loss = l->report->validation_loss;
    l->place.best_round = place->round;

    struct loop_place then = *place;
    then.best_loss = l->place.best_loss;
    then.best_round = l->place.best_round;
    return keep_best(l, &then, state);
}

/* --- the final model --- */

enum status keep_model(struct loop *l)
{
    struct model_values values;

    if (!l->files->save)
        return STATUS_OK;
    TRY(examine_view(l, &values));
    if (!l->is_lead)
        return STATUS_OK;
    char *path = file_join(l->files->run_dir, "model.safetensors");
    const enum status s = model_save(&values, path);
    mem_free(path);
    return s;
}

/* --- going on --- */

/* What the leader, or the only worker, had done is where the run stood. */
static void tally_from_place(struct tally *t, const struct loop_place *p, int64_t draws)
{
    t->rounds = (double)p->round;
    t->steps = (double)p->round;
    t->draws = (double)(p->round * draws);
    t->samples = (double)p->samples;
    t->gradients = (double)p->gradients;
    t->passes = (double)p->passes;
    t->moving_loss = p->moving_loss;
    t->epoch_samples = (double)p->epoch_samples;
    t->epoch_correct = (double)p->epoch_correct;
    t->epoch_loss = p->epoch_loss;
    t->logged_samples = (double)p->logged_samples;
    t->logged_loss = p->logged_loss;
    t->seconds = p->seconds;
    t->bytes = (double)p->bytes;
}

/* Snapshots are evaluated later than the checkpoints of their time are written: `best` knows more
 * than `last`. */
static enum status look_at_best(struct loop *l)
{
    char *path = file_join(l->files->run_dir, "checkpoints/best.safetensors");
    struct loop_place best = loop_place_start();
    enum status s = STATUS_OK;

    if (l->is_lead && file_exists(path))
        s = checkpoint_place(path, &best);
    if (best.best_loss < l->place.best_loss) {
        l->place.best_loss = best.best_loss;
        l->place.best_round = best.best_round;
    }
    mem_free(path);
    return s;
}

enum status keep_restore(struct loop *l)
{
    TRY(checkpoint_place(l->files->from, &l->place));
    TRY(look_at_best(l));
    if (l->is_server || l->build->workers == 1)
        tally_from_place(&l->mine, &l->place,
                         algo_draws(l->build->algo, l->build->experiment->algorithm.options));
    else
        l->mine = (struct tally){.steps = (double)l->place.round,
                                 .rounds = (double)l->place.round,
                                 .draws = (double)l->place.round,
                                 .moving_loss = (double)NAN};
    TRY(checkpoint_restore(l->actor, &l->mine, l->files->from));
    l->worker->steps = (int64_t)l->mine.steps;
    l->worker->delayed = l->mine.delayed;
    l->worker->moving_loss = l->mine.moving_loss;
    l->before = (struct transport_account){
        .bytes_sent = (int64_t)l->mine.bytes,
        .computing = l->mine.computing,
        .waiting = l->mine.waiting,
        .transferring = l->mine.transferring,
        .sleeping = l->mine.sleeping,
    };
    return STATUS_OK;
}
