/*
 * build.c - puts the parts of a run together: the plan of its problem, topology, delays, threads.
 */
#include "train/build.h"

#include <string.h>

#include "base/env.h"
#include "base/mem.h"
#include "base/team_pool.h"
#include "record/metric.h"
#include "train/budget.h"
#include "train/build_steps.h"
#include "train/validate.h"

/* Where models differ on purpose every worker solves its own problem, which does not end with the
 * epochs of others. */
static enum uneven_policy uneven_policy_of(const struct build *b)
{
    const enum uneven_policy chosen = (enum uneven_policy)b->config->train.uneven;

    if (chosen != UNEVEN_POLICY_AUTO)
        return chosen;
    return algo_has_node_models(b->algo) ? UNEVEN_POLICY_REPEAT : UNEVEN_POLICY_WAIT;
}

struct problem_setting build_setting(const struct build *b)
{
    struct run_config *config = b->config;

    return (struct problem_setting){
        .problem = &config->problem,
        .seed = (uint64_t)config->top.seed,
        .batch_size = config->train.batch_size,
        .micro_batch = config->train.micro_batch,
        .workers = b->workers,
        .is_synchronous = build_is_synchronous(b) && !b->algo->has_own_epochs,
        .uneven = uneven_policy_of(b),
        .dataset = &config->dataset,
        .partition = &config->partition,
        .data = &config->data,
        .model = &config->model,
        .model_name = config->model_name,
        .layers = config->layers,
        .convolution = (enum convolution)config->train.convolution,
    };
}

/* The checksum is of the whole set as it was read, the counts of what the run uses. */
static char *describe_data(const struct problem_plan *p)
{
    return text_format("checksum %08x, %lld training and %lld test samples",
                       (unsigned)problem_fingerprint(p), (long long)p->part_counts[PART_TRAIN],
                       (long long)p->part_counts[PART_TEST]);
}

static enum status build_all(struct build *b, const struct build_size *size)
{
    const struct run_config *config = b->config;
    const struct problem_setting setting = build_setting(b);

    TRY(kernel_init());
    TRY(validate_settings(config, b->workers));
    TRY(problem_check(&setting));
    TRY(validate_topology(config, b->workers, NULL, &b->topology));
    if (b->topology != NULL)
        b->topology_facts = topology_facts(b->topology);
    TRY(build_step_algorithm(b));
    TRY(problem_plan_new(&setting, NULL, &b->plan));
    b->layout = b->plan->layout;
    TRY(build_step_motion(b));
    TRY(build_step_algorithm(b)); /* again: network and motion are known now */
    TRY(build_step_answers(b));
    TRY(build_step_memory(b, size));
    TRY(delays_init(&b->delays, config->delays.delay, config->delays.slow_worker, b->workers));
    TRY(stop_rule_read(config->train.stop, &b->stop));
    b->teams = team_pool_new(b->threads);
    problem_plan_start(b->plan, b->teams);
    b->scratch = build_step_scratch(b, size);
    b->data = describe_data(b->plan);
    b->evaluator = problem_new_evaluator(b->plan, build_step_wide_threads(b));
    return STATUS_OK;
}

enum status build_new(struct run_config *config, const struct build_size *size,
                      struct build **build)
{
    struct build *b = MEM_NEW(struct build);

    b->config = config;
    b->algo = (const struct algo_ops *)config->algorithm.entry;
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
    problem_free(b->evaluator);
    mem_free(b->data);
    mem_free(b->initial.state);
    mem_free(b->initial.batches_tracked);
    scratch_pool_free(b->scratch);
    problem_plan_free(b->plan);
    team_pool_free(b->teams);
    topology_free(b->topology);
    delays_release(&b->delays);
    mem_free(b);
}

int build_host_workers(int processes, int workers)
{
    const char *text = env_find("OMPI_COMM_WORLD_LOCAL_SIZE");
    int64_t local = 0;

    if (processes == 1)
        return workers;
    if (text == NULL || !text_to_int(text, &local) || local <= 0 || local > processes)
        local = processes;
    return (int)local * ((workers + processes - 1) / processes);
}

bool build_has_classes(const struct build *b)
{
    return b->plan->classes > 0;
}

bool build_records_top5(const struct build *b)
{
    const struct problem *p = b->evaluator;

    for (int m = 0; m < p->metric_count; m++)
        if (p->metrics[m].rows[PART_TEST] != NULL &&
            strcmp(p->metrics[m].rows[PART_TEST], metric_name(METRIC_TEST_ACCURACY5)) == 0)
            return true;
    return false;
}

int64_t build_worker_samples(const struct build *b, int worker)
{
    return b->plan->worker_samples[worker];
}

bool build_is_synchronous(const struct build *b)
{
    return !algo_is_asynchronous(b->algo, b->config->algorithm.options);
}
