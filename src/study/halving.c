/*
 * halving.c - runs a study in stages of more and more epochs and fewer and fewer cases.
 *
 * A stage is the study with the epochs of that stage, and without the cases that stopped before it.
 * So the runner resumes the runs of those that continue, or restarts them where the length of a run
 * decides what it computes.
 */
#include "study/halving.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "comm/world.h"
#include "record/paired_cases.h"
#include "study/broadcast.h"
#include "study/comparison.h"
#include "train/run_config.h"

/* --- the plan --- */

static enum status read_epochs(const struct study_run *c, int64_t *epochs)
{
    struct run_config e;

    TRY(run_config_read(&e, c->root));
    *epochs = e.train.max_steps == 0 && e.train.budget == NULL ? e.train.epochs : 0;
    run_config_release(&e);
    if (*epochs == 0)
        return FAIL(STATUS_BAD_INPUT,
                    "--halving divides the epochs of a run, so it conflicts with max_steps and "
                    "budget (run %s)",
                    c->name);
    return STATUS_OK;
}

static enum status common_epochs(const struct study *s, int64_t *epochs)
{
    *epochs = 0;
    for (int64_t i = 0; i < s->count; i++) {
        int64_t own = 0;

        if (s->runs[i].is_left_out)
            continue;
        TRY(read_epochs(&s->runs[i], &own));
        if (*epochs != 0 && own != *epochs)
            return FAIL(STATUS_BAD_INPUT,
                        "--halving needs the same number of epochs in all cases, but some have "
                        "%" PRId64 " and others %" PRId64,
                        *epochs, own);
        *epochs = own;
    }
    return STATUS_OK;
}

static int64_t count_kept_cases(const struct study *s)
{
    int64_t count = 0, last = -1;

    for (int64_t i = 0; i < s->count; i++)
        if (!s->runs[i].is_left_out && s->runs[i].case_number != last) {
            last = s->runs[i].case_number;
            count++;
        }
    return count;
}

static int64_t part_of(int64_t cases, int64_t factor)
{
    return (cases + factor - 1) / factor;
}

enum status halving_plan(struct study *s, int64_t factor)
{
    const int64_t all = count_kept_cases(s);
    int64_t cases = all, epochs = 0, divisor = 1;
    struct results_stages *stages = &s->stages;

    if (!s->output.write)
        return FAIL(STATUS_BAD_INPUT, "--halving resumes runs from their files, so it conflicts "
                                      "with output.write: false");
    TRY(common_epochs(s, &epochs));
    stages->count = 1;
    for (; cases >= factor && epochs / divisor >= factor && stages->count < RESULTS_STAGES_MAX;
         stages->count++) {
        cases = part_of(cases, factor);
        divisor *= factor;
    }
    if (stages->count == 1)
        return FAIL(STATUS_BAD_INPUT,
                    "--halving=%" PRId64 " needs at least %" PRId64 " cases and %" PRId64
                    " epochs, but there are %" PRId64 " and %" PRId64,
                    factor, factor, factor, all, epochs);
    for (int64_t i = 0; i < stages->count; i++, divisor /= factor)
        stages->epochs[i] = epochs / divisor;
    return STATUS_OK;
}

/* --- where an earlier call stopped --- */

struct halving {
    struct study *study;
    int64_t factor;
    const char *folder;            /* of the study; NULL: a new one */
    const struct compared_run *of; /* [study->count], the results of the stage */
    char *stages;                  /* [case_count] '0' + the last stage of a case; '0': left out */
    bool *was_left_out;            /* [study->count], before the first stage */
};

static const struct study_run *first_run(const struct study *s, int64_t case_number)
{
    int64_t i = 0;

    while (s->runs[i].case_number != case_number)
        i++;
    return &s->runs[i];
}

/* Every case that takes part in the search begins in the first stage. */
static void begin_all(const struct halving *h, struct text *decision)
{
    const struct study *s = h->study;

    for (int64_t i = 0; i < s->case_count; i++)
        text_add(decision, "0");
    for (int64_t i = 0; i < s->count; i++)
        if (!h->was_left_out[i])
            decision->data[s->runs[i].case_number] = '1';
}

