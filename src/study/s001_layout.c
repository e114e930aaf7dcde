/*
 * s001_layout.c - the experiment part of S001's layout, and the whole.
 *
 *     experiment: {name, data_dir, output_metadir, writeout, data_split_type, loss, seed, use_cuda,
 *                  graph: {num_nodes, type, p, gen_attempts},
 *                  model: {num_filters, kernel_size, linear_width}, individual_training: {...}}
 *     problem_configs: {problem1: {...}, ...}
 *
 * A scaling study has experiment.scaling instead of graph, and one `problem` at the top.
 *
 * Not here: the problems (s001_problem.c), scaling (s001_scaling.c), robots (s001_lidar.c), how
 * rules are followed (s001_read.c).
 */
#include "study/s001_layout.h"

#include "base/mem.h"
#include "conf/field.h"
#include "graph/topology.h"
#include "study/s001_internal.h"

bool s001_is_layout(const struct node *root)
{
    return node_find(root, "experiment") != NULL || node_find(root, "problem_configs") != NULL;
}

/* --- graph --- */

/* clang-format off */
static const struct s001_word graph_types[] = {
    {"random", "erdos_renyi"},
    S001_LAST,
};
/* clang-format on */

/* Keys of S001's template that only a random graph looks at. */
static bool is_of_random(const char *key)
{
    return text_same_name(key, "p") || text_same_name(key, "gen_attempts");
}

static bool type_has(const char *type, const char *key)
{
    const struct entry *e = registry_find(&graph_registry, type);

    return e != NULL && e->fields != NULL && fields_find(e->fields, key) != NULL;
}

/* One type with the keys that it has; those of random graphs are left out of others. */
static enum status make_graph(struct s001 *t, const struct node *graph, const struct node *type,
                              struct node *out)
{
    TRY(s001_put(out, "name", type, graph_types));
    const char *name = node_find(out, "name")->text;
    for (int64_t i = 0; i < graph->count; i++) {
        const char *key = graph->keys[i];

        if (text_same_name(key, "num_nodes") || text_same_name(key, "type"))
            continue;
        if (is_of_random(key) && !type_has(name, key)) {
            char *what = text_format("graph.%s", key);
            s001_ignore(t, what);
            mem_free(what);
            continue;
        }
        TRY(s001_put(out, key, graph->children[i], NULL));
    }
    return STATUS_OK;
}

/* A list of types is a list of graphs, since each has options of its own. */
static enum status add_graphs(struct s001 *t, const struct node *n, struct node *list)
{
    TRY(s001_require(n, "experiment.graph", "num_nodes,type"));
    const struct node *type = node_find(n, "type");

    TRY(s001_require_items(type));
    for (int64_t i = 0; i < s001_item_count(type); i++) {
        const struct node *one = s001_item(type, i);
        struct node *graph = s001_map(n);

        node_add(list, graph);
        if (one->kind != NODE_SCALAR)
            return node_fail_key(one, "experiment.graph", "type",
                                 "expected a name or a list of names");
        TRY(make_graph(t, n, one, graph));
    }
    return STATUS_OK;
}

/* One map, or a list of maps that are compared. */
static enum status read_graph(struct s001 *t, const struct node *n, struct node *out)
{
    const struct node *nodes = NULL;
    struct node *list = s001_list(n);
    enum status s = s001_require_items(n);

    for (int64_t i = 0; i < s001_item_count(n) && s == STATUS_OK; i++)
        s = add_graphs(t, s001_item(n, i), list);
    if (s == STATUS_OK)
        s = s001_find_common(n, "num_nodes", &nodes);
    if (s == STATUS_OK)
        s = s001_put_count(out, "transport.workers", nodes);
    if (s == STATUS_OK)
        s = s001_put_items(out, "graph", list, s001_is_sweep(n, "type"));
    node_free(list);
    return s;
}

/* --- model --- */

static const char *usual_model(const struct s001 *t)
{
    return t->is_lidar ? "fourier_density" : "mnist_conv";
}

/* A network of ours by its name, or S001's with its own keys. */
static enum status read_one_model(struct s001 *t, const struct node *n, struct node *out)
{
    /* clang-format off */
    static const struct s001_rule of_images[] = {
        {.key = "num_filters",  .action = S001_PUT, .to = "model.num_filters"},
        {.key = "kernel_size",  .action = S001_PUT, .to = "model.kernel_size"},
        {.key = "kernal_width", .action = S001_PUT, .to = "model.kernel_size"},
        {.key = "linear_width", .action = S001_PUT, .to = "model.linear_width"},
        S001_LAST,
    };
    static const struct s001_rule of_lidar[] = {
        {.key = "shape", .action = S001_PUT, .to = "model.shape"},
        {.key = "scale", .action = S001_PUT, .to = "model.scale"},
        S001_LAST,
    };
    /* clang-format on */
    const struct s001_place place = {.path = "experiment.model", .out = out};

