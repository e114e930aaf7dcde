/*
 * plan.c - the steps from an experiment to the parts of its run. Each may refuse; none computes.
 *
 * Here: data, inputs, partition, model, loss, memory, in the order in which they depend on each
 * other. Not here: who takes these steps - build.c for a run, rehearse.c for one that is only
 * looked at.
 */
#include "train/plan.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "nn/zoo.h"
#include "train/check.h"

static const struct zoo_ops *zoo_of(const struct experiment *e)
{
    return (const struct zoo_ops *)e->model.entry; /* NULL: layers of the user's own */
}

static bool is_image(const struct dataset *d)
{
    return d->height > 1 || d->width > 1;
}

/* A study's MEAN,STD of colours means nothing for grey images. */
static bool normalize_fits(const char *how, int64_t channels)
{
    int64_t numbers = 1;

    for (const char *c = how; *c != '\0'; c++)
        numbers += *c == ',';
    return numbers <= 2 || numbers == 2 * channels;
}

/* One number for height and width: 0 leaves an image that is no square as it is. */
static int64_t usual_size(const struct zoo_ops *zoo, const struct dataset *d)
{
    if (zoo != NULL && !zoo->any_input)
        return zoo->in.height;
    return d->height == d->width ? d->height : 0;
}

/* What was left open is the study's choice, where the model has one. */
static void fill_in_model_defaults(struct experiment *e, const struct dataset *d)
{
    const struct zoo_ops *zoo = zoo_of(e);

    if (e->data.normalize == NULL) {
        const char *usual = is_image(d) ? "set" : "none";
        const bool fits = zoo != NULL && is_image(d) && normalize_fits(zoo->normalize, d->channels);
        e->data.normalize = mem_text(fits ? zoo->normalize : usual);
    }
    if (e->problem.loss == NULL) {
        const char *usual = d->classes > 0 ? "nll" : "mse";
        const bool fits = zoo != NULL && (d->classes > 0) == (zoo->loss[0] == 'n');
        e->problem.loss = mem_text(fits ? zoo->loss : usual);
    }
    if (e->data.input_size == 0 && is_image(d))
        e->data.input_size = usual_size(zoo, d);
}

/* --- data --- */

enum status plan_data(const struct experiment *e, enum plan_depth depth, struct dataset **dataset)
{
    const struct dataset_request request = {
        .data_dir = e->data.dir,
        .seed = (uint64_t)e->top.seed,
        .options = e->dataset.options,
        .outline = depth == PLAN_OUTLINE,
    };
    const enum status s = dataset_load(&e->dataset, &request, dataset);

    return s == STATUS_OK ? s
                          : experiment_say_key(e->data.dir != NULL ? "data.dir" : "data.name", s);
}

enum status plan_inputs(struct build *b)
{
    struct experiment *e = b->experiment;
    const struct dataset *d = b->dataset;

    fill_in_model_defaults(e, d);
    const bool is_resized = is_image(d) && e->data.input_size > 0;
    b->gather = (struct gather){
        .dataset = d,
        .height = is_resized ? e->data.input_size : d->height,
        .width = is_resized ? e->data.input_size : d->width,
    };
    return normalizer_init(&b->gather.normalizer, e->data.normalize, d);
}

/* --- algorithm --- */

enum status plan_algorithm(const struct build *b)
{
    const struct experiment *e = b->experiment;
    const struct algo_setting setting = {
        .algo = b->algo,
        .options = e->algorithm.options,
        .optim = (const struct optim_ops *)e->optimizer.entry,
        .optim_options = e->optimizer.options,
        .links = b->links.nodes > 0 ? &b->links : NULL,
        .graph = e->graph.options.schedule != NULL ? "the schedule" : e->graph.type.entry->name,
        .workers = b->workers,
    };

    return algo_check(&setting);
}

/* --- model --- */

static enum status make_model(const struct build *b, struct model **model)
{
    const struct dataset *d = b->dataset;
    struct shape in = {
        .height = b->gather.height, .width = b->gather.width, .channels = d->channels};
    const int64_t outputs = d->classes > 0 ? d->classes : d->target_size;
    const struct model_options options = {
        .convolution = (enum convolution)b->experiment->train.convolution,
    };
    struct net *net = NULL;

    in.is_flat = !is_image(d);
    TRY(experiment_net(b->experiment, in, outputs, &net));
    TRY(model_new_with(b->experiment->model_name, net, in, &options, model));
    if (shape_size((*model)->out) != outputs)
        return FAIL(STATUS_BAD_INPUT, "model: %s has %lld outputs; data set %s needs %lld",
                    (*model)->name, (long long)shape_size((*model)->out),
                    b->experiment->dataset.entry->name, (long long)outputs);
    return STATUS_OK;
}

enum status plan_model(const struct build *b, struct model **model)
{
    *model = NULL;
    const enum status s = make_model(b, model);
    if (s == STATUS_OK)
        return s;
    model_free(*model);
    *model = NULL;
    return b->experiment->layers != NULL ? s : experiment_say_key("model", s);
}

/* --- loss --- */

static enum status find_loss(const struct build *b, const struct loss_ops **loss)
{
    const char *name = b->experiment->problem.loss;
    const struct entry *entry = NULL;

