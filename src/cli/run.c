/*
 * run.c - `muster run FILE.yaml`: one run, described by an experiment file in the canonical schema.
 */
#include "cli/list.h"
#include "cli/train_flags.h"
#include "study/study.h"

static const struct flag run_flags[] = {
    TRAIN_FLAGS,
    {0},
};

static const struct flags_spec run_spec = {
    .command = "run",
    .usage = "muster run FILE.yaml [flags]",
    .intro =
        "Trains what an experiment file describes. The effective.yaml of any run directory is such "
        "a file, and running it repeats the run to the bit. Flags override what the file says.",
    .examples = "muster run runs/<run>/effective.yaml\n"
                "muster run experiment.yaml --seed 2",
    .flags = run_flags,
    .tables = experiment_tables,
    .registries = experiment_registries,
    .positional_max = 1,
};

static enum status run_file(const struct flags *f, struct node *root, struct run_request *request)
{
    struct node *over = command_settings(f, &run_spec);

    node_overlay(root, over);
    node_free(over);
    TRY(train_check_entries(f, root));
    request->root = root;
    return train_and_tell(f, request);
}

static enum status run_parsed(const struct flags *f, int argc, char **argv)
{
    struct text given = {0};
    struct node *root = NULL;

    if (f->positional_count != 1)
        return FAIL(STATUS_BAD_INPUT, "muster run needs one experiment file");
    enum status s = study_read(f->positional[0], &given, &root);
    if (s == STATUS_OK) {
        struct run_request request = {.given = text_get(&given), .argc = argc, .argv = argv};
        s = run_file(f, root, &request);
    }
    node_free(root);
    text_release(&given);
    return s;
}

static enum status run_run(int argc, char **argv)
{
    struct flags f = {0};
    bool done = false;
    enum status s = command_parse(&f, &run_spec, argc, argv, &done);

    if (s == STATUS_OK && !done)
        s = run_parsed(&f, argc, argv);
    flags_release(&f);
    return s;
}

const struct command run_command = {
    .name = "run",
    .summary = "train what an experiment file describes",
    .flags = &run_spec,
    .run = run_run,
};
