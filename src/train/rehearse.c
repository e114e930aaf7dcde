/*
 * rehearse.c - the steps of a run without the run, and what earlier rehearsals found.
 */
#include "train/rehearse.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "comm/world.h"
#include "train/check.h"
#include "train/plan.h"

/* What was found of one thing. The key says which, and what it was made of. */
struct finding {
    char *key;
    struct dataset *outline; /* of a data set; NULL: it is not there */
    struct model *model;
    struct topology_facts links;
    int64_t largest; /* samples of the largest part */
};

struct rehearsal {
    struct finding *items;
    int64_t count;
};

struct rehearsal *rehearsal_new(void)
{
    return MEM_NEW(struct rehearsal);
}

void rehearsal_free(struct rehearsal *r)
{
    if (r == NULL)
        return;
    for (int64_t i = 0; i < r->count; i++) {
        mem_free(r->items[i].key);
        dataset_free(r->items[i].outline);
        model_free(r->items[i].model);
    }
    mem_free(r->items);
    mem_free(r);
}

static const struct finding *find(const struct rehearsal *r, const char *key)
{
    for (int64_t i = 0; i < r->count; i++)
        if (strcmp(r->items[i].key, key) == 0)
            return &r->items[i];
    return NULL;
}

/* Takes the finding with its key. */
static void keep(struct rehearsal *r, const struct finding *f)
{
    r->items = mem_resize(r->items, r->count, r->count + 1, sizeof *r->items);
    r->items[r->count++] = *f;
}

/* --- keys --- */

static void add_choice(struct text *key, const struct choice *c)
{
    struct node *map = node_new(NODE_MAP, "key", 0, 0);

    choice_dump(c, map);
    node_write(map, key);
    node_free(map);
}

static void add_data(struct text *key, const struct experiment *e)
{
    text_addf(key, "data %s\n", e->data.dir == NULL ? "" : e->data.dir);
    add_choice(key, &e->dataset);
}

static char *key_of_data(const struct experiment *e)
{
    struct text key = {0};

    add_data(&key, e);
    return text_take(&key);
}

static char *key_of_deal(const struct build *b)
{
    const struct experiment *e = b->experiment;
    struct text key = {0};

    text_addf(&key, "deal %d %" PRId64 " %.17g %.17g\n", b->workers, e->top.seed,
              e->data.train_fraction, e->data.validation);
    add_data(&key, e);
    add_choice(&key, &e->partition);
    return text_take(&key);
}

static char *key_of_graph(const struct build *b)
{
    struct node *map = node_new(NODE_MAP, "key", 0, 0);
    struct text key = {0};

    text_addf(&key, "graph %d %" PRId64 "\n", b->workers, b->experiment->top.seed);
    topology_choice_dump(&b->experiment->graph, map);
    node_write(map, &key);
    node_free(map);
    return text_take(&key);
}

static char *key_of_model(const struct build *b)
{
    const struct experiment *e = b->experiment;
    const struct dataset *d = b->dataset;
    struct text key = {0};

    text_addf(&key, "model %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d\n",
              b->gather.height, b->gather.width, d->channels, d->classes, d->target_size,
              e->train.convolution);
    if (e->layers != NULL)
        node_write(e->layers, &key);
    else
        add_choice(&key, &e->model);
    return text_take(&key);
}

/* --- steps --- */

static enum status look_at_graph(struct rehearsal *r, struct build *b)
{
    struct topology *topology = NULL;

    if (!b->algo->needs_graph || b->workers == 1)
        return STATUS_OK;
    struct finding new = {.key = key_of_graph(b)};
    const struct finding *old = find(r, new.key);
    if (old != NULL) {
        b->links = old->links;
        mem_free(new.key);
        return STATUS_OK;
    }
    const enum status s = experiment_topology(b->experiment, b->workers, &topology);
    if (s != STATUS_OK) {
        mem_free(new.key);
        return s;
    }
    b->links = new.links = topology_facts(topology);
    topology_free(topology);
    keep(r, &new);
    return STATUS_OK;
}

