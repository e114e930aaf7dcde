/*
 * validate.c - checks of a run config that need no data, and positions in the file for error
 * messages.
 */
#include "train/validate.h"

#include <string.h>

#include "algo/algo.h"
#include "base/mem.h"
#include "comm/delay.h"
#include "graph/graph.h"
#include "optim/optim.h"
#include "train/loop/coordinator.h"

/* --- positions of errors --- */

/* Whether it is a section, or one of the keys at the top. */
static bool is_top_key(const char *word)
{
    if (fields_find(run_config_fields, word) != NULL)
        return true;
    for (int i = 0; run_config_sections[i] != NULL; i++)
        if (text_same_name(run_config_sections[i], word))
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

/* The node at the path, or the nearest around it; NULL: none of it was given. */
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

enum status validate_name_key(const char *key, enum status s)
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

enum status validate_locate_error(const struct node *root, enum status s)
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

static enum status check_optimizer(const struct run_config *config, int workers)
{
    const struct algo_ops *algo = (const struct algo_ops *)config->algorithm.entry;
    const struct optim_ops *optim = (const struct optim_ops *)config->optimizer.entry;

    if (optim->minimize == NULL)
        return STATUS_OK;
    if (workers > 1 || !algo->takes_minimizers)
        return FAIL(STATUS_BAD_INPUT,
                    "optimizer.name: %s works with one worker only (algorithm single); for several "
                    "workers, or for algorithm %s, choose another optimizer",
                    optim->entry.name, algo->entry.name);
    if (config->train.clip_norm > 0)
        return FAIL(STATUS_BAD_INPUT,
                    "train.clip_norm: gradient clipping cannot be combined with %s, whose line "
                    "search needs true gradients; leave it 0 or choose another optimizer",
                    optim->entry.name);
    return STATUS_OK;
}

static bool takes_several(const struct algo_ops *a)
{
    return !a->one_worker_only;
}

static enum status refuse_several(const struct algo_ops *algo, int workers)
{
    char *others = algo_names(takes_several);
    const enum status s =
        FAIL(STATUS_BAD_INPUT,
             "algorithm.name: %s is for one worker, but there are %d; for several choose %s",
             algo->entry.name, workers, others);

    mem_free(others);
    return s;
}

static enum status check_combinations(const struct run_config *config, int workers)
{
    const struct algo_ops *algo = (const struct algo_ops *)config->algorithm.entry;

    if (algo->one_worker_only && workers > 1)
        return refuse_several(algo, workers);
    TRY(check_optimizer(config, workers));
    const bool is_asynchronous = algo_is_asynchronous(algo, config->algorithm.options);
    if (config->train.ends != ENDS_AUTO && algo->one_worker_only)
        return FAIL(STATUS_BAD_INPUT, "train.ends: has no effect with one worker; leave it out");
    if (config->train.ends != ENDS_AUTO && !is_asynchronous)
        return FAIL(STATUS_BAD_INPUT,
                    "train.ends: has no effect: workers of %s are synchronous%s and end together; "
                    "leave it out",
                    algo->entry.name, algo->is_asynchronous == NULL ? "" : " with staleness 0");
    if (config->train.uneven != UNEVEN_POLICY_AUTO && (algo->has_own_epochs || is_asynchronous))
        return FAIL(STATUS_BAD_INPUT,
                    "train.uneven: has no effect on %s, whose workers each go through their own "
                    "samples; leave it out",
                    algo->entry.name);
    if (config->train.record_correct &&
        (!algo_models_differ(algo) || coordinator_of(algo)->evaluate_workers == NULL))
        return FAIL(STATUS_BAD_INPUT,
                    "train.record_correct: the workers of %s have no models of their own at "
                    "evaluations; leave it out, or choose a lockstep algorithm whose models differ",
                    algo->entry.name);
    if (config->train.paranoid && !algo->needs_graph && is_asynchronous)
        return FAIL(STATUS_BAD_INPUT,
                    "train.paranoid: nothing to check: the workers of %s hold different models at "
                    "any time; leave it out",
                    algo->entry.name);
    return STATUS_OK;
}

enum status validate_settings(const struct run_config *config, int workers)
{
    struct delays delays;

    TRY(check_combinations(config, workers));
    TRY(delays_init(&delays, config->delays.delay, config->delays.slow_worker, workers));
    delays_release(&delays);
    return STATUS_OK;
}

/* --- the graph --- */

static enum status check_connected(const struct run_config *config, const struct topology *t,
                                   bool may_move)
{
    int from = 0, to = 0;

    if (!config->graph.options.require_connected || topology_is_connected(t, &from, &to))
        return STATUS_OK;
    if (topology_degree_max(t) == 0)
        return FAIL(STATUS_BAD_INPUT,
                    "graph: the %s graph of %d nodes has no links in any round; set "
                    "require_connected: false to train every node alone",
                    config->graph.type.entry->name, topology_nodes(t));
    if (may_move || topology_moves(t)) /* build_warn */
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "graph: the %s graph of %d nodes is disconnected: there is no path from node %d to "
                "node %d; set require_connected: false to train the components separately",
                config->graph.type.entry->name, topology_nodes(t), from, to);
}

