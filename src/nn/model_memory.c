/*
 * model_memory.c - plans where activations and gradients lie.
 *
 * A pass has the times 0 .. 2n+1: layer i runs forward at i, the loss is at n, layer i runs
 * backward at 2n-i. Each block lives from its first writing to its last reading; blocks are placed
 * from large to small at the lowest place where no block of an overlapping life lies (first fit).
 * A layer that may work in place takes its input's block when nobody reads that input later.
 */
#include "nn/model_memory.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/mem.h"

struct block {
    int64_t size, offset;
    int first, last; /* times of the first writing and the last reading */
};

struct planner {
    const struct model *model;
    struct model_memory *memory;
    struct block *blocks;
    int count;
    int *out, *gradient; /* [layers + 1] block of a value and of its gradient; [0]: the input */
    int *saved;          /* [layers] */
    int (*din)[LAYER_INPUTS_MAX];
};

enum { NONE = -1 };

static int end_of_time(const struct model *m)
{
    return 2 * m->layer_count + 1;
}

static int backward_time(const struct model *m, int layer)
{
    return 2 * m->layer_count - layer;
}

static int add_block(struct planner *p, struct shape s, int first, int last)
{
    p->blocks[p->count] = (struct block){
        .size = model_memory_round(shape_size(s)),
        .first = first,
        .last = last,
    };
    return p->count++;
}

static void extend(struct block *b, int time)
{
    b->first = time < b->first ? time : b->first;
    b->last = time > b->last ? time : b->last;
}

/* The last time at which somebody reads the value that layer `value` makes (-1: the input). */
static int last_need(const struct model *m, int value)
{
    int last = value;

    if (value == -1 || value == m->layer_count - 1)
        return end_of_time(m); /* the caller may look at them after the pass */
    if (m->layers[value].ops->flags & LAYER_NEEDS_OUTPUT)
        last = backward_time(m, value);
    for (int i = value + 1; i < m->layer_count; i++) {
        const struct layer *l = &m->layers[i];
        for (int s = 0; s < l->input_count; s++) {
            if (l->inputs[s] != value)
                continue;
            const int time = l->ops->flags & LAYER_NEEDS_INPUT ? backward_time(m, i) : i;
            last = time > last ? time : last;
        }
    }
    return last;
}

/* May layer i write over its first input? Every value in that block must have been read by then. */
static bool may_overwrite(const struct planner *p, int i)
{
    const struct model *m = p->model;
    const struct layer *l = &m->layers[i];
    const int block = p->out[l->inputs[0] + 1];

    if ((l->ops->flags & LAYER_IN_PLACE) == 0 || l->ops->flags & LAYER_NEEDS_INPUT)
        return false;
    for (int value = -1; value < i; value++)
        if (p->out[value + 1] == block && last_need(m, value) > i)
            return false;
    return true;
}

static void plan_activations(struct planner *p)
{
    const struct model *m = p->model;

    p->out[0] = add_block(p, m->in, 0, end_of_time(m));
    for (int i = 0; i < m->layer_count; i++) {
        const struct layer *l = &m->layers[i];
        if (l->ops->flags & LAYER_IDENTITY || may_overwrite(p, i))
            p->out[i + 1] = p->out[l->inputs[0] + 1];
        else
            p->out[i + 1] = add_block(p, l->out, i, i);
        extend(&p->blocks[p->out[i + 1]], last_need(m, i));
        p->saved[i] = NONE;
        if (l->saved_per_sample > 0)
            p->saved[i] = add_block(p, shape_vector(l->saved_per_sample), i, backward_time(m, i));
    }
}

/* Where layer i writes the gradient by its input s. Later layers have been planned. */
static void plan_input_gradient(struct planner *p, int i, int s)
{
    const struct model *m = p->model;
    const struct layer *l = &m->layers[i];
    struct input_memory *in = &p->memory->layers[i].inputs[s];
    const int value = l->inputs[s], time = backward_time(m, i);
    const bool may_share =
        s == 0 && i != m->layer_count - 1 && l->ops->flags & (LAYER_IN_PLACE | LAYER_IDENTITY);
    int *of_value = &p->gradient[value + 1];

    in->adds = *of_value != NONE && s == 0 && l->adds_input && value != -1;
    in->is_added = *of_value != NONE && !in->adds;
    if (in->adds)
        p->din[i][s] = *of_value;
    else if (in->is_added)
        p->din[i][s] = add_block(p, l->in[s], time, time);
    else {
        *of_value =
            may_share && value != -1 ? p->gradient[i + 1] : add_block(p, l->in[s], time, time);
        p->din[i][s] = *of_value;
        if (value != -1)
            extend(&p->blocks[*of_value], backward_time(m, value));
        else
            p->blocks[*of_value].size = 0; /* the caller's own, when it asks for it */
    }
}

static void plan_gradients(struct planner *p)
{
    const struct model *m = p->model;

    for (int v = 0; v <= m->layer_count; v++)
        p->gradient[v] = NONE;
    /* The gradient by the output is the caller's to fill and stays what it is. */
    p->gradient[m->layer_count] = add_block(p, m->out, 0, end_of_time(m));
    for (int i = m->layer_count - 1; i >= 0; i--)
        for (int s = 0; s < m->layers[i].input_count; s++)
            plan_input_gradient(p, i, s);
}

