/*
 * train.c - `muster train`: one run, described by flags.
 */
#include "cli/list.h"
#include "cli/train_flags.h"

static const struct flag train_flags[] = {
    TRAIN_FLAGS,
    {"resume", NULL, "RUN", "go on with a stopped run; ends with the bits of an unbroken one",
      NULL},
    {0  },
};

static const struct flags_spec train_spec = {
    .command = "train",
    .usage = "muster train [flags]",
    .intro = "Trains one network and writes everything about it to a run directory. Options of the "
             "chosen optimizer, schedule, model and data set are flags too: --adam.beta1 0.95, "
             "--schedule.gamma 0.5, --model.dropout 0.3.",
    .examples = "muster train --model lenet5 --dataset fashion_mnist --lr 0.005 --momentum 0.9\n"
                "muster train --model lenet_tanh --dataset mnist --optimizer adam --epochs 15\n"
                "muster train --resume runs/<run>",
    .flags = train_flags,
    .tables = experiment_tables,
    .registries = experiment_registries,
};

static enum status train_parsed(const struct flags *f, int argc, char **argv)
{
    struct node *root = command_settings(f, &train_spec);
    struct run_request request = {
        .root = root,
        .resume = flags_value(f, "resume"),
        .argc = argc,
        .argv = argv,
    };
    enum status s = STATUS_OK;

    if (request.resume != NULL && flags_has(f, "out"))
        s = FAIL(STATUS_BAD_INPUT, "--out: a resumed run stays in its folder");
    else if (request.resume == NULL)
        s = train_check_entries(f, root);
    if (s == STATUS_OK)
        s = train_and_tell(f, &request);
    node_free(root);
    return s;
}

static enum status train_run(int argc, char **argv)
{
    struct flags f = {0};
    bool done = false;
    enum status s = command_parse(&f, &train_spec, argc, argv, &done);

    if (s == STATUS_OK && !done)
        s = train_parsed(&f, argc, argv);
    flags_release(&f);
    return s;
}

const struct command train_command = {
    .name = "train",
    .summary = "train one network, described by flags",
    .flags = &train_spec,
    .run = train_run,
    .is_for_all = true,
};
