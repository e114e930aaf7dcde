/*
 * algo.c - look-up in the list of algorithms (list.h), and the checked functions around them.
 */
#include <stddef.h>

#include "algo/list.h"
#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"
#include "graph/topology.h"

#define ALGO_ENTRY(symbol) &symbol.entry,
static const struct entry *const entries[] = {ALGO_LIST(ALGO_ENTRY) NULL};

const struct registry algo_registry = {
    .what = "algorithm",
    .section = "algorithm",
    .entries = entries,
};

char *algo_names(bool (*is_wanted)(const struct algo_ops *a))
{
    const struct algo_ops *last = NULL;
    struct text names = {0};

    for (int i = 0; entries[i] != NULL; i++) {
        const struct algo_ops *a = (const struct algo_ops *)entries[i];

        if (!is_wanted(a))
            continue;
        if (last != NULL)
            text_addf(&names, "%s%s", text_get(&names)[0] == '\0' ? "" : ", ", last->entry.name);
        last = a;
    }
    if (last != NULL)
        text_addf(&names, "%s%s", text_get(&names)[0] == '\0' ? "" : " or ", last->entry.name);
    return text_take(&names);
}

int64_t algo_draws(const struct algo_ops *a, const void *options, int64_t own_batches)
{
    return a->draws == NULL ? 1 : a->draws(options, own_batches);
}

int algo_training_count(const struct algo_ops *a, const void *options, int workers)
{
    return a->training_count == NULL ? workers : a->training_count(options, workers);
}

bool algo_has_own_optimizers(const struct algo_ops *a, const void *options)
{
    return algo_models_differ(a) ||
           (a->has_own_optimizers != NULL && a->has_own_optimizers(options));
}

const char *algo_optimizer(const struct algo_ops *a, const void *options, const char *usual)
{
    return a->optimizer == NULL ? usual : a->optimizer(options);
}

bool algo_is_asynchronous(const struct algo_ops *a, const void *options)
{
    if (a->kind == ALGO_SHARED_MEMORY || a->kind == ALGO_PEER_TO_PEER)
        return true;
    return a->is_asynchronous != NULL && a->is_asynchronous(options);
}

bool algo_spans_run(const struct algo_ops *a, const void *options)
{
    return a->spans_run != NULL && a->spans_run(options);
}

enum algo_one_way algo_one_way(const struct algo_ops *a, const void *options)
{
    return a->one_way == NULL ? ALGO_ONE_WAY_REJECTED : a->one_way(options);
}

int algo_alike_count(const struct algo_ops *a, const void *options)
{
    return a->alike_count == NULL ? 0 : a->alike_count(options);
}

const struct choice *algo_outer_optimizer(const struct algo_ops *a, const void *options)
{
    const struct choice *chosen = a->outer_optimizer == NULL ? NULL : a->outer_optimizer(options);

    return chosen == NULL || chosen->entry == NULL ? NULL : chosen;
}

const float *algo_run_model_vector(const struct worker *w)
{
    return w->algo->run_model_vector == NULL ? NULL : w->algo->run_model_vector(w);
}

bool algo_models_differ(const struct algo_ops *a)
{
    return a->run_model != ALGO_RUN_MODEL_SAME;
}

bool algo_has_node_models(const struct algo_ops *a)
{
    return a->run_model == ALGO_RUN_MODEL_EACH;
}

/* --- checks --- */

static bool takes_any_links(const struct algo_ops *a)
{
    return a->needs_graph && a->graph_need == ALGO_GRAPH_ANY;
}

static enum status check_graph(const struct algo_setting *s)
{
    const char *graph = s->graph == NULL ? "this graph" : s->graph;
    const char *name = s->algo->entry.name;
    enum status status = STATUS_OK;

    if (s->topology_facts == NULL || s->algo->graph_need == ALGO_GRAPH_ANY)
        return STATUS_OK;
    char *others = algo_names(takes_any_links);
    if (s->algo->graph_need == ALGO_GRAPH_BOTH_WAYS && !s->topology_facts->is_two_way)
        status = FAIL(STATUS_BAD_INPUT,
                      "graph: %s is directed, but %s needs an undirected graph; choose another "
                      "graph, or algorithm %s",
                      graph, name, others);
    else if (!s->topology_facts->is_doubly_stochastic)
        status = FAIL(STATUS_BAD_INPUT,
                      "graph: the mixing matrix of %s is not doubly stochastic, so %s would not "
                      "keep the mean; choose another graph, or algorithm %s",
                      graph, name, others);
    mem_free(others);
    return status;
}