    struct node *where = node_new_scalar(name, "problem.loss", 0, 0);
    const enum status s = registry_get(&loss_registry, name, where, &entry);
    node_free(where);
    TRY(s);
    *loss = (const struct loss_ops *)entry;
    if ((*loss)->wants_labels != (b->dataset->classes > 0))
        return FAIL(STATUS_BAD_INPUT, "problem.loss: %s is a loss of %s, but data set %s has %s",
                    name, (*loss)->wants_labels ? "classes" : "numbers",
                    b->experiment->dataset.entry->name,
                    b->dataset->classes > 0 ? "classes (use nll)" : "numbers (use bce, mse or l1)");
    return STATUS_OK;
}

/* Binary cross-entropy means nothing for targets that are no probabilities. */
static enum status check_targets(const struct build *b)
{
    const struct samples *part = &b->dataset->train;
    const int64_t count = part->targets == NULL ? 0 : part->count * b->dataset->target_size;

    if (strcmp(b->experiment->problem.loss, "bce") != 0)
        return STATUS_OK;
    for (int64_t i = 0; i < count; i++)
        if (!(part->targets[i] >= 0 && part->targets[i] <= 1))
            return FAIL(STATUS_BAD_INPUT,
                        "problem.loss: bce needs targets between 0 and 1; data set %s has %g (use "
                        "mse or l1)",
                        b->experiment->dataset.entry->name, (double)part->targets[i]);
    return STATUS_OK;
}

enum status plan_loss(struct build *b)
{
    TRY(find_loss(b, &b->loss));
    return check_targets(b);
}

/* --- who computes what --- */

static int64_t largest_part(const struct partition *p)
{
    int64_t most = 0;

    for (int w = 0; w < p->workers; w++)
        most = p->counts[w] > most ? p->counts[w] : most;
    return most;
}

enum status plan_deal(struct build *b)
{
    const struct experiment *e = b->experiment;

    TRY(split_init(&b->split, b->dataset->train.count, e->data.train_fraction, e->data.validation,
                   (uint64_t)e->top.seed));
    const struct partition_request request = {
        .labels = b->dataset->train.labels,
        .samples = b->split.train,
        .count = b->split.train_count,
        .classes = b->dataset->classes,
        .workers = b->workers,
        .seed = (uint64_t)e->top.seed,
    };
    TRY(partition_make(&e->partition, &request, &b->partition));
    plan_batch(b, largest_part(&b->partition));
    return STATUS_OK;
}

void plan_batch(struct build *b, int64_t largest)
{
    const int64_t wanted = b->experiment->train.batch_size;

    b->largest = largest;
    b->batch = wanted < largest ? wanted : largest;
}

/* A process that was bound to some cores has them for itself; else neighbours share them all. */
static int threads_per_worker(const struct experiment *e, const struct build_size *size)
{
    const int cores = team_cores();
    const bool is_bound = cores < (int)sysconf(_SC_NPROCESSORS_ONLN) && size->neighbours > 1;

    if (e->train.threads > 0)
        return (int)e->train.threads;
    if (is_bound)
        return cores;
    return cores > size->neighbours ? cores / size->neighbours : 1;
}

/* --- memory --- */

static double gigabytes(double bytes)
{
    return bytes / 1e9;
}

static double vectors_of(const struct build *b, bool is_server)
{
    const struct choice *chosen = &b->experiment->optimizer;
    const struct optim_ops *optim = (const struct optim_ops *)chosen->entry;
    const int scratch = optim->scratch_count == NULL ? 0 : optim->scratch_count(chosen->options);
    const int own =
        b->algo->vector_count == NULL
            ? 0
            : b->algo->vector_count(b->experiment->algorithm.options, b->workers, is_server);

    return 2.0 + optim->vector_count(chosen->options) + scratch + own +
           (is_server ? 0 : b->algo->work_count);
}

/* Copies of its model that a node has on their way: one for each neighbour when all tell all. */
static double messages_of(const struct build *b)
{
    if (b->links.nodes == 0)
        return 0;
    return build_keeps_step(b) ? b->links.degree_max : 1;
}

/* Vectors of the parameters' length that actors hold, and the activations of one batch. */
enum status plan_memory(struct build *b, const struct build_size *size)
{
    b->threads = threads_per_worker(b->experiment, size);

    const int64_t piece = model_piece(b->model) < b->batch ? model_piece(b->model) : b->batch;
    const int cores = team_cores();
    const double stations = size->neighbours < cores ? size->neighbours : cores;
    const double vectors = (vectors_of(b, false) + messages_of(b)) * size->neighbours +
                           (b->algo->kind == ALGO_SERVED ? vectors_of(b, true) : 0);
    const double states = vectors * (double)b->model->state_count * sizeof(float);
    const double work = stations * (double)workspace_bytes(b->model, piece, b->threads);
    const double need = states + work;
    const double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

    const char *most = b->workers > 1 ? "transport.workers" : "model";
    const char *key = states > work ? most : "train.batch_size";

    if (need > 0.95 * have)
        return FAIL(
            STATUS_BAD_INPUT,
            "%s: training %s with batches of %lld and %d worker%s needs %.1f GB; this machine "
            "has %.1f GB (a smaller --batch-size or fewer --workers need less)",
            key, b->model->name, (long long)b->batch, b->workers, b->workers == 1 ? "" : "s",
            gigabytes(need), gigabytes(have));
    return STATUS_OK;
}
