/*
 * algorithms.c - `muster algorithms`: the training algorithms, and what one of them needs.
 *
 * All of it is read from the algorithms' own tables (algo/); docs/reference/algorithms/ has the
 * rules.
 */
#include <math.h>
#include <string.h>

#include "algo/algo.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/list.h"
#include "train/loop/coordinator.h"

static const struct flag algorithms_flags[] = {
    {"json", NULL, NULL, "print one JSON object", "Output"},
    FLAG_LAST,
};

static const struct flags_spec algorithms_spec = {
    .command = "algorithms",
    .usage = "muster algorithms [NAME] [options]",
    .intro = "Without NAME: lists the training algorithms. With NAME: shows what it needs and its "
             "options.",
    .examples = "muster algorithms\n"
                "muster algorithms ps-async",
    .flags = algorithms_flags,
    .positional_max = 1,
};

/* --- what the tables say, in words --- */

/* For programs. */
static const char *run_model_name(enum algo_run_model run_model)
{
    switch (run_model) {
    case ALGO_RUN_MODEL_SAME:
        return "same";
    case ALGO_RUN_MODEL_MEAN:
        return "mean";
    case ALGO_RUN_MODEL_EACH:
        return "each";
    }
    return "";
}

static const char *view_meaning(const struct algo_ops *a)
{
    if (a->run_model == ALGO_RUN_MODEL_MEAN && a->run_model_vector != NULL)
        return "the mean of the workers' models, or what its page says for some options; each "
               "worker's own model is recorded too";
    if (a->run_model == ALGO_RUN_MODEL_MEAN)
        return "the mean of the workers' models; each worker's own model is recorded too";
    if (coordinator_of(a)->model != NULL)
        return coordinator_of(a)->model;
    if (a->run_model == ALGO_RUN_MODEL_EACH)
        return "each worker's own model; the mean of all is saved";
    return "the model that all workers have in common";
}

/* What an algorithm declares: for programs, and for people. */
struct promise_words {
    const char *name, *meaning;
};

static const struct promise_words limits[] = {
    [ALGO_LIMIT_UNDECLARED] = {"undeclared",  "not declared"                                        },
    [ALGO_LIMIT_OPTIMUM] = {"optimum",
                               "the optimum of the mean loss, even if workers' data differ"         },
    [ALGO_LIMIT_BIASED] = {"biased",
                               "near the optimum if workers' data differ; closer with smaller steps"},
    [ALGO_LIMIT_MEAN_OF_OWN] = {"mean of own", "the mean of the workers' own optima"                 },
    [ALGO_LIMIT_OWN] = {"own",         "each worker's own optimum"                           },
};

static const struct promise_words one_worker_forms[] = {
    [ALGO_ONE_WORKER_UNDECLARED] = {"undeclared", "not declared"                     },
    [ALGO_ONE_WORKER_SAME_BITS] = {"same bits",  "algorithm single, to the bit"     },
    [ALGO_ONE_WORKER_ROUNDING] = {"rounding",   "algorithm single, within rounding"},
    [ALGO_ONE_WORKER_OWN_FORM] = {"own form",   "see its page"                     },
};

static const char *optimizers_meaning(const struct algo_ops *a)
{
    if (a->optimizers != NULL)
        return a->optimizers;
    return a->takes_minimizers ? "all" : "all but lbfgs";
}

