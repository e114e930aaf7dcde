/*
 * train.c - `muster train`: one run, described by flags.
 */
#include "cli/train.h"

#include <math.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/list.h"
#include "cli/other_flags.h"
#include "cli/train_flags.h"
#include "cli/workers_table.h"
#include "study/runner.h"

static const struct flag train_flags[] = {
    TRAIN_FLAGS,
    {"resume", NULL, "[RUN]", "resume a stopped run (default runs/latest), to the same bits", NULL},
    FLAG_LAST,
};

static const struct flags_spec train_spec = {
    .command = "train",
    .usage = "muster train [flags]",
    .intro = "Trains one network and writes everything about it to a run directory. Options of the "
             "chosen optimizer, schedule, model and data set are flags too: --adam.beta1 0.95, "
             "--schedule.gamma 0.5, --model.dropout 0.3.",
    .examples = "muster train --model lenet5 --dataset fashion_mnist --lr 0.005 --momentum 0.9\n"
                "muster train --model lenet_tanh --dataset mnist --optimizer adam --epochs 15\n"
                "muster train --resume\n"
                "muster train --resume runs/<run>",
    .flags = train_flags,
    .other_names = other_flags,
    .briefs = train_flag_briefs,
    .tables = run_config_tables,
    .registries = run_config_registries,
};

static void print_json(const struct run_outcome *o, enum status s)
{
    struct text out = {0};

    result_json(o, s, &out);
    command_print(text_get(&out));
    text_release(&out);
}

static void add_part(struct text *out, const char *part, double loss, double accuracy)
{
    if (isnan(loss))
        return;
    text_addf(out, "%-11s loss ", part);
    text_add_fixed(out, loss, 4);
    if (!isnan(accuracy))
        text_addf(out, "   accuracy %.2f %%", 100.0 * accuracy);
    text_add(out, "\n");
}

/* Of several nodes with their own models it is the mean over them. */
static void add_final_train(const struct run_outcome *o, struct text *out)
{
    const struct run_report *r = &o->report;

    add_part(out, "final train", r->final_train_loss, r->final_train_accuracy);
    if (o->nodes_differ && !isnan(r->final_train_loss))
        text_add(out, "            (mean over the nodes)\n");
}

static void print_text(const struct run_outcome *o, const char *report)
{
    const struct run_report *r = &o->report;
    struct text out = {0};
    char took[32];

    clock_duration(took, sizeof took, r->seconds);
    add_part(&out, "train", r->train_loss, r->train_accuracy);
    add_part(&out, "validation", r->validation_loss, r->validation_accuracy);
    add_part(&out, "test", r->test_loss, r->test_accuracy);
    if (o->base_loss > 0)
        text_addf(&out, "test loss of the best constant answer %.4g\n", o->base_loss);
    add_final_train(o, &out);
    for (int i = 0; i < r->own.count; i++) {
        result_own_words(&r->own, i, &out);
        text_addf(&out, " %.4g\n", r->own.values[i]);
    }
    text_addf(&out, "%lld round%s, %.4g epoch%s in %s of training (%.0f samples/s)\n",
              (long long)r->rounds, r->rounds == 1 ? "" : "s", r->epochs, r->epochs == 1 ? "" : "s",
              took, r->samples_per_s);
    if (r->replaced > 0)
        text_addf(&out, "a sample could not be read %.0f time%s; others of its class were used\n",
                  r->replaced, r->replaced == 1 ? "" : "s");
    if (r->per_worker != NULL && r->workers > 1)
        workers_table(r, &out);
    text_addf(&out, "results in %s\n", o->run_dir);
    if (report != NULL)
        text_addf(&out, "report in %s\n", report);
    command_print(text_get(&out));
    text_release(&out);
}

/* What was stopped is not finished, and gets its report when it is resumed. */
static bool is_reported(const struct run_outcome *o, enum status s)
{
    return o->run_dir != NULL && (s == STATUS_OK || s == STATUS_DIVERGED) &&
           o->report.rounds >= REPORT_ROUNDS_MIN;
}

void train_print(const struct flags *f, const struct run_outcome *o, enum status s,
                 const char *report)
{
    if (flags_has(f, "json") && o->run_dir != NULL)
        print_json(o, s);
    else if (s == STATUS_OK && o->run_dir != NULL)
        print_text(o, report);
    if (o->report.was_finished)
        log_info("the run is already complete; there is nothing to do");
}

enum status train_and_print(const struct flags *f, struct run_request *request)
{
    struct run_outcome outcome;

    if (flags_has(f, "quiet"))
        log_set_level(LOG_WARNING);
    request->out = flags_value(f, "out");
    request->save = !flags_has(f, "no-save");

    const enum status s = run_train(request, &outcome);
    char *report = is_reported(&outcome, s) ? end_report(f, outcome.run_dir) : NULL;
    train_print(f, &outcome, s, report);
    mem_free(report);
    run_outcome_release(&outcome);
    return s;
}

/* An experiment is resumed by another command. */
static enum status find_resumed(const struct flags *f, char **folder)
{
    const char *given = flags_value(f, "resume");

    *folder = NULL;
    if (given == NULL)
        return STATUS_OK;
    TRY(command_run_folder(f, given, folder));
    if (given[0] != '\0' || !runner_is_study_folder(*folder))
        return STATUS_OK;
    const enum status s = FAIL(
        STATUS_BAD_INPUT,
        "--resume: %s is an experiment; use muster run --resume, or name one of its runs", *folder);
    mem_free(*folder);
    *folder = NULL;
    return s;
}

/* Flags that conflict with --resume, or that need it. */
static enum status check_flags(const struct flags *f, const struct node *root)
{
    if (!flags_has(f, "resume"))
        return train_flags_check_entries(f, root);
    if (flags_has(f, "out"))
        return FAIL(STATUS_BAD_INPUT,
                    "--out: cannot be combined with --resume; a resumed run stays in its folder");
    if (flags_has(f, "no-save"))
        return FAIL(STATUS_BAD_INPUT, "--no-save: conflicts with --resume, because the folder "
                                      "would keep the model of the earlier end next to new "
                                      "records");
    return STATUS_OK;
}

static enum status train_parsed(const struct flags *f)
{
    struct node *root = command_settings(f, &train_spec);
    struct run_request request = {.root = root, .argc = f->argc, .argv = f->argv};
    char *resumed = NULL;
    enum status s = check_flags(f, root);

    if (s == STATUS_OK)
        s = find_resumed(f, &resumed);
    request.resume = resumed;
    if (s == STATUS_OK)
        s = train_and_print(f, &request);
    mem_free(resumed);
    node_free(root);
    return s;
}

static enum status train_run(int argc, char **argv)
{
    return command_run(&train_spec, argc, argv, train_parsed);
}

const struct command train_command = {
    .name = "train",
    .summary = "train one network, set up by flags",
    .flags = &train_spec,
    .run = train_run,
    .is_for_all = true,
};
