/*
 * registry.c - look-up in the list of algorithms (list.h), and the checked doors to them.
 */
#include <stddef.h>

#include "algo/list.h"
#include "base/check.h"

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

bool algo_is_asynchronous(const struct algo_ops *a, const void *options)
{
    if (a->kind == ALGO_FREE)
        return true;
    return a->is_asynchronous != NULL && a->is_asynchronous(options);
}

static void check_worker(const struct worker *w)
{
    CHECK(w->algo != NULL && w->transport != NULL && w->optim != NULL);
    CHECK(w->state != NULL && w->gradient != NULL);
    CHECK((w->problem == NULL) == worker_is_server(w));
}

enum status algo_begin(struct worker *w)
{
    check_worker(w);
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