/* Shared memory ends at the host where a transport does not share all of it. */
static void show_transports(const struct algo_ops *a, struct text *out)
{
    const bool shares_memory = coordinator_of(a)->shares_memory;

    text_addf(out, "%-12s ", "transports");
    for (const struct entry *const *e = transport_registry.entries; *e != NULL; e++) {
        const struct transport_entry *t = (const struct transport_entry *)*e;

        text_addf(out, "%s%s%s", e == transport_registry.entries ? "" : ", ", t->entry.name,
                  shares_memory && !t->shares_memory ? " on one host" : "");
    }
    text_add(out, shares_memory ? "; it needs shared memory\n" : "\n");
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

/* What it promises, and which options the tests add to see it in a short run. */
static void show_promises(const struct algo_ops *a, struct text *out)
{
    add_row(out, "ends at", limits[a->limit].meaning);
    add_row(out, "one worker", one_worker_forms[a->one_worker].meaning);
    text_addf(out, "%-12s %s in a round", "bytes", a->bytes == NULL ? "not declared" : a->bytes);
    text_addf(out, "%s%s%s\n", a->bytes_once == NULL ? "" : ", ",
              a->bytes_once == NULL ? "" : a->bytes_once, a->bytes_once == NULL ? "" : " once");
    if (a->bytes == NULL || strpbrk(a->bytes, "WLSP") != NULL)
        text_addf(out, "%-12s W workers, L links, S values of the state, P parameters%s\n", "",
                  a->needs_grid ? ", G of grids" : "");
    if (a->test_options != NULL)
        add_row(out, "tested with", a->test_options);
    if (a->more_test_options != NULL)
        add_row(out, "", a->more_test_options);
}

/* With the options that it has by default. */
static bool is_usually_asynchronous(const struct algo_ops *a)
{
    struct choice usual = {0};

    choice_init(&usual, &a->entry);
    const bool answer = algo_is_asynchronous(a, usual.options);
    choice_release(&usual);
    return answer;
}

static void show_text(const struct algo_ops *a, struct text *out)
{
    char *prefix = text_format("%s.", a->entry.name);

    text_addf(out, "%s: %s\n\n", a->entry.name, a->entry.summary);
    text_addf(out, "%-12s %s: %s\n", "kind", coordinator_of(a)->name, coordinator_of(a)->summary);
    add_row(out, "workers", a->one_worker_only ? "one" : "any number");
    add_row(out, "model", view_meaning(a));
    add_row(out, "optimizers", optimizers_meaning(a));
    if (is_usually_asynchronous(a))
        add_row(out, "epochs",
                "each worker makes its own and leaves; with --ends total, all workers together "
                "make the total");
    show_transports(a, out);
    show_promises(a, out);
    if (has_options(a)) {
        text_add(out, "\nOptions\n");
        fields_help(a->entry.fields, prefix, out);
    } else {
        add_row(out, "options", "none of its own");
    }
    text_addf(
        out,
        "\ndocs/reference/algorithms/%s.md explains its rule, its messages and when to use it.\n",
        a->entry.name);
    mem_free(prefix);
}

static void list_text(struct text *out)
{
    text_addf(out, "%-16s %-14s %s\n", "name", "kind", "what");
    for (const struct entry *const *e = algo_registry.entries; *e != NULL; e++)
        text_addf(out, "%-16s %-14s %s\n", (*e)->name,
                  coordinator_of((const struct algo_ops *)*e)->name, (*e)->summary);
    text_add(out, "\nmuster algorithms NAME shows the options of one.\n");
}

/* --- as JSON --- */

static void json_options(const struct algo_ops *a, const struct choice *defaults, struct json *j)
{
    struct text value = {0}, meaning = {0};

    json_open_list(j, "options");
    for (const struct field *f = a->entry.fields; f != NULL && f->kind != FIELD_KIND_LAST; f++) {
        text_clear(&value);
        text_clear(&meaning);
        field_value_text(f, defaults->options, &value);
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
}

static void json_algorithm(const struct algo_ops *a, struct json *j)
{
    struct choice defaults = {0};

    choice_init(&defaults, &a->entry);
    json_open_map(j, NULL);
    json_text(j, "name", a->entry.name);
    json_text(j, "kind", coordinator_of(a)->name);
    json_text(j, "summary", a->entry.summary);
    json_bool(j, "one_worker_only", a->one_worker_only);
    json_bool(j, "has_server", coordinator_of(a)->has_server);
    json_bool(j, "needs_shared_memory", coordinator_of(a)->shares_memory);
    json_bool(j, "takes_lbfgs", a->takes_minimizers);
    json_bool(j, "needs_graph", a->needs_graph);
    json_bool(j, "needs_grid", a->needs_grid);
    json_bool(j, "is_asynchronous", algo_is_asynchronous(a, defaults.options));
    json_bool(j, "has_own_epochs", a->has_own_epochs);
    if (a->has_own_epochs) /* it depends on a worker's samples */
        json_number(j, "draws", (double)NAN);
    else
        json_int(j, "draws", algo_draws(a, defaults.options, 1));
    json_text(j, "model", run_model_name(a->run_model));
    json_text(j, "limit", limits[a->limit].name);
    json_text(j, "one_worker", one_worker_forms[a->one_worker].name);
    json_text(j, "bytes", a->bytes == NULL ? "" : a->bytes);
    json_text(j, "bytes_once", a->bytes_once == NULL ? "0" : a->bytes_once);
    json_text(j, "test_options", a->test_options == NULL ? "" : a->test_options);
    json_text(j, "more_test_options", a->more_test_options == NULL ? "" : a->more_test_options);
    json_options(a, &defaults, j);
    choice_release(&defaults);
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
    return command_run_printing(&algorithms_spec, argc, argv, compose);
}

const struct command algorithms_command = {
    .name = "algorithms",
    .summary = "list the training algorithms, or show the options of one",
    .flags = &algorithms_spec,
    .run = algorithms_run,
};
