/*
 * s001_problem.c - the problems of S001's layout, each of which becomes a run.
 *
 *     problem1: {problem_name, train_batch_size, val_batch_size, evaluate_frequency, verbose_evals,
 *                comm_radius, dynamic_graph, save_models,
 *                metrics: [...], metrics_config: {...},
 *                optimizer_config: {alg_name, outer_iterations, + those of the algorithm}}
 */
#include <string.h>

#include "algo/algo.h"
#include "base/mem.h"
#include "conf/field.h"
#include "study/s001_internal.h"

/* --- metrics --- */

static bool is_among(const char *const *names, const char *word)
{
    for (; *names != NULL; names++)
        if (text_same_name(*names, word))
            return true;
    return false;
}

static enum status refuse_metric(const struct node *m, const char *word, const char *const *names)
{
    struct text near = {0};

    field_suggest(word, names, "there are", &near);
    const enum status s = node_fail_key(m, "problem_configs", "metrics",
                                        "unknown metric \"%s\"; %s", word, text_get(&near));
    text_release(&near);
    return s;
}

/* All but one are measured at every evaluation anyway; the list says which a reader expects. */
static enum status read_metrics(struct s001 *t, const struct node *n, struct node *out)
{
    static const char *const of_images[] = {
        "forward_pass_count", "validation_loss",           "consensus_error",      "top1_accuracy",
        "current_epoch",      "train_loss_moving_average", "validation_as_vector", NULL,
    };
    static const char *const of_lidar[] = {
        "forward_pass_count",
        "validation_loss",
        "consensus_error",
        "current_epoch",
        "train_loss_moving_average",
        "mesh_grid_density",
        "current_position",
        "current_graph",
        NULL,
    };
    const char *const *names = t->is_lidar ? of_lidar : of_images;

    if (n->kind != NODE_LIST)
        return node_fail_key(n, "problem_configs", "metrics", "must be a list of names");
    for (int64_t i = 0; i < n->count; i++) {
        const struct node *m = n->children[i];
        const char *word = m->kind == NODE_SCALAR ? m->text : "";

        if (!is_among(names, word))
            return refuse_metric(m, word, names);
        if (text_same_name(word, "validation_as_vector"))
            TRY(s001_put_word(out, "train.record_correct", "true", m));
        if (text_same_name(word, "mesh_grid_density"))
            t->mesh = m;
    }
    return STATUS_OK;
}

static enum status read_metrics_config(struct s001 *t, const struct node *n, struct node *out)
{
    /* clang-format off */
    static const struct s001_rule rules[] = {
        {.key = "evaluate_frequency", .action = S001_COUNT, .to = "train.evaluate_rounds"},
        {.key = "tloss_decay",        .action = S001_PUT,   .to = "train.loss_decay"},
        {.key = "mesh_only_at_end",   .action = S001_TAKE,  .take = s001_lidar_mesh_at_end},
        {.key = "metrics",            .action = S001_TAKE,  .take = read_metrics},
        S001_LAST,
    };
    /* clang-format on */

    return s001_read(t, n, rules,
                     &(struct s001_place){.path = "problem_configs.metrics_config", .out = out});
}

/* --- the algorithm --- */

static const char config_path[] = "problem_configs.optimizer_config";

/* Keys of theirs that are called otherwise here. */
/* clang-format off */
static const struct s001_word option_names[] = {
    {"primal_lr_start",       "primal_lr"},
    {"primal_lr_finish",      "primal_lr_end"},
    {"lr_decay_type",         "lr_decay"},
    {"persistant_primal_opt", "persistent_primal_opt"},
    {"alpha0",                "alpha"},
    S001_LAST,
};
/* clang-format on */

/* What each of their algorithms cannot do without. */
/* clang-format off */
static const struct s001_word required[] = {
    {"cadmm", "rho_init,primal_iterations,primal_lr|primal_lr_start"},
    {"dinno", "rho_init,primal_iterations,primal_lr|primal_lr_start"},
    {"dsgd",  "alpha0|alpha"},
    {"dsgt",  "alpha"},
    S001_LAST,
};
/* clang-format on */

