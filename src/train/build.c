/*
 * build.c - puts the parts of a run together, in the order in which they depend on each other.
 */
#include "train/build.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "nn/zoo.h"
#include "problem/supervised.h"
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
        e->data.input_size = zoo != NULL && !zoo->any_input ? zoo->in.height : d->height;
}

static enum status load_data(struct build *b)
{
    struct experiment *e = b->experiment;
    const struct dataset_request request = {
        .data_dir = e->data.dir,
        .seed = (uint64_t)e->top.seed,
        .options = e->dataset.options,
    };

    TRY(dataset_load(&e->dataset, &request, &b->dataset));
    fill_in_model_defaults(e, b->dataset);
    b->gather = (struct gather){
        .dataset = b->dataset,
        .height = is_image(b->dataset) ? e->data.input_size : b->dataset->height,
        .width = is_image(b->dataset) ? e->data.input_size : b->dataset->width,
    };
    TRY(normalizer_init(&b->gather.normalizer, e->data.normalize, b->dataset));
    return split_init(&b->split, b->dataset->train.count, e->data.train_fraction,
                      e->data.validation, (uint64_t)e->top.seed);
}

static enum status plan_model(struct build *b)
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
    TRY(model_new_with(b->experiment->model_name, net, in, &options, &b->model));
    if (shape_size(b->model->out) != outputs)
        return FAIL(STATUS_BAD_INPUT, "model %s has %lld outputs; data set %s needs %lld",
                    b->model->name, (long long)shape_size(b->model->out),
                    b->experiment->dataset.entry->name, (long long)outputs);
    return STATUS_OK;
}

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

/* --- who computes what --- */

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

static void count_rounds(struct build *b)
{
    const enum uneven_policy policy = uneven_policy_of(b);
    int64_t least = batches_of(b, 0), all = 0;

    for (int w = 0; w < b->workers; w++) {
        const int64_t n = batches_of(b, w);
        least = n < least ? n : least;
        all += n;
    }
    if (build_keeps_step(b)) {
        b->epoch_batches =
            policy == UNEVEN_POLICY_SHORTEST ? least : partition_batches(&b->partition, b->batch);
        const int64_t draws = algo_draws(b->algo, b->experiment->algorithm.options);
        b->rounds = (b->epoch_batches + draws - 1) / draws;
    } else {
        b->rounds = all;
    }
}

static enum status deal(struct build *b)
{
    const struct experiment *e = b->experiment;
    const struct partition_request request = {
        .labels = b->dataset->train.labels,
        .samples = b->split.train,
        .count = b->split.train_count,
        .classes = b->dataset->classes,
        .workers = b->workers,
        .seed = (uint64_t)e->top.seed,
    };

    TRY(delays_init(&b->delays, e->delays.delay, e->delays.slow_worker, b->workers));
    TRY(partition_make(&e->partition, &request, &b->partition));
    TRY(experiment_budget(e, &b->budget));
    b->batch = e->train.batch_size;
    for (int64_t most = 0, w = 0; w <= b->workers; w++) /* at most the largest part */
        if (w < b->workers)
            most = b->partition.counts[w] > most ? b->partition.counts[w] : most;
        else
            b->batch = b->batch < most ? b->batch : most;
    count_rounds(b);
    return STATUS_OK;
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
    if (b->topology == NULL)
        return 0;
    return build_keeps_step(b) ? topology_degree_max(b->topology) : 1;
}

/* Vectors of the parameters' length that actors hold, and the activations of one batch. */
static enum status check_memory(const struct build *b, const struct build_size *size)
{
    const int64_t piece = model_piece(b->model) < b->batch ? model_piece(b->model) : b->batch;
    const int cores = team_cores();
    const double stations = size->neighbours < cores ? size->neighbours : cores;
    const double vectors = (vectors_of(b, false) + messages_of(b)) * size->neighbours +
                           (b->algo->kind == ALGO_SERVED ? vectors_of(b, true) : 0);
    const double need = vectors * (double)b->model->state_count * sizeof(float) +
                        stations * (double)workspace_bytes(b->model, piece, b->threads);
    const double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

    if (need > 0.95 * have)
        return FAIL(STATUS_BAD_INPUT,
                    "training %s with batches of %lld and %d worker%s needs %.1f GB; this machine "
                    "has %.1f GB (a smaller --batch-size or fewer --workers need less)",
                    b->model->name, (long long)b->batch, b->workers, b->workers == 1 ? "" : "s",
                    gigabytes(need), gigabytes(have));
    return STATUS_OK;
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

static enum status build_all(struct build *b, const struct build_size *size)
{
    const struct experiment *e = b->experiment;

    TRY(kernel_init());
    TRY(experiment_check_settings(e, b->workers));
    TRY(experiment_topology(e, b->workers, &b->topology));
    TRY(load_data(b));
    TRY(deal(b));
    TRY(plan_model(b));
    TRY(find_loss(b, &b->loss));
    TRY(check_targets(b));
    b->threads = threads_per_worker(e, size);
    TRY(check_memory(b, size));

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

bool build_has_classes(const struct build *b)
{
    return b->dataset->classes > 0;
}

bool build_keeps_step(const struct build *b)
{
    return !algo_is_asynchronous(b->algo, b->experiment->algorithm.options);
}
