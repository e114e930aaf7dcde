/*
 * run.c - `muster run FILE.yaml`: one run, described by an experiment file in the canonical schema.
 */
#include "base/file.h"
#include "cli/list.h"
#include "cli/train_flags.h"
#include "conf/yaml.h"

enum { FILE_LIMIT = 1 << 20 };

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
    enum status s =
        root->kind == NODE_MAP ? STATUS_OK : node_fail(root, "an experiment file holds a map");

    if (s == STATUS_OK) {
        node_overlay(root, over);
        s = train_check_entries(f, root);
    }
    if (s == STATUS_OK) {
        request->root = root;
        s = train_and_tell(f, request);
    }
    node_free(over);
    return s;
}

static enum status run_parsed(const struct flags *f, int argc, char **argv)
{
    struct text given = {0};
    struct node *root = NULL;
    enum status s = STATUS_OK;

    if (f->positional_count != 1)
        return FAIL(STATUS_BAD_INPUT, "muster run needs one experiment file");
    TRY(file_read(f->positional[0], FILE_LIMIT, &given));
    s = yaml_parse(given.data, given.length, f->positional[0], &root);
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
