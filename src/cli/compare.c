/*
 * compare.c - `muster compare --vary KEY=V,V,...`: an experiment of many runs, made from flags.
 *
 * Here: lists on the command line to lists in a tree. Not here: what becomes of them (study/).
 */
#include <string.h>

#include "base/mem.h"
#include "cli/list.h"
#include "cli/study_tell.h"

static const struct flag compare_flags[] = {
    TRAIN_FLAGS,
    STUDY_FLAGS,
    {"vary",         NULL, "KEY=V,V,...",
      "a value that varies, by its flag's name or its key; once for each (KEY=V;V where values have "
     "commas)", "What varies"},
    {0},
};

static const struct flags_spec compare_spec = {
    .command = "compare",
    .usage = "muster compare --vary KEY=V,V,... [flags of muster train]",
    .intro =
        "Runs every combination of what varies, one after the other, and prints a table that "
        "compares them. --vary seed=1,2,3 repeats, and the table has means and spreads. The output "
        "folder gets the experiment as a file, with which muster run repeats it or goes on.",
    .examples =
        "muster compare --vary algorithm=ps-sync,ps-async --vary delay=10ms,30ms --workers 4\n"
        "muster compare --vary optimizer.momentum=0,0.5,0.9 --vary seed=1,2,3 --epochs 2",
    .flags = compare_flags,
    .tables = experiment_tables,
    .registries = experiment_registries,
    .repeated = "vary",
};

/* The values of an experiment alone: a value that varies is read as if it were such a flag. */
static const struct flag value_flags[] = {
    TRAIN_FLAGS,
    {0},
};

static const struct flags_spec value_spec = {
    .command = "compare",
    .flags = value_flags,
    .tables = experiment_tables,
    .registries = experiment_registries,
};

/* --- one value --- */

/* The one value in a tree of maps: its path, and a copy of it with this origin. */
static struct node *only_value(const struct node *tree, const char *origin, struct text *path)
{
    const struct node *n = tree;

    while (n->kind == NODE_MAP && n->count > 0) {
        text_addf(path, "%s%s", path->length == 0 ? "" : ".", n->keys[0]);
        n = n->children[0];
    }
    return n->kind == NODE_SCALAR ? node_new_scalar(n->text, origin, 0, 0) : NULL;
}

/* "--KEY=value", read as muster train would. */
static enum status read_value(const char *key, const char *value, struct text *path,
                              struct node **n)
{
    char *origin = text_format("--vary %s", key);
    char *argument = text_format("--%s=%s", key, value);
    char command[] = "compare";
    struct flags f = {0};
    enum status s = flags_parse(&f, &value_spec, 2, (char *[]){command, argument, NULL});

    *n = NULL;
    if (s == STATUS_OK) {
        struct node *settings = command_settings(&f, &value_spec);

        *n = only_value(settings, origin, path);
        if (*n == NULL)
            s = FAIL(STATUS_BAD_INPUT, "%s: this is not a value of the training", origin);
        node_free(settings);
        flags_release(&f);
    }
    mem_free(argument);
    mem_free(origin);
    return s;
}

/* --- one list --- */

static enum status read_values(const char *key, const char *values, struct text *path,
                               struct node *list)
{
    const char *const separator = strchr(values, ';') != NULL ? ";" : ",";

    for (const char *at = values;; at++) {
        const size_t length = strcspn(at, separator);
        char *value = mem_text_n(at, length);
        struct node *n = NULL;

        text_clear(path);
        const enum status s =
            length == 0
                ? FAIL(STATUS_BAD_INPUT, "--vary %s=%s: an empty place in the list", key, values)
                : read_value(key, value, path, &n);
        mem_free(value);
        TRY(s);
        node_add(list, n);
        at += length;
        if (*at == '\0')
            return STATUS_OK;
    }
}

static enum status put_list(struct node *root, const char *path, struct node *list)
{
    const struct node *old = node_find_path(root, path);
    const enum status s = old == NULL ? STATUS_OK
                                      : FAIL(STATUS_BAD_INPUT, "%s and %s set the same option",
                                             old->origin, list->origin);

    if (s == STATUS_OK)
        node_put_path(root, path, list);
    else
        node_free(list);
    return s;
}

static enum status vary(struct node *root, const char *given)
{
    const char *equals = strchr(given, '=');
    struct text path = {0};

    if (equals == NULL || equals == given || equals[1] == '\0')
        return FAIL(STATUS_BAD_INPUT,
                    "--vary %s: a key and its values, such as algorithm=ps-sync,ps-async", given);
    char *key = mem_text_n(given, (size_t)(equals - given));
    char *origin = text_format("--vary %s", key);
    struct node *list = node_new(NODE_LIST, origin, 0, 0);
    enum status s = read_values(key, equals + 1, &path, list);

    if (s == STATUS_OK)
        s = put_list(root, text_get(&path), list);
    else
        node_free(list);
    text_release(&path);
    mem_free(origin);
    mem_free(key);
    return s;
}

/* --- all --- */

static enum status vary_all(const struct flags *f, struct node *root)
{
    const struct node *given = node_find(f->tree, "vary");

    if (given == NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "muster compare needs what varies, such as --vary algorithm=ps-sync,ps-async");
    for (int64_t i = 0; i < given->count; i++)
        TRY(vary(root, given->children[i]->text));
    return STATUS_OK;
}

static enum status compare_parsed(const struct flags *f, int argc, char **argv)
{
    struct node *root = command_settings(f, &compare_spec);
    struct study_call call = {
        .flags = f, .root = root, .name = "compare", .argc = argc, .argv = argv};
    struct text given = {0};
    enum status s = vary_all(f, root);

    if (s == STATUS_OK) {
        node_write(root, &given);
        call.given = text_get(&given);
        s = study_and_tell(&call);
    }
    text_release(&given);
    node_free(root);
    return s;
}

static enum status compare_run(int argc, char **argv)
{
    struct flags f = {0};
    bool done = false;
    enum status s = command_parse(&f, &compare_spec, argc, argv, &done);

    if (s == STATUS_OK && !done)
        s = compare_parsed(&f, argc, argv);
    flags_release(&f);
    return s;
}

const struct command compare_command = {
    .name = "compare",
    .summary = "run every combination of some values, and compare them",
    .flags = &compare_spec,
    .run = compare_run,
};