/* b->dataset stays NULL where the set is not there and may be lacking. */
static enum status look_at_data(struct rehearsal *r, struct build *b, enum rehearse_data data)
{
    struct finding new = {.key = key_of_data(b->experiment)};
    const struct finding *old = find(r, new.key);

    if (old != NULL && (old->outline != NULL || data == REHEARSE_MAY_LACK_DATA)) {
        b->dataset = old->outline;
        mem_free(new.key);
        return STATUS_OK;
    }
    const enum status s = plan_data(b->experiment, PLAN_OUTLINE, &new.outline);
    if (s != STATUS_OK && !(s == STATUS_IO && data == REHEARSE_MAY_LACK_DATA)) {
        mem_free(new.key);
        return s;
    }
    b->dataset = new.outline;
    keep(r, &new);
    return STATUS_OK;
}

static enum status look_at_deal(struct rehearsal *r, struct build *b)
{
    struct finding new = {.key = key_of_deal(b)};
    const struct finding *old = find(r, new.key);

    if (old != NULL) {
        plan_batch(b, old->largest);
        mem_free(new.key);
        return STATUS_OK;
    }
    const enum status s = plan_deal(b);
    split_release(&b->split);
    partition_release(&b->partition);
    if (s != STATUS_OK) {
        mem_free(new.key);
        return s;
    }
    new.largest = b->largest;
    keep(r, &new);
    return STATUS_OK;
}

static enum status look_at_model(struct rehearsal *r, struct build *b)
{
    struct finding new = {.key = key_of_model(b)};
    const struct finding *old = find(r, new.key);

    if (old != NULL) {
        b->model = old->model;
        mem_free(new.key);
        return STATUS_OK;
    }
    const enum status s = plan_model(b, &new.model);
    if (s != STATUS_OK) {
        mem_free(new.key);
        return s;
    }
    b->model = new.model;
    keep(r, &new);
    return STATUS_OK;
}

/* As build.c takes them. */
static enum status take_steps(struct rehearsal *r, struct build *b, enum rehearse_data data)
{
    const struct build_size size = {
        .workers = b->workers,
        .neighbours = build_neighbours(world_is_launched() ? b->workers : 1, b->workers),
    };

    TRY(experiment_check_settings(b->experiment, b->workers));
    TRY(look_at_graph(r, b));
    TRY(plan_algorithm(b));
    TRY(look_at_data(r, b, data));
    if (b->dataset == NULL)
        return STATUS_OK;
    TRY(plan_inputs(b));
    TRY(look_at_deal(r, b));
    TRY(look_at_model(r, b));
    TRY(plan_loss(b));
    return plan_memory(b, &size);
}

static enum status rehearse_read(struct rehearsal *r, struct experiment *e, enum rehearse_data data)
{
    struct build b = {.experiment = e, .algo = (const struct algo_ops *)e->algorithm.entry};
    struct world_request request;

    TRY(experiment_world(e, &request));
    const enum status s = world_check(&request, &b.workers);
    if (s != STATUS_OK)
        return experiment_say_key("transport", s);
    return b.workers == 0 ? STATUS_OK : take_steps(r, &b, data); /* 0: only the launcher knows */
}

/* *effective, if not NULL, gets what the experiment has come to. */
static enum status rehearse_root(struct rehearsal *r, const struct node *root,
                                 enum rehearse_data data, struct node **effective)
{
    struct experiment e;

    TRY(kernel_init());
    TRY(experiment_locate(root, experiment_read(&e, root)));
    const enum status s = experiment_locate(root, rehearse_read(r, &e, data));
    if (s == STATUS_OK && effective != NULL)
        *effective = experiment_dump(&e);
    experiment_release(&e);
    return s;
}

enum status rehearse(struct rehearsal *r, const struct node *root, enum rehearse_data data)
{
    return rehearse_root(r, root, data, NULL);
}

enum status rehearse_effective(struct rehearsal *r, const struct node *root,
                               struct node **effective)
{
    *effective = NULL;
    return rehearse_root(r, root, REHEARSE_NEEDS_DATA, effective);
}
