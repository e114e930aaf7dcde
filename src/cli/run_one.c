/*
 * run_one.c - `muster run-one DIR`: one run of an experiment, in its own process. `muster run
 * --jobs` starts it for each run; by hand it resumes such a run.
 */
#include "base/log.h"
#include "base/signals.h"
#include "cli/list.h"
#include "cli/train.h"
#include "comm/world.h"
#include "study/run_in_folder.h"

static const struct flag run_one_flags[] = {
    {"no-save",   NULL, NULL, "write no model and no checkpoints",                                NULL},
    {"json",      NULL, NULL, "print one JSON object at the end",                                 NULL},
    {"quiet",     NULL, NULL, "print warnings and errors only",                                   NULL},
    {"temporary", NULL, NULL, "do not name the folder in messages; it will be removed",           NULL},
    {"child",     NULL, NULL, "as --quiet; of several signals to stop only the first one counts", NULL},
    FLAG_LAST,
};

static const struct flags_spec run_one_spec = {
    .command = "run-one",
    .usage = "muster run-one DIR [flags]",
    .intro = "Trains one run of an experiment in its folder DIR, with the settings of "
             "DIR/experiment.yaml. Resumes from its checkpoint, if there is one. muster run --jobs "
             "N starts such a process for each run; by hand it starts or resumes a single run.",
    .examples = "muster run-one results/momentum/sync_momentum=0",
    .flags = run_one_flags,
    .positional_max = 1,
};

static enum status run_folder(const struct flags *f, int argc, char **argv)
{
    const struct folder_run how = {
        .folder = f->positional[0],
        .save = !flags_has(f, "no-save"),
        .is_temporary = flags_has(f, "temporary"),
        .argc = argc,
        .argv = argv,
    };
    struct run_outcome outcome;
    const enum status s = run_in_folder_described(&how, &outcome);

    train_print(f, &outcome, s, NULL);
    run_outcome_release(&outcome);
    /* The parent says how the whole experiment is resumed. */
    return s == STATUS_INTERRUPTED && flags_has(f, "child") ? FAIL(s, "%s", "") : s;
}

static enum status run_one_parsed(const struct flags *f)
{
    if (f->positional_count != 1)
        return FAIL(STATUS_BAD_INPUT, "muster run-one needs the folder of one run");
    if (world_is_launched())
        return FAIL(STATUS_BAD_INPUT, "muster run-one is one process: start it without mpirun");
    if (flags_has(f, "quiet") || flags_has(f, "child"))
        log_set_level(LOG_WARNING);
    if (flags_has(f, "child"))
        signals_ignore_repeats();
    return run_folder(f, f->argc, f->argv);
}

static enum status run_one_run(int argc, char **argv)
{
    return command_run(&run_one_spec, argc, argv, run_one_parsed);
}

const struct command run_one_command = {
    .name = "run-one",
    .summary = "train one run of an experiment in its folder",
    .flags = &run_one_spec,
    .run = run_one_run,
    .is_for_all = true,
};
