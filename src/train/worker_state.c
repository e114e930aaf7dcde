/*
 * worker_state.c - the state that one worker alone has, as a list of 64-bit words: for a message to
 * the leader, and for a checkpoint.
 *
 *     layout:  first float of the state that is inside, bits of the optimiser's vectors inside,
 *              counters, the algorithm's numbers, batches_tracked, the optimiser's numbers, bytes
 *              sent to each other node, floats
 *
 * Where all parameters are alike only the statistics are inside. Floats are in stored order, which
 * depends on the model alone.
 */
#include <string.h>

#include "base/mem.h"
#include "train/checkpoint.h"
#include "train/loop/coordinator.h"

enum { HEADER_WORDS = 2, FLOATS_PER_WORD = 2 };

/* What is inside, in units of words. */
struct layout {
    int64_t state_from;    /* the state's floats from here on */
    int64_t optim_vectors; /* bits */
    int64_t numbers, batches_tracked, optim_numbers, sent;
    int64_t floats; /* in all */
    int64_t words;
};

/* A leader's own optimiser is in the checkpoint already; alike ones are as good as it. */
static bool has_optim(const struct worker_memory *a)
{
    const struct algo_ops *algo = a->build->algo;

    return coordinator_of(algo)->has_own_rounds ||
           algo_has_own_optimizers(algo, a->build->config->algorithm.options);
}

static int64_t vectors_there(const struct optim *o)
{
    int64_t bits = 0;

    for (int i = 0; i < o->vector_count; i++)
        bits |= o->vectors[i] == NULL ? 0 : (int64_t)1 << i;
    return bits;
}

static int64_t bit_count(int64_t bits)
{
    int64_t count = 0;

    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

static struct layout layout_of(const struct worker_memory *a, int64_t optim_vectors)
{
    const struct tensor_layout *m = &a->build->layout;
    struct layout l = {
        .state_from = algo_models_differ(a->build->algo) ? 0 : m->param_count,
        .optim_vectors = optim_vectors,
        .numbers = a->number_count,
        .batches_tracked = m->tracked_count,
        .optim_numbers = has_optim(a) ? a->optim.number_count : 0,
        .sent = a->sent == NULL ? 0 : a->build->workers,
    };

    l.floats = m->state_count - l.state_from + bit_count(optim_vectors) * m->param_count +
               a->vector_count * m->state_count;
    l.words = HEADER_WORDS + counters_saved_count() + l.numbers + l.batches_tracked +
              l.optim_numbers + l.sent + (l.floats + FLOATS_PER_WORD - 1) / FLOATS_PER_WORD;
    return l;
}

/* A position in the words, and the direction. */
struct cursor {
    char *at;
    bool writes;
};

static void move_words(struct cursor *c, void *data, int64_t count)
{
    const size_t bytes = (size_t)count * sizeof(int64_t);

    if (count > 0)
        memcpy(c->writes ? (void *)c->at : data, c->writes ? data : (const void *)c->at, bytes);
    c->at += bytes;
}

static void move_counters(struct cursor *c, struct counters *counters)
{
    double saved[COUNTERS_COUNT];

    counters_pack(counters, saved);
    move_words(c, saved, counters_saved_count());
    counters_unpack(counters, saved);
}

static void move_floats(struct cursor *c, float *data, int64_t count)
{
    const size_t bytes = (size_t)count * sizeof *data;

    if (count > 0)
        memcpy(c->writes ? (void *)c->at : (void *)data, c->writes ? (void *)data : c->at, bytes);
    c->at += bytes;
}

/* Everything after the header, in one order for both directions. */
static void move_all(struct cursor *c, const struct layout *l, struct worker_memory *a,
                     struct counters *counters)
{
    const struct tensor_layout *m = &a->build->layout;

    move_counters(c, counters);
    move_words(c, a->numbers, l->numbers);
    move_words(c, a->batches_tracked, l->batches_tracked);
    move_words(c, a->optim.numbers, l->optim_numbers);
    move_words(c, a->sent, l->sent);
    move_floats(c, a->state + l->state_from, m->state_count - l->state_from);
    for (int i = 0; i < a->optim.vector_count; i++)
        if ((l->optim_vectors >> i & 1) != 0)
            move_floats(c, optim_vector(&a->optim, i), m->param_count);
    for (int i = 0; i < a->vector_count; i++)
        move_floats(c, a->vectors[i], m->state_count);
}

void worker_state_pack(struct worker_state *p, struct worker_memory *a,
                       const struct counters *counters)
{
    const struct layout l = layout_of(a, has_optim(a) ? vectors_there(&a->optim) : 0);
    struct counters copy = *counters;

    p->count = l.words;
    p->words = MEM_NEW_N(int64_t, l.words);
    p->words[0] = l.state_from;
    p->words[1] = l.optim_vectors;

    struct cursor c = {.at = (char *)(p->words + HEADER_WORDS), .writes = true};
    move_all(&c, &l, a, &copy);
}

/* The leader's were put back first, and this worker may have had none of them. */
static void forget_vectors(struct optim *o, int64_t kept)
{
    for (int i = 0; i < o->vector_count; i++)
        if (o->vectors[i] != NULL && (kept >> i & 1) == 0)
            memset(o->vectors[i], 0, (size_t)o->n * sizeof **o->vectors);
}

enum status worker_state_unpack(const struct worker_state *p, struct worker_memory *a,
                                struct counters *counters)
{
    struct layout l = {0};

    if (p->count >= HEADER_WORDS)
        l = layout_of(a, p->words[1]);
    if (p->count < HEADER_WORDS || l.words != p->count || l.state_from != p->words[0] ||
        (l.optim_vectors >> a->optim.vector_count) != 0)
        return FAIL(STATUS_BAD_INPUT, "what worker %d had is of another model or algorithm",
                    a->worker.transport->rank);

    struct cursor c = {.at = (char *)(p->words + HEADER_WORDS)};
    move_all(&c, &l, a, counters);
    if (has_optim(a))
        forget_vectors(&a->optim, l.optim_vectors);
    return STATUS_OK;
}

void worker_state_release(struct worker_state *p)
{
    mem_free(p->words);
    *p = (struct worker_state){0};
}
