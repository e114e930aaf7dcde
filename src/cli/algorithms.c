/*
 * algorithms.c - `muster algorithms`: the training algorithms, and what one of them needs.
 *
 * All of it is read from the algorithms' own tables (algo/); docs/algorithms/ has the rules.
 */
#include "algo/algo.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/list.h"

static const struct flag algorithms_flags[] = {
    {"json", NULL, NULL, "print one JSON object", "Output"},
    {0 },
};

static const struct flags_spec algorithms_spec = {
    .command = "algorithms",
    .usage = "muster algorithms [NAME] [options]",
    .intro = "Without a name: the ways in which workers train together. With one: what it needs "
             "and its options.",
    .examples = "muster algorithms\n"
                "muster algorithms ps-async",
    .flags = algorithms_flags,
    .positional_max = 1,
};

/* --- what the tables say, in words --- */

static const char *kind_name(enum algo_kind kind)
{
    switch (kind) {
    case ALGO_LOCKSTEP:
        return "lockstep";
    case ALGO_SERVED:
        return "served";
    case ALGO_FREE:
        return "free";
    }
    return "";
}

static const char *kind_meaning(enum algo_kind kind)
{
    switch (kind) {
    case ALGO_LOCKSTEP:
        return "all workers do the same rounds";
    case ALGO_SERVED:
        return "a server has the model, and a round is one of its updates";
    case ALGO_FREE:
        return "workers wait for nobody until all have ended";
    }
    return "";
}

/* For programs. */
static const char *view_name(enum algo_view view)
{
    switch (view) {
    case ALGO_VIEW_SAME:
        return "same";
    case ALGO_VIEW_MEAN:
        return "mean";
    case ALGO_VIEW_EACH:
        return "each";
    }
    return "";
}

static const char *view_meaning(const struct algo_ops *a)
{
    if (a->view == ALGO_VIEW_MEAN)
        return "the mean of the workers' models; each worker's own is recorded beside it";
    if (a->kind == ALGO_SERVED)
        return "the server's";
    if (a->view == ALGO_VIEW_EACH)
        return "every worker's own; the mean of all is saved";
    return a->shares ? "the one that all workers share" : "that of all workers, which is the same";
}

static const char *optimizers_meaning(const struct algo_ops *a)
{
    return a->takes_minimizers ? "all" : "all but lbfgs";
}

static const char *transports_meaning(const struct algo_ops *a)
{
    return a->shares ? "threads; mpi on one host, as it needs shared memory" : "threads, mpi";
}

static bool has_options(const struct algo_ops *a)
{
    return a->entry.fields != NULL && a->entry.fields->kind != FIELD_KIND_LAST;
}

/* --- as text --- */

static void add_row(struct text *out, const char *left, const char *right)
{
    text_addf(out, "%-12s %s\n", left, right);
}

static void show_text(const struct algo_ops *a, struct text *out)
{
    char *prefix = text_format("%s.", a->entry.name);

    text_addf(out, "%s: %s\n\n", a->entry.name, a->entry.summary);
    text_addf(out, "%-12s %s: %s\n", "kind", kind_name(a->kind), kind_meaning(a->kind));
    add_row(out, "workers", a->one_worker_only ? "one" : "any number");
    add_row(out, "model", view_meaning(a));
    add_row(out, "optimizers", optimizers_meaning(a));
    add_row(out, "transports", transports_meaning(a));
    if (has_options(a)) {
        text_add(out, "\nOptions\n");
        fields_help(a->entry.fields, prefix, out);
    } else {
        add_row(out, "options", "none of its own");
    }
    text_addf(out, "\ndocs/algorithms/%s.md has its rule, its messages and when to use it.\n",
              a->entry.name);
    mem_free(prefix);
}

static void list_text(struct text *out)
{
    text_addf(out, "%-16s %-9s %s\n", "name", "kind", "what");
    for (const struct entry *const *e = algo_registry.entries; *e != NULL; e++)
        text_addf(out, "%-16s %-9s %s\n", (*e)->name,
                  kind_name(((const struct algo_ops *)*e)->kind), (*e)->summary);
    text_add(out, "\nmuster algorithms NAME shows the options of one.\n");
}

/* --- as JSON --- */

static void json_options(const struct algo_ops *a, struct json *j)
{
    struct choice defaults = {0};
    struct text value = {0}, meaning = {0};

    choice_init(&defaults, &a->entry);
    json_open_list(j, "options");
    for (const struct field *f = a->entry.fields; f != NULL && f->kind != FIELD_KIND_LAST; f++) {
        text_clear(&value);
        text_clear(&meaning);
        field_value_text(f, defaults.options, &value);
        field_meaning(f, &meaning);
        json_open_map(j, NULL);
        json_text(j, "name", f->name);
        json_text(j, "default", text_get(&value));
        json_text(j, "meaning", text_get(&meaning));
        json_close_map(j);
    }
    json_close_list(j);
    text_release(&value);
    text_release(&meaning);
    choice_release(&defaults);
}

static void json_algorithm(const struct algo_ops *a, struct json *j)
{
    json_open_map(j, NULL);
    json_text(j, "name", a->entry.name);
    json_text(j, "kind", kind_name(a->kind));
    json_text(j, "summary", a->entry.summary);
    json_bool(j, "one_worker_only", a->one_worker_only);
    json_bool(j, "has_server", a->kind == ALGO_SERVED);
    json_bool(j, "needs_shared_memory", a->shares);
    json_bool(j, "takes_lbfgs", a->takes_minimizers);
    json_text(j, "model", view_name(a->view));
    json_options(a, j);
    json_close_map(j);
}

static void list_json(struct json *j)
{
    json_open_map(j, NULL);
    json_open_list(j, "algorithms");
    for (const struct entry *const *e = algo_registry.entries; *e != NULL; e++)
        json_algorithm((const struct algo_ops *)*e, j);
    json_close_list(j);
    json_close_map(j);
}

/* --- the command --- */

static enum status compose(const struct flags *f, struct text *out)
{
    const bool as_json = flags_has(f, "json");
    const struct entry *entry = NULL;
    struct json j;

    json_init(&j, out);
    if (f->positional_count > 0)
        TRY(registry_get(&algo_registry, f->positional[0], NULL, &entry));
    const struct algo_ops *a = (const struct algo_ops *)entry;
    if (as_json && a != NULL)
        json_algorithm(a, &j);
    else if (as_json)
        list_json(&j);
    else if (a != NULL)
        show_text(a, out);
    else
        list_text(out);
    if (as_json)
        text_add(out, "\n");
    return STATUS_OK;
}

static enum status algorithms_run(int argc, char **argv)
{
    struct flags f = {0};
    struct text out = {0};
    bool done = false;
    enum status s = command_parse(&f, &algorithms_spec, argc, argv, &done);

    if (s == STATUS_OK && !done)
        s = compose(&f, &out);
    if (s == STATUS_OK && !done)
        command_print(text_get(&out));
    text_release(&out);
    flags_release(&f);
    return s;
}

const struct command algorithms_command = {
    .name = "algorithms",
    .summary = "list the training algorithms, or show the options of one",
    .flags = &algorithms_spec,
    .run = algorithms_run,
};
