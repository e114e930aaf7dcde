/*
 * registry.c - look-up in the list of algorithms (list.h), and the checked doors to them.
 */
#include <stddef.h>

#include "algo/list.h"
#include "base/check.h"
#include "comm/topology.h"

#define ALGO_ENTRY(symbol) &symbol.entry,
static const struct entry *const entries[] = {ALGO_LIST(ALGO_ENTRY) NULL};

const struct registry algo_registry = {
    .what = "algorithm",
    .section = "algorithm",
    .entries = entries,
};

int64_t algo_draws(const struct algo_ops *a, const void *options)
{
    return a->draws == NULL ? 1 : a->draws(options);
}

const char *algo_optimizer(const struct algo_ops *a, const void *options, const char *usual)
{
    return a->optimizer == NULL ? usual : a->optimizer(options);
}

bool algo_is_asynchronous(const struct algo_ops *a, const void *options)
{
    if (a->kind == ALGO_FREE)
        return true;
    return a->is_asynchronous != NULL && a->is_asynchronous(options);
}

bool algo_spans_run(const struct algo_ops *a, const void *options)
{
    return a->spans_run != NULL && a->spans_run(options);
}

/* --- checks --- */

static enum status check_links(const struct algo_setting *s)
{
    const char *graph = s->graph == NULL ? "this graph" : s->graph;

    if (s->links == NULL || s->algo->links == ALGO_LINKS_ANY)
        return STATUS_OK;
    if (s->algo->links == ALGO_LINKS_BOTH_WAYS && !s->links->is_two_way)
        return FAIL(STATUS_BAD_INPUT,
                    "graph: %s has links of one direction, and with %s nodes must hear those whom "
                    "they tell; take a graph without directions, or algorithm sgp",
                    graph, s->algo->entry.name);
    if (!s->links->is_doubly_stochastic)
        return FAIL(STATUS_BAD_INPUT,
                    "graph: %s has links of one direction, over which nodes hear more or less than "
                    "they tell, and %s would lose the mean; take another graph, or algorithm sgp",
                    graph, s->algo->entry.name);
    return STATUS_OK;
}

enum status algo_check(const struct algo_setting *s)
{
    CHECK(s->algo != NULL && s->optim != NULL && s->workers > 0);
    if (s->algo->check != NULL)
        TRY(s->algo->check(s));
    return check_links(s);
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
    };

    if (w->topology != NULL) {
        facts = topology_facts(w->topology);
        s.links = &facts;
    }
    return algo_check(&s);
}

/* --- doors --- */

static void check_worker(const struct worker *w)
{
    CHECK(w->algo != NULL && w->transport != NULL && w->optim != NULL);
    CHECK(w->state != NULL && w->gradient != NULL);
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
    return w->algo->round(w);
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

enum status algo_answer(struct worker *w, int from, const float *x, size_t bytes)
{
    CHECK(worker_is_server(w) && w->desk != NULL && w->model != NULL);
    CHECK(from >= 0 && from < w->transport->workers);
    return w->algo->answer(w, from, x, bytes);
}

void algo_end(struct worker *w)
{
    if (w->algo->end != NULL)
        w->algo->end(w);
}