static bool is_same_case(const struct study_run *run, const struct results_case *c)
{
    bool same = text_equal(run->entry, c->run) && run->values.count == c->values.count;

    for (int64_t i = 0; same && i < run->values.count; i++)
        same = text_equal(run->values.items[i].text,
                          results_find_value(&c->values, run->values.items[i].key));
    return same;
}

/* Whether the earlier search had these stages and these cases. */
static bool is_same_search(const struct halving *h, const struct results *r, const char *all)
{
    const struct results_stages *now = &h->study->stages, *before = &r->stages;
    bool same = now->count == before->count && r->case_count == h->study->case_count;

    for (int64_t i = 0; same && i < now->count; i++)
        same = now->epochs[i] == before->epochs[i];
    for (int64_t i = 0; same && i < r->case_count; i++)
        same = is_same_case(first_run(h->study, i), &r->cases[i]) && r->cases[i].stage >= 0 &&
               r->cases[i].stage <= now->count && (r->cases[i].stage > 0) == (all[i] > '0');
    return same;
}

static enum status continue_earlier(const struct halving *h, const struct results *r,
                                    struct text *decision)
{
    if (r->stages.count == 0)
        return STATUS_OK; /* what was run is shorter or the same, or the runner rejects it */
    if (!is_same_search(h, r, decision->data))
        return FAIL(STATUS_BAD_INPUT,
                    "%s: contains a search with --halving over other cases or other epochs; choose "
                    "another --out",
                    h->folder);
    for (int64_t i = 0; i < r->case_count; i++)
        decision->data[i] = (char)('0' + r->cases[i].stage);
    return STATUS_OK;
}

/* One letter per case, as in struct halving. */
static enum status find_stages(void *halving, struct text *decision)
{
    const struct halving *h = halving;
    struct results r;

    begin_all(h, decision);
    if (h->folder == NULL || !runner_is_study_folder(h->folder))
        return STATUS_OK;
    TRY(results_read(h->folder, &r));
    const enum status s = continue_earlier(h, &r, decision);
    results_release(&r);
    return s;
}

/* --- who continues --- */

static enum status check_failures(const struct halving *h)
{
    for (int64_t i = 0; i < h->study->count; i++)
        if (!h->study->runs[i].is_left_out && h->of[i].state == RESULT_FAILED && !h->of[i].diverged)
            return FAIL(STATUS_PEER,
                        "the search cannot continue without %s, which failed; the same command "
                        "runs it again",
                        h->study->runs[i].name);
    return STATUS_OK;
}

/* The best row that has not been chosen; -1: none has finished. */
static int64_t find_next_best(const struct results *r, int number, const bool *is_chosen)
{
    int64_t best = -1;

    for (int64_t i = 0; i < r->case_count; i++) {
        const struct results_case *c = &r->cases[i];
        const double mean = c->numbers[number].mean;

        if (is_chosen[i] || c->failed > 0 || c->not_run > 0 || isnan(mean))
            continue;
        if (best < 0 || paired_cases_quality(number, mean) >
                            paired_cases_quality(number, r->cases[best].numbers[number].mean))
            best = i;
    }
    return best;
}

static void advance_best(const struct halving *h, const struct comparison *t,
                         const struct results *r, struct text *decision)
{
    const int number = paired_cases_number(r);
    bool *is_chosen = MEM_NEW_N(bool, r->case_count);

    for (int64_t n = 0; n < part_of(r->case_count, h->factor); n++) {
        const int64_t best = find_next_best(r, number, is_chosen);

        if (best < 0)
            break;
        is_chosen[best] = true;
        decision->data[t->rows[best].run->case_number]++;
    }
    mem_free(is_chosen);
}

static enum status choose_best(void *halving, struct text *decision)
{
    const struct halving *h = halving;
    struct comparison t;
    struct results r;

    TRY(check_failures(h));
    text_add(decision, h->stages);
    comparison_init_kept(&t, h->study, h->of);
    comparison_results(&t, NULL, NULL, &r);
    advance_best(h, &t, &r, decision);
    results_release(&r);
    comparison_release(&t);
    return STATUS_OK;
}

/* --- the stages --- */

