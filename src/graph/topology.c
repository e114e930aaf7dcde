/*
 * topology.c - making a topology: the list of graphs with their weights, once for all rounds.
 *
 * Not here: what a node sees of it in a round (topology_round.c).
 */
#include "graph/topology.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"
#include "graph/topology_internal.h"

enum { STAGES_MAX = 4096, MOVES_MAX = 1 << 16 };

/* --- making one --- */

static enum status add_stages(struct topology *t, const struct topology_request *q,
                              const struct choice *type, int64_t draw)
{
    const int count = graph_phases(type, q->nodes);

    if (t->stage_count + count > STAGES_MAX)
        return FAIL(STATUS_BAD_INPUT, "graph.schedule: more than %d graphs in turn", STAGES_MAX);
    t->stages = mem_resize(t->stages, t->stage_count, t->stage_count + count, sizeof *t->stages);
    t->turns = mem_resize(t->turns, t->turn_count, t->turn_count + 1, sizeof *t->turns);
    t->turns[t->turn_count++] = (struct turn){.first = t->stage_count, .count = count};
    for (int phase = 0; phase < count; phase++) {
        const struct graph_request g = {
            .nodes = q->nodes, .seed = q->seed, .draw = draw, .phase = phase};
        struct stage *s = &t->stages[t->stage_count];

        *s = (struct stage){.graph = {0}};
        TRY(graph_make(type, &g, &s->graph));
        t->stage_count++;
        t->is_directed = t->is_directed || s->graph.is_directed;
    }
    return STATUS_OK;
}

/* --- nodes that move --- */

static enum status check_motion(const struct topology_request *q, const struct graph_motion *m)
{
    const char *name = q->type->entry->name;

    if (!graph_takes_positions(q->type))
        return FAIL(STATUS_BAD_INPUT,
                    "graph.name: %s does not depend on positions, and the nodes move; use disk",
                    name);
    if (q->options != NULL && q->options->schedule != NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "graph.schedule: cannot be used if nodes move; leave it out or let them stay");
    if (m->sets > MOVES_MAX)
        return FAIL(STATUS_BAD_INPUT, "graph: the nodes have %d sets of positions; %d is the most",
                    m->sets, MOVES_MAX);
    return STATUS_OK;
}

/* A stage for each set, and the table. */
static enum status add_moves(struct topology *t, const struct topology_request *q,
                             const struct graph_motion *m)
{
    CHECK(m->steps > 0 && m->step_rounds > 0);
    TRY(check_motion(q, m));
    t->stages = MEM_NEW_N(struct stage, m->sets);
    for (; t->stage_count < m->sets; t->stage_count++) {
        const struct graph_request g = {
            .nodes = q->nodes,
            .seed = q->seed,
            .positions = m->positions + (int64_t)t->stage_count * q->nodes,
        };

        TRY(graph_make(q->type, &g, &t->stages[t->stage_count].graph));
    }
    t->steps = m->steps;
    t->step_rounds = m->step_rounds;
    t->stage_of_step = MEM_NEW_N(int32_t, m->steps);
    for (int64_t i = 0; i < m->steps; i++) {
        CHECK(m->set_of_step[i] >= 0 && m->set_of_step[i] < m->sets);
        t->stage_of_step[i] = m->set_of_step[i];
    }
    return STATUS_OK;
}

/* --- a schedule --- */

/* One name of the schedule, `count` draws of it. The type of the run keeps its options. */
static enum status add_named(struct topology *t, const struct topology_request *q, const char *name,
                             int64_t count, int64_t *draw)
{
    struct node *where = node_new(NODE_SCALAR, "graph.schedule", 0, 0);
    const struct entry *entry = NULL;
    struct choice type = {0};
    enum status s = registry_get(&graph_registry, name, where, &entry);

    node_free(where);
    if (s != STATUS_OK)
        return s;
    if (entry != q->type->entry)
        choice_init(&type, entry);
    for (int64_t i = 0; i < count && s == STATUS_OK; i++)
        s = add_stages(t, q, type.entry == NULL ? q->type : &type, (*draw)++);
    choice_release(&type);
    return s;
}

static enum status add_item(struct topology *t, const struct topology_request *q, char *item,
                            int64_t *draw)
{
    char *colon = strchr(item, ':');
    int64_t count = 1;

    if (colon != NULL) {
        *colon = '\0';
        if (!text_to_int(colon + 1, &count) || count < 1 || count > STAGES_MAX)
            return FAIL(STATUS_BAD_INPUT,
                        "graph.schedule: \"%s\" after %s is not a number of draws in [1, %d]",
                        colon + 1, item, STAGES_MAX);
    }
    return add_named(t, q, item, count, draw);
}

