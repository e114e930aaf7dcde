/*
 * checkpointing.c - when and what a run saves: checkpoints to resume from, and the final model.
 *
 * Workers send their own state to the leader. Synchronous workers all take part; a server writes
 * what it has, and its workers follow from the number of their steps.
 */
#include <math.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/checkpoint_files.h"
#include "train/loop/evaluation.h"

static const char BEST[] = "checkpoints/best.safetensors";

/* --- worker states to the leader --- */

enum status checkpointing_send_state(struct loop *l)
{
    struct worker_state p = {0};

    worker_state_pack(&p, l->memory, &l->counters);
    const enum status s = transport_send(l->worker->transport, 0, CONTROL_WORKER_STATE, p.words,
                                         (size_t)p.count * sizeof *p.words);
    worker_state_release(&p);
    return s;
}

/* All workers' states are of nearly one size: only optimisers that have not begun are smaller. */
enum status checkpointing_receive_state(struct loop *l, int from, enum control_kind kind,
                                        struct worker_state *state)
{
    const struct worker_memory *a = l->memory;
    const struct tensor_layout *layout = &l->build->layout;
    const int64_t floats = layout->state_count + a->optim.vector_count * layout->param_count +
                           a->vector_count * layout->state_count;
    const int64_t words = 8 + a->optim.vector_count + COUNTERS_COUNT + a->number_count +
                          layout->tracked_count + l->build->workers + a->optim.number_count +
                          (floats + 1) / 2;
    struct envelope e;

    state->words = MEM_NEW_N(int64_t, words);
    TRY(transport_recv(l->worker->transport, from, (int)kind, &e, state->words,
                       (size_t)words * sizeof *state->words));
    state->count = (int64_t)(e.bytes / sizeof *state->words);
    return STATUS_OK;
}

/* --- checkpoints --- */

enum status checkpointing_prune(struct loop *l)
{
    if (l->leader == NULL || !l->setup->save || l->leader->saved_round < 0)
        return STATUS_OK;
    return checkpoint_files_prune(l->setup->run_dir, l->leader->saved_round,
                                  l->build->config->train.keep);
}

enum status checkpointing_discard(struct loop *l, enum status why)
{
    char *message = mem_text(status_message());

    if (l->leader->saved_round == l->round)
        (void)checkpoint_files_discard(l->setup->run_dir, l->round);
    why = FAIL(why, "%s", message);
    mem_free(message);
    return why;
}

/* `last` points to it when it is complete. */
static enum status write_checkpoint(struct loop *l, const struct checkpoint *c)
{
    const char *run_dir = l->setup->run_dir;
    const int64_t round = c->totals->round;
    char *path = checkpoint_files_path(run_dir, round);
    enum status s = checkpoint_save(c, path);

    mem_free(path);
    if (s == STATUS_OK)
        s = checkpoint_files_publish(run_dir, round);
    if (s == STATUS_OK)
        l->leader->saved_round = round;
    return s;
}

static bool has_finite_weights(const struct loop *l, const struct checkpoint *c)
{
    return isfinite(evaluation_weight_square(l, c->values.state));
}

static enum status collect_and_write(struct loop *l, struct checkpoint *c)
{
    const int64_t count = l->build->workers + 1;
    struct worker_state *states = MEM_NEW_N(struct worker_state, count);
    enum status s = l->coordinator->collect(l, c, states);

    if (s == STATUS_OK && has_finite_weights(l, c)) /* else the evaluation says so */
        s = write_checkpoint(l, c);
    for (int64_t i = 0; i < count; i++)
        worker_state_release(&states[i]);
    mem_free(states);
    return s;
}

/* checkpoint.before_record; mem_free. */
static double *facts_before_record(const struct loop *l)
{
    const struct worker_report *reports = l->leader->report->per_worker;
    double *facts = MEM_NEW_N(double, checkpoint_facts_count(l->build));

    facts[0] = l->worker->result.gradient_norm;
    for (int w = 0; w < l->build->workers; w++) {
        facts[1 + 2 * w] = reports[w].test_loss;
        facts[2 + 2 * w] = reports[w].test_accuracy;
    }
    return facts;
}

enum status checkpointing_save(struct loop *l, enum checkpoint_time when)
{
    struct checkpoint c = {.memory = l->memory};

