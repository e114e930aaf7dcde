/*
 * supervised_plan.c - the steps from a setting to data, partition, model and loss, in the order in
 * which they depend on each other. Each may fail; none computes a gradient.
 *
 * A dry run takes the same steps without the inputs, and what other dry runs have found already is
 * in its cache: so it finds what a run would find.
 */
#include "problem/supervised_plan.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "nn/zoo.h"
#include "problem/list.h"

const struct field supervised_fields[] = {
    FIELD_TEXT(struct supervised_options, loss, NULL,
               "nll, bce, mse or l1; without it, that of the model's study"),
    FIELD_LAST,
};

/* A plan under way. */
struct planning {
    struct supervised_plan *plan;
    const struct problem_setting *setting;
    struct plan_cache *cache; /* NULL: a plan to train with */
    bool may_lack_data;
};

static struct supervised_options *options_of(const struct problem_setting *s)
{
    return s->problem->options;
}

static const struct zoo_ops *zoo_of(const struct problem_setting *s)
{
    return (const struct zoo_ops *)s->model->entry; /* NULL: layers of the user's own */
}

static bool is_image(const struct dataset *d)
{
    return d->height > 1 || d->width > 1;
}

/* --- before any data is read --- */

enum status supervised_check(const struct problem_setting *s)
{
    const struct dataset_ops *set = (const struct dataset_ops *)s->dataset->entry;

    if (set->is_generated && s->data->dir != NULL)
        return FAIL(STATUS_BAD_INPUT, "data.dir: data set %s is generated and has no folder",
                    set->entry.name);
    if (set->classes == 0 || set->is_generated) /* it depends on their options */
        return STATUS_OK;
    return partition_check(s->partition, s->workers, set->classes);
}

/* --- defaults --- */

/* A study's MEAN,STD of colours means nothing for grey images. */
static bool normalize_fits(const char *how, int64_t channels)
{
    int64_t numbers = 1;

    for (const char *c = how; *c != '\0'; c++)
        numbers += *c == ',';
    return numbers <= 2 || numbers == 2 * channels;
}

/* One number for height and width: 0 leaves an image that is not a square as it is. */
static int64_t usual_size(const struct zoo_ops *zoo, const struct dataset *d)
{
    if (zoo != NULL && !zoo->any_input)
        return zoo->in.height;
    return d->height == d->width ? d->height : 0;
}

/* What was left open is the study's choice, where the model has one. */
static void fill_in_model_defaults(const struct problem_setting *s, const struct dataset *d)
{
    const struct zoo_ops *zoo = zoo_of(s);

    if (s->data->normalize == NULL) {
        const bool is_read = d->train.source != NULL; /* measuring it would read all of it */
        const char *of_set = d->ops->normalize != NULL ? d->ops->normalize : "none";
        const char *usual = is_read ? "imagenet" : is_image(d) ? "set" : of_set;
        const bool fits = zoo != NULL && is_image(d) &&
                          normalize_fits(zoo->normalize, d->channels) &&
                          !(is_read && isalpha((unsigned char)zoo->normalize[0]));
        s->data->normalize = mem_text(fits ? zoo->normalize : usual);
    }
    if (options_of(s)->loss == NULL) {
        const char *usual = d->classes > 0 ? "nll" : "mse";
        const bool fits = zoo != NULL && (d->classes > 0) == (zoo->loss[0] == 'n');
        options_of(s)->loss = mem_text(fits ? zoo->loss : usual);
    }
    if (s->data->input_size == 0 && is_image(d))
        s->data->input_size = usual_size(zoo, d);
}

/* --- data --- */

static enum status load_data(const struct planning *p, struct dataset **dataset)
{
    const struct problem_setting *s = p->setting;
    const struct dataset_request request = {
        .data_dir = s->data->dir,
        .seed = s->seed,
        .options = s->dataset->options,
        .outline = p->cache != NULL,
    };
    const enum status status = dataset_load(s->dataset, &request, dataset);

    return status == STATUS_OK
               ? status
               : problem_setting_name_key(s->data->dir != NULL ? "data.dir" : "data.name", status);
}

static void add_data_key(struct text *key, const struct problem_setting *s)
{
    text_addf(key, "data %s\n", s->data->dir == NULL ? "" : s->data->dir);
    plan_cache_add_choice(key, s->dataset);
}

