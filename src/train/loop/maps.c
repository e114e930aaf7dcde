/*
 * maps.c - the maps of all robots along the run, in maps.bin (record/maps.h).
 *
 * Every worker that has a model of its own computes its map and sends it to the leader; else the
 * leader computes that of the run model. So do workers with their certainty, where the algorithm
 * counts how often they have seen each place of a grid. Which evaluations have maps depends on the
 * round alone, so that all workers know it, and a resumed run makes the same. The maps of an
 * asynchronous run are those of its snapshots, computed with their evaluation (evaluation_queue.c).
 */
#include <string.h>

#include "base/mem.h"
#include "problem/problem_plan.h"
#include "train/loop/evaluation.h"

enum { USUAL_MAPS = 50, USUAL_BYTES = 64 << 20 };

static bool has_maps(const struct loop *l)
{
    return l->build->config->train.maps != 0 && l->build->plan->part_counts[PART_MAP] > 0;
}

static bool is_of_nodes(const struct loop *l)
{
    return l->build->workers > 1 && evaluation_has_nodes(l);
}

static int64_t map_count(const struct loop *l)
{
    return is_of_nodes(l) ? l->build->workers : 1;
}

/* Such algorithms are synchronous. */
static bool has_certainty(const struct loop *l)
{
    return l->build->algo->certainty != NULL && problem_grid_map(l->build->plan, NULL, NULL);
}

static struct map_mesh mesh_of(const struct loop *l, const struct problem_map *map)
{
    return (struct map_mesh){
        .robots = map_count(l),
        .height = map->height,
        .width = map->width,
        .left = map->left,
        .top = map->top,
        .step_x = map->step_x,
        .step_y = map->step_y,
        .certainties = has_certainty(l) ? map_count(l) : 0,
    };
}

/* --- when --- */

/* Evaluations that are due in the first rounds, without those at the start and at the end. */
static int64_t evaluations_until(const struct loop *l, int64_t round)
{
    const struct train_options *o = &l->build->config->train;

    if (o->evaluate_rounds > 0)
        return round / o->evaluate_rounds;
    return o->evaluate_every > 0 ? epochs_ended(&l->length.epoch, round) / o->evaluate_every : 0;
}

static int64_t wanted_records(const struct loop *l)
{
    const int64_t chosen = l->build->config->train.maps;
    const int64_t points = map_count(l) * l->build->plan->part_counts[PART_MAP];
    const int64_t point_bytes = has_certainty(l) ? 1 + (int64_t)sizeof(float) : 1;
    const int64_t fitting = USUAL_BYTES / (points * point_bytes);

    if (chosen > 0)
        return chosen;
    return fitting < 1 ? 1 : fitting < USUAL_MAPS ? fitting : USUAL_MAPS;
}

static bool is_due(const struct loop *l)
{
    const int64_t wanted = wanted_records(l), rounds = loop_rounds_known(l);
    const int64_t stride = (evaluations_until(l, rounds) + wanted - 1) / wanted;

    return l->round == l->length.rounds || stride <= 1 ||
           evaluations_until(l, l->round) % stride == 0;
}

bool maps_are_due(const struct loop *l)
{
    return has_maps(l) && is_due(l);
}

/* --- what --- */

enum status maps_evaluate(struct problem *p, const float *state, struct evaluation *e,
                          uint8_t *bytes)
{
    const int64_t points = p->part_counts[PART_MAP];

    e->outputs = MEM_NEW_N(float, points);
    const enum status s = problem_evaluate(p, state, PART_MAP, e);
    for (int64_t i = 0; i < points && s == STATUS_OK; i++)
        bytes[i] = map_byte((double)e->outputs[i]);
    mem_free(e->outputs);
    e->outputs = NULL;
    return s;
}

static enum status compute_map(struct problem *p, const float *state, uint8_t *bytes)
{
    struct evaluation e = {0};

    return maps_evaluate(p, state, &e, bytes);
}

/* What a record is made of: at the leader of all robots, else the worker's own. */
struct gathered {
    uint8_t *maps;    /* [robots][points] */
    float *certainty; /* the same; NULL: the algorithm has none */
};

static void compute_certainty(const struct loop *l, float *certainty)
{
    if (certainty != NULL)
        (void)problem_grid_map(l->build->plan, l->build->algo->certainty(l->worker), certainty);
}

