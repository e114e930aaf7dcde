/*
 * epoch_cases.c - which runs are the beginnings of others, and their results.
 */
#include "study/epoch_cases.h"

#include <math.h>
#include <string.h>

#include "algo/algo.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "comm/world.h"
#include "record/run_numbers.h"
#include "study/sweep.h"
#include "train/resume.h"
#include "train/run_config.h"

static const char EPOCHS[] = "train.epochs", EVERY[] = "train.evaluate_every";

/* --- which runs differ in their epochs only --- */

/* 0: they do not vary, or have no limit. */
static int64_t epochs_of(const struct study_run *c)
{
    int64_t epochs = 0;

    for (int64_t i = 0; i < c->values.count; i++)
        if (strcmp(c->values.items[i].path, EPOCHS) == 0)
            (void)text_to_int(c->values.items[i].text, &epochs);
    return epochs;
}

static bool differ_in_epochs(const struct study_run *a, const struct study_run *b)
{
    bool same = a->values.count == b->values.count && text_equal(a->fold, b->fold) &&
                text_equal(a->seed, b->seed) && text_equal(a->entry, b->entry);

    for (int64_t i = 0; same && i < a->values.count; i++)
        same = strcmp(a->values.items[i].path, b->values.items[i].path) == 0 &&
               (strcmp(a->values.items[i].path, EPOCHS) == 0 ||
                sweep_same_value(a->values.items[i].text, b->values.items[i].text));
    return same;
}

/* For a run that is left out, also another one that is. */
static struct study_run *find_longest(const struct study *s, const struct study_run *run)
{
    struct study_run *longest = NULL;
    int64_t most = epochs_of(run);

    for (int64_t i = 0; most > 0 && i < s->count; i++) {
        struct study_run *other = &s->runs[i];
        const int64_t epochs = epochs_of(other);

        if (epochs > most && (run->is_left_out || !other->is_left_out) &&
            differ_in_epochs(run, other)) {
            longest = other;
            most = epochs;
        }
    }
    return longest;
}

/* --- whether the longest one contains the others --- */

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Why the runs must be trained one by one; NULL: they need not. mem_free. */
static char *reason_of_config(const struct run_config *e)
{
    const struct algo_ops *algo = (const struct algo_ops *)e->algorithm.entry;
    const void *options = e->algorithm.options;

    if (resume_spans_run(e) && schedule_spans_run(&e->schedule))
        return text_format("schedule %s depends on the length of the run", e->schedule.entry->name);
    if (resume_spans_run(e))
        return text_format("what %s computes depends on the length of the run", algo->entry.name);
    if (algo_is_asynchronous(algo, options))
        return text_format("%s is asynchronous", algo->entry.name);
    if (algo_draws(algo, options, INT32_MAX) > 1)
        return text_format("a round of %s takes several batches", algo->entry.name);
    if (e->train.evaluate_rounds > 0)
        return mem_text("train.evaluate_rounds evaluates by rounds, not by epochs");
    if (e->train.evaluate_train)
        return mem_text("train.evaluate_train needs the final model of each run");
    return NULL;
}

/* A rule that counts evaluations must see those that it would see in a run of its own. */
static char *reason_to_train(const struct study_run *longest, int64_t epochs, int64_t *every)
{
    struct run_config e;

    if (run_config_read(&e, longest->root) != STATUS_OK)
        return mem_text(status_message());

    char *reason = reason_of_config(&e);

    *every = common_divisor(common_divisor(e.train.evaluate_every, epochs), epochs_of(longest));
    if (reason == NULL && e.train.stop != NULL && e.train.evaluate_every != 1)
        reason = mem_text("train.stop counts evaluations, which are not after every epoch");
    run_config_release(&e);
    return reason;
}

enum status epoch_cases_check(const struct study *s)
{
    for (int64_t i = 0; i < s->count; i++)
        for (int64_t k = 0; k < s->runs[i].values.count; k++)
            if (strcmp(s->runs[i].values.items[k].path, EPOCHS) == 0 &&
                strcmp(s->runs[i].values.items[k].text, "0") == 0)
                return FAIL(STATUS_BAD_INPUT, "train.epochs: 0 is not a number of epochs to choose "
                                              "from, because it stands for the default");
    return STATUS_OK;
}

