/*
 * build.c - puts the parts of a run together (plan.c), and makes from them what its workers share.
 */
#include "train/build.h"

#include <math.h>

#include "base/env.h"
#include "base/mem.h"
#include "problem/supervised.h"
#include "train/check.h"
#include "train/plan.h"

/* --- rounds --- */

static int64_t batches_of(const struct build *b, int worker)
{
    return (b->partition.counts[worker] + b->batch - 1) / b->batch;
}

/* Where models differ on purpose everybody solves a problem of its own, which does not end with
 * others' epochs. */
static enum uneven_policy uneven_policy_of(const struct build *b)
{
    const enum uneven_policy chosen = (enum uneven_policy)b->experiment->train.uneven;

    if (chosen != UNEVEN_POLICY_AUTO)
        return chosen;
    return b->algo->view == ALGO_VIEW_EACH ? UNEVEN_POLICY_REPEAT : UNEVEN_POLICY_WAIT;
}

static void count_batches(struct build *b)
{
    const enum uneven_policy policy = uneven_policy_of(b);
    int64_t least = batches_of(b, 0), all = 0;

    for (int w = 0; w < b->workers; w++) {
        const int64_t n = batches_of(b, w);
        least = n < least ? n : least;
        all += n;
    }
    b->all_batches = all;
    if (build_keeps_step(b))
        b->epoch_batches =
            policy == UNEVEN_POLICY_SHORTEST ? least : partition_batches(&b->partition, b->batch);
}

/* --- all --- */

static struct supervised_setup setup_of(const struct build *b, struct stations *stations)
{
    return (struct supervised_setup){
        .model = b->model,
        .loss = b->loss,
        .gather = &b->gather,
        .split = &b->split,
        .seed = (uint64_t)b->experiment->top.seed,
        .batch_size = b->batch,
        .stations = stations,
    };
}

struct problem *build_problem(const struct build *b, int worker, int64_t *counters)
{
    struct supervised_setup setup = setup_of(b, b->stations);

    setup.counters = counters;
    setup.partition = &b->partition;
    setup.worker = worker;
    setup.epoch_batches = b->epoch_batches;
    setup.uneven = uneven_policy_of(b) == UNEVEN_POLICY_REPEAT ? UNEVEN_REPEAT : UNEVEN_EMPTY;
    return supervised_new(&setup);
}

struct problem *build_examiner(const struct build *b, struct stations *stations)
{
    const struct supervised_setup setup = setup_of(b, stations);

    return supervised_new(&setup);
}

static enum status plan_all(struct build *b, const struct build_size *size)
{
    const struct experiment *e = b->experiment;

    TRY(experiment_check_settings(e, b->workers));
    TRY(experiment_topology(e, b->workers, &b->topology));
    if (b->topology != NULL)
        b->links = topology_facts(b->topology);
    TRY(plan_algorithm(b));
    TRY(plan_data(e, PLAN_ALL, &b->dataset));
    TRY(plan_inputs(b));
    TRY(plan_deal(b));
    TRY(plan_model(b, &b->model));
    TRY(plan_loss(b));
    return plan_memory(b, size);
}

static enum status build_all(struct build *b, const struct build_size *size)
{
    const struct experiment *e = b->experiment;

    TRY(kernel_init());
    TRY(plan_all(b, size));
    TRY(delays_init(&b->delays, e->delays.delay, e->delays.slow_worker, b->workers));
    TRY(experiment_budget(e, &b->budget));
    count_batches(b);

    const int wide = b->workers == 1 || e->train.threads > team_cores() ? b->threads : team_cores();
    b->stations = stations_new(b->model, b->dataset, b->batch, b->threads);
    b->wide = stations_new(b->model, b->dataset, b->batch, wide);

    b->examiner = build_examiner(b, b->wide);
    return STATUS_OK;
}

enum status build_new(struct experiment *e, const struct build_size *size, struct build **build)
{
    struct build *b = MEM_NEW(struct build);

    b->experiment = e;
    b->algo = (const struct algo_ops *)e->algorithm.entry;
    b->workers = size->workers;
    const enum status s = build_all(b, size);
    if (s != STATUS_OK) {
        build_free(b);
        return s;
    }
    *build = b;
    return STATUS_OK;
}

void build_free(struct build *b)
{
    if (b == NULL)
        return;
    problem_free(b->examiner);
    stations_free(b->wide);
    stations_free(b->stations);
    topology_free(b->topology);
    delays_release(&b->delays);
    partition_release(&b->partition);
    model_free(b->model);
    split_release(&b->split);
    dataset_free(b->dataset);
    mem_free(b);
}

int build_neighbours(int processes, int workers)
{
    const char *text = env_find("OMPI_COMM_WORLD_LOCAL_SIZE");
    int64_t local = 0;

    if (processes == 1)
        return workers;
    return text != NULL && text_to_int(text, &local) && local > 0 && local <= processes ? (int)local
                                                                                        : processes;
}

bool build_has_classes(const struct build *b)
{
    return b->dataset->classes > 0;
}

double build_chance(const struct build *b)
{
    const struct dataset *d = b->dataset;
    int64_t most = 0;

    if (d->classes == 0 || d->test.count == 0)
        return (double)NAN;
    int64_t *counts = MEM_NEW_N(int64_t, d->classes);
    for (int64_t i = 0; i < d->test.count; i++) {
        const int64_t count = ++counts[d->test.labels[i]];
        most = count > most ? count : most;
    }
    mem_free(counts);
    return (double)most / (double)d->test.count;
}

bool build_keeps_step(const struct build *b)
{
    return !algo_is_asynchronous(b->algo, b->experiment->algorithm.options);
}
