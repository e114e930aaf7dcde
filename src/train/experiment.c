/*
 * experiment.c - between the canonical schema and struct experiment.
 */
#include "train/experiment.h"

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

#define NO_LIMIT 1e18

enum { EPOCHS_USUAL = 6 }; /* where neither epochs nor rounds are asked for */

const struct field experiment_fields[] = {
    FIELD_TEXT(struct experiment_options, name, NULL,
               "name of the run; without it, made from the model and the data set"),
    FIELD_INT(struct experiment_options, seed, 1, 0, 9e15,
              "what initial weights, sample order, splits and dropout are drawn from"),
    FIELD_LAST,
};

const struct field data_fields[] = {
    FIELD_TEXT(struct data_options, dir, NULL,
               "folder of the data set; without it the usual places are searched"),
    FIELD_REAL(struct data_options, train_fraction, 1, 0, 1,
               "part of the training set that is used, chosen at random"),
    FIELD_REAL(struct data_options, validation, 0, 0, 0.99,
               "part of the used training set that is set aside to validate"),
    FIELD_INT(struct data_options, input_size, 0, 0, 4096,
              "resize images to this height and width, in pixels (0: as the model's study does)"),
    FIELD_TEXT(struct data_options, normalize, NULL,
               "none, set, channel, or MEAN,STD; without it, as the model's study does"),
    FIELD_LAST,
};

const struct field problem_fields[] = {
    FIELD_TEXT(struct problem_options, loss, NULL,
               "nll, bce, mse or l1; without it, that of the model's study"),
    FIELD_LAST,
};

/* In the order of enum convolution. */
static const char *const convolutions[] = {"auto", "direct", NULL};

/* In the order of enum uneven_policy, and of enum statistics. */
static const char *const uneven_policies[] = {"auto", "wait", "repeat", "shortest", NULL};
static const char *const statistics_names[] = {"average", "local", "recalibrate", NULL};

static const char *const server_places[] = {"thread", "own", NULL};

const struct field train_fields[] = {
    FIELD_INT(struct train_options, batch_size, 32, 1, 1e7, "samples in a mini-batch"),
    FIELD_INT(struct train_options, epochs, 0, 0, 1e9,
              "passes of each worker over its training samples (0: as many as max_steps takes, and "
              "without max_steps 6)"),
    FIELD_INT(struct train_options, max_steps, 0, 0, 1e12,
              "stop after this many rounds, or after `epochs` where that is sooner (0: no limit)"),
    FIELD_TEXT(struct train_options, budget, NULL,
               "samples:N ends the run after N samples of all workers together, however many "
               "epochs that takes"),
    FIELD_INT(struct train_options, threads, 0, 0, 1024,
              "threads per worker (0: the cores divided by the workers); any number gives the "
              "same bits"),
    FIELD_REAL(struct train_options, clip_norm, 0, 0, NO_LIMIT,
               "scale gradients down to this L2 norm (0: off)"),
    FIELD_CHOICE(struct train_options, convolution, "auto", convolutions,
                 "auto takes Winograd where it pays; direct is exact to rounding"),
    FIELD_CHOICE(struct train_options, uneven, "auto", uneven_policies,
                 "a worker that is through its samples before others waits (joins with weight "
                 "zero) or repeats them; or the shortest part ends the epoch; auto repeats over "
                 "graphs and waits elsewhere"),
    FIELD_CHOICE(struct train_options, statistics, "average", statistics_names,
                 "BatchNorm's running statistics of several workers: averaged, local, or measured "
                 "anew"),
    FIELD_INT(struct train_options, evaluate_every, 1, 0, 1e9,
              "epochs between two evaluations (0: only at the end)"),
    FIELD_INT(struct train_options, evaluate_rounds, 0, 0, NO_LIMIT,
              "rounds between two evaluations, the first before the first round, whatever "
              "evaluate_every says (0: by epochs)"),
    FIELD_REAL(struct train_options, loss_decay, 0.2, 0, 1,
               "how much of the moving training loss a new mini-batch's loss replaces"),
    FIELD_INT(struct train_options, log_every, 0, 0, NO_LIMIT,
              "mini-batches between two rows of the training loss (0: one row per epoch)"),
    FIELD_INT(struct train_options, save_every, 1, 0, 1e9,
              "epochs between two checkpoints (0: only at the end or when stopped)"),
    FIELD_BOOL(struct train_options, trace, false,
               "write trace.json: when each worker computed, waited and sent"),
    FIELD_BOOL(struct train_options, paranoid, false,
               "check in every round what the algorithm promises: that workers hold the same "
               "parameters, over graphs that sums over all nodes are kept"),
    FIELD_LAST,
};