/* The number of cases that take part in a stage. */
static int64_t count_in_stage(const struct halving *h, int64_t stage)
{
    int64_t count = 0;

    for (int64_t i = 0; i < h->study->case_count; i++)
        count += h->stages[i] - '0' >= stage ? 1 : 0;
    return count;
}

static void set_epochs(struct study_run *c, int64_t epochs)
{
    char *number = text_format("%" PRId64, epochs);

    node_put_path(c->root, "train.epochs", node_new_scalar(number, "--halving", 0, 0));
    mem_free(number);
}

/* Makes the study that of a stage; 0: of all of them. */
static void set_stage(const struct halving *h, int64_t stage)
{
    for (int64_t i = 0; i < h->study->count; i++) {
        struct study_run *c = &h->study->runs[i];

        c->stage = h->stages[c->case_number] - '0';
        c->is_left_out = h->was_left_out[i] || c->stage < stage;
        if (c->stage > 0)
            set_epochs(c, h->study->stages.epochs[c->stage - 1]);
    }
}

static enum status run_stage(const struct halving *h, int64_t stage, const struct runner_request *q,
                             struct runner_outcome *outcome)
{
    const struct results_stages *all = &h->study->stages;
    const int64_t cases = count_in_stage(h, stage), epochs = all->epochs[stage - 1];

    if (world_reports())
        log_info("stage %" PRId64 " of %" PRId64 ": %" PRId64 " case%s with %" PRId64 " epoch%s",
                 stage, all->count, cases, cases == 1 ? "" : "s", epochs, epochs == 1 ? "" : "s");
    set_stage(h, stage);
    return runner_run(h->study, q, outcome);
}

/* Replaces the stages by what the first process decides. */
static enum status decide_stages(struct halving *h, broadcast_decide *decide)
{
    struct text decision = {0};
    const enum status s = broadcast_decision(decide, h, &decision);

    if (s != STATUS_OK) {
        text_release(&decision);
        return s;
    }
    mem_free(h->stages);
    h->stages = text_take(&decision);
    return STATUS_OK;
}

static int64_t last_stage(const struct halving *h)
{
    int64_t last = 1;

    while (last < h->study->stages.count && count_in_stage(h, last + 1) > 0)
        last++;
    return last;
}

/* A case that diverged is a failure of the search, which goes on without it: *diverged gets the
 * message of the first one. */
static enum status run_stages(struct halving *h, const struct runner_request *first,
                              struct runner_outcome *outcome, char **diverged)
{
    struct runner_request q = *first;
    char *folder = NULL;
    enum status s = STATUS_OK;

    TRY(decide_stages(h, find_stages));
    for (int64_t stage = last_stage(h); s == STATUS_OK; stage++) {
        runner_outcome_release(outcome);
        s = run_stage(h, stage, &q, outcome);
        if (s == STATUS_DIVERGED) {
            *diverged = *diverged == NULL ? mem_text(status_message()) : *diverged;
            s = STATUS_OK;
        }
        if (s != STATUS_OK || stage == h->study->stages.count)
            break;
        h->of = outcome->results;
        s = decide_stages(h, choose_best);
        if (count_in_stage(h, stage + 1) == 0)
            break; /* all diverged */
        mem_free(folder);
        q.out = folder = mem_text(outcome->folder);
    }
    mem_free(folder);
    return s;
}

enum status halving_run(struct study *s, int64_t factor, const struct runner_request *q,
                        struct runner_outcome *outcome)
{
    struct halving h = {
        .study = s,
        .factor = factor,
        .folder = q->out,
        .was_left_out = MEM_NEW_N(bool, s->count),
    };
    char *diverged = NULL;

    *outcome = (struct runner_outcome){0};
    for (int64_t i = 0; i < s->count; i++)
        h.was_left_out[i] = s->runs[i].is_left_out;
    if (!q->save && world_reports())
        log_warning("--no-save keeps no checkpoints: cases that continue restart from scratch");
    enum status status = run_stages(&h, q, outcome, &diverged);
    if (h.stages != NULL)
        set_stage(&h, 0);
    if (status == STATUS_OK && diverged != NULL)
        status = FAIL(STATUS_DIVERGED, "%s", diverged);
    mem_free(diverged);
    mem_free(h.stages);
    mem_free(h.was_left_out);
    return status;
}