static bool takes_one_way_losses(const struct algo_ops *a)
{
    return a->one_way != NULL;
}

static bool loses_one_way(const struct algo_setting *s)
{
    return s->topology_facts != NULL && s->topology_facts->loses_one_way;
}

static enum status check_losses(const struct algo_setting *s)
{
    if (!loses_one_way(s) || algo_one_way(s->algo, s->options) != ALGO_ONE_WAY_REJECTED)
        return STATUS_OK;
    char *others = algo_names(takes_one_way_losses);
    const enum status status = FAIL(
        STATUS_BAD_INPUT,
        "graph.drop_direction: %s needs links whose two directions fail together; use two-way, "
        "or algorithm %s",
        s->algo->entry.name, others);

    mem_free(others);
    return status;
}

static enum status check_network(const struct algo_setting *s)
{
    if (!s->algo->needs_grid || s->layout == NULL || tensor_layout_has_grid(s->layout))
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "algorithm.name: %s needs a network with a grid of features, such as grid_density, "
                "because it counts how often each place was seen",
                s->algo->entry.name);
}

enum status algo_check(const struct algo_setting *s)
{
    CHECK(s->algo != NULL && s->optim != NULL && s->workers > 0);
    if (s->algo->check != NULL)
        TRY(s->algo->check(s));
    TRY(check_network(s));
    TRY(check_losses(s));
    return check_graph(s);
}

char *algo_doubt(const struct algo_setting *s)
{
    const char *name = s->algo->entry.name;

    if (loses_one_way(s) && algo_one_way(s->algo, s->options) == ALGO_ONE_WAY_BIASED)
        return text_format("graph.drop_direction: with one-way losses %s does not keep the mean of "
                           "the nodes, so it ends away from where it would without losses; sgp, "
                           "and cadmm with exchange: confirmed, do not",
                           name);
    if (s->topology_facts != NULL && s->topology_facts->changes && s->algo->is_for_fixed_graphs)
        return text_format("graph: the theory of %s is for a graph that stays the same, and this "
                           "one changes",
                           name);
    return NULL;
}

static enum status check_setting_of(const struct worker *w)
{
    struct topology_facts facts = {0};
    struct algo_setting s = {
        .algo = w->algo,
        .options = w->options,
        .optim = w->optim->ops,
        .optim_options = w->optim->options,
        .workers = w->transport->workers,
        .is_open_ended = w->rounds == 0,
        .layout = w->layout,
    };

    if (w->topology != NULL) {
        facts = topology_facts(w->topology);
        s.topology_facts = &facts;
    }
    return algo_check(&s);
}

/* --- the checked functions --- */

static void check_worker(const struct worker *w)
{
    CHECK(w->algo != NULL && w->transport != NULL && w->optim != NULL);
    CHECK(w->state != NULL && w->scratch.pool != NULL && w->layout != NULL);
    CHECK((w->problem == NULL) == worker_is_server(w));
}

enum status algo_begin(struct worker *w)
{
    check_worker(w);
    TRY(check_setting_of(w));
    return w->algo->begin == NULL ? STATUS_OK : w->algo->begin(w);
}

enum status algo_round(struct worker *w)
{
    check_worker(w);
    w->result = (struct round_result){0};
    TRY(w->algo->round(w));
    worker_give_gradient(w);
    return STATUS_OK;
}

enum status algo_join(struct worker *w)
{
    return w->algo->join == NULL ? STATUS_OK : w->algo->join(w);
}

enum status algo_serve(struct worker *w)
{
    check_worker(w);
    CHECK(worker_is_server(w) && w->clients != NULL);
    w->result = (struct round_result){0};
    return w->algo->serve(w);
}

enum status algo_dismiss(struct worker *w)
{
    check_worker(w);
    return w->algo->dismiss(w);
}

enum status algo_answer(struct worker *w, int from, float *x, size_t bytes)
{
    CHECK(worker_is_server(w) && w->shared_model != NULL && w->layout != NULL);
    CHECK(from >= 0 && from < w->transport->workers);
    return w->algo->answer(w, from, x, bytes);
}

void algo_end(struct worker *w)
{
    if (w->algo->end != NULL)
        w->algo->end(w);
    w->gradient = NULL;
    scratch_release(&w->scratch);
}
