/*
 * supervised_workers.c - what a plan of `supervised` gives to a run: problems of workers, an
 * evaluator, and what is recorded of the plan.
 */
#include "base/crc.h"
#include "base/file.h"
#include "base/mem.h"
#include "problem/list.h"
#include "problem/supervised_plan.h"
#include "record/partition_counts.h"

static const struct supervised_plan *of(const struct problem_plan *p)
{
    return (const struct supervised_plan *)p;
}

const struct supervised_plan *supervised_plan_find(const struct problem_plan *p)
{
    return p->ops == &supervised_problem ? of(p) : NULL;
}

/* --- problems --- */

void supervised_plan_start(struct problem_plan *p, struct team_pool *teams)
{
    struct supervised_plan *own = (struct supervised_plan *)p;

    own->pool = compute_pool_new_of(own->model, own->dataset, p->batch, teams);
    compute_pool_limit(own->pool, p->micro_batch);
    supervised_plan_start_loader(own);
}

static struct supervised_setup setup_of(const struct supervised_plan *own)
{
    return (struct supervised_setup){
        .model = own->model,
        .loss = own->loss,
        .gather = &own->gather,
        .split = &own->split,
        .seed = own->seed,
        .batch_size = own->base.batch,
    };
}

struct problem *supervised_plan_problem(const struct problem_plan *p, int worker,
                                        int64_t *batches_tracked)
{
    const struct supervised_plan *own = of(p);
    struct supervised_setup setup = setup_of(own);

    setup.pool = own->pool;
    setup.loader = own->loader;
    setup.ahead = own->ahead;
    setup.batches_tracked = batches_tracked;
    setup.partition = &own->partition;
    setup.worker = worker;
    setup.windows = own->windows;
    setup.epoch_batches = p->epoch_batches;
    setup.uneven = own->uneven;
    return supervised_new(&setup);
}

struct problem *supervised_plan_evaluator(const struct problem_plan *p, int threads)
{
    const struct supervised_plan *own = of(p);
    struct supervised_setup setup = setup_of(own);

    setup.pool = compute_pool_new(own->model, own->dataset, p->batch, threads);
    compute_pool_limit(setup.pool, p->micro_batch);
    setup.owns_pool = true;
    return supervised_new(&setup);
}

double supervised_memory(const struct problem_plan *p, struct problem_batch batch, int threads)
{
    const struct supervised_plan *own = of(p);
    const struct compute_size size = {
        .batch = batch.size,
        .most = batch.micro_batch,
        .threads = threads,
    };

    return (double)compute_context_bytes(own->model, own->dataset, &size);
}

/* --- the data as one number --- */

static uint32_t add_values(uint32_t crc, const void *values, int64_t count, size_t size)
{
    crc = crc32c(crc, &count, sizeof count);
    return values == NULL ? crc : crc32c(crc, values, (size_t)count * size);
}

static uint32_t add_samples(uint32_t crc, const struct dataset *d, const struct samples *s)
{
    const int64_t pixels = s->count * d->height * d->width * d->channels;

    crc = add_values(crc, s->bytes, pixels, sizeof *s->bytes);
    crc = add_values(crc, s->values, pixels, sizeof *s->values);
    if (s->source != NULL)
        crc = sample_source_fingerprint(s->source, crc);
    crc = add_values(crc, s->labels, s->count, sizeof *s->labels);
    if (s->groups != NULL)
        crc = add_values(crc, s->groups, s->count, sizeof *s->groups);
    return add_values(crc, s->targets, s->count * d->target_size, sizeof *s->targets);
}

uint32_t supervised_fingerprint(const struct problem_plan *p)
{
    const struct dataset *d = of(p)->dataset;

    const uint32_t crc = add_samples(add_samples(0, d, &d->train), d, &d->test);

    return d->map.count == 0 ? crc : add_samples(crc, d, &d->map);
}

/* --- images --- */

bool supervised_images(const struct problem_plan *p, int64_t most, struct problem_images *images)
{
    const struct dataset *d = of(p)->dataset;
    const bool is_image = d->train.bytes != NULL && d->height > 1 && d->width > 1 &&
                          (d->channels == 1 || d->channels == 3);

    *images = (struct problem_images){
        .count = d->train.count < most ? d->train.count : most,
        .height = d->height,
        .width = d->width,
        .channels = d->channels,
        .pixels = d->train.bytes,
    };
    return is_image && images->count > 0;
}

/* --- map --- */

/* Between two points of the mesh, from the first and the last. */
static double mesh_step(double first, double last, int64_t count)
{
    return count > 1 ? (last - first) / (double)(count - 1) : 1;
}

bool supervised_map(const struct problem_plan *p, struct problem_map *map)
{
    const struct dataset *d = of(p)->dataset;
    const float *first = d->map.values, *last = first + 2 * (d->map.count - 1);

    if (d->map.count == 0 || first == NULL)
        return false;
    *map = (struct problem_map){
        .height = d->map_height,
        .width = d->map_width,
        .left = (double)first[0],
        .top = (double)first[1],
        .step_x = mesh_step((double)first[0], (double)last[0], d->map_width),
        .step_y = mesh_step((double)first[1], (double)last[1], d->map_height),
        .inputs = first,
        .targets = d->map.targets,
    };
    return true;
}

bool supervised_grid_map(const struct problem_plan *p, const float *values, float *map)
{
    const struct supervised_plan *own = of(p);
    const struct samples *points = &own->dataset->map;

    if (points->count == 0 || points->values == NULL || model_input_grids(own->model) == 0)
        return false;
    for (int64_t i = 0; i < points->count && values != NULL; i++) {
        float input[2];

        gather_inputs(input, &own->gather, points, &i, 1);
        map[i] = (float)model_grid_mean(own->model, values, input);
    }
    return true;
}

/* --- files --- */

static enum status write_counts(const struct supervised_plan *own, const char *run_dir)
{
    const struct partition *p = &own->partition;
    const struct dataset *d = own->dataset;
    struct partition_counts counts = {
        .workers = p->workers,
        .classes = d->classes,
        .class_names = d->class_names,
        .samples = p->counts,
        .counts = d->classes > 0 ? MEM_NEW_N(int64_t, p->workers * d->classes) : NULL,
    };

    for (int w = 0; w < p->workers && d->classes > 0; w++)
        for (int64_t i = 0; i < p->counts[w]; i++)
            counts.counts[w * d->classes + d->train.labels[p->items[w][i]]]++;
    const enum status s = partition_counts_write(run_dir, &counts);
    mem_free(counts.counts);
    return s;
}

enum status supervised_write_files(const struct problem_plan *p, const char *run_dir)
{
    if (p->workers > 1) {
        char *path = file_join(run_dir, "partition.txt");
        const enum status s = partition_save(&of(p)->partition, path);

        mem_free(path);
        TRY(s);
    }
    return write_counts(of(p), run_dir);
}
