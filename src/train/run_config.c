/*
 * run_config.c - between the canonical schema and struct run_config.
 */
#include "train/run_config.h"

#include <string.h>

#include "algo/algo.h"
#include "base/check.h"
#include "base/file.h"
#include "base/mem.h"
#include "comm/world.h"
#include "conf/yaml.h"
#include "data/dataset.h"
#include "data/partition.h"
#include "nn/zoo.h"
#include "optim/optim.h"
#include "optim/schedule.h"
#include "problem/problem.h"
#include "train/budget.h"
#include "train/initial_weights.h"
#include "train/stop_rule.h"

enum { EPOCHS_USUAL = 6 }; /* where neither epochs nor rounds are asked for */

/* clang-format off */
const struct flag_table run_config_tables[] = {
    {"",          run_config_fields},
    {"data",      data_fields},
    {"train",     train_fields},
    {"transport", transport_fields},
    {"delays",    delay_fields},
    {"graph",     topology_fields},
    {"output",    run_output_fields},
    {0},
};
/* clang-format on */

const struct registry *const run_config_registries[] = {
    &dataset_registry,   &zoo_registry,      &problem_registry,
    &optim_registry,     &schedule_registry, &algo_registry,
    &partition_registry, &graph_registry,    NULL,
};

const char *run_config_fallback(const struct registry *r)
{
    static const struct {
        const struct registry *registry;
        const char *name;
    } fallbacks[] = {
        {&dataset_registry,   "fashion_mnist"},
        {&zoo_registry,       "lenet5"       },
        {&problem_registry,   "supervised"   },
        {&optim_registry,     "sgd"          },
        {&schedule_registry,  "constant"     },
        {&algo_registry,      "single"       },
        {&partition_registry, "split"        },
        {&graph_registry,     "cycle"        },
    };

    for (size_t i = 0; i < sizeof fallbacks / sizeof fallbacks[0]; i++)
        if (fallbacks[i].registry == r)
            return fallbacks[i].name;
    BUG("a registry without a fallback");
}

const char *const run_config_sections[] = {
    "data",      "model",  "problem", "optimizer", "schedule", "algorithm", "transport",
    "partition", "delays", "graph",   "train",     "output",   NULL,
};

/* A section as a map: {} when it is absent, {name: x} when it is the bare name x. */
static struct node *section_map(const struct node *root, const char *key)
{
    const struct node *given = node_find(root, key);

    if (given == NULL || given->is_null)
        return node_new(NODE_MAP, root->origin, root->line, root->column);
    if (given->kind != NODE_SCALAR)
        return node_copy(given);

    struct node *map = node_new(NODE_MAP, given->origin, given->line, given->column);
    node_put(map, "name", node_copy(given));
    return map;
}

/* The names of a table's fields and then `more`, as a list of keys to skip. */
struct key_list {
    const char *keys[64];
    int count;
};

static void keys_add(struct key_list *list, const struct field *fields)
{
    for (; fields != NULL && fields->kind != FIELD_KIND_LAST && list->count < 62; fields++)
        list->keys[list->count++] = fields->name;
}

static enum status read_plain(const struct node *root, const char *key, const struct field *fields,
                              void *options)
{
    struct node *map = section_map(root, key);
    const struct fields_place place = {.owner = key, .path = key};

    fields_default(fields, options);
    const enum status s = fields_read(fields, options, map, &place);
    node_free(map);
    return s;
}

static enum status read_choice_or(struct choice *c, const struct registry *r,
                                  const struct node *root, const char *fallback)
{
    struct node *map = section_map(root, r->section);
    const struct choice_place place = {.fallback = fallback};
    const enum status s = choice_read(c, r, map, &place);

    node_free(map);
    return s;
}

static enum status read_choice(struct choice *c, const struct registry *r, const struct node *root)
{
    return read_choice_or(c, r, root, run_config_fallback(r));
}

/* data: the set's own options and those of every set stand in one map. */
static enum status read_data(struct run_config *config, const struct node *root)
{
    struct node *map = section_map(root, "data");
    struct key_list common = {{NULL}, 0};
    struct key_list own = {{"name"}, 1};