static enum status compute_own(struct loop *l, const struct gathered *g)
{
    transport_compute_begin(l->worker->transport);
    const enum status s = compute_map(l->memory->problem, l->memory->state, g->maps);
    compute_certainty(l, g->certainty);
    transport_compute_end(l->worker->transport);
    return s;
}

/* From every worker to the leader, worker 0, who has room for all: one part of each worker. */
static enum status gather_part(struct loop *l, void *parts, size_t bytes)
{
    struct transport *t = l->worker->transport;

    if (l->leader == NULL)
        return transport_send(t, 0, CONTROL_MAP, parts, bytes);
    for (int from = 1; from < l->build->workers; from++)
        TRY(transport_recv(t, from, CONTROL_MAP, NULL, (char *)parts + (size_t)from * bytes,
                           bytes));
    return STATUS_OK;
}

static enum status gather_nodes(struct loop *l, const struct gathered *g)
{
    const size_t points = (size_t)l->build->plan->part_counts[PART_MAP];

    TRY(compute_own(l, g));
    TRY(gather_part(l, g->maps, points));
    return g->certainty == NULL ? STATUS_OK
                                : gather_part(l, g->certainty, points * sizeof *g->certainty);
}

static enum status compute_common(struct loop *l, const float *state, const struct gathered *g)
{
    compute_certainty(l, g->certainty);
    return compute_map(l->build->evaluator, state, g->maps);
}

static enum status write_record(struct loop *l, const struct run_totals *totals,
                                const struct gathered *g)
{
    const struct map_time time = {
        .round = totals->round,
        .epoch = epochs_of_samples(l->build, totals->counters.samples),
    };

    return evaluation_is_recorded(l)
               ? STATUS_OK
               : map_log_add(&l->leader->map_log, &time, g->maps, g->certainty);
}

enum status maps_add(struct loop *l, const struct model_values *values)
{
    const bool gathers = is_of_nodes(l);

    if (!maps_are_due(l) || (l->leader == NULL && !gathers))
        return STATUS_OK;
    const int64_t points =
        l->build->plan->part_counts[PART_MAP] * (l->leader == NULL ? 1 : map_count(l));
    const struct gathered g = {
        .maps = MEM_NEW_N(uint8_t, points),
        .certainty = has_certainty(l) ? MEM_NEW_N(float, points) : NULL,
    };
    enum status s = gathers ? gather_nodes(l, &g) : compute_common(l, values->state, &g);
    if (s == STATUS_OK && l->leader != NULL)
        s = write_record(l, &l->leader->totals, &g);
    mem_free(g.maps);
    mem_free(g.certainty);
    return s;
}

/* --- of snapshots --- */

static void keep_node_map(struct loop *l, const struct snapshot_result *r)
{
    struct leader *d = l->leader;
    const int64_t points = l->build->plan->part_counts[PART_MAP];

    if (d->node_maps == NULL)
        d->node_maps = MEM_NEW_N(uint8_t, l->build->workers * points);
    memcpy(d->node_maps + r->label.node * points, r->map_bytes, (size_t)points);
    d->node_map_count++;
}

/* Where some nodes were recorded before the run was stopped, their maps are gone. */
enum status maps_add_snapshot(struct loop *l, const struct snapshot_result *r)
{
    struct leader *d = l->leader;
    const bool is_of_all = d->node_map_count == l->build->workers;

    if (r->map_bytes == NULL || !has_maps(l))
        return STATUS_OK;
    if (r->label.node != SNAPSHOT_RUN) {
        keep_node_map(l, r);
        return STATUS_OK;
    }
    d->node_map_count = 0;
    if (!is_of_nodes(l))
        return write_record(l, &r->label.totals, &(struct gathered){.maps = r->map_bytes});
    return is_of_all ? write_record(l, &r->label.totals, &(struct gathered){.maps = d->node_maps})
                     : STATUS_OK;
}

/* --- the file --- */

enum status maps_open(struct loop *l, int64_t keep_round)
{
    struct problem_map map;

    if (!has_maps(l) || !problem_map(l->build->plan, &map))
        return STATUS_OK;
    const struct map_mesh mesh = mesh_of(l, &map);
    const int64_t points = map_mesh_points(&mesh);
    uint8_t *plan = MEM_NEW_N(uint8_t, points);
    for (int64_t i = 0; i < points; i++)
        plan[i] = map_byte((double)map.targets[i]);
    const enum status s =
        map_log_open(&l->leader->map_log, l->setup->run_dir, &mesh, plan, keep_round);
    mem_free(plan);
    return s;
}
