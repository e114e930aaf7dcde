/*
 * search.c - `muster search FILE|--vary KEY=V,V,...`: the best settings, by cross-validation.
 */
#include "base/mem.h"
#include "cli/list.h"
#include "cli/other_flags.h"
#include "cli/study_command.h"
#include "cli/sweep_flags.h"

static const struct flag search_flags[] = {
    TRAIN_FLAGS,
    STUDY_FLAGS,
    {"quick",   NULL, NULL,   "a short trial: the settings under `quick` override all others", NULL},
    {"random",  NULL, "N",    "try only N combinations, drawn from lists and ranges",          NULL},
    {"halving", NULL, "[=N]",
      "stop bad cases early: the best 1/N train N times as long (default 3)",                   NULL},
    VARY_FLAG,
    FLAG_LAST,
};

/* What a search needs, and what its runs have. */
static const struct flag_brief search_flag_briefs[] = {
    {"folds",                                                              "number of folds; every combination trains with each left out once"},
    {"validation",                                                                    "in place of folds: share of the samples to set aside, such as 0.1"},
    TRAIN_FLAG_BRIEFS,
    {0},
};

static const struct flags_spec search_spec = {
    .command = "search",
    .usage = "muster search FILE.yaml|--vary KEY=V,V,...|LOW..HIGH --folds K|--validation SHARE "
             "[flags of muster train]",
    .intro = "Trains every combination of the values on each fold, or once with a share of the "
             "samples set aside (--validation), and finds the one with the lowest mean validation "
             "loss; --random N tries only N combinations, and draws values of ranges such as "
             "lr=0.001..0.1; --halving stops bad combinations early. Prints the table and a line "
             "`best: ...` with a command that trains with these settings on all samples. The same "
             "command with the same --out resumes where it stopped and repeats no finished fold.",
    .examples =
        "muster search --dataset figures --vary lr=0.001,0.01 --folds 3\n"
        "muster search --dataset figures --vary lr=0.001,0.01 --validation 0.1\n"
        "muster search --vary lr=0.01,0.1 --vary momentum=0,0.9 --folds 5 --jobs 2 --out "
        "results/search\n"
        "muster search --vary lr=0.001..0.1 --vary momentum=0,0.9 --random 27 --halving --folds 3 "
        "--epochs 9\n"
        "muster search experiment.yaml --random 20",
    .flags = search_flags,
    .other_names = other_flags,
    .briefs = search_flag_briefs,
    .tables = run_config_tables,
    .registries = run_config_registries,
    .repeated = "vary",
    .positional_max = 1,
};

static enum status search_flags_only(const struct flags *f, struct study_call *call)
{
    struct node *root = command_settings(f, &search_spec);
    struct search_options search;
    struct text given = {0};
    enum status s = sweep_flags_vary(f, "search", root);

    if (s == STATUS_OK && flags_has(f, "quick"))
        s = FAIL(STATUS_BAD_INPUT, "--quick: needs an experiment file with the key quick");
    if (s == STATUS_OK)
        s = study_command_search(f, NULL, &search);
    if (s == STATUS_OK) {
        node_put(root, "search", search_options_section(&search));
        node_write(root, &given);
        call->root = root;
        call->name = "search";
        call->is_from_flags = true;
        call->given = text_get(&given);
        s = study_command_run(call);
    }
    text_release(&given);
    node_free(root);
    return s;
}

static enum status search_parsed(const struct flags *f)
{
    struct study_call call = {.flags = f, .argc = f->argc, .argv = f->argv, .is_search = true};
    const bool varies = node_find(f->tree, "vary") != NULL;

    if (varies && f->positional_count == 1)
        return FAIL(STATUS_BAD_INPUT,
                    "--vary conflicts with the experiment file %s; use one of them, and write "
                    "lists into the file",
                    f->positional[0]);
    if (!varies && f->positional_count == 0)
        return FAIL(STATUS_BAD_INPUT, "muster search needs an experiment file with lists, or at "
                                      "least one --vary, such as --vary lr=0.001,0.01");
    return varies ? search_flags_only(f, &call)
                  : study_command_run_file(f->positional[0], &search_spec, &call);
}

static enum status search_run(int argc, char **argv)
{
    return command_run(&search_spec, argc, argv, search_parsed);
}

const struct command search_command = {
    .name = "search",
    .summary = "find the best of some settings by cross-validation",
    .flags = &search_spec,
    .run = search_run,
    .is_for_all = true,
};
