/*
 * snapshots.c - the run model along the run, in snapshots.bin (record/snapshots.h).
 *
 * The first is of the start; then one where each of the saves_per_epoch parts of an epoch ends, by
 * the rounds of the leader: of a server those are its updates. The last is the final model.
 */
#include <stdio.h>

#include "base/log.h"
#include "train/loop/loop.h"

/* Parts of an epoch that end with a snapshot. */
static struct epoch_length part_length(const struct loop *l)
{
    return (struct epoch_length){l->length.epoch.batches,
                                 l->build->config->train.saves_per_epoch * l->length.epoch.draws};
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* With the start, and one where the run ends. */
static int64_t expected_count(const struct loop *l)
{
    const struct epoch_length part = part_length(l);

    return 1 + least(l->length.rounds, epochs_begun(&part, l->length.rounds));
}

/* Snapshots up to this round of a run that continues; -1: of a new one. */
static int64_t expected_until(const struct loop *l, int64_t round)
{
    const struct epoch_length part = part_length(l);

    return round < 0 ? 0 : 1 + least(round, epochs_ended(&part, round));
}

static void format_bytes(char *text, size_t size, double bytes)
{
    const bool is_large = bytes >= 1e9, is_small = bytes < 1e6;

    (void)snprintf(text, size, "%.3g %s",
                   bytes / (is_large   ? 1e9
                            : is_small ? 1e3
                                       : 1e6),
                   is_large   ? "GB"
                   : is_small ? "kB"
                              : "MB");
}

static void log_size(const struct loop *l, int64_t lost)
{
    const double each = (double)snapshot_record_bytes(l->build->layout.state_count);
    char one[32], all[32];

    format_bytes(one, sizeof one, each);
    if (loop_rounds_known(l) == 0) {
        log_info("snapshots.bin: %s for each snapshot, %lld per epoch", one,
                 (long long)l->build->config->train.saves_per_epoch);
        return;
    }
    const int64_t count = expected_count(l) - lost;

    format_bytes(all, sizeof all, each * (double)count);
    log_info("snapshots.bin: %s for %lld snapshots of %s", all, (long long)count, one);
}

enum status snapshots_open(struct loop *l, int64_t keep_round)
{
    if (l->build->config->train.saves_per_epoch == 0)
        return STATUS_OK;

    struct snapshot_log *log = &l->leader->snapshot_log;

    TRY(snapshot_log_open(log, l->setup->run_dir, &l->build->layout, keep_round));
    const int64_t expected = expected_until(l, keep_round);
    const int64_t lost = log->log.kept < expected ? expected - log->log.kept : 0;
    if (lost > 0)
        log_warning("%s/snapshots.bin is missing or damaged: %lld of the %lld snapshots up to "
                    "round %lld are lost",
                    l->setup->run_dir, (long long)lost, (long long)expected, (long long)keep_round);
    log_size(l, lost);
    return STATUS_OK;
}

enum status snapshots_add(struct loop *l, const struct due_actions *due,
                          const struct model_values *values)
{
    if (l->leader == NULL || !due->snapshots)
        return STATUS_OK;

    const struct counters *c = &l->leader->totals.counters;
    const struct snapshot_time time = {
        .round = l->round,
        .epoch = epochs_of_samples(l->build, c->samples),
        .samples = c->samples,
        .seconds = c->seconds,
    };

    return snapshot_log_add(&l->leader->snapshot_log, &time, values->state);
}

enum status snapshots_take(struct loop *l, const struct due_actions *due)
{
    struct model_values values = {0};

    if (!due->snapshots)
        return STATUS_OK;
    TRY(l->coordinator->run_model(l, &values));
    return snapshots_add(l, due, &values);
}