    if (!l->setup->save)
        return STATUS_OK;
    TRY(l->coordinator->run_model(l, &c.values));
    if (l->leader == NULL)
        return l->coordinator->collect(l, NULL, NULL);
    c.totals = &l->leader->totals;
    if (l->coordinator->has_server || l->coordinator->has_own_rounds)
        c.logged = l->leader->logged;
    if (when == CHECKPOINT_BEFORE_RECORD)
        c.before_record = facts_before_record(l);
    const enum status s = collect_and_write(l, &c);
    mem_free(c.before_record);
    TRY(s);
    return when == CHECKPOINT_AFTER_RECORD ? checkpointing_prune(l) : STATUS_OK;
}

/* Only the leader knows, and only it writes: `best` is to evaluate, not to resume from. */
enum status checkpointing_save_best(struct loop *l, const struct run_totals *totals, float *state)
{
    struct run_totals *now = &l->leader->totals;
    struct run_totals then = *totals;

    if (!(l->leader->report->validation_loss < now->best_loss))
        return STATUS_OK;
    now->best_loss = then.best_loss = l->leader->report->validation_loss;
    now->best_round = then.best_round = totals->round;

    struct checkpoint c = {.memory = l->memory, .totals = &then, .values = run_model_own(l)};

    c.values.state = state;
    if (!l->setup->save)
        return STATUS_OK;
    char *path = file_join(l->setup->run_dir, BEST);
    const enum status s = checkpoint_save(&c, path);
    mem_free(path);
    return s;
}

/* --- the final model --- */

enum status checkpointing_save_model(struct loop *l)
{
    struct model_values values;

    if (!l->setup->save)
        return STATUS_OK;
    TRY(l->coordinator->run_model(l, &values));
    if (l->leader == NULL)
        return STATUS_OK;
    char *path = file_join(l->setup->run_dir, "model.safetensors");
    const enum status s = checkpoint_save_model(&values, path);
    mem_free(path);
    return s;
}

/* --- resuming --- */

/* Snapshots are evaluated later than the checkpoints of their time are written: `best` knows more
 * than `last`. */
static void restore_best(const struct loop *l, struct run_totals *totals)
{
    char *path = file_join(l->setup->run_dir, BEST);
    struct run_totals best = run_totals_start();

    if (l->leader != NULL && file_exists(path) && checkpoint_load_totals(path, &best) != STATUS_OK)
        log_warning("%s; the best model so far is lost", status_message());
    else if (best.best_loss < totals->best_loss) {
        totals->best_loss = best.best_loss;
        totals->best_round = best.best_round;
    }
    mem_free(path);
}

enum status checkpointing_restore(struct loop *l)
{
    struct run_totals totals = run_totals_start();

    TRY(checkpoint_load_totals(l->setup->from, &totals));
    if (totals.round != l->setup->from_round) /* on this host; the leader's decides */
        return FAIL(STATUS_BAD_INPUT,
                    "%s: is of round %lld, but the leading process has that of round %lld",
                    l->setup->from, (long long)totals.round, (long long)l->setup->from_round);
    restore_best(l, &totals);
    if (l->memory->clients != NULL || l->build->workers == 1) /* the totals are its own */
        l->counters = totals.counters;
    else
        l->counters.rounds = l->counters.steps = l->counters.draws = (double)totals.round;
    TRY(checkpoint_restore(l->memory, &l->counters, l->setup->from));
    l->round = l->coordinator->has_own_rounds ? (int64_t)l->counters.rounds : totals.round;
    l->worker->steps = (int64_t)l->counters.steps;
    l->worker->delayed = l->counters.delayed;
    l->worker->moving_loss = l->counters.moving_loss;
    l->is_good_enough = totals.is_good_enough;
    if (l->is_good_enough || loop_uses_up(l, &totals.counters))
        l->length.rounds = l->round;
    totals.round = l->round;
    l->is_before_record = totals.is_before_record;
    if (l->leader != NULL && totals.is_before_record)
        TRY(checkpoint_load_facts(l->build, l->setup->from, &l->leader->before_record));
    if (l->leader != NULL) {
        TRY(checkpoint_load_logged(l->build, l->setup->from, l->leader->logged));
        l->leader->totals = totals;
        l->leader->saved_round = l->setup->from_round;
    }
    return STATUS_OK;
}
