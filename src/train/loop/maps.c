/*
 * maps.c - the maps of all robots along the run, in maps.bin (record/maps.h).
 *
 * Every worker that has a model of its own computes its map and sends it to the leader; else the
 * leader computes that of the run model. Which evaluations have maps depends on the round alone, so
 * that all workers know it, and a resumed run makes the same. Asynchronous runs, whose workers do
 * not wait for each other at evaluations, have none.
 */
#include "base/mem.h"
#include "problem/problem_plan.h"
#include "train/loop/evaluation.h"

enum { USUAL_MAPS = 50, USUAL_BYTES = 64 << 20 };

static bool has_maps(const struct loop *l)
{
    return l->build->config->train.maps != 0 && build_is_synchronous(l->build) &&
           l->build->plan->part_counts[PART_MAP] > 0;
}

static bool is_of_nodes(const struct loop *l)
{
    return l->build->workers > 1 && evaluation_has_nodes(l);
}

static struct map_mesh mesh_of(const struct loop *l, const struct problem_map *map)
{
    return (struct map_mesh){
        .robots = is_of_nodes(l) ? l->build->workers : 1,
        .height = map->height,
        .width = map->width,
        .left = map->left,
        .top = map->top,
        .step_x = map->step_x,
        .step_y = map->step_y,
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
    const int64_t points = l->build->plan->part_counts[PART_MAP];
    const int64_t fitting = USUAL_BYTES / ((is_of_nodes(l) ? l->build->workers : 1) * points);

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

/* --- what --- */

/* As bytes. */
static enum status compute_map(struct problem *p, const float *state, uint8_t *bytes)
{
    const int64_t points = p->part_counts[PART_MAP];
    struct evaluation e = {.outputs = MEM_NEW_N(float, points)};
    const enum status s = problem_evaluate(p, state, PART_MAP, &e);

    for (int64_t i = 0; i < points && s == STATUS_OK; i++)
        bytes[i] = map_byte((double)e.outputs[i]);
    mem_free(e.outputs);
    return s;
}

static enum status compute_own(struct loop *l, uint8_t *map)
{
    transport_compute_begin(l->worker->transport);
    const enum status s = compute_map(l->memory->problem, l->memory->state, map);
    transport_compute_end(l->worker->transport);
    return s;
}

/* Every worker's own to the leader, worker 0: maps[workers][points]; of others maps[points]. */
static enum status gather_maps(struct loop *l, uint8_t *maps)
{
    struct transport *t = l->worker->transport;
    const size_t bytes = (size_t)l->build->plan->part_counts[PART_MAP];

    TRY(compute_own(l, maps));
    if (l->leader == NULL)
        return transport_send(t, 0, CONTROL_MAP, maps, bytes);
    for (int from = 1; from < l->build->workers; from++)
        TRY(transport_recv(t, from, CONTROL_MAP, NULL, maps + (size_t)from * bytes, bytes));
    return STATUS_OK;
}

static enum status write_record(struct loop *l, const uint8_t *maps)
{
    const struct map_time time = {
        .round = l->round,
        .epoch = epochs_of_samples(l->build, l->leader->totals.counters.samples),
    };

    return l->was_finished && !l->is_before_record ? STATUS_OK
                                                   : map_log_add(&l->leader->map_log, &time, maps);
}

enum status maps_add(struct loop *l, const struct model_values *values)
{
    const bool gathers = is_of_nodes(l);

    if (!has_maps(l) || !is_due(l) || (l->leader == NULL && !gathers))
        return STATUS_OK;
    const int64_t points = l->build->plan->part_counts[PART_MAP];
    uint8_t *maps =
        MEM_NEW_N(uint8_t, points * (gathers && l->leader != NULL ? l->build->workers : 1));
    enum status s =
        gathers ? gather_maps(l, maps) : compute_map(l->build->evaluator, values->state, maps);
    if (s == STATUS_OK && l->leader != NULL)
        s = write_record(l, maps);
    mem_free(maps);
    return s;
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
