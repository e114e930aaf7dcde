/*
 * s001_scaling.c - `experiment.scaling` of S001's layout: a row of random geometric graphs.
 *
 *     const: fiedler      num_trials numbers of nodes from min_N to max_N, all at target_fied
 *     const: num_nodes    num_nodes nodes at num_trials Fiedler values from min_fied to max_fied
 *
 * Both become sweeps. The training set is sorted by label and cut, as in the study.
 */
#include <math.h>

#include "base/mem.h"
#include "conf/field.h"
#include "study/s001_internal.h"

static const char path[] = "experiment.scaling";

enum { TRIALS_MAX = 1000 };

/* Evenly spaced numbers, as two keys and num_trials give them. */
struct trials {
    const char *least_key, *most_key;
    double least, most;
    int64_t count;
    bool are_whole;
};

static enum status read_number(const struct node *n, const char *key, double *value)
{
    const struct node *given = node_find(n, key);

    if (given->kind != NODE_SCALAR || !text_to_double(given->text, value) || !(*value > 0))
        return node_fail_key(given, path, key, "must be a number above 0");
    return STATUS_OK;
}

static enum status read_trials(const struct node *n, struct trials *t)
{
    const struct node *count = node_find(n, "num_trials");

    TRY(read_number(n, t->least_key, &t->least));
    TRY(read_number(n, t->most_key, &t->most));
    if (t->most < t->least)
        return node_fail_key(node_find(n, t->most_key), path, t->most_key, "%g is below %s, %g",
                             t->most, t->least_key, t->least);
    if (count->kind != NODE_SCALAR || !text_to_int(count->text, &t->count) || t->count < 1 ||
        t->count > TRIALS_MAX)
        return node_fail_key(count, path, "num_trials", "must be a whole number from 1 to %d",
                             TRIALS_MAX);
    return STATUS_OK;
}

/* Whole ones are cut, as the study does; what is whole but for rounding is not cut further. */
static double trial_value(const struct trials *t, int64_t i)
{
    const double step = t->count > 1 ? (t->most - t->least) / (double)(t->count - 1) : 0;
    const double value = t->least + step * (double)i;

    return t->are_whole ? floor(value + 1e-9) : value;
}

/* A list of numbers, or the only one. */
static enum status put_trials(struct node *out, const char *to, const struct node *n,
                              const struct trials *t)
{
    struct node *list = s001_list(node_find(n, t->least_key));

    for (int64_t i = 0; i < t->count; i++) {
        char *text = text_format("%.6g", trial_value(t, i));

        node_add(list, s001_scalar(text, node_find(n, t->least_key)));
        mem_free(text);
    }
    const enum status s = s001_put_items(out, to, list, t->count > 1);
    node_free(list);
    return s;
}

/* The numbers of nodes vary. */
static enum status read_nodes(struct s001 *t, const struct node *n, struct node *out)
{
    static const char *const others[] = {"num_nodes", "min_fied", "max_fied", NULL};
    struct trials trials = {.least_key = "min_N", .most_key = "max_N", .are_whole = true};

    TRY(s001_require(n, path, "min_N,max_N,num_trials,target_fied"));
    TRY(read_trials(n, &trials));
    TRY(put_trials(out, "transport.workers", n, &trials));
    TRY(s001_put_word(out, "graph.name", "geometric", n));
    s001_ignore_keys(t, n, "scaling", others);
    return s001_put_count(out, "graph.fiedler", node_find(n, "target_fied"));
}

/* The Fiedler values vary. */
static enum status read_fiedler(struct s001 *t, const struct node *n, struct node *out)
{
    static const char *const others[] = {"min_N", "max_N", "target_fied", NULL};
    struct trials trials = {.least_key = "min_fied", .most_key = "max_fied"};

    TRY(s001_require(n, path, "min_fied,max_fied,num_trials,num_nodes"));
    TRY(read_trials(n, &trials));
    TRY(s001_put_count(out, "transport.workers", node_find(n, "num_nodes")));
    TRY(s001_put_word(out, "graph.name", "geometric", n));
    s001_ignore_keys(t, n, "scaling", others);
    return put_trials(out, "graph.fiedler", n, &trials);
}

static enum status check_keys(struct s001 *t, const struct node *n)
{
    /* clang-format off */
    static const struct s001_rule rules[] = {
        {.key = "const",       .action = S001_DONE},
        {.key = "min_N",       .action = S001_DONE},
        {.key = "max_N",       .action = S001_DONE},
        {.key = "target_fied", .action = S001_DONE},
        {.key = "min_fied",    .action = S001_DONE},
        {.key = "max_fied",    .action = S001_DONE},
        {.key = "num_nodes",   .action = S001_DONE},
        {.key = "num_trials",  .action = S001_DONE},
        S001_LAST,
    };
    /* clang-format on */
    const struct node *old = node_find(n, "min_scale");

    if (old != NULL)
        return node_fail_key(old, path, "min_scale",
                             "has an earlier form that is not supported; give min_N, max_N and "
                             "target_fied, or min_fied, max_fied and num_nodes");
    return s001_read(t, n, rules, &(struct s001_place){.path = path});
}

enum status s001_scaling(struct s001 *t, const struct node *n, struct node *out)
{
    TRY(s001_require(n, path, "const"));
    TRY(check_keys(t, n));
    const struct node *constant = node_find(n, "const");

    if (constant->kind == NODE_SCALAR && text_same_name(constant->text, "fiedler"))
        return read_nodes(t, n, out);
    if (constant->kind == NODE_SCALAR && text_same_name(constant->text, "num_nodes"))
        return read_fiedler(t, n, out);
    return node_fail_key(constant, path, "const", "must be fiedler or num_nodes");
}
