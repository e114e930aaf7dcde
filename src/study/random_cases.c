/*
 * random_cases.c - the first cases of a random order.
 */
#include "study/random_cases.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/rng.h"
#include "comm/world.h"

static uint64_t seed_of(const struct study *s)
{
    const struct node *seed = node_find(s->runs[0].root, "seed");
    int64_t number = 1;

    if (seed != NULL && seed->kind == NODE_SCALAR)
        (void)text_to_int(seed->text, &number); /* reading the run reports what is wrong with it */
    return (uint64_t)number;
}

void random_cases_select(struct study *s, int64_t count)
{
    const struct rng r = rng_make(seed_of(s), RNG_SEARCH, 0);
    int64_t *order = MEM_NEW_N(int64_t, s->case_count);
    bool *is_chosen = MEM_NEW_N(bool, s->case_count);

    for (int64_t i = 0; i < s->case_count; i++)
        order[i] = i;
    rng_order(&r, order, s->case_count);
    for (int64_t i = 0; i < s->case_count && i < count; i++)
        is_chosen[order[i]] = true;
    for (int64_t i = 0; i < s->count; i++)
        s->runs[i].is_left_out = s->runs[i].is_left_out || !is_chosen[s->runs[i].case_number];
    mem_free(order);
    mem_free(is_chosen);
}

void random_cases_report(const struct study *s, int64_t count)
{
    if (s->case_count < count && world_reports())
        log_info("random %lld: there are only %lld different cases", (long long)count,
                 (long long)s->case_count);
}
