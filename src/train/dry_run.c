/*
 * dry_run.c - the steps of a run without the training, and a cache of what earlier dry runs found.
 */
#include "train/dry_run.h"

#include <inttypes.h>

#include "base/mem.h"
#include "comm/world.h"
#include "train/build_steps.h"
#include "train/initial_weights.h"
#include "train/validate.h"

struct dry_run {
    struct plan_cache *cache; /* of problems, and of graphs */
};

struct dry_run *dry_run_new(void)
{
    struct dry_run *r = MEM_NEW(struct dry_run);

    r->cache = plan_cache_new();
    return r;
}

void dry_run_free(struct dry_run *r)
{
    if (r == NULL)
        return;
    plan_cache_free(r->cache);
    mem_free(r);
}

/* --- the graph --- */

static char *key_of_graph(const struct build *b)
{
    struct node *map = node_new(NODE_MAP, "key", 0, 0);
    struct text key = {0};

    text_addf(&key, "graph %d %" PRId64 "\n", b->workers, b->config->top.seed);
    topology_choice_dump(&b->config->graph, map);
    node_write(map, &key);
    node_free(map);
    return text_take(&key);
}

static enum status check_new_graph(struct dry_run *r, const struct build *b, const char *key)
{
    struct topology *topology = NULL;

    TRY(validate_topology(b->config, b->workers, NULL, &topology));
    struct topology_facts *facts = MEM_NEW(struct topology_facts);
    *facts = topology_facts(topology);
    topology_free(topology);
    plan_cache_add(r->cache, key, facts, mem_free);
    return STATUS_OK;
}

static enum status check_graph(struct dry_run *r, struct build *b)
{
    void *facts = NULL;
    enum status s = STATUS_OK;

    if (!b->algo->needs_graph || b->workers == 1)
        return STATUS_OK;
    char *key = key_of_graph(b);
    if (!plan_cache_find(r->cache, key, &facts))
        s = check_new_graph(r, b, key);
    if (s == STATUS_OK && plan_cache_find(r->cache, key, &facts))
        b->topology_facts = *(const struct topology_facts *)facts;
    mem_free(key);
    return s;
}

/* --- all of it --- */

/* As build.c takes them. */
static enum status check_steps(struct dry_run *r, struct build *b, enum dry_run_data data)
{
    const int known = world_launched_processes(), processes = known > 0 ? known : b->workers;
    const struct build_size size = {
        .workers = b->workers,
        .host_workers = build_host_workers(processes, b->workers),
        .own_workers = (b->workers + processes - 1) / processes,
    };
    const struct problem_setting setting = build_setting(b);
    const struct problem_dry_run dry = {
        .cache = r->cache,
        .may_lack_data = data == DRY_RUN_MAY_LACK_DATA,
    };

    TRY(validate_settings(b->config, b->workers));
    TRY(problem_check(&setting));
    TRY(check_graph(r, b));
    TRY(build_step_algorithm(b));
    TRY(problem_plan_new(&setting, &dry, &b->plan));
    if (b->plan == NULL)
        return STATUS_OK;
    b->layout = b->plan->layout;
    enum status s = build_step_motion(b);
    if (s == STATUS_OK)
        s = build_step_algorithm(b);
    if (s == STATUS_OK)
        s = build_step_answers(b);
    if (s == STATUS_OK)
        s = build_step_memory(b, &size);
    if (s == STATUS_OK)
        s = initial_weights_check(b);
    topology_free(b->topology);
    problem_plan_free(b->plan);
    return s;
}

static enum status dry_run_config(struct dry_run *r, struct run_config *config,
                                  enum dry_run_data data)
{
    struct build b = {.config = config, .algo = (const struct algo_ops *)config->algorithm.entry};
    struct world_request request;

    TRY(validate_world(config, &request));
    const enum status s = world_check(&request, &b.workers);
    if (s != STATUS_OK)
        return validate_name_key("transport", s);
    return b.workers == 0 ? STATUS_OK : check_steps(r, &b, data); /* 0: only the launcher knows */
}

/* *effective, if not NULL, gets the complete run config. */
static enum status dry_run_root(struct dry_run *r, const struct node *root, enum dry_run_data data,
                                struct node **effective)
{
    struct run_config config;

    TRY(kernel_init());
    TRY(validate_locate_error(root, run_config_read(&config, root)));
    const enum status s = validate_locate_error(root, dry_run_config(r, &config, data));
    if (s == STATUS_OK && effective != NULL)
        *effective = run_config_dump(&config);
    run_config_release(&config);
    return s;
}

enum status dry_run_check(struct dry_run *r, const struct node *root, enum dry_run_data data)
{
    return dry_run_root(r, root, data, NULL);
}

enum status dry_run_effective(struct dry_run *r, const struct node *root, struct node **effective)
{
    *effective = NULL;
    return dry_run_root(r, root, DRY_RUN_NEEDS_DATA, effective);
}