    if (n->kind != NODE_MAP || node_find(n, "name") != NULL || node_find(n, "layers") != NULL)
        return s001_put_key(out, "model", n);
    TRY(s001_put_word(out, "model.name", usual_model(t), n));
    return s001_read(t, n, t->is_lidar ? of_lidar : of_images, &place);
}

static enum status add_model(struct s001 *t, const struct node *n, struct node *list)
{
    struct node *out = s001_map(n);
    const enum status s = read_one_model(t, n, out);

    if (s == STATUS_OK)
        node_add(list, node_copy(node_find(out, "model")));
    node_free(out);
    return s;
}

/* One, or a list of those that are compared. */
static enum status read_model(struct s001 *t, const struct node *n, struct node *out)
{
    if (!s001_has_maps(n))
        return read_one_model(t, n, out);
    struct node *list = s001_list(n);
    enum status s = STATUS_OK;

    for (int64_t i = 0; i < n->count && s == STATUS_OK; i++)
        s = add_model(t, n->children[i], list);
    if (s == STATUS_OK)
        s = s001_put_key(out, "model", list);
    node_free(list);
    return s;
}

/* --- the rest --- */

/* `dataset: fashion_mnist`, or its options, or a list of either. */
static enum status read_dataset(struct s001 *t, const struct node *n, struct node *out)
{
    (void)t;
    if (n->kind == NODE_MAP || s001_has_maps(n))
        return s001_put_key(out, "data", n);
    return s001_put(out, "data.name", n, NULL);
}

/* `data` is ours when it names a set, and else that of the lidar experiments. */
static enum status read_data(struct s001 *t, const struct node *n, struct node *out)
{
    return t->is_lidar ? s001_lidar_data(t, n, out) : s001_put_key(out, "data", n);
}

/* Lidar experiments take that of the problems. */
static enum status pass_batch(struct s001 *t, const struct node *n, struct node *out)
{
    (void)n;
    (void)out;
    if (!t->is_lidar)
        s001_ignore(t, "val_batch_size");
    return STATUS_OK;
}

/* Every node alone on its part: a run beside the problems. */
static enum status read_individual(struct s001 *t, const struct node *n, struct node *out)
{
    /* clang-format off */
    static const struct s001_rule rules[] = {
        {.key = "train_solo",       .action = S001_DONE},
        {.key = "optimizer",        .action = S001_PUT, .to = "optimizer.name"},
        {.key = "lr",               .action = S001_PUT, .to = "optimizer.lr"},
        {.key = "epochs",           .action = S001_PUT, .to = "train.epochs"},
        {.key = "train_batch_size", .action = S001_PUT, .to = "train.batch_size"},
        {.key = "val_batch_size",   .action = S001_TAKE, .take = pass_batch},
        {.key = "verbose",          .action = S001_IGNORE},
        S001_LAST,
    };
    /* clang-format on */
    static const char path[] = "experiment.individual_training";
    bool is_wanted = false;

    (void)out;
    TRY(s001_require(n, path, "train_solo"));
    const struct node *train_solo = node_find(n, "train_solo");
    if (train_solo->kind != NODE_SCALAR || !field_to_bool(train_solo->text, &is_wanted))
        return node_fail_key(train_solo, path, "train_solo", "must be true or false");
    struct node *solo = s001_map(n);
    const struct s001_place place = {.path = path, .out = solo};

    node_put_path(solo, "algorithm.name", s001_scalar("solo", train_solo));
    const enum status s = s001_read(t, n, rules, &place);
    if (s == STATUS_OK && is_wanted)
        node_put_new(t->runs, "solo", solo);
    else
        node_free(solo);
    return s;
}

/* clang-format off */
static const struct s001_word split_types[] = {
    {"random", "split"},
    S001_LAST,
};
/* clang-format on */

/* clang-format off */
static const struct s001_word losses[] = {
    {"nll", "nll"},
    {"bce", "bce"},
    {"mse", "mse"},
    {"l1",  "l1"},
    S001_LAST,
};
/* clang-format on */