static const char *find_word(const struct s001_word *words, const char *name)
{
    for (; words->theirs != NULL; words++)
        if (text_same_name(words->theirs, name))
            return words->ours;
    return NULL;
}

/* Not the algorithm's own: what else stands in the map. */
static bool is_of_run(const char *key)
{
    return text_same_name(key, "alg_name") || text_same_name(key, "outer_iterations") ||
           text_same_name(key, "profile");
}

static bool algorithm_has(const char *algorithm, const char *key)
{
    const struct entry *e = registry_find(&algo_registry, algorithm);

    return e != NULL && e->fields != NULL && fields_find(e->fields, key) != NULL;
}

/*
 * One algorithm with its options. Of several that are compared each gets those that it has; one
 * alone gets all, so that a wrong one is told.
 */
static enum status make_algorithm(const struct node *config, const struct node *name, bool is_alone,
                                  struct node *out)
{
    const char *needs = find_word(required, name->text);

    TRY(s001_put(out, "name", name, NULL));
    if (needs != NULL)
        TRY(s001_require(config, config_path, needs));
    for (int64_t i = 0; i < config->count; i++) {
        const char *ours = find_word(option_names, config->keys[i]);
        const char *key = ours == NULL ? config->keys[i] : ours;

        if (!is_of_run(key) && (is_alone || algorithm_has(name->text, key)))
            TRY(s001_put(out, key, config->children[i], NULL));
    }
    /* Combine, then adapt: what S001's dsgd does. */
    if (text_same_name(name->text, "dsgd") && node_find(out, "form") == NULL)
        node_put_new(out, "form", s001_scalar("cta", name));
    return STATUS_OK;
}

/* The algorithm of a map, or those of its list of names. */
static enum status add_algorithms(struct s001 *t, const struct node *config, struct node *list)
{
    TRY(s001_require(config, config_path, "alg_name"));
    const struct node *name = node_find(config, "alg_name");
    const bool is_list = name->kind == NODE_LIST;

    TRY(s001_require_items(name));
    if (node_find(config, "profile") != NULL)
        s001_ignore(t, "profile");
    for (int64_t i = 0; i < s001_item_count(name); i++) {
        const struct node *one = s001_item(name, i);
        struct node *map = s001_map(config);

        node_add(list, map);
        if (one->kind != NODE_SCALAR)
            return node_fail_key(one, config_path, "alg_name",
                                 "expected a name or a list of names");
        TRY(make_algorithm(config, one, !is_list, map));
    }
    return STATUS_OK;
}

static enum status read_algorithms(struct s001 *t, const struct node *n, struct node *out)
{
    struct node *list = s001_list(n);
    enum status s = s001_require_items(n);

    for (int64_t i = 0; i < s001_item_count(n) && s == STATUS_OK; i++)
        s = add_algorithms(t, s001_item(n, i), list);
    if (s == STATUS_OK)
        s = s001_put_items(out, "algorithm", list, s001_is_sweep(n, "alg_name"));
    node_free(list);
    return s;
}

/* One map, or a list of maps that are compared. */
static enum status read_config(struct s001 *t, const struct node *n, struct node *out)
{
    const struct node *rounds = NULL;

    TRY(read_algorithms(t, n, out));
    TRY(s001_find_common(n, "outer_iterations", &rounds));
    if (rounds != NULL)
        return s001_put_count(out, "train.max_steps", rounds);
    if (node_find_path(t->root, "train.max_steps") != NULL)
        return STATUS_OK;
    return s001_require(s001_item(n, 0), config_path, "outer_iterations");
}

/* --- problems --- */

