/*
 * train_flags.c - the flags of the short help, and flags of one entry, "--adam.beta1", against what
 * is chosen.
 */
#include "cli/train_flags.h"

const struct flag_brief train_flag_briefs[] = {
    TRAIN_FLAG_BRIEFS,
    {0},
};

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