static void release_dataset(void *value)
{
    dataset_free(value);
}

/* The plan's data set stays NULL where it is not there and may be lacking. */
static enum status plan_data_cached(struct planning *p, const char *key)
{
    struct dataset *outline = NULL;
    void *cached = NULL;

    if (plan_cache_find(p->cache, key, &cached) && (cached != NULL || p->may_lack_data)) {
        p->plan->dataset = cached;
        return STATUS_OK;
    }
    const enum status s = load_data(p, &outline);
    if (s != STATUS_OK && !(s == STATUS_IO && p->may_lack_data))
        return s;
    plan_cache_add(p->cache, key, outline, release_dataset);
    p->plan->dataset = outline;
    return STATUS_OK;
}

static enum status plan_data(struct planning *p)
{
    struct text key = {0};

    if (p->cache == NULL)
        return load_data(p, &p->plan->dataset);
    add_data_key(&key, p->setting);
    const enum status s = plan_data_cached(p, text_get(&key));
    text_release(&key);
    return s;
}

static enum status plan_inputs(struct planning *p)
{
    const struct data_options *o = p->setting->data;
    const struct dataset *d = p->plan->dataset;

    fill_in_model_defaults(p->setting, d);
    const bool is_resized = is_image(d) && o->input_size > 0;
    struct gather *g = &p->plan->gather;
    *g = (struct gather){
        .dataset = d,
        .height = is_resized ? o->input_size : d->height,
        .width = is_resized ? o->input_size : d->width,
        .subtracts_mean_image = strcmp(o->normalize, "image") == 0,
    };
    TRY(supervised_plan_preparation(p->plan, o));
    return normalizer_init(&g->normalizer, o->normalize, d);
}

/* --- partition --- */

static enum status make_partition(struct planning *p)
{
    const struct problem_setting *s = p->setting;
    struct supervised_plan *plan = p->plan;
    const struct split_request split = problem_setting_split(s->data, plan->dataset, s->seed);

    struct sample_files files;

    TRY(problem_setting_files(s->data, plan->dataset, &files));
    TRY(validation_split_init(&plan->split, &split));
    const struct partition_request request = {
        .labels = plan->dataset->train.labels,
        .samples = plan->split.train,
        .count = plan->split.train_count,
        .classes = plan->dataset->classes,
        .groups = plan->dataset->train.groups,
        .group_count = plan->dataset->groups,
        .files = files,
        .workers = s->workers,
        .seed = s->seed,
    };
    return partition_make(s->partition, &request, &plan->partition);
}

/* How many samples each part and each worker has: what dry runs keep of a partition. */
struct part_sizes {
    int64_t train, validation;
    int64_t *workers; /* [workers] */
};

static void release_sizes(void *value)
{
    struct part_sizes *sizes = value;

    mem_free(sizes->workers);
    mem_free(sizes);
}

static void copy_counts(struct supervised_plan *plan, const int64_t *counts)
{
    const int64_t workers = plan->base.workers;

    plan->counts = MEM_NEW_N(int64_t, workers);
    memcpy(plan->counts, counts, (size_t)workers * sizeof *counts);
    plan->base.worker_samples = plan->counts;
}

static struct part_sizes *sizes_of(const struct supervised_plan *plan)
{
    const int64_t workers = plan->base.workers;
    struct part_sizes *sizes = MEM_NEW(struct part_sizes);

    sizes->train = plan->split.train_count;
    sizes->validation = plan->split.validation_count;
    sizes->workers = MEM_NEW_N(int64_t, workers);
    memcpy(sizes->workers, plan->partition.counts, (size_t)workers * sizeof *sizes->workers);
    return sizes;
}

static enum status plan_partition_cached(struct planning *p, const char *key)
{
    const struct part_sizes *sizes = NULL;
    void *cached = NULL;

    if (!plan_cache_find(p->cache, key, &cached)) {
        TRY(make_partition(p));
        cached = sizes_of(p->plan);
        plan_cache_add(p->cache, key, cached, release_sizes);
    }
    sizes = cached;
    p->plan->base.part_counts[PART_TRAIN] = sizes->train;
    p->plan->base.part_counts[PART_VALIDATION] = sizes->validation;
    copy_counts(p->plan, sizes->workers);
    return STATUS_OK;
}

static enum status plan_partition(struct planning *p)
{
    const struct problem_setting *s = p->setting;
    struct problem_plan *base = &p->plan->base;
    struct text key = {0};

