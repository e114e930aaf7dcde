/*
 * parcel.c - what one worker alone has, as a list of 64-bit words: for a message to the leader, and
 * for a checkpoint.
 *
 *     layout:  first float of the state that is inside, bits of the optimiser's vectors inside,
 *              tally, the algorithm's numbers, counters, the optimiser's numbers, bytes sent to
 *              each other node, floats
 *
 * Where all parameters are alike only the statistics are inside. Floats are in stored order, which
 * depends on the model alone.
 */
#include <string.h>

#include "base/mem.h"
#include "train/checkpoint.h"

enum { HEADER_WORDS = 2, FLOATS_PER_WORD = 2 };

/* What is inside, in units of words. */
struct layout {
    int64_t state_from;    /* the state's floats from here on */
    int64_t optim_vectors; /* bits */
    int64_t numbers, counters, optim_numbers, sent;
    int64_t floats; /* in all */
    int64_t words;
};

/* A leader's own optimiser is in the checkpoint already; alike ones are as good as it. */
static bool has_optim(const struct actor *a)
{
    const struct algo_ops *algo = a->build->algo;

    return algo->kind == ALGO_FREE || algo->view != ALGO_VIEW_SAME;
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

static struct layout layout_of(const struct actor *a, int64_t optim_vectors)
{
    const struct model *m = a->build->model;
    struct layout l = {
        .state_from = a->build->algo->view == ALGO_VIEW_SAME ? m->param_count : 0,
        .optim_vectors = optim_vectors,
        .numbers = a->number_count,
        .counters = m->counter_count,
        .optim_numbers = has_optim(a) ? a->optim.number_count : 0,
        .sent = a->sent == NULL ? 0 : a->build->workers,
    };

    l.floats = m->state_count - l.state_from + bit_count(optim_vectors) * m->param_count +
               a->vector_count * m->state_count;
    l.words = HEADER_WORDS + TALLY_NUMBERS + l.numbers + l.counters + l.optim_numbers + l.sent +
              (l.floats + FLOATS_PER_WORD - 1) / FLOATS_PER_WORD;
    return l;
}

/* A place in the words, and the direction. */
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

static void move_floats(struct cursor *c, float *data, int64_t count)
{
    const size_t bytes = (size_t)count * sizeof *data;

    if (count > 0)
        memcpy(c->writes ? (void *)c->at : (void *)data, c->writes ? (void *)data : c->at, bytes);
    c->at += bytes;
}

/* Everything behind the header, in one order for both directions. */
static void move_all(struct cursor *c, const struct layout *l, struct actor *a, struct tally *mine)
{
    const struct model *m = a->build->model;

    move_words(c, mine, TALLY_NUMBERS);
    move_words(c, a->numbers, l->numbers);
    move_words(c, a->counters, l->counters);
    move_words(c, a->optim.numbers, l->optim_numbers);
    move_words(c, a->sent, l->sent);
    move_floats(c, a->state + l->state_from, m->state_count - l->state_from);
    for (int i = 0; i < a->optim.vector_count; i++)
        if ((l->optim_vectors >> i & 1) != 0)
            move_floats(c, optim_vector(&a->optim, i), m->param_count);
    for (int i = 0; i < a->vector_count; i++)
        move_floats(c, a->vectors[i], m->state_count);
}

void parcel_pack(struct parcel *p, struct actor *a, const struct tally *mine)
{
    const struct layout l = layout_of(a, has_optim(a) ? vectors_there(&a->optim) : 0);
    struct tally copy = *mine;

    p->count = l.words;
    p->words = MEM_NEW_N(int64_t, l.words);
    p->words[0] = l.state_from;
    p->words[1] = l.optim_vectors;

    struct cursor c = {.at = (char *)(p->words + HEADER_WORDS), .writes = true};
    move_all(&c, &l, a, &copy);
}

enum status parcel_unpack(const struct parcel *p, struct actor *a, struct tally *mine)
{
    struct layout l = {0};

    if (p->count >= HEADER_WORDS)
        l = layout_of(a, p->words[1]);
    if (p->count < HEADER_WORDS || l.words != p->count || l.state_from != p->words[0] ||
        (l.optim_vectors >> a->optim.vector_count) != 0)
        return FAIL(STATUS_BAD_INPUT, "what worker %d had is of another model or algorithm",
                    a->worker.transport->rank);

    struct cursor c = {.at = (char *)(p->words + HEADER_WORDS)};
    move_all(&c, &l, a, mine);
    return STATUS_OK;
}

void parcel_release(struct parcel *p)
{
    mem_free(p->words);
    *p = (struct parcel){0};
}
