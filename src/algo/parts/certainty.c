/*
 * certainty.c - how often each place of a map was seen, and an exchange that is weighed by it.
 */
#include "algo/parts/certainty.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

/* The smallest weight, as a part of the largest one. */
#define LEAST_WEIGHT 1e-3F

void certainty_init(struct certainty *c, const struct tensor_layout *l, float *counts)
{
    *c = (struct certainty){
        .ranges = MEM_NEW_N(struct certainty_range, l->tensor_count),
        .counts = counts,
    };
    for (int i = 0; i < l->tensor_count; i++) {
        const struct tensor *t = &l->tensors[i];

        if (!t->is_grid)
            continue;
        c->ranges[c->range_count++] = (struct certainty_range){t->offset, t->offset + t->count};
        c->count += t->count;
    }
}

void certainty_release(struct certainty *c)
{
    mem_free(c->ranges);
    c->ranges = NULL;
}

void certainty_add_step(struct certainty *c, const float *gradient)
{
    float *counts = c->counts;

    for (int r = 0; r < c->range_count; r++)
        for (int64_t i = c->ranges[r].begin; i < c->ranges[r].end; i++)
            *counts++ += gradient[i] != 0 ? 1.0F : 0.0F;
}

/* --- weights --- */

/* A weight is slope * count + base. */
struct scale {
    float slope, base;
};

static struct scale scale_of(const struct certainty *c, const struct certainty_link *l)
{
    float least = l->counts[0] + l->their_counts[0], most = least;

    for (int64_t k = 1; k < c->count; k++) {
        const float sum = l->counts[k] + l->their_counts[k];

        least = sum < least ? sum : least;
        most = sum > most ? sum : most;
    }
    if (!(most > least))
        return (struct scale){.base = 1};
    return (struct scale){.slope = (1 - LEAST_WEIGHT) / most, .base = LEAST_WEIGHT};
}

static float weight_of(const struct scale *s, float count)
{
    return s->slope * count + s->base;
}

static void weigh_plainly(const struct certainty_link *l, struct certainty_range r,
                          float *difference, float *weights)
{
    for (int64_t i = r.begin; i < r.end; i++) {
        difference[i] = l->other[i] - l->x[i];
        weights[i] += 1;
    }
}

/* `first` is the place of the range's first value among the counts. */
static void weigh_grid(const struct certainty_link *l, const struct scale *s,
                       struct certainty_range r, int64_t first, float *difference, float *weights)
{
    const float *mine = l->counts + first, *theirs = l->their_counts + first;

    for (int64_t i = r.begin; i < r.end; i++) {
        const float a = weight_of(s, *mine++), b = weight_of(s, *theirs++);

        difference[i] = 2 * a * b / (a + b) * (l->other[i] - l->x[i]);
        weights[i] += a;
    }
}

void certainty_weigh(const struct certainty *c, const struct certainty_link *l, int64_t params,
                     float *difference, float *weights)
{
    const struct scale scale = scale_of(c, l);
    int64_t done = 0, counted = 0;

    for (int r = 0; r < c->range_count; r++) {
        const struct certainty_range grid = c->ranges[r];

        weigh_plainly(l, (struct certainty_range){done, grid.begin}, difference, weights);
        weigh_grid(l, &scale, grid, counted, difference, weights);
        done = grid.end;
        counted += grid.end - grid.begin;
    }
    weigh_plainly(l, (struct certainty_range){done, params}, difference, weights);
}

/* --- the exchange --- */

static enum status send_all(const struct certainty *c, const struct admm *a, struct worker *w)
{
    const struct mixing_vector x = mixing_state(&a->mixing, w->state);
    const struct mixing_vector u = {.kind = MIXING_COUNTS, .x = c->counts, .count = c->count};
    const struct peers from = {a->mixing.near.in, a->mixing.near.in_count};

    TRY(mixing_send(&a->mixing, w, &x, MIXING_ALL));
    TRY(mixing_send(&a->mixing, w, &u, MIXING_ALL));
    TRY(transport_await(w->transport, &from, MIXING_STATE));
    return transport_await(w->transport, &from, MIXING_COUNTS);
}

/* Scratch of an exchange. */
struct room {
    float *model, *counts, *difference;
};

/* What neighbour number i says, and what follows for lag and weights. */
static enum status receive_link(const struct certainty *c, struct admm *a, struct worker *w, int i,
                                const struct room *room, bool *is_used)
{
    struct mixing *m = &a->mixing;
    const int from = m->near.in[i];
    const struct mixing_vector x = mixing_state(m, w->state);
    const size_t bytes = (size_t)c->count * sizeof *c->counts;
    struct certainty_link link = {.x = w->state, .counts = c->counts, .their_counts = room->counts};
    struct envelope e;

    TRY(transport_recv(w->transport, from, MIXING_COUNTS, &e, room->counts, bytes));
    CHECK(e.bytes == bytes);
    TRY(mixing_receive_one(w, &x, from, room->model, &link.other));
    *is_used = mixing_uses(m, from);
    if (*is_used) {
        certainty_weigh(c, &link, m->params, room->difference, a->weights);
        mixing_add(w, m->lag, 1, room->difference, m->params);
        mixing_accumulate(m->lag + m->params, m->near.weights[i], link.other + m->params,
                          w->state + m->params, m->count - m->params);
        m->used++;
    }
    transport_give_back(w->transport);
    return STATUS_OK;
}

enum status certainty_exchange(const struct certainty *c, struct admm *a, struct worker *w,
                               void (*use)(struct worker *w, int neighbour,
                                           const float *difference))
{
    struct mixing *m = &a->mixing;

    TRY(send_all(c, a, w));
    const struct room room = {scratch_take(&w->scratch), scratch_take(&w->scratch),
                              scratch_take(&w->scratch)};

    mixing_start_lag(m, w, m->count);
    a->weights = scratch_take(&w->scratch);
    memset(a->weights, 0, (size_t)m->params * sizeof *a->weights);
    for (int i = 0; i < m->near.in_count; i++) {
        bool is_used = false;

        TRY(receive_link(c, a, w, i, &room, &is_used));
        if (is_used && use != NULL)
            use(w, m->near.in[i], room.difference);
    }
    scratch_give(&w->scratch, room.difference);
    scratch_give(&w->scratch, room.counts);
    scratch_give(&w->scratch, room.model);
    return worker_report_vectors(w, &(struct vector_work){(int64_t)m->used * m->count, 10, 8});
}