    keys_add(&common, data_fields);
    fields_default(data_fields, &config->data);
    const struct choice_place place = {.fallback = run_config_fallback(&dataset_registry),
                                       .skip = common.keys};
    enum status s = choice_read(&config->dataset, &dataset_registry, map, &place);
    if (s == STATUS_OK) {
        keys_add(&own, config->dataset.entry->fields);
        const struct fields_place rest = {.owner = "data", .path = "data", .skip = own.keys};
        s = fields_read(data_fields, &config->data, map, &rest);
    }
    node_free(map);
    return s;
}

bool run_config_is_model_file(const char *name)
{
    const size_t n = strlen(name);

    return (n > 5 && strcmp(name + n - 5, ".yaml") == 0) ||
           (n > 4 && strcmp(name + n - 4, ".yml") == 0);
}

/* "nets/small.yaml" becomes "small". */
static char *name_of_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;

    return mem_text_n(base, (size_t)(strrchr(base, '.') - base));
}

/* Keeps a network of the user's own as its list of layers, with their positions in the file. */
static enum status keep_layers(struct run_config *config, const struct node *file)
{
    const struct node *list = file->kind == NODE_MAP ? node_find(file, "layers") : file;
    struct net *net = NULL;
    struct shape in;

    TRY(net_read_file(file, &net, &in)); /* so that mistakes show before data is loaded */
    net_free(net);
    config->layers = node_copy(list);
    if (config->data.input_size == 0 && in.height > 1 && in.height == in.width)
        config->data.input_size = in.height;
    return STATUS_OK;
}

static enum status load_layers(struct run_config *config, const char *path)
{
    struct node *file = NULL;

    if (!file_exists(path))
        return FAIL(STATUS_IO, "model.name: file %s does not exist", path);
    TRY(yaml_load(path, &file));
    const enum status s = keep_layers(config, file);
    node_free(file);
    return s;
}

static enum status read_model_map(struct run_config *config, const struct node *map)
{
    const struct node *name = node_find(map, "name");
    const struct node *layers = node_find(map, "layers");
    const bool from_file =
        name != NULL && name->kind == NODE_SCALAR && run_config_is_model_file(name->text);

    if (layers == NULL && !from_file) {
        TRY(choice_read(&config->model, &zoo_registry, map,
                        &(struct choice_place){.fallback = run_config_fallback(&zoo_registry)}));
        config->model_name = mem_text(config->model.entry->name);
        return STATUS_OK;
    }
    for (int64_t i = 0; i < map->count; i++)
        if (map->children[i] != name && map->children[i] != layers)
            return node_fail(map->children[i],
                             "model.%s: a network given as layers has no such option",
                             map->keys[i]);
    if (layers != NULL) {
        config->model_name =
            mem_text(name != NULL && name->kind == NODE_SCALAR ? name->text : "layers");
        return keep_layers(config, layers);
    }
    config->model_name = name_of_file(name->text);
    return load_layers(config, name->text);
}

static enum status read_model(struct run_config *config, const struct node *root)
{
    struct node *map = section_map(root, "model");
    const enum status s =
        map->kind == NODE_MAP
            ? read_model_map(config, map)
            : node_fail(map, "model: expected a name, or a map with name or layers");

    node_free(map);
    return s;
}

/* --- the problem --- */

/* What the problem would not use is a mistake. */
static enum status reject_sections(const struct run_config *config, const struct node *root)
{
    static const char *const sections[] = {"data", "model", "partition"};

    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        const struct node *given = node_find(root, sections[i]);

        if (node_is_null(given))
            continue;
        /* The map of a section that flags have set has no place, but each of them has. */
        if (given->kind == NODE_MAP && given->count > 0 && given->line == 0)
            given = given->children[0];
        return node_fail_key(given, sections[i], NULL, "problem %s has no %s; leave it out",
                             config->problem.entry->name, sections[i]);
    }
    return STATUS_OK;
}

static bool has_data(const struct run_config *config)
{
    return ((const struct problem_ops *)config->problem.entry)->has_data;
}

