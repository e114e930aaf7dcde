/*
 * check.c - an experiment judged without its data, and messages given their place in the file.
 */
#include "train/check.h"

#include <string.h>

#include "algo/algo.h"
#include "base/mem.h"
#include "comm/delay.h"
#include "comm/graph.h"
#include "data/dataset.h"
#include "data/partition.h"
#include "optim/optim.h"

/* --- places --- */

/* Whether it is a section, or one of the keys at the top. */
static bool is_top_key(const char *word)
{
    if (fields_find(experiment_fields, word) != NULL)
        return true;
    for (int i = 0; experiment_sections[i] != NULL; i++)
        if (text_same_name(experiment_sections[i], word))
            return true;
    return false;
}

/* The path of keys before ": " at the beginning of a message, or NULL; mem_free. */
static char *key_path_of(const char *message)
{
    const size_t length = strcspn(message, ": ");
    char *path = mem_text_n(message, length);
    char *top = mem_text_n(path, strcspn(path, "."));
    const bool is_key = message[length] == ':' && message[length + 1] == ' ' && is_top_key(top);

    mem_free(top);
    if (is_key)
        return path;
    mem_free(path);
    return NULL;
}

/* What stands at the path, or else nearest around it; NULL: none of it was given. */
static const struct node *nearest(const struct node *root, const char *path)
{
    char *shorter = mem_text(path);
    const struct node *found = node_find_path(root, shorter);

    for (char *dot = strrchr(shorter, '.'); found == NULL && dot != NULL;
         dot = strrchr(shorter, '.')) {
        *dot = '\0';
        found = node_find_path(root, shorter);
    }
    mem_free(shorter);
    return found;
}

enum status experiment_say_key(const char *key, enum status s)
{
    char *path = key_path_of(status_message());

    if (path == NULL) {
        char *message = mem_text(status_message());

        s = FAIL(s, "%s: %s", key, message);
        mem_free(message);
    }
    mem_free(path);
    return s;
}

enum status experiment_locate(const struct node *root, enum status s)
{
    if ((s != STATUS_BAD_INPUT && s != STATUS_IO) || root == NULL)
        return s;
    char *path = key_path_of(status_message());
    if (path == NULL)
        return s;
    char *said = mem_text(status_message() + strlen(path) + 2);
    const struct node *at = nearest(root, path);

    if (at != NULL && (at->line > 0 || strncmp(at->origin, "--", 2) == 0))
        (void)node_fail_key(at, path, NULL, "%s", said);
    else if (root->line > 0)
        (void)FAIL(s, "%s: %s: %s", root->origin, path, said);
    mem_free(said);
    mem_free(path);
    return s;
}

/* --- combinations --- */

static enum status check_optimizer(const struct experiment *e, int workers)
{
    const struct algo_ops *algo = (const struct algo_ops *)e->algorithm.entry;
    const struct optim_ops *optim = (const struct optim_ops *)e->optimizer.entry;

    if (optim->minimize == NULL)
        return STATUS_OK;
    if (workers > 1 || !algo->takes_minimizers)
        return FAIL(STATUS_BAD_INPUT,
                    "optimizer.name: %s works with one worker (algorithm single); with several, or "
                    "with algorithm %s, take sgd, adam or adamw",
                    optim->entry.name, algo->entry.name);
    if (e->train.clip_norm > 0)
        return FAIL(STATUS_BAD_INPUT,
                    "train.clip_norm: %s measures slopes, which clipped gradients would falsify; "
                    "leave it 0 or take another optimizer",
                    optim->entry.name);
    return STATUS_OK;
}

static enum status check_combinations(const struct experiment *e, int workers)
{
    const struct algo_ops *algo = (const struct algo_ops *)e->algorithm.entry;
    const struct dataset_ops *set = (const struct dataset_ops *)e->dataset.entry;

