/*
 * worker_state.c - the state that one worker alone has, as a list of 64-bit words: for a message to
 * the leader, and for a checkpoint.
 *
 *     layout:  first float of the state that is inside, number of the optimiser's vectors, a byte
 *              for each of them (1: inside), counters, the algorithm's numbers, batches_tracked,
 *              the optimiser's numbers, bytes sent to each other node, floats
 *
 * Where all parameters are alike only the statistics are inside, and of the algorithm's vectors
 * those that workers have on their own. Floats are in stored order, which depends on the model
 * alone.
 */
#include <string.h>

#include "base/mem.h"
#include "train/checkpoint.h"
#include "train/loop/coordinator.h"

enum { HEADER_WORDS = 2, FLOATS_PER_WORD = 2, BYTES_PER_WORD = 8 };

/* What is inside, in units of words. */
struct layout {
    int64_t state_from;   /* the state's floats from here on */
    int64_t optim_places; /* vectors that the optimiser may have, each with a byte */
    int64_t optim_bytes;  /* words of these bytes */
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

/* Vectors that the optimiser may have; 0 where none is inside. */
static int64_t optim_places(const struct worker_memory *a)
{
    return has_optim(a) ? a->optim.vector_count : 0;
}

static int64_t vectors_there(const struct worker_memory *a)
{
    int64_t count = 0;

    for (int i = 0; i < optim_places(a); i++)
        count += a->optim.vectors[i] != NULL;
    return count;
}

/* The first of the algorithm's vectors that is not alike on all workers. */
static int first_own_vector(const struct worker_memory *a)
{
    const struct build *b = a->build;

    return a->problem == NULL ? 0 : algo_alike_count(b->algo, b->config->algorithm.options);
}

static struct layout layout_of(const struct worker_memory *a, int64_t vectors_inside)
{
    const struct tensor_layout *m = &a->build->layout;
    struct layout l = {
        .state_from = algo_models_differ(a->build->algo) ? 0 : m->param_count,
        .optim_places = optim_places(a),
        .optim_bytes = (optim_places(a) + BYTES_PER_WORD - 1) / BYTES_PER_WORD,
        .numbers = a->number_count,
        .batches_tracked = m->tracked_count,
        .optim_numbers = has_optim(a) ? a->optim.number_count : 0,
        .sent = a->sent == NULL ? 0 : a->build->workers,
    };

    l.floats = m->state_count - l.state_from + vectors_inside * m->param_count +
               (a->vector_count - first_own_vector(a)) * m->state_count;
    l.words = HEADER_WORDS + l.optim_bytes + counters_saved_count() + l.numbers +
              l.batches_tracked + l.optim_numbers + l.sent +
              (l.floats + FLOATS_PER_WORD - 1) / FLOATS_PER_WORD;
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

/* Everything after the header and the bytes of the vectors, in one order for both directions. */
static void move_all(struct cursor *c, const struct layout *l, struct worker_memory *a,
                     struct counters *counters)
{
    const struct tensor_layout *m = &a->build->layout;
    const char *inside = c->at;

    c->at += l->optim_bytes * BYTES_PER_WORD;

    move_counters(c, counters);
    move_words(c, a->numbers, l->numbers);
    move_words(c, a->batches_tracked, l->batches_tracked);
    move_words(c, a->optim.numbers, l->optim_numbers);
    move_words(c, a->sent, l->sent);
    move_floats(c, a->state + l->state_from, m->state_count - l->state_from);
    for (int i = 0; i < l->optim_places; i++)
        if (inside[i] != 0)
            move_floats(c, optim_vector(&a->optim, i), m->param_count);
    for (int i = first_own_vector(a); i < a->vector_count; i++)
        move_floats(c, a->vectors[i], m->state_count);
}

void worker_state_pack(struct worker_state *p, struct worker_memory *a,
                       const struct counters *counters)
{
    const struct layout l = layout_of(a, vectors_there(a));
    struct counters copy = *counters;

    p->count = l.words;
    p->words = MEM_NEW_N(int64_t, l.words);
    p->words[0] = l.state_from;
    p->words[1] = l.optim_places;

    struct cursor c = {.at = (char *)(p->words + HEADER_WORDS), .writes = true};
    for (int i = 0; i < l.optim_places; i++)
        c.at[i] = a->optim.vectors[i] != NULL;
    move_all(&c, &l, a, &copy);
}

/* How many of the optimiser's vectors are inside; -1: the words are of another optimiser. */
static int64_t vectors_inside(const struct worker_state *p, const struct worker_memory *a)
{
    const int64_t places = optim_places(a);
    const char *inside = (const char *)(p->words + HEADER_WORDS);
    int64_t count = 0;

    if (p->count < HEADER_WORDS || p->words[1] != places ||
        (p->count - HEADER_WORDS) * BYTES_PER_WORD < places)
        return -1;
    for (int i = 0; i < places; i++)
        count += inside[i] != 0;
    return count;
}

/* The leader's were put back first, and this worker may have had none of them. */
static void forget_vectors(struct optim *o, const char *inside)
{
    for (int i = 0; i < o->vector_count; i++)
        if (o->vectors[i] != NULL && inside[i] == 0)
            memset(o->vectors[i], 0, (size_t)o->n * sizeof **o->vectors);
}

enum status worker_state_unpack(const struct worker_state *p, struct worker_memory *a,
                                struct counters *counters)
{
    const int64_t vectors = vectors_inside(p, a);
    const struct layout l = layout_of(a, vectors < 0 ? 0 : vectors);

    if (vectors < 0 || l.words != p->count || l.state_from != p->words[0])
        return FAIL(STATUS_BAD_INPUT,
                    "the state of worker %d belongs to another model or algorithm", a->rank);

    struct cursor c = {.at = (char *)(p->words + HEADER_WORDS)};
    move_all(&c, &l, a, counters);
    if (has_optim(a))
        forget_vectors(&a->optim, (const char *)(p->words + HEADER_WORDS));
    return STATUS_OK;
}

void worker_state_release(struct worker_state *p)
{
    mem_free(p->words);
    *p = (struct worker_state){0};
}