static enum status read_problem(struct run_config *config, const struct node *root)
{
    TRY(read_choice(&config->problem, &problem_registry, root));
    if (!has_data(config))
        return reject_sections(config, root);
    TRY(read_data(config, root));
    TRY(read_model(config, root));

    const char *usual = ((const struct dataset_ops *)config->dataset.entry)->partition;
    return read_choice_or(&config->partition, &partition_registry, root,
                          usual == NULL ? run_config_fallback(&partition_registry) : usual);
}

/* Several workers are not meant to train separately unless the file says so. */
static enum status read_algorithm(struct run_config *config, const struct node *root)
{
    const bool is_alone = config->transport.workers <= 1 && !world_is_launched();
    struct node *map = section_map(root, "algorithm");
    const struct choice_place place = {
        .fallback = is_alone ? run_config_fallback(&algo_registry) : "sync",
    };
    const enum status s = choice_read(&config->algorithm, &algo_registry, map, &place);

    node_free(map);
    return s;
}

/* A graph that the algorithm would not use is a mistake. */
static enum status read_graph(struct run_config *config, const struct node *root)
{
    const struct algo_ops *algo = (const struct algo_ops *)config->algorithm.entry;
    const struct node *graph = node_find(root, "graph");

    if (graph != NULL && !graph->is_null && !algo->needs_graph)
        return node_fail(
            graph,
            "graph: algorithm %s does not use a graph; muster algorithms lists those that do",
            algo->entry.name);
    return topology_choice_read(&config->graph, graph, run_config_fallback(&graph_registry));
}

/* What was left out means one thing for each algorithm, and the record says which. */
static void choose_ends(struct run_config *config)
{
    const struct algo_ops *algo = (const struct algo_ops *)config->algorithm.entry;

    if (config->train.ends == ENDS_AUTO && algo_is_asynchronous(algo, config->algorithm.options))
        config->train.ends = ENDS_OWN;
}

/* Equal budgets are written alike, so that they are recognised as such. */
static enum status read_budget(struct train_options *o, const struct run_config *config)
{
    struct amount budget;

    TRY(budget_read(config, &budget));
    if (budget.unit == AMOUNT_NONE)
        return STATUS_OK;
    mem_free(o->budget);
    o->budget = amount_text(&budget);
    return STATUS_OK;
}

static enum status read_stop(const struct train_options *o)
{
    struct stop_rule rule;

    TRY(stop_rule_read(o->stop, &rule));
    if (rule.kind != STOP_NEVER && o->evaluate_every == 0 && o->evaluate_rounds == 0)
        return FAIL(STATUS_BAD_INPUT, "train.stop: the run is only evaluated at its end; set "
                                      "train.evaluate_every or train.evaluate_rounds");
    return STATUS_OK;
}

enum status run_config_check_name(const struct node *root)
{
    const struct node *name = node_find(root, "name");

    if (name == NULL || name->kind != NODE_SCALAR || name->is_null)
        return STATUS_OK;
    if (name->text[0] == '\0')
        return node_fail(name, "the name is empty; leave it out or give one");
    return text_is_utf8(name->text, strlen(name->text)) ? STATUS_OK
                                                        : node_fail(name, "the name is not UTF-8");
}

static enum status read_all(struct run_config *config, const struct node *root)
{
    const struct fields_place top = {
        .owner = "an experiment", .path = "", .skip = run_config_sections};

