/*
 * train_flags.c - the flags of the short help, and flags of one entry, "--adam.beta1", against what
 * is chosen.
 */
#include "cli/train_flags.h"

/* clang-format off */
const struct flag_brief train_flag_briefs[] = {
    {"dataset",        "data set (default fashion_mnist; see muster data list)"},
    {"model",          "network (default lenet5; see muster models), or a YAML file of layers"},
    {"optimizer",      "sgd, adam, adamw, lars, lamb or lbfgs (default sgd)"},
    {"lr",             "learning rate"},
    {"momentum",       "momentum of sgd"},
    {"schedule",       "learning rate schedule, such as cosine or step"},
    {"algorithm",      "training algorithm (see muster algorithms)"},
    {"workers",        "number of workers (default 1)"},
    {"partition",      "which worker gets which samples (see muster data partition)"},
    {"delay",          "delay of every worker, such as 30ms"},
    {"slow-worker",    "slow workers, such as 0:2.0 or 0:60ms"},
    {"graph",          "communication graph (see muster graph)"},
    {"batch-size",     "samples in a mini-batch of a worker (default 32)"},
    {"epochs",         "passes over the training samples (default 6)"},
    {"budget",         "end after samples:N, rounds:N, bytes:N or seconds:N"},
    {"ends",           "asynchronous workers: own epochs for each, or total (default own)"},
    {"seed",           "seed of everything random (default 1)"},
    {"data-dir",       "folder of the data set"},
    {"evaluate-every", "epochs between two evaluations (default 1)"},
    {0},
};
/* clang-format on */

/* A section has its choice under `name`, or is itself the bare name. */
const char *train_flags_choice(const struct node *root, const struct registry *r)
{
    const struct node *n = node_find(root, r->section);
    const struct node *name = n != NULL && n->kind == NODE_MAP ? node_find(n, "name") : n;

    return name != NULL && name->kind == NODE_SCALAR ? name->text : run_config_fallback(r);
}

enum status train_flags_check_entries(const struct flags *f, const struct node *root)
{
    for (int i = 0; run_config_registries[i] != NULL; i++) {
        const struct registry *r = run_config_registries[i];

        TRY(flags_check_entries(f, r, train_flags_choice(root, r)));
    }
    return STATUS_OK;
}