enum status validate_topology(const struct run_config *config, int workers,
                              const struct graph_motion *motion, struct topology **t)
{
    const struct algo_ops *algo = (const struct algo_ops *)config->algorithm.entry;
    const struct topology_request request = {
        .type = &config->graph.type,
        .options = &config->graph.options,
        .nodes = workers,
        .seed = (uint64_t)config->top.seed,
        .motion = motion,
    };

    *t = NULL;
    if (!algo->needs_graph || workers == 1)
        return STATUS_OK;
    if (workers > GRAPH_NODES_MAX) /* by the key that says so: a file may have no graph */
        return FAIL(STATUS_BAD_INPUT,
                    "transport.workers: %d is too many; a graph has at most %d nodes", workers,
                    GRAPH_NODES_MAX);
    enum status s = topology_new(&request, t);
    if (s == STATUS_OK)
        s = check_connected(config, *t, motion != NULL);
    if (s == STATUS_OK)
        return s;
    topology_free(*t);
    *t = NULL;
    return validate_name_key("graph", s);
}

/* --- the world --- */

static bool has_server(const struct algo_ops *a)
{
    return coordinator_of(a)->has_server;
}

static enum status refuse_server(const struct algo_ops *algo)
{
    char *others = algo_names(has_server);
    const enum status s =
        FAIL(STATUS_BAD_INPUT, "transport.server: algorithm %s has no server; choose %s",
             algo->entry.name, others);

    mem_free(others);
    return s;
}

/* Without a launcher there is one process, in which a server is a thread next to the workers'. */
static enum status check_server(const struct algo_ops *algo, const struct transport_options *o)
{
    const int workers = o->workers == 0 ? 1 : (int)o->workers;
    const struct transport_entry *named = o->name == NULL ? NULL : transport_find(o->name);

    if (o->server == 0)
        return STATUS_OK;
    if (!has_server(algo))
        return refuse_server(algo);
    /* One that needs a launcher says so when the world is opened. */
    if (world_is_launched() || (named != NULL && named->needs_launcher))
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "transport.server: own needs %s %d, which is %d worker%s and the server; without a "
                "launcher use thread",
                transport_usual(true)->launcher, workers + 1, workers, workers == 1 ? "" : "s");
}

enum status validate_world(const struct run_config *config, struct world_request *request)
{
    const struct transport_options *o = &config->transport;
    const struct algo_ops *algo = (const struct algo_ops *)config->algorithm.entry;

    TRY(check_server(algo, o));
    *request = (struct world_request){
        .transport = o->name,
        .workers = (int)o->workers,
        .server = coordinator_endpoints(algo, o->server != 0),
    };
    return STATUS_OK;
}
