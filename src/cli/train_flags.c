/*
 * train_flags.c - runs an experiment for a command and tells what it came to.
 */
#include "cli/train_flags.h"

#include <math.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/workers_table.h"
#include "train/summary.h"

/* One word for programs. */
static const char *status_word(enum status s)
{
    switch (s) {
    case STATUS_OK:
        return "finished";
    case STATUS_INTERRUPTED:
        return "interrupted";
    case STATUS_DIVERGED:
        return "diverged";
    case STATUS_BAD_INPUT:
    case STATUS_IO:
    case STATUS_PEER:
    case STATUS_COUNT:
        return "failed";
    }
    return "failed";
}

static void tell_json(const struct run_outcome *o, enum status s)
{
    const struct loop_report *r = &o->report;
    struct text out = {0};
    struct json j;

    json_init(&j, &out);
    json_open_map(&j, NULL);
    json_text(&j, "status", status_word(s));
    json_text(&j, "run_dir", o->run_dir);
    json_text(&j, "name", o->name);
    json_text(&j, "model", o->model);
    json_int(&j, "parameters", o->param_count);
    json_text(&j, "dataset", o->dataset);
    json_text(&j, "optimizer", o->optimizer);
    json_text(&j, "algorithm", o->algorithm);
    json_text(&j, "transport", o->transport);
    json_text(&j, "partition", o->partition);
    json_int(&j, "workers", o->workers);
    json_int(&j, "threads", o->threads);
    json_int(&j, "rounds", r->rounds);
    json_number(&j, "epochs", r->epochs);
    json_int(&j, "samples", r->samples);
    json_number(&j, "train_loss", r->train_loss);
    json_number(&j, "train_accuracy", r->train_accuracy);
    json_number(&j, "validation_loss", r->validation_loss);
    json_number(&j, "validation_accuracy", r->validation_accuracy);
    json_number(&j, "test_loss", r->test_loss);
    json_number(&j, "test_accuracy", r->test_accuracy);
    json_number(&j, "test_accuracy5", r->test_accuracy5);
    json_number(&j, "train_seconds", r->seconds);
    json_number(&j, "samples_per_s", r->samples_per_s);
    if (r->each != NULL && r->workers > 1)
        summary_json(r, &j, "each");
    json_close_map(&j);
    text_add(&out, "\n");
    command_print(text_get(&out));
    text_release(&out);
}

static void tell_part(struct text *out, const char *part, double loss, double accuracy)
{
    if (isnan(loss))
        return;
    text_addf(out, "%-11s loss %.4f", part, loss);
    if (!isnan(accuracy))
        text_addf(out, "   accuracy %.2f %%", 100.0 * accuracy);
    text_add(out, "\n");
}

static void tell_text(const struct run_outcome *o)
{
    const struct loop_report *r = &o->report;
    struct text out = {0};
    char took[32];

    clock_duration(took, sizeof took, r->seconds);
    tell_part(&out, "train", r->train_loss, r->train_accuracy);
    tell_part(&out, "validation", r->validation_loss, r->validation_accuracy);
    tell_part(&out, "test", r->test_loss, r->test_accuracy);
    text_addf(&out, "%lld round%s, %.4g epoch%s in %s of training (%.0f samples/s)\n",
              (long long)r->rounds, r->rounds == 1 ? "" : "s", r->epochs, r->epochs == 1 ? "" : "s",
              took, r->samples_per_s);
    if (r->each != NULL && r->workers > 1)
        workers_table(r, &out);
    text_addf(&out, "results in %s\n", o->run_dir);
    command_print(text_get(&out));
    text_release(&out);
}

enum status train_and_tell(const struct flags *f, struct run_request *request)
{
    struct run_outcome outcome;

    if (flags_has(f, "quiet"))
        log_set_level(LOG_WARNING);
    request->out = flags_value(f, "out");
    request->save = !flags_has(f, "no-save");

    const enum status s = run_experiment(request, &outcome);
    if (flags_has(f, "json") && outcome.run_dir != NULL)
        tell_json(&outcome, s);
    else if (s == STATUS_OK && outcome.run_dir != NULL)
        tell_text(&outcome);
    if (outcome.report.was_finished)
        log_info("the run had finished before: nothing was left to train");
    run_outcome_release(&outcome);
    return s;
}

/* A section has its choice under `name`, or is itself the bare name. */
const char *train_chosen(const struct node *root, const struct registry *r)
{
    const struct node *n = node_find(root, r->section);
    const struct node *name = n != NULL && n->kind == NODE_MAP ? node_find(n, "name") : n;

    return name != NULL && name->kind == NODE_SCALAR ? name->text : experiment_fallback(r);
}

enum status train_check_entries(const struct flags *f, const struct node *root)
{
    for (int i = 0; experiment_registries[i] != NULL; i++) {
        const struct registry *r = experiment_registries[i];

        TRY(flags_check_entries(f, r, train_chosen(root, r)));
    }
    return STATUS_OK;
}
