/*
 * parts.c - walks over the table of tensors.
 */
#include "optim/parts.h"

#include "base/check.h"
#include "optim/parallel.h"

int parts_tensor_count(const struct optim *o)
{
    const struct tensor_layout *l = &o->layout;
    int count = 0;

    while (count < l->tensor_count && l->tensors[count].kind != TENSOR_BUFFER)
        count++;
    return count > 0 ? count : 1;
}

/* Tensor i as a part, whole. */
static struct optim_part whole_part(const struct optim *o, int i)
{
    if (o->layout.tensor_count == 0)
        return (struct optim_part){.count = o->n, .is_weight = true};

    const struct tensor *t = &o->layout.tensors[i];

    return (struct optim_part){
        .begin = t->offset, .count = t->count, .tensor = i, .is_weight = t->kind == TENSOR_WEIGHT};
}

struct walk {
    const struct optim *o;
    int64_t offset; /* of the range */
    optim_part_body *body;
    void *context;
};

static void walk_range(void *context, int64_t begin, int64_t count)
{
    const struct walk *w = context;
    const int64_t first = w->offset + begin, end = first + count;
    const int tensors = parts_tensor_count(w->o);

    for (int i = 0; i < tensors; i++) {
        struct optim_part part = whole_part(w->o, i);
        int64_t part_end = part.begin + part.count;

        if (part_end <= first || part.begin >= end)
            continue;
        part_end = part_end < end ? part_end : end;
        part.begin = part.begin > first ? part.begin : first;
        part.count = part_end - part.begin;
        w->body(w->context, &part);
    }
}

void parts_for_each(const struct optim *o, struct team *team, struct optim_range range,
                    optim_part_body *body, void *context)
{
    struct walk w = {.o = o, .offset = range.begin, .body = body, .context = context};

    parallel_for(team, range.count, walk_range, &w);
}

static void pass_range(void *context, int64_t begin, int64_t count)
{
    const struct walk *w = context;

    w->body(w->context,
            &(struct optim_part){.begin = w->offset + begin, .count = count, .is_weight = true});
}

void parts_for_alike(struct team *team, struct optim_range range, optim_part_body *body,
                     void *context)
{
    struct walk w = {.offset = range.begin, .body = body, .context = context};

    parallel_for(team, range.count, pass_range, &w);
}

void parts_for_tensors(const struct optim *o, struct optim_range range, optim_part_body *body,
                       void *context)
{
    const int64_t end = range.begin + range.count;
    const int tensors = parts_tensor_count(o);

    for (int i = 0; i < tensors; i++) {
        const struct optim_part part = whole_part(o, i);
        const int64_t part_end = part.begin + part.count;

        if (part_end <= range.begin || part.begin >= end)
            continue;
        CHECK(part.begin >= range.begin && part_end <= end);
        body(context, &part);
    }
}