    if (p->cache == NULL) {
        TRY(make_partition(p));
        base->part_counts[PART_TRAIN] = p->plan->split.train_count;
        base->part_counts[PART_VALIDATION] = p->plan->split.validation_count;
        base->partition_hash = partition_hash(&p->plan->partition);
        copy_counts(p->plan, p->plan->partition.counts);
        return STATUS_OK;
    }
    text_addf(&key, "partition %d %" PRIu64 " %.17g %.17g %" PRId64 " %" PRId64 " %d %d\n",
              s->workers, s->seed, s->data->train_fraction, s->data->validation, s->data->folds,
              s->data->fold, s->data->fold_by, s->data->order);
    add_data_key(&key, s);
    plan_cache_add_choice(&key, s->partition);
    const enum status status = plan_partition_cached(p, text_get(&key));
    text_release(&key);
    return status;
}

/* --- model --- */

static int64_t outputs_of(const struct dataset *d)
{
    return d->classes > 0 ? d->classes : d->target_size;
}

static enum status make_model(const struct planning *p, struct model **model)
{
    const struct problem_setting *s = p->setting;
    const struct dataset *d = p->plan->dataset;
    const struct gather *g = &p->plan->gather;
    struct shape in = {.height = g->height, .width = g->width, .channels = d->channels};
    const struct model_options options = {.convolution = s->convolution};
    struct net *net = NULL;

    in.is_flat = !is_image(d);
    TRY(problem_setting_net(s, in, outputs_of(d), &net));
    TRY(model_new_with(s->model_name, net, in, &options, model));
    if (shape_size((*model)->out) != outputs_of(d))
        return FAIL(STATUS_BAD_INPUT, "model: %s has %lld outputs; data set %s needs %lld",
                    (*model)->name, (long long)shape_size((*model)->out), s->dataset->entry->name,
                    (long long)outputs_of(d));
    return STATUS_OK;
}

static enum status new_model(const struct planning *p, struct model **model)
{
    *model = NULL;
    const enum status s = make_model(p, model);
    if (s == STATUS_OK)
        return s;
    model_free(*model);
    *model = NULL;
    return p->setting->layers != NULL ? s : problem_setting_name_key("model", s);
}

static void release_model(void *value)
{
    model_free(value);
}

static char *key_of_model(const struct planning *p)
{
    const struct problem_setting *s = p->setting;
    const struct dataset *d = p->plan->dataset;
    struct text key = {0};

    text_addf(&key, "model %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d\n",
              p->plan->gather.height, p->plan->gather.width, d->channels, d->classes,
              d->target_size, s->convolution);
    if (s->layers != NULL)
        node_write(s->layers, &key);
    else
        plan_cache_add_choice(&key, s->model);
    return text_take(&key);
}

static enum status plan_model(struct planning *p)
{
    void *cached = NULL;
    enum status s = STATUS_OK;

    if (p->cache == NULL)
        return new_model(p, &p->plan->model);
    char *key = key_of_model(p);
    if (plan_cache_find(p->cache, key, &cached)) {
        p->plan->model = cached;
    } else {
        s = new_model(p, &p->plan->model);
        if (s == STATUS_OK)
            plan_cache_add(p->cache, key, p->plan->model, release_model);
    }
    mem_free(key);
    return s;
}

/* --- loss --- */

static enum status plan_loss(struct planning *p)
{
    const char *name = options_of(p->setting)->loss;
    const char *set = p->setting->dataset->entry->name;
    const struct dataset *d = p->plan->dataset;
    const struct entry *entry = NULL;

    struct node *where = node_new_scalar(name, "problem.loss", 0, 0);
    const enum status s = registry_get(&loss_registry, name, where, &entry);
    node_free(where);
    TRY(s);
    p->plan->loss = (const struct loss_ops *)entry;
    if (p->plan->loss->wants_labels != (d->classes > 0))
        return FAIL(STATUS_BAD_INPUT, "problem.loss: %s is a loss of %s, but data set %s has %s",
                    name, p->plan->loss->wants_labels ? "classes" : "numbers", set,
                    d->classes > 0 ? "classes (use nll)" : "numbers (use bce, mse or l1)");
    return STATUS_OK;
}

