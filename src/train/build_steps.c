/*
 * build_steps.c - whether an algorithm accepts its setting, how many threads a worker has, and
 * whether the run fits in memory.
 *
 * Not here: what is planned for the problem (problem/problem_plan.h); who takes these steps -
 * build.c for a run, dry_run.c for a check without training.
 */
#include "train/build_steps.h"

#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "optim/schedule.h"
#include "train/budget.h"
#include "train/memory_check.h"
#include "train/memory_estimate.h"
#include "train/validate.h"
#include "train/worker_motion.h"

/* --- algorithm --- */

static const struct topology_facts *facts_of(const struct build *b)
{
    return b->topology_facts.nodes > 0 ? &b->topology_facts : NULL;
}

static struct algo_setting algo_setting_of(const struct build *b, const struct amount *budget)
{
    const struct run_config *config = b->config;

    return (struct algo_setting){
        .algo = b->algo,
        .options = config->algorithm.options,
        .optim = (const struct optim_ops *)config->optimizer.entry,
        .optim_options = config->optimizer.options,
        .schedule_brings_momentum = schedule_brings_momentum(&config->schedule),
        .topology_facts = facts_of(b),
        .graph = config->graph.options.schedule != NULL ? "the schedule"
                                                        : config->graph.type.entry->name,
        .workers = b->workers,
        .is_open_ended = budget_is_open(budget),
        .has_given_start = config->train.init != NULL,
        .layout = b->plan == NULL ? NULL : &b->layout,
    };
}

enum status build_step_algorithm(const struct build *b)
{
    struct amount budget;

    TRY(budget_read(b->config, &budget));
    TRY(budget_check(b->config, b->workers, facts_of(b)));

    const struct algo_setting setting = algo_setting_of(b, &budget);

    return algo_check(&setting);
}

enum status build_step_motion(struct build *b)
{
    struct graph_motion motion;

    TRY(budget_read(b->config, &b->budget));
    worker_motion_init(&motion, b);
    if (motion.sets == 0)
        return STATUS_OK;
    topology_free(b->topology);
    b->topology = NULL;
    const enum status s = validate_topology(b->config, b->workers, &motion, &b->topology);
    graph_motion_release(&motion);
    TRY(s);
    b->topology_facts = topology_facts(b->topology);
    return STATUS_OK;
}

/* Nodes that move may come near each other later than expected, or never: that is no mistake. */
static void warn_if_apart(const struct build *b)
{
    int from = 0, to = 0;

    if (!b->topology_facts.moves || !b->config->graph.options.require_connected ||
        topology_is_connected(b->topology, &from, &to))
        return;
    log_warning("graph: there is no path from node %d to node %d over all rounds: the components "
                "train separately",
                from, to);
}

/* A radius in the unit of the map, such as pixels, would link all nodes or none. */
static void warn_if_places_random(const struct build *b)
{
    const struct choice *type = &b->config->graph.type;
    struct problem_map map;
    double xy[2];

    if (b->topology_facts.nodes == 0 || !graph_takes_positions(type) || graph_has_positions(type) ||
        !problem_map(b->plan, &map) || problem_position(b->plan, 0, 0, xy))
        return;
    log_warning("graph: these data have no positions of nodes, so the nodes are at random places "
                "of the unit square, and the radius is not in the unit of the map");
}

void build_warn(const struct build *b)
{
    const struct algo_setting setting = algo_setting_of(b, &b->budget);
    char *doubt = algo_doubt(&setting);

    if (doubt != NULL)
        log_warning("%s", doubt);
    mem_free(doubt);
    warn_if_apart(b);
    warn_if_places_random(b);
}

/* What the rule looks at must be measured. */
static enum status check_stop(const struct build *b)
{
    struct stop_rule rule;

    TRY(stop_rule_read(b->config->train.stop, &rule));
    if (rule.kind != STOP_NEVER && rule.metric == STOP_ACCURACY && !build_has_classes(b))
        return FAIL(
            STATUS_BAD_INPUT,
            "train.stop: problem %s predicts no classes, so it has no accuracy; use the loss",
            b->plan->name);
    return STATUS_OK;
}

enum status build_step_answers(const struct build *b)
{
    TRY(check_stop(b));
    if (!b->config->train.record_correct || build_has_classes(b))
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "train.record_correct: problem %s predicts no classes; leave it out",
                b->plan->name);
}

/* --- threads --- */

static int own_workers(const struct build_size *size)
{
    return size->own_workers > 0 ? size->own_workers : size->host_workers;
}

/* One of several processes that was bound to some cores has them for itself; else the workers of
 * this host share all that the process may use. */
static int threads_per_worker(const struct run_config *config, const struct build_size *size)
{
    const int cores = team_cores();
    const bool is_bound =
        cores < (int)sysconf(_SC_NPROCESSORS_ONLN) && size->host_workers > own_workers(size);

    if (config->train.threads > 0)
        return (int)config->train.threads;
    if (is_bound)
        return cores;
    return cores > size->host_workers ? cores / size->host_workers : 1;
}

/* --- memory --- */

struct scratch_pool *build_step_scratch(const struct build *b, const struct build_size *size)
{
    return scratch_pool_new(&(struct scratch_pool_setup){
        .count = b->layout.state_count,
        .workers = own_workers(size),
        .cores = team_cores(),
    });
}

int build_step_wide_threads(const struct build *b)
{
    return b->workers == 1 || b->config->train.threads > team_cores() ? b->threads : team_cores();
}

enum status build_step_memory(struct build *b, const struct build_size *size)
{
    b->threads = threads_per_worker(b->config, size);

    const struct memory_estimate bytes = memory_estimate(b, size);
    const struct host_memory have = host_memory(size->host_workers / own_workers(size));

    b->memory = memory_estimate_total(&bytes);
    return memory_check(b, size, &have);
}