/* --- sharing --- */

/* Each reason once. */
static void log_reason(struct text *said, const char *reason)
{
    char *line =
        text_format("train.epochs: %s, so each number of epochs is a run of its own\n", reason);

    if (strstr(text_get(said), line) == NULL) {
        text_add(said, line);
        if (world_reports())
            log_info("%.*s", (int)strlen(line) - 1, line);
    }
    mem_free(line);
}

/* 1 where it is not given. */
static int64_t evaluates_every(const struct study_run *run)
{
    const struct node *given = node_find_path(run->root, EVERY);
    int64_t every = 1;

    if (!node_is_null(given))
        (void)text_to_int(given->text, &every);
    return every;
}

static void evaluate_every(struct study_run *longest, int64_t epochs)
{
    char *text = text_format("%lld", (long long)epochs);

    if (evaluates_every(longest) != epochs) {
        if (longest->given == NULL)
            longest->given = node_copy(longest->root);
        node_put_path(longest->root, EVERY, node_new_scalar(text, "study", 0, 0));
    }
    mem_free(text);
}

static bool share_run(struct study *s, struct study_run *run, struct text *said)
{
    struct study_run *longest = find_longest(s, run);
    int64_t every = 0;

    if (longest == NULL)
        return false;

    char *reason = reason_to_train(longest, epochs_of(run), &every);

    if (reason != NULL) {
        log_reason(said, reason);
        mem_free(reason);
        return false;
    }
    run->whole = longest;
    evaluate_every(longest, every);
    return true;
}

/* After all are shared: what one needs may be more often than what another one does. */
static void count_evaluations(struct study *s)
{
    for (int64_t i = 0; i < s->count; i++) {
        struct study_run *run = &s->runs[i];

        if (run->whole != NULL)
            run->evaluation = epochs_of(run) / evaluates_every(run->whole);
    }
}

void epoch_cases_share(struct study *s)
{
    struct text said = {0};
    int64_t shared = 0, kept = 0;

    for (int64_t i = 0; i < s->count; i++) {
        const bool is_shared = share_run(s, &s->runs[i], &said);

        kept += s->runs[i].is_left_out ? 0 : 1;
        shared += is_shared && !s->runs[i].is_left_out ? 1 : 0;
    }
    count_evaluations(s);
    if (shared > 0 && world_reports())
        log_info("train.epochs: %lld of %lld runs are read from a longer run, as of their last "
                 "epoch",
                 (long long)shared, (long long)kept);
    text_release(&said);
}

/* --- results --- */

enum status epoch_cases_read(const struct study_run *run, const char *folder,
                             const struct milestones *m, struct compared_run *c)
{
    struct metric_table t;

    const enum status read = compared_run_read(folder, c);

    c->is_part = true;
    TRY(read);
    if (!file_exists_in(folder, "result.json"))
        return STATUS_OK;

    const double batches = c->numbers[RESULT_BATCHES];
    struct milestones until = *m;
    enum status s = metric_table_read(folder, &t);

    c->as_of_round = s == STATUS_OK ? run_numbers_as_of(&t, run->evaluation, c->numbers) : 0;
    metric_table_release(&t);
    TRY(s);
    if (c->as_of_round > 0) {
        c->state = RESULT_FINISHED;
        c->diverged = false;
        c->reason[0] = '\0';
        c->numbers[RESULT_BATCHES] = batches;
        c->numbers[RESULT_STALENESS] = c->numbers[RESULT_STALENESS_MAX] = (double)NAN;
        until.rounds = c->as_of_round;
    } else if (c->state == RESULT_FINISHED) {
        c->as_of_round = (int64_t)c->numbers[RESULT_ROUNDS];
    }
    compared_run_find(folder, &until, c);
    return STATUS_OK;
}