/* Binary cross-entropy means nothing for targets that are not probabilities. */
static enum status check_targets(const struct planning *p)
{
    const struct dataset *d = p->plan->dataset;
    const struct samples *part = &d->train;
    const int64_t count = part->targets == NULL ? 0 : part->count * d->target_size;

    if (strcmp(options_of(p->setting)->loss, "bce") != 0)
        return STATUS_OK;
    for (int64_t i = 0; i < count; i++)
        if (!(part->targets[i] >= 0 && part->targets[i] <= 1))
            return FAIL(STATUS_BAD_INPUT,
                        "problem.loss: bce needs targets between 0 and 1; data set %s has %g (use "
                        "mse or l1)",
                        p->setting->dataset->entry->name, (double)part->targets[i]);
    return STATUS_OK;
}

/* --- all of it --- */

static double samples_bytes(const struct dataset *d, const struct samples *s)
{
    const double values = (double)(d->height * d->width * d->channels);
    const double input = s->source != NULL ? 0 : s->values != NULL ? sizeof(float) : 1;
    const double target =
        d->classes > 0 ? sizeof(int32_t) : (double)d->target_size * (double)sizeof(float);

    return (double)s->count * (values * input + target);
}

/* Sample numbers: the partition's, and those of each worker in its order. */
static double order_bytes(const struct planning *p)
{
    const struct partition_ops *ops = (const struct partition_ops *)p->setting->partition->entry;
    const double copies = ops->own_order ? p->setting->workers : 1;

    return (2 + copies) * (double)p->plan->base.part_counts[PART_TRAIN] * (double)sizeof(int64_t);
}

static void describe(struct planning *p)
{
    struct problem_plan *base = &p->plan->base;
    const struct dataset *d = p->plan->dataset;
    const struct model *m = p->plan->model;

    base->name = m->name;
    base->data_name = p->setting->dataset->entry->name;
    base->layout = model_layout(m);
    base->part_counts[PART_TEST] = d->test.count;
    base->part_counts[PART_MAP] = d->map.count;
    base->classes = d->classes;
    base->class_names = d->class_names;
    base->chance = base->validation_chance = (double)NAN;
    if (p->cache == NULL)
        supervised_set_baseline(p->plan);
    base->data_bytes = samples_bytes(d, &d->train) + samples_bytes(d, &d->test) +
                       samples_bytes(d, &d->map) + order_bytes(p);
    base->cost = (struct problem_cost){
        .flops = (double)m->flops_training,
        .bytes = (double)(m->state_count + m->param_count) * sizeof(float),
    };
    problem_plan_count(base, p->setting);
}

static enum status plan_all(struct planning *p)
{
    TRY(plan_data(p));
    if (p->plan->dataset == NULL)
        return STATUS_OK;
    TRY(plan_inputs(p));
    TRY(plan_partition(p));
    TRY(plan_model(p));
    TRY(plan_loss(p));
    TRY(check_targets(p));
    describe(p);
    return supervised_plan_windows(p->plan, p->setting);
}

enum status supervised_plan_new(const struct problem_setting *s, const struct problem_dry_run *dry,
                                struct problem_plan **plan)
{
    struct supervised_plan *own = MEM_NEW(struct supervised_plan);
    struct planning p = {.plan = own, .setting = s};

    own->base = (struct problem_plan){.ops = &supervised_problem, .workers = s->workers};
    own->seed = s->seed;
    own->uneven = s->uneven == UNEVEN_POLICY_REPEAT ? UNEVEN_REPEAT : UNEVEN_EMPTY;
    if (dry != NULL) {
        own->is_dry_run = true;
        p.cache = dry->cache;
        p.may_lack_data = dry->may_lack_data;
    }
    const enum status status = plan_all(&p);
    if (status != STATUS_OK || own->dataset == NULL)
        supervised_plan_free(&own->base);
    else
        *plan = &own->base;
    return status;
}

void supervised_plan_free(struct problem_plan *p)
{
    struct supervised_plan *own = (struct supervised_plan *)p;

    loader_free(own->loader);
    broken_samples_free(own->gather.preparation.broken);
    normalizer_release(&own->gather.normalizer);
    compute_pool_free(own->pool);
    supervised_windows_free(own);
    mem_free(own->counts);
    partition_release(&own->partition);
    validation_split_release(&own->split);
    if (!own->is_dry_run) {
        model_free(own->model);
        dataset_free(own->dataset);
    }
    mem_free(own);
}
