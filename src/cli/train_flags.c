/*
 * train_flags.c - runs an experiment for a command and tells what it came to.
 */
#include "cli/train_flags.h"

#include <math.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/workers_table.h"

static void tell_json(const struct run_outcome *o, enum status s)
{
    struct text out = {0};

    run_outcome_json(o, s, &out);
    command_print(text_get(&out));
    text_release(&out);
}

static void tell_part(struct text *out, const char *part, double loss, double accuracy)
{
    if (isnan(loss))
        return;
    text_addf(out, "%-11s loss ", part);
    text_add_fixed(out, loss, 4);
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