const struct field transport_fields[] = {
    FIELD_TEXT(struct transport_options, name, NULL,
               "threads or mpi; without it, mpi under mpirun or srun and else threads"),
    FIELD_INT(struct transport_options, workers, 0, 0, 100000,
              "computing workers; a parameter server comes on top (0: as many as the launcher "
              "started, else 1)"),
    FIELD_CHOICE(
        struct transport_options, server, "thread", server_places,
        "where a parameter server runs: a thread beside worker 0, or a process of its own"),
    FIELD_LAST,
};

const struct field delay_fields[] = {
    FIELD_TEXT(struct delay_options, delay, NULL,
               "holds every worker up before it sends: 30ms, gaussian:30ms,5ms, lognormal:, "
               "exponential:, pareto:, small, medium, long, s000:small, ..."),
    FIELD_TEXT(struct delay_options, slow_worker, NULL,
               "WORKER:FACTOR or WORKER:DELAY, several by commas"),
    FIELD_LAST,
};

const struct flag_table experiment_tables[] = {
    {"",            experiment_fields},
    {"data",             data_fields},
    {"problem",problem_fields},
    {"train",     train_fields},
    {"transport",             transport_fields},
    {"delays",delay_fields},
    {"graph",   topology_fields},
    {0            },
};

const struct registry *const experiment_registries[] = {
    &dataset_registry, &zoo_registry,       &optim_registry, &schedule_registry,
    &algo_registry,    &partition_registry, &graph_registry, NULL,
};