    if (root->kind != NODE_MAP)
        return node_fail(root,
                         "an experiment must be a map with the keys name, seed, data, model, ...");
    fields_default(run_config_fields, &config->top);
    TRY(fields_read(run_config_fields, &config->top, root, &top));
    TRY(read_problem(config, root));
    TRY(read_choice(&config->optimizer, &optim_registry, root));
    TRY(read_choice(&config->schedule, &schedule_registry, root));
    TRY(read_plain(root, "transport", transport_fields, &config->transport));
    TRY(read_algorithm(config, root));
    TRY(read_plain(root, "delays", delay_fields, &config->delays));
    TRY(read_graph(config, root));
    TRY(read_plain(root, "train", train_fields, &config->train));
    TRY(read_plain(root, "output", run_output_fields, &config->output));
    choose_ends(config);
    if (config->train.epochs == 0 && config->train.max_steps == 0)
        config->train.epochs = EPOCHS_USUAL;
    TRY(read_budget(&config->train, config));
    TRY(read_stop(&config->train));
    TRY(initial_weights_identify(config));
    TRY(run_config_check_name(root));
    config->has_name = config->top.name != NULL;
    if (!config->has_name)
        config->top.name =
            has_data(config) ? text_format("%s_%s", config->model_name, config->dataset.entry->name)
                             : mem_text(config->problem.entry->name);
    return STATUS_OK;
}

enum status run_config_read(struct run_config *config, const struct node *root)
{
    *config = (struct run_config){0};
    const enum status s = read_all(config, root);
    if (s != STATUS_OK)
        run_config_release(config);
    return s;
}

void run_config_release(struct run_config *config)
{
    fields_release(run_config_fields, &config->top);
    fields_release(data_fields, &config->data);
    fields_release(train_fields, &config->train);
    fields_release(transport_fields, &config->transport);
    fields_release(delay_fields, &config->delays);
    fields_release(run_output_fields, &config->output);
    choice_release(&config->problem);
    choice_release(&config->partition);
    topology_choice_release(&config->graph);
    choice_release(&config->dataset);
    choice_release(&config->model);
    choice_release(&config->optimizer);
    choice_release(&config->schedule);
    choice_release(&config->algorithm);
    mem_free(config->model_name);
    node_free(config->layers);
    *config = (struct run_config){0};
}

static struct node *dump_section(struct node *root, const char *key)
{
    struct node *map = node_new(NODE_MAP, "effective", 0, 0);

    node_put(root, key, map);
    return map;
}

/* Settings of runs without folds stay those that earlier programs wrote. */
static void drop_folds(struct node *data)
{
    node_remove(data, "folds");
    node_remove(data, "fold");
    node_remove(data, "fold_by");
}

static void dump_data(const struct run_config *config, struct node *root)
{
    struct node *data = dump_section(root, "data");
    struct node *model = dump_section(root, "model");

    choice_dump(&config->dataset, data);
    fields_dump(data_fields, &config->data, data);
    if (config->data.folds == 0)
        drop_folds(data);
    if (config->layers == NULL) {
        choice_dump(&config->model, model);
        return;
    }
    node_put(model, "name", node_new_scalar(config->model_name, "effective", 0, 0));
    node_put(model, "layers", node_copy(config->layers));
}

/* As drop_folds. */
static void dump_train(const struct run_config *config, struct node *root)
{
    struct node *train = dump_section(root, "train");

    fields_dump(train_fields, &config->train, train);
    if (config->train.stop == NULL)
        node_remove(train, "stop");
}

struct node *run_config_dump(const struct run_config *config)
{
    struct node *root = node_new(NODE_MAP, "effective", 0, 0);

    fields_dump(run_config_fields, &config->top, root);
    if (!config->has_name) /* or it would stay when the model or the data are changed */
        node_remove(root, "name");
    if (has_data(config))
        dump_data(config, root);
    choice_dump(&config->problem, dump_section(root, "problem"));
    choice_dump(&config->optimizer, dump_section(root, "optimizer"));
    choice_dump(&config->schedule, dump_section(root, "schedule"));
    choice_dump(&config->algorithm, dump_section(root, "algorithm"));
    fields_dump(transport_fields, &config->transport, dump_section(root, "transport"));
    if (has_data(config))
        choice_dump(&config->partition, dump_section(root, "partition"));
    fields_dump(delay_fields, &config->delays, dump_section(root, "delays"));
    if (((const struct algo_ops *)config->algorithm.entry)->needs_graph)
        topology_choice_dump(&config->graph, dump_section(root, "graph"));
    dump_train(config, root);
    fields_dump(run_output_fields, &config->output, dump_section(root, "output"));
    return root;
}