/* clang-format off */
static const struct s001_rule experiment_rules[] = {
    {.key = "name",                .action = S001_PUT,  .to = "name"},
    {.key = "seed",                .action = S001_PUT,  .to = "seed"},
    {.key = "data_dir",            .action = S001_PUT,  .to = "data.dir"},
    {.key = "output_metadir",      .action = S001_PUT,  .to = "output.dir"},
    {.key = "writeout",            .action = S001_PUT,  .to = "output.write"},
    {.key = "data_split_type",     .action = S001_PUT,  .to = "partition.name", .words = split_types},
    {.key = "loss",                .action = S001_PUT,  .to = "problem.loss",   .words = losses},
    {.key = "use_cuda",            .action = S001_IGNORE},
    {.key = "graph",               .action = S001_TAKE, .take = read_graph},
    {.key = "scaling",             .action = S001_TAKE, .take = s001_scaling},
    {.key = "model",               .action = S001_TAKE, .take = read_model},
    {.key = "dataset",             .action = S001_TAKE, .take = read_dataset},
    {.key = "data",                .action = S001_TAKE, .take = read_data},
    {.key = "individual_training", .action = S001_TAKE, .take = read_individual},
    {.key = "baselines",           .action = S001_PUT,  .to = "baselines"},
    S001_LAST,
};
/* clang-format on */

/* --- the whole --- */

/* A section that chooses nothing gets this name. */
static enum status put_default(struct node *out, const char *section, const char *name,
                               const struct node *where)
{
    const struct node *given = node_find(out, section);
    const bool chooses =
        given != NULL && (given->kind != NODE_MAP || node_find(given, "name") != NULL ||
                          node_find(given, "layers") != NULL);

    if (chooses)
        return STATUS_OK;
    char *path = text_format("%s.name", section);
    const enum status s = s001_put_word(out, path, name, where);
    mem_free(path);
    return s;
}

/* The only problem of a file without problem_configs; beside those `problem` is our section. */
static const struct node *only_problem(const struct node *root)
{
    return node_find(root, "problem_configs") == NULL ? node_find(root, "problem") : NULL;
}

/* What is at the top beside S001's two keys is ours. */
static enum status copy_ours(struct s001 *t, const struct node *root)
{
    const struct node *only = only_problem(root);

    for (int64_t i = 0; i < root->count; i++) {
        const char *key = root->keys[i];

        if (!text_same_name(key, "experiment") && !text_same_name(key, "problem_configs") &&
            (only == NULL || root->children[i] != only))
            TRY(s001_put_key(t->root, key, root->children[i]));
    }
    return STATUS_OK;
}

/* The study leaves a file of results for each problem; with one problem, numbered ones. */
static enum status put_results(struct node *out, bool are_numbered, const struct node *where)
{
    const struct node *output = node_find(out, "output");

    if (output != NULL && (output->kind != NODE_MAP || node_find(output, "results") != NULL))
        return STATUS_OK;
    return s001_put_word(out, "output.results", are_numbered ? "numbered" : "named", where);
}

static enum status translate(struct s001 *t, const struct node *root)
{
    const struct s001_place place = {.path = "experiment", .out = t->root, .has_sections = true};

    TRY(s001_require(root, NULL, "experiment,problem_configs|problem"));
    const struct node *experiment = node_find(root, "experiment"), *only = only_problem(root);

    t->is_lidar = s001_has_lidar(experiment);
    if (!t->is_lidar)
        TRY(s001_require(experiment, "experiment", "graph|scaling"));
    TRY(s001_read(t, experiment, experiment_rules, &place));
    if (t->is_lidar)
        TRY(s001_lidar_robots(t, experiment));
    TRY(copy_ours(t, root));
    TRY(put_default(t->root, "data", "mnist", experiment));
    TRY(put_default(t->root, "model", usual_model(t), experiment));
    if (node_find(experiment, "scaling") != NULL)
        TRY(put_default(t->root, "partition", "sorted", experiment));
    TRY(put_results(t->root, only != NULL, experiment));
    TRY(only != NULL ? s001_problem(t, only)
                     : s001_problems(t, node_find(root, "problem_configs")));
    for (int64_t i = 0; i < t->runs->count; i++)
        TRY(s001_check_once(t->root, t->runs->children[i], ""));
    return s001_put_key(t->root, "runs", t->runs);
}

/* So that messages name the keys that the user wrote. */
static struct node *with_paths(const struct node *root)
{
    struct node *copy = node_copy(root);

    for (int64_t i = 0; i < copy->count; i++)
        node_note_paths(copy->children[i], copy->keys[i]);
    return copy;
}

enum status s001_translate(const struct node *root, struct node **canonical, struct text *ignored)
{
    struct node *given = with_paths(root);
    struct s001 t = {
        .root = node_new(NODE_MAP, root->origin, root->line, root->column),
        .runs = node_new(NODE_MAP, root->origin, root->line, root->column),
        .ignored = ignored,
    };
    const enum status s = translate(&t, given);

    node_free(given);
    node_free(t.runs);
    text_release(&t.saved);
    *canonical = NULL;
    if (s == STATUS_OK)
        *canonical = t.root;
    else
        node_free(t.root);
    return s;
}