/* "star, erdos_renyi:5" */
static enum status add_schedule(struct topology *t, const struct topology_request *q)
{
    static const char blanks[] = " \t[]";
    char *list = mem_text(q->options->schedule);
    enum status s = STATUS_OK;
    int64_t draw = 1; /* the chosen type has draw 0 */

    for (char *item = list, *next; item != NULL && s == STATUS_OK; item = next) {
        const size_t length = strcspn(item, ",");

        next = item[length] == '\0' ? NULL : item + length + 1;
        item[length] = '\0';
        item += strspn(item, blanks);
        item[strcspn(item, blanks)] = '\0';
        s = add_item(t, q, item, &draw);
    }
    mem_free(list);
    return s;
}

/* Where one graph of the list has directions, all of them count as such: both ways are two. */
static void give_directions(struct graph *g)
{
    struct arcs arcs = {0};
    struct graph directed;
    struct position *positions = g->positions;

    for (int i = 0; i < g->nodes; i++) {
        for (int64_t k = g->out.begins[i]; k < g->out.begins[i + 1]; k++)
            arcs_add(&arcs, i, g->out.ends[k]);
    }
    graph_init(&directed, g->nodes, true, &arcs);
    arcs_release(&arcs);
    g->positions = NULL;
    graph_release(g);
    *g = directed;
    g->positions = positions;
}

static enum status add_weights(struct topology *t)
{
    const enum weights_grid grid = topology_has_outages(t) ? WEIGHTS_COARSE : WEIGHTS_FINE;

    for (int i = 0; i < t->stage_count; i++) {
        struct stage *s = &t->stages[i];

        if (t->is_directed && !s->graph.is_directed)
            give_directions(&s->graph);
        TRY(weights_init(&s->weights, &s->graph, (enum weight_rule)t->options.weights, grid));
        for (int node = 0; node < t->nodes; node++) {
            const int64_t in = graph_in_degree(&s->graph, node);
            const int64_t out = graph_out_degree(&s->graph, node);
            const int most = (int)(in > out ? in : out);

            t->degree_max = most > t->degree_max ? most : t->degree_max;
        }
    }
    return STATUS_OK;
}

static void add_scratch(struct topology *t)
{
    const int64_t most = t->degree_max;

    t->outage_graph = MEM_NEW(struct graph);
    t->scratch = MEM_NEW_N(struct scratch, t->nodes);
    for (int i = 0; i < t->nodes; i++)
        t->scratch[i] = (struct scratch){
            .in = MEM_NEW_N(int, most),
            .out = MEM_NEW_N(int, most),
            .weights = MEM_NEW_N(double, most),
        };
}

static enum status add_graphs(struct topology *t, const struct topology_request *q)
{
    struct graph_motion own = {0};

    if (q->motion == NULL)
        TRY(graph_motion_init(q->type, q->nodes, &own));
    const struct graph_motion *m = q->motion != NULL ? q->motion : &own;
    if (m->sets > 0) {
        const enum status s = add_moves(t, q, m);
        graph_motion_release(&own);
        return s;
    }
    TRY(add_stages(t, q, q->type, 0));
    return q->options != NULL && q->options->schedule != NULL ? add_schedule(t, q) : STATUS_OK;
}

static enum status make_all(struct topology *t, const struct topology_request *q)
{
    TRY(add_graphs(t, q));
    TRY(add_weights(t));
    TRY(outages_init(&t->outages, &t->options, q->seed));
    t->outages.is_one_way = t->outages.is_one_way || t->is_directed;
    if (topology_has_outages(t))
        add_scratch(t);
    return STATUS_OK;
}

enum status topology_new(const struct topology_request *q, struct topology **t)
{
    struct topology *made = MEM_NEW(struct topology);

    CHECK(q->nodes > 0);
    *made = (struct topology){.nodes = q->nodes, .seed = q->seed};
    fields_default(topology_fields, &made->options);
    if (q->options != NULL)
        made->options = *q->options;
    made->options.schedule = NULL;
    const enum status s = make_all(made, q);
    if (s != STATUS_OK) {
        topology_free(made);
        made = NULL;
    }
    *t = made;
    return s;
}

void topology_free(struct topology *t)
{
    if (t == NULL)
        return;
    for (int i = 0; i < t->stage_count; i++) {
        graph_release(&t->stages[i].graph);
        weights_release(&t->stages[i].weights);
    }
    for (int i = 0; t->scratch != NULL && i < t->nodes; i++) {
        mem_free(t->scratch[i].in);
        mem_free(t->scratch[i].out);
        mem_free(t->scratch[i].weights);
    }
    if (t->outage_graph != NULL)
        graph_release(t->outage_graph);
    mem_free(t->outage_graph);
    mem_free(t->scratch);
    mem_free(t->stages);
    mem_free(t->turns);
    mem_free(t->stage_of_step);
    mem_free(t);
}