    if (algo->one_worker_only && workers > 1)
        return FAIL(STATUS_BAD_INPUT,
                    "algorithm.name: %s is for one worker, and there are %d; with several take "
                    "sync, ps-sync, ps-async, hogwild, psgd or local-sgd",
                    algo->entry.name, workers);
    TRY(check_optimizer(e, workers));
    if (e->train.uneven > UNEVEN_POLICY_WAIT && algo_is_asynchronous(algo, e->algorithm.options))
        return FAIL(STATUS_BAD_INPUT,
                    "train.uneven: workers of %s keep no step, each goes through its own samples; "
                    "leave it out",
                    algo->entry.name);
    if (e->train.paranoid && !algo->needs_graph && algo_is_asynchronous(algo, e->algorithm.options))
        return FAIL(
            STATUS_BAD_INPUT,
            "train.paranoid: workers of %s hold different models at any time, so that there "
            "is nothing to check; leave it out",
            algo->entry.name);
    if (set->is_generated && e->data.dir != NULL)
        return FAIL(STATUS_BAD_INPUT, "data.dir: data set %s is generated and has no folder",
                    set->entry.name);
    return STATUS_OK;
}

enum status experiment_check_settings(const struct experiment *e, int workers)
{
    const struct dataset_ops *set = (const struct dataset_ops *)e->dataset.entry;
    struct delays delays;

    TRY(check_combinations(e, workers));
    TRY(delays_init(&delays, e->delays.delay, e->delays.slow_worker, workers));
    delays_release(&delays);
    if (set->classes == 0 || set->is_generated) /* it depends on their options */
        return STATUS_OK;
    return partition_check(&e->partition, workers, set->classes);
}

/* --- the graph --- */

static enum status refuse_parts(const struct experiment *e, const struct topology *t)
{
    int from = 0, to = 0;

    if (!e->graph.options.require_connected || topology_is_connected(t, &from, &to))
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "graph: the %s graph of %d nodes is disconnected: nothing of node %d ever reaches "
                "node %d; require_connected: false trains the parts each for itself",
                e->graph.type.entry->name, topology_nodes(t), from, to);
}

enum status experiment_topology(const struct experiment *e, int workers, struct topology **t)
{
    const struct algo_ops *algo = (const struct algo_ops *)e->algorithm.entry;
    const struct topology_request request = {
        .type = &e->graph.type,
        .options = &e->graph.options,
        .nodes = workers,
        .seed = (uint64_t)e->top.seed,
    };

    *t = NULL;
    if (!algo->needs_graph || workers == 1)
        return STATUS_OK;
    if (workers > GRAPH_NODES_MAX) /* by the key that says so: a file may have no graph */
        return FAIL(
            STATUS_BAD_INPUT,
            "transport.workers: %d workers are more than the %d nodes that a graph can have",
            workers, GRAPH_NODES_MAX);
    enum status s = topology_new(&request, t);
    if (s == STATUS_OK)
        s = refuse_parts(e, *t);
    if (s == STATUS_OK)
        return s;
    topology_free(*t);
    *t = NULL;
    return experiment_say_key("graph", s);
}

/* --- the world --- */

static enum world_server beside_workers(const struct algo_ops *algo,
                                        const struct transport_options *o)
{
    if (algo->answer != NULL)
        return WORLD_RESPONDERS;
    if (algo->kind != ALGO_SERVED)
        return WORLD_NO_SERVER;
    return o->server == 0 ? WORLD_SERVER_THREAD : WORLD_SERVER_OWN;
}

/* Without a launcher there is one process, in which a server is a thread beside the workers'. */
static enum status check_server(const struct algo_ops *algo, const struct transport_options *o)
{
    const int workers = o->workers == 0 ? 1 : (int)o->workers;
    const bool is_mpi = o->name != NULL && text_same_name(o->name, "mpi");

    if (o->server == 0)
        return STATUS_OK;
    if (algo->kind != ALGO_SERVED)
        return FAIL(STATUS_BAD_INPUT,
                    "transport.server: algorithm %s has no server (ps-sync and ps-async have)",
                    algo->entry.name);
    if (world_is_launched() || is_mpi) /* which says by itself what it needs */
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "transport.server: a process of its own needs mpirun -n %d, which is %d worker%s "
                "and the server; without mpirun take thread",
                workers + 1, workers, workers == 1 ? "" : "s");
}

enum status experiment_world(const struct experiment *e, struct world_request *request)
{
    const struct transport_options *o = &e->transport;
    const struct algo_ops *algo = (const struct algo_ops *)e->algorithm.entry;

    TRY(check_server(algo, o));
    *request = (struct world_request){
        .transport = o->name,
        .workers = (int)o->workers,
        .server = beside_workers(algo, o),
    };
    return STATUS_OK;
}