/* --- placing --- */

static int larger_first(const void *a, const void *b)
{
    const struct block *const x = *(struct block *const *)a, *const y = *(struct block *const *)b;

    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x < y ? -1 : 1;
}

static int lower_first(const void *a, const void *b)
{
    const struct block *const x = *(struct block *const *)a, *const y = *(struct block *const *)b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x < y ? -1 : 1;
}

static bool lives_meet(const struct block *a, const struct block *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* The lowest place for b beside the `count` blocks that are placed, which are in order of place. */
static int64_t first_fit(const struct block *b, struct block *const *placed, int count)
{
    int64_t offset = 0;

    for (int i = 0; i < count; i++) {
        const struct block *other = placed[i];
        if (!lives_meet(b, other))
            continue;
        if (offset + b->size <= other->offset)
            break;
        if (offset < other->offset + other->size)
            offset = other->offset + other->size;
    }
    return offset;
}

static void place_blocks(struct planner *p)
{
    struct block **order = MEM_NEW_N(struct block *, p->count);

    for (int i = 0; i < p->count; i++)
        order[i] = &p->blocks[i];
    qsort(order, (size_t)p->count, sizeof(struct block *), larger_first);
    for (int i = 0; i < p->count; i++) {
        struct block *b = order[i];
        b->offset = first_fit(b, order, i);
        if (b->offset + b->size > p->memory->per_sample)
            p->memory->per_sample = b->offset + b->size;
        qsort(order, (size_t)i + 1, sizeof(struct block *), lower_first);
    }
    mem_free(order);
}

/* --- the result --- */

/* An input's gradient is wanted when a parameter lies before it. */
static void mark_wanted(struct planner *p)
{
    const struct model *m = p->model;
    bool *has_parameters = MEM_NEW_N(bool, m->layer_count); /* at the layer or before it */

    for (int i = 0; i < m->layer_count; i++) {
        const struct layer *l = &m->layers[i];
        has_parameters[i] = l->tensor_count > 0 && l->tensors[0].kind != TENSOR_BUFFER;
        for (int s = 0; s < l->input_count; s++) {
            const bool wanted = l->inputs[s] >= 0 && has_parameters[l->inputs[s]];
            p->memory->layers[i].inputs[s].is_wanted = wanted;
            has_parameters[i] = has_parameters[i] || wanted;
        }
    }
    mem_free(has_parameters);
}

static void fill_layers(struct planner *p)
{
    const struct model *m = p->model;
    struct model_memory *memory = p->memory;
    int tracked = 0;

    memory->input = p->blocks[p->out[0]].offset;
    for (int i = 0; i < m->layer_count; i++) {
        const struct layer *l = &m->layers[i];
        struct layer_memory *to = &memory->layers[i];
        to->out = p->blocks[p->out[i + 1]].offset;
        to->gradient = p->blocks[p->gradient[i + 1]].offset;
        to->saved = p->saved[i] == NONE ? 0 : p->blocks[p->saved[i]].offset;
        for (int s = 0; s < l->input_count; s++)
            to->inputs[s].din = p->blocks[p->din[i][s]].offset;
        to->saved_fixed = memory->fixed;
        memory->fixed += model_memory_round(l->saved_fixed);
        to->tracked = tracked;
        tracked += l->tracked_count;
        if (l->scratch_per_thread > memory->scratch_per_thread)
            memory->scratch_per_thread = l->scratch_per_thread;
    }
}

struct model_memory *model_memory_new(const struct model *m)
{
    const int n = m->layer_count;
    struct planner p = {
        .model = m,
        .memory = MEM_NEW(struct model_memory),
        /* per layer: output, saved, and two gradients by inputs; the input and the last gradient */
        .blocks = MEM_NEW_N(struct block, 4 * n + 2),
        .out = MEM_NEW_N(int, n + 1),
        .gradient = MEM_NEW_N(int, n + 1),
        .saved = MEM_NEW_N(int, n),
        .din = mem_alloc(n, sizeof *p.din),
    };

    p.memory->layers = MEM_NEW_N(struct layer_memory, n);
    plan_activations(&p);
    plan_gradients(&p);
    CHECK(p.count <= 4 * n + 2);
    place_blocks(&p);
    mark_wanted(&p);
    fill_layers(&p);
    mem_free(p.blocks);
    mem_free(p.out);
    mem_free(p.gradient);
    mem_free(p.saved);
    mem_free(p.din);
    return p.memory;
}

void model_memory_free(struct model_memory *memory)
{
    if (memory == NULL)
        return;
    mem_free(memory->layers);
    mem_free(memory);
}

int64_t model_memory_shared_scratch(const struct model *m, int64_t batch)
{
    int64_t most = 0;

    for (int i = 0; i < m->layer_count; i++) {
        const struct layer *l = &m->layers[i];
        const int64_t need = l->scratch_shared_per_sample * batch + l->scratch_shared_fixed;
        most = need > most ? need : most;
    }
    return most;
}
