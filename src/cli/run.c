/*
 * run.c - `muster run FILE.yaml`: what an experiment file describes, one run or many.
 */
#include "base/file.h"
#include "base/mem.h"
#include "cli/list.h"
#include "cli/other_flags.h"
#include "cli/study_command.h"

static const struct flag run_flags[] = {
    TRAIN_FLAGS,
    STUDY_FLAGS,
    {"resume", NULL, "[DIR]",
      "resume a stopped experiment (default runs/latest); finished runs are skipped",           NULL},
    {"quick",  NULL, NULL,    "a short trial: the settings under `quick` override all others", NULL},
    FLAG_LAST,
};

static const struct flags_spec run_spec = {
    .command = "run",
    .usage = "muster run FILE.yaml [flags]",
    .intro =
        "Runs an experiment file. A list at any key is a sweep, a list of seeds repeats each run, "
        "`runs` names cases to compare, and `baselines` adds reference runs. A table compares them "
        "at the end. All settings are checked before the first run starts. The same command with "
        "the same --out resumes where it stopped and skips finished runs. Flags override the file "
        "in every run. A file without lists and `runs` is a single run, as with muster train. The "
        "effective.yaml of a run directory is such a file and repeats the run bit for bit.",
    .examples = "muster run experiment.yaml --list\n"
                "muster run experiment.yaml --out results/momentum\n"
                "muster run --resume results/momentum\n"
                "muster run runs/<run>/effective.yaml",
    .flags = run_flags,
    .other_names = other_flags,
    .briefs = train_flag_briefs,
    .tables = run_config_tables,
    .registries = run_config_registries,
    .positional_max = 1,
};

static enum status run_parsed(const struct flags *f)
{
    struct study_call call = {.flags = f, .argc = f->argc, .argv = f->argv};

    if (flags_value(f, "resume") == NULL && f->positional_count != 1)
        return FAIL(STATUS_BAD_INPUT, "muster run needs one experiment file");
    if (flags_value(f, "resume") == NULL)
        return study_command_run_file(f->positional[0], &run_spec, &call);
    if (f->positional_count > 0 || flags_has(f, "out") || flags_has(f, "quick"))
        return FAIL(STATUS_BAD_INPUT, "--resume: cannot be combined with a file, --out or --quick; "
                                      "the folder contains the experiment");
    char *folder = NULL;

    TRY(command_run_folder(f, flags_value(f, "resume"), &folder));
    call.out = folder;
    char *path = file_join(folder, "effective.yaml");
    const enum status s = study_command_run_file(path, &run_spec, &call);
    mem_free(path);
    mem_free(folder);
    return s;
}

static enum status run_run(int argc, char **argv)
{
    return command_run(&run_spec, argc, argv, run_parsed);
}

const struct command run_command = {
    .name = "run",
    .summary = "run an experiment file: one training, or many compared",
    .flags = &run_spec,
    .run = run_run,
    .is_for_all = true,
};
