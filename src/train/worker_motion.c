/*
 * worker_motion.c - see worker_motion.h. A round's positions are those at its first batch. Rounds
 * with the same positions share a set.
 */
#include "train/worker_motion.h"

#include <string.h>

#include "base/crc.h"
#include "base/mem.h"
#include "train/epochs.h"

enum { ROUNDS_MAX = 1 << 20 }; /* of a run whose number of rounds is not known */

/* The sets so far, found by a hash of their positions. */
struct set_table {
    struct graph_motion *motion;
    int nodes;
    int64_t slot_count; /* a power of two, at least twice as many as sets */
    int32_t *slots;     /* [slot_count] the number of a set + 1; 0: free */
};

static bool asks_for_positions(const struct build *b)
{
    const struct choice *type = &b->config->graph.type;
    double xy[2];

    return b->topology_facts.nodes > 0 && graph_takes_positions(type) &&
           !graph_has_positions(type) && problem_position(b->plan, 0, 0, xy);
}

/* The number of the set that has these positions; they become a new one if there is none. */
static int32_t find_set(struct set_table *t, const struct position *positions)
{
    struct graph_motion *m = t->motion;
    const size_t bytes = (size_t)t->nodes * sizeof *positions;
    int64_t at = crc32c(0, positions, bytes) & (t->slot_count - 1);

    while (t->slots[at] > 0 &&
           memcmp(m->positions + (int64_t)(t->slots[at] - 1) * t->nodes, positions, bytes) != 0)
        at = (at + 1) & (t->slot_count - 1);
    if (t->slots[at] == 0) {
        const int64_t used = (int64_t)m->sets * t->nodes;

        m->positions = mem_resize(m->positions, used, used + t->nodes, sizeof *positions);
        memcpy(m->positions + used, positions, bytes);
        t->slots[at] = ++m->sets;
    }
    return t->slots[at] - 1;
}

static void positions_at(const struct build *b, int64_t round, int64_t draws,
                         struct position *positions)
{
    for (int w = 0; w < b->workers; w++) {
        double xy[2] = {0, 0};

        problem_position(b->plan, w, round * draws, xy);
        positions[w] = (struct position){xy[0], xy[1]};
    }
}

static int64_t power_above(int64_t n)
{
    int64_t power = 1;

    while (power < n)
        power *= 2;
    return power;
}

void worker_motion_init(struct graph_motion *m, const struct build *b)
{
    *m = (struct graph_motion){0};
    if (!asks_for_positions(b))
        return;

    const struct run_length length = epochs_run_length(b, 0);
    const int64_t rounds = graph_moves_with_data(&b->config->graph.type) ? length.rounds : 1;
    m->steps = rounds < 1 ? 1 : rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX;
    m->step_rounds = 1;
    m->set_of_step = MEM_NEW_N(int32_t, m->steps);
    struct set_table t = {
        .motion = m, .nodes = b->workers, .slot_count = power_above(2 * m->steps)};
    struct position *positions = MEM_NEW_N(struct position, b->workers);
    t.slots = MEM_NEW_N(int32_t, t.slot_count);
    for (int64_t round = 0; round < m->steps; round++) {
        positions_at(b, round, length.epoch.draws, positions);
        m->set_of_step[round] = find_set(&t, positions);
    }
    mem_free(positions);
    mem_free(t.slots);
}
