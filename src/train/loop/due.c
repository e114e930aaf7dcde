/*
 * due.c - when a run ends an epoch, evaluates and saves.
 */
#include "train/loop/due.h"

static bool evaluation_is_due(const struct train_options *o, const struct run_length *length,
                              int64_t round)
{
    if (round == length->rounds)
        return true;
    if (o->evaluate_rounds > 0)
        return round % o->evaluate_rounds == 0;
    return o->evaluate_every > 0 && epochs_end_at(&length->epoch, round, o->evaluate_every);
}

static bool checkpoint_is_due(const struct train_options *o, const struct run_length *length,
                              int64_t round)
{
    if (round == length->rounds)
        return true;
    if (o->save_rounds > 0)
        return round % o->save_rounds == 0;
    return o->save_every > 0 && epochs_end_at(&length->epoch, round, o->save_every);
}

/* With the round in which each of the k parts of an epoch ends, and with the last. */
static bool snapshot_is_due(const struct train_options *o, const struct run_length *length,
                            int64_t round)
{
    const int64_t k = o->saves_per_epoch;
    const struct epoch_length part = {length->epoch.batches, k * length->epoch.draws};

    return k > 0 && (round == length->rounds || epochs_end_at(&part, round, 1));
}

struct due_actions due_after_round(const struct train_options *o, const struct run_length *length,
                                   int64_t round)
{
    const bool is_last = round == length->rounds;

    return (struct due_actions){
        .ends_epoch = is_last || epochs_end_at(&length->epoch, round, 1),
        .evaluates = evaluation_is_due(o, length, round),
        .saves = checkpoint_is_due(o, length, round),
        .snapshots = snapshot_is_due(o, length, round),
    };
}