/* clang-format off */
static const struct s001_rule problem_rules[] = {
    {.key = "problem_name",       .action = S001_DONE},
    {.key = "train_batch_size",   .action = S001_COUNT, .to = "train.batch_size"},
    {.key = "val_batch_size",     .action = S001_TAKE,  .take = s001_lidar_batch},
    {.key = "evaluate_frequency", .action = S001_COUNT, .to = "train.evaluate_rounds"},
    {.key = "verbose_evals",      .action = S001_PUT,   .to = "train.print_evaluations"},
    {.key = "dynamic_graph",      .action = S001_DONE},
    {.key = "comm_radius",        .action = S001_DONE},
    {.key = "save_models",        .action = S001_DONE},
    {.key = "metrics",            .action = S001_TAKE,  .take = read_metrics},
    {.key = "metrics_config",     .action = S001_TAKE,  .take = read_metrics_config},
    {.key = "optimizer_config",   .action = S001_TAKE,  .take = read_config},
    {.key = "optimizer_configs",  .action = S001_TAKE,  .take = read_config},
    S001_LAST,
};
/* clang-format on */

/* The name of the run: problem_name, else the problem's key. */
static enum status find_name(const struct node *problem, const char *key, const char **name)
{
    const struct node *given = node_find(problem, "problem_name");

    *name = key;
    if (node_is_null(given))
        return STATUS_OK;
    if (given->kind != NODE_SCALAR)
        return node_fail_key(given, "problem_configs", "problem_name", "is a text");
    *name = given->text;
    return STATUS_OK;
}

/* save_models: the names are those of output.models. */
static enum status read_save_models(struct s001 *t, const struct node *problem, const char *path,
                                    const char *name)
{
    const struct node *given = node_find(problem, "save_models");
    bool is_wanted = false;

    if (node_is_null(given))
        return STATUS_OK;
    if (given->kind != NODE_SCALAR || !field_to_bool(given->text, &is_wanted))
        return node_fail_key(given, path, "save_models", "must be true or false");
    if (is_wanted && strchr(name, ',') != NULL)
        return node_fail_key(given, path, "save_models",
                             "a problem_name with a comma cannot be combined with save_models");
    if (is_wanted)
        text_addf(&t->saved, "%s%s", t->saved.length > 0 ? "," : "", name);
    return STATUS_OK;
}

static enum status put_saved(struct s001 *t, const struct node *where)
{
    if (t->saved.length == 0)
        return STATUS_OK;
    return s001_put_word(t->root, "output.models", text_get(&t->saved), where);
}

static enum status read_problem(struct s001 *t, const struct node *problem, const char *key,
                                const char *path)
{
    struct node *run = s001_map(problem);
    const struct s001_place place = {.path = path, .out = run, .has_sections = true};
    const char *name = key;
    enum status s = s001_require(problem, path, "optimizer_config|optimizer_configs");

    if (s == STATUS_OK && node_find_path(t->root, "train.batch_size") == NULL)
        s = s001_require(problem, path, "train_batch_size|train");
    if (s == STATUS_OK)
        s = find_name(problem, key, &name);
    if (s == STATUS_OK && node_find(t->runs, name) != NULL)
        s = node_fail_key(problem, path, NULL, "another problem is also named %s", name);
    if (s == STATUS_OK)
        s = s001_read(t, problem, problem_rules, &place);
    if (s == STATUS_OK)
        s = s001_lidar_radio(t, problem, path, run);
    if (s == STATUS_OK)
        s = s001_lidar_mesh(t, run);
    if (s == STATUS_OK)
        s = read_save_models(t, problem, path, name);
    if (s == STATUS_OK)
        node_put_new(t->runs, name, run);
    else
        node_free(run);
    return s;
}

enum status s001_problem(struct s001 *t, const struct node *problem)
{
    TRY(read_problem(t, problem, "problem", "problem"));
    return put_saved(t, problem);
}

static enum status read_named(struct s001 *t, const struct node *problems, int64_t i)
{
    char *path = text_format("problem_configs.%s", problems->keys[i]);
    const enum status s = read_problem(t, problems->children[i], problems->keys[i], path);

    mem_free(path);
    return s;
}

enum status s001_problems(struct s001 *t, const struct node *problems)
{
    if (problems->kind != NODE_MAP)
        return node_fail(problems, "problem_configs: must be a map of problems");
    for (int64_t i = 0; i < problems->count; i++)
        TRY(read_named(t, problems, i));
    if (t->runs->count == 0)
        return node_fail(problems, "problem_configs: contains no problem");
    return put_saved(t, problems);
}