const char *experiment_fallback(const struct registry *r)
{
    static const struct {
        const struct registry *registry;
        const char *name;
    } fallbacks[] = {
        {&dataset_registry,   "fashion_mnist"},
        {&zoo_registry,       "lenet5"       },
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

const char *const experiment_sections[] = {
    "data",      "model",     "problem", "optimizer", "schedule", "algorithm",
    "transport", "partition", "delays",  "graph",     "train",    NULL,
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

static enum status read_choice(struct choice *c, const struct registry *r, const struct node *root)
{
    struct node *map = section_map(root, r->section);
    const struct choice_place place = {.fallback = experiment_fallback(r)};
    const enum status s = choice_read(c, r, map, &place);

    node_free(map);
    return s;
}

/* data: the set's own options and those of every set stand in one map. */
static enum status read_data(struct experiment *e, const struct node *root)
{
    struct node *map = section_map(root, "data");
    struct key_list common = {{NULL}, 0};
    struct key_list own = {{"name"}, 1};

    keys_add(&common, data_fields);
    fields_default(data_fields, &e->data);
    const struct choice_place place = {.fallback = experiment_fallback(&dataset_registry),
                                       .skip = common.keys};
    enum status s = choice_read(&e->dataset, &dataset_registry, map, &place);
    if (s == STATUS_OK) {
        keys_add(&own, e->dataset.entry->fields);
        const struct fields_place rest = {.owner = "data", .path = "data", .skip = own.keys};
        s = fields_read(data_fields, &e->data, map, &rest);
    }
    node_free(map);
    return s;
}

static bool is_yaml_file(const char *name)
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

/* Keeps a network of the user's own as its list of layers, with their places in the file. */
static enum status keep_layers(struct experiment *e, const struct node *file)
{
    const struct node *list = file->kind == NODE_MAP ? node_find(file, "layers") : file;
    struct net *net = NULL;
    struct shape in;

    TRY(net_read_file(file, &net, &in)); /* so that mistakes show before data is loaded */
    net_free(net);
    e->layers = node_copy(list);
    if (e->data.input_size == 0 && in.height > 1 && in.height == in.width)
        e->data.input_size = in.height;
    return STATUS_OK;
}

static enum status load_layers(struct experiment *e, const char *path)
{
    struct node *file = NULL;

    if (!file_exists(path))
        return FAIL(STATUS_IO, "model.name: there is no file %s", path);
    TRY(yaml_load(path, &file));
    const enum status s = keep_layers(e, file);
    node_free(file);
    return s;
}

static enum status read_model_map(struct experiment *e, const struct node *map)
{
    const struct node *name = node_find(map, "name");
    const struct node *layers = node_find(map, "layers");
    const bool from_file = name != NULL && name->kind == NODE_SCALAR && is_yaml_file(name->text);

    if (layers == NULL && !from_file) {
        TRY(choice_read(&e->model, &zoo_registry, map,
                        &(struct choice_place){.fallback = experiment_fallback(&zoo_registry)}));
        e->model_name = mem_text(e->model.entry->name);
        return STATUS_OK;
    }
    for (int64_t i = 0; i < map->count; i++)
        if (map->children[i] != name && map->children[i] != layers)
            return node_fail(map->children[i],
                             "model.%s: a network given as layers has no such option",
                             map->keys[i]);
    if (layers != NULL) {
        e->model_name = mem_text(name != NULL && name->kind == NODE_SCALAR ? name->text : "layers");
        return keep_layers(e, layers);
    }
    e->model_name = name_of_file(name->text);
    return load_layers(e, name->text);
}

static enum status read_model(struct experiment *e, const struct node *root)
{
    struct node *map = section_map(root, "model");
    const enum status s = map->kind == NODE_MAP
                              ? read_model_map(e, map)
                              : node_fail(map, "model: a name, or a map with name or layers");

    node_free(map);
    return s;
}

/* Nobody who asks for several workers wants them to train each for itself. */
static enum status read_algorithm(struct experiment *e, const struct node *root)
{
    const bool is_alone = e->transport.workers <= 1 && !world_is_launched();
    struct node *map = section_map(root, "algorithm");
    const struct choice_place place = {
        .fallback = is_alone ? experiment_fallback(&algo_registry) : "sync",
    };
    const enum status s = choice_read(&e->algorithm, &algo_registry, map, &place);

    node_free(map);
    return s;
}

/* A graph that nobody would look at is a mistake of who gave it. */
static enum status read_graph(struct experiment *e, const struct node *root)
{
    const struct algo_ops *algo = (const struct algo_ops *)e->algorithm.entry;
    const struct node *graph = node_find(root, "graph");

    if (graph != NULL && !graph->is_null && !algo->needs_graph)
        return node_fail(graph,
                         "graph: algorithm %s has none; muster algorithms lists those over graphs",
                         algo->entry.name);
    return topology_choice_read(&e->graph, graph, experiment_fallback(&graph_registry));
}

enum status experiment_budget(const struct experiment *e, int64_t *samples)
{
    static const char prefix[] = "samples:";
    const char *text = e->train.budget;

    *samples = 0;
    if (text == NULL)
        return STATUS_OK;
    if (strncmp(text, prefix, strlen(prefix)) != 0 ||
        !text_to_int(text + strlen(prefix), samples) || *samples <= 0)
        return FAIL(STATUS_BAD_INPUT,
                    "train.budget: \"%s\" is not samples:N, such as samples:360000", text);
    return STATUS_OK;
}

static enum status read_all(struct experiment *e, const struct node *root)
{
    const struct fields_place top = {
        .owner = "an experiment", .path = "", .skip = experiment_sections};

    if (root->kind != NODE_MAP)
        return node_fail(root, "an experiment is a map with the keys name, seed, data, model, ...");
    fields_default(experiment_fields, &e->top);
    TRY(fields_read(experiment_fields, &e->top, root, &top));
    TRY(read_data(e, root));
    TRY(read_model(e, root));
    TRY(read_plain(root, "problem", problem_fields, &e->problem));
    TRY(read_choice(&e->optimizer, &optim_registry, root));
    TRY(read_choice(&e->schedule, &schedule_registry, root));
    TRY(read_plain(root, "transport", transport_fields, &e->transport));
    TRY(read_algorithm(e, root));
    TRY(read_choice(&e->partition, &partition_registry, root));
    TRY(read_plain(root, "delays", delay_fields, &e->delays));
    TRY(read_graph(e, root));
    TRY(read_plain(root, "train", train_fields, &e->train));
    if (e->train.epochs == 0 && e->train.max_steps == 0)
        e->train.epochs = EPOCHS_USUAL;
    TRY(experiment_budget(e, &(int64_t){0}));
    if (e->top.name == NULL)
        e->top.name = text_format("%s_%s", e->model_name, e->dataset.entry->name);
    return STATUS_OK;
}

enum status experiment_read(struct experiment *e, const struct node *root)
{
    *e = (struct experiment){0};
    const enum status s = read_all(e, root);
    if (s != STATUS_OK)
        experiment_release(e);
    return s;
}

void experiment_release(struct experiment *e)
{
    fields_release(experiment_fields, &e->top);
    fields_release(data_fields, &e->data);
    fields_release(problem_fields, &e->problem);
    fields_release(train_fields, &e->train);
    fields_release(transport_fields, &e->transport);
    fields_release(delay_fields, &e->delays);
    choice_release(&e->partition);
    topology_choice_release(&e->graph);
    choice_release(&e->dataset);
    choice_release(&e->model);
    choice_release(&e->optimizer);
    choice_release(&e->schedule);
    choice_release(&e->algorithm);
    mem_free(e->model_name);
    node_free(e->layers);
    *e = (struct experiment){0};
}

static struct node *dump_section(struct node *root, const char *key)
{
    struct node *map = node_new(NODE_MAP, "effective", 0, 0);

    node_put(root, key, map);
    return map;
}

struct node *experiment_dump(const struct experiment *e)
{
    struct node *root = node_new(NODE_MAP, "effective", 0, 0);

    fields_dump(experiment_fields, &e->top, root);
    struct node *data = dump_section(root, "data");
    choice_dump(&e->dataset, data);
    fields_dump(data_fields, &e->data, data);
    struct node *model = dump_section(root, "model");
    if (e->layers != NULL) {
        node_put(model, "name", node_new_scalar(e->model_name, "effective", 0, 0));
        node_put(model, "layers", node_copy(e->layers));
    } else {
        choice_dump(&e->model, model);
    }
    fields_dump(problem_fields, &e->problem, dump_section(root, "problem"));
    choice_dump(&e->optimizer, dump_section(root, "optimizer"));
    choice_dump(&e->schedule, dump_section(root, "schedule"));
    choice_dump(&e->algorithm, dump_section(root, "algorithm"));
    fields_dump(transport_fields, &e->transport, dump_section(root, "transport"));
    choice_dump(&e->partition, dump_section(root, "partition"));
    fields_dump(delay_fields, &e->delays, dump_section(root, "delays"));
    if (((const struct algo_ops *)e->algorithm.entry)->needs_graph)
        topology_choice_dump(&e->graph, dump_section(root, "graph"));
    fields_dump(train_fields, &e->train, dump_section(root, "train"));
    return root;
}

enum status experiment_net(const struct experiment *e, struct shape in, int64_t outputs,
                           struct net **net)
{
    if (e->layers != NULL)
        return net_read(e->layers, net);
    return zoo_build(&e->model, in, outputs, net);
}
