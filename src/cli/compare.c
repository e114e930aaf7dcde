/*
 * compare.c - `muster compare --vary KEY=V,V,...`: a study made from flags.
 */
#include "cli/list.h"
#include "cli/other_flags.h"
#include "cli/study_command.h"
#include "cli/sweep_flags.h"

static const struct flag compare_flags[] = {
    TRAIN_FLAGS,
    STUDY_FLAGS,
    VARY_FLAG,
    FLAG_LAST,
};

static const struct flags_spec compare_spec = {
    .command = "compare",
    .usage = "muster compare --vary KEY=V,V,... [flags of muster train]",
    .intro = "Runs every combination of the values and prints a table that compares them. --vary "
             "seed=1,2,3 repeats each combination; the table then shows means and their 95 % "
             "confidence intervals. The output folder contains the experiment as a file, which "
             "muster run can repeat or resume.",
    .examples =
        "muster compare --vary algorithm=ps-sync,ps-async --vary delay=10ms,30ms --workers 4\n"
        "muster compare --vary optimizer.momentum=0,0.5,0.9 --vary seed=1,2,3 --epochs 2",
    .flags = compare_flags,
    .other_names = other_flags,
    .briefs = train_flag_briefs,
    .tables = run_config_tables,
    .registries = run_config_registries,
    .repeated = "vary",
};

static enum status vary(const struct flags *f, struct node *root)
{
    if (node_find(f->tree, "vary") == NULL)
        return FAIL(
            STATUS_BAD_INPUT,
            "muster compare needs at least one --vary, such as --vary algorithm=ps-sync,ps-async");
    return sweep_flags_vary(f, "compare", root);
}

static enum status compare_parsed(const struct flags *f)
{
    struct node *root = command_settings(f, &compare_spec);
    struct study_call call = {
        .flags = f, .root = root, .name = "compare", .argc = f->argc, .argv = f->argv};
    struct text given = {0};
    enum status s = vary(f, root);

    if (s == STATUS_OK) {
        node_write(root, &given);
        call.given = text_get(&given);
        s = study_command_run(&call);
    }
    text_release(&given);
    node_free(root);
    return s;
}

static enum status compare_run(int argc, char **argv)
{
    return command_run(&compare_spec, argc, argv, compare_parsed);
}

const struct command compare_command = {
    .name = "compare",
    .summary = "run every combination of some values and compare the results",
    .flags = &compare_spec,
    .run = compare_run,
    .is_for_all = true,
};
