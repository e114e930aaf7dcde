/*
 * checkpoint.c - between a build's vectors and safetensors files.
 *
 * Vectors are written in canonical order, so a file does not depend on how kernels want their
 * weights.
 */
#include "train/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { COUNT_COUNT = 7, NUMBER_COUNT = 6, NAME_MAX_BYTES = 160 };

struct loop_place loop_place_start(void)
{
    return (struct loop_place){
        .best_loss = (double)INFINITY, .train_loss = (double)NAN, .train_accuracy = (double)NAN};
}

static void place_to_arrays(const struct loop_place *p, int64_t *counts, double *numbers)
{
    memcpy(counts,
           (const int64_t[COUNT_COUNT]){p->round, p->samples, p->gradients, p->epoch_samples,
                                        p->epoch_correct, p->best_round, p->logged_samples},
           COUNT_COUNT * sizeof *counts);
    memcpy(numbers,
           (const double[NUMBER_COUNT]){p->seconds, p->epoch_loss, p->train_loss, p->train_accuracy,
                                        p->best_loss, p->logged_loss},
           NUMBER_COUNT * sizeof *numbers);
}

static void place_from_arrays(struct loop_place *p, const int64_t *counts, const double *numbers)
{
    *p = (struct loop_place){
        .round = counts[0],
        .samples = counts[1],
        .gradients = counts[2],
        .epoch_samples = counts[3],
        .epoch_correct = counts[4],
        .best_round = counts[5],
        .logged_samples = counts[6],
        .seconds = numbers[0],
        .epoch_loss = numbers[1],
        .train_loss = numbers[2],
        .train_accuracy = numbers[3],
        .best_loss = numbers[4],
        .logged_loss = numbers[5],
    };
}

/* The model's tensors and counters; `canonical` is the whole state and must outlive the writer. */
static void put_model(struct safetensors_writer *w, const struct build *b, const float *canonical)
{
    const struct model *m = b->model;
    const int64_t *counter = b->counters;

    for (int i = 0; i < m->tensor_count; i++) {
        const struct tensor *t = &m->tensors[i];
        safetensors_writer_tensor(w, t->name, SAFETENSORS_F32, t->rank, t->dims,
                                  canonical + t->offset);
    }
    for (int i = 0; i < m->layer_count; i++) {
        char name[NAME_MAX_BYTES];

        if (m->layers[i].counters == 0)
            continue;
        snprintf(name, sizeof name, "%s.num_batches_tracked", m->layers[i].name);
        safetensors_writer_tensor(w, name, SAFETENSORS_I64, 0, NULL, counter);
        counter += m->layers[i].counters;
    }
}

static float *canonical_copy(const struct model *m, const float *stored, int64_t count)
{
    float *canonical = MEM_NEW_N(float, count);

    model_to_canonical(m, canonical, stored, count);
    return canonical;
}

enum status model_save(const struct build *b, const char *path)
{
    struct safetensors_writer *w = safetensors_writer_new();
    float *canonical = canonical_copy(b->model, b->state, b->model->state_count);

    put_model(w, b, canonical);
    const enum status s = safetensors_writer_save(w, path);
    safetensors_writer_free(w);
    mem_free(canonical);
    return s;
}

static enum status take_tensor(struct build *b, const struct safetensors *file,
                               const struct tensor *t)
{
    const struct safetensors_item *item = safetensors_find(file, t->name);
    const void *data = NULL;

    TRY(safetensors_get(file, t->name, SAFETENSORS_F32, t->count, &data));
    for (int i = 0; i < t->rank; i++)
        if (item->rank != t->rank || item->dims[i] != t->dims[i])
            return FAIL(STATUS_BAD_INPUT, "%s: tensor %s has another shape than model %s",
                        file->path, t->name, b->model->name);
    tensor_from_canonical(t, b->state + t->offset, data);
    return STATUS_OK;
}

static enum status take_model(struct build *b, const struct safetensors *file)
{
    const struct model *m = b->model;
    int64_t *counter = b->counters;

    for (int i = 0; i < m->tensor_count; i++)
        TRY(take_tensor(b, file, &m->tensors[i]));
    for (int i = 0; i < m->layer_count; i++) {
        char name[NAME_MAX_BYTES];
        const struct safetensors_item *item = NULL;

        snprintf(name, sizeof name, "%s.num_batches_tracked", m->layers[i].name);
        item = m->layers[i].counters > 0 ? safetensors_find(file, name) : NULL;
        if (item != NULL && item->type == SAFETENSORS_I64 && item->count == 1)
            memcpy(counter, item->data, sizeof *counter); /* other programs may leave it out */
        counter += m->layers[i].counters;
    }
    return STATUS_OK;
}

enum status model_load(struct build *b, const char *path)
{
    struct safetensors file;

    TRY(safetensors_load(&file, path));
    const enum status s = take_model(b, &file);
    safetensors_release(&file);
    return s;
}

static void put_experiment(struct safetensors_writer *w, const struct experiment *e)
{
    struct node *root = experiment_dump(e);
    struct text yaml = {0};

    node_write(root, &yaml);
    safetensors_writer_text(w, "experiment", text_get(&yaml));
    text_release(&yaml);
    node_free(root);
}

enum status checkpoint_save(const struct build *b, const struct loop_place *place, const char *path)
{
    struct safetensors_writer *w = safetensors_writer_new();
    const struct optim *o = &b->optim;
    float *canonical = canonical_copy(b->model, b->state, b->model->state_count);
    float **vectors = MEM_NEW_N(float *, o->vector_count);
    int64_t counts[COUNT_COUNT];
    double numbers[NUMBER_COUNT];

    put_model(w, b, canonical);
    for (int i = 0; i < o->vector_count; i++) {
        char name[NAME_MAX_BYTES];

        if (o->vectors[i] == NULL)
            continue;
        snprintf(name, sizeof name, "optim.vector.%d", i);
        vectors[i] = canonical_copy(b->model, o->vectors[i], o->n);
        safetensors_writer_tensor(w, name, SAFETENSORS_F32, 1, &o->n, vectors[i]);
    }
    const int64_t number_count = o->number_count;
    safetensors_writer_tensor(w, "optim.numbers", SAFETENSORS_F64, 1, &number_count, o->numbers);
    place_to_arrays(place, counts, numbers);
    safetensors_writer_tensor(w, "loop.counts", SAFETENSORS_I64, 1, (int64_t[]){COUNT_COUNT},
                              counts);
    safetensors_writer_tensor(w, "loop.numbers", SAFETENSORS_F64, 1, (int64_t[]){NUMBER_COUNT},
                              numbers);
    put_experiment(w, b->experiment);
    safetensors_writer_text(w, "isa", kernel_get()->isa);
    const enum status s = safetensors_writer_save(w, path);

    safetensors_writer_free(w);
    for (int i = 0; i < o->vector_count; i++)
        mem_free(vectors[i]);
    mem_free(vectors);
    mem_free(canonical);
    return s;
}

static enum status take_optim(struct build *b, const struct safetensors *file)
{
    struct optim *o = &b->optim;
    const void *data = NULL;

    for (int i = 0; i < o->vector_count; i++) {
        char name[NAME_MAX_BYTES];

        snprintf(name, sizeof name, "optim.vector.%d", i);
        if (safetensors_find(file, name) == NULL)
            continue;
        TRY(safetensors_get(file, name, SAFETENSORS_F32, o->n, &data));
        model_from_canonical(b->model, optim_vector(o, i), data, o->n);
    }
    TRY(safetensors_get(file, "optim.numbers", SAFETENSORS_F64, o->number_count, &data));
    if (o->number_count > 0)
        memcpy(o->numbers, data, (size_t)o->number_count * sizeof *o->numbers);
    return STATUS_OK;
}

static enum status take_checkpoint(struct build *b, struct loop_place *place,
                                   const struct safetensors *file)
{
    const void *counts = NULL;
    const void *numbers = NULL;

    TRY(take_model(b, file));
    TRY(take_optim(b, file));
    TRY(safetensors_get(file, "loop.counts", SAFETENSORS_I64, COUNT_COUNT, &counts));
    TRY(safetensors_get(file, "loop.numbers", SAFETENSORS_F64, NUMBER_COUNT, &numbers));
    place_from_arrays(place, counts, numbers);
    return STATUS_OK;
}

enum status checkpoint_load(struct build *b, struct loop_place *place, const char *path)
{
    struct safetensors file;

    TRY(safetensors_load(&file, path));
    const enum status s = take_checkpoint(b, place, &file);
    safetensors_release(&file);
    return s;
}

static char *copy_of(const char *text)
{
    return text == NULL ? NULL : mem_text(text);
}

enum status checkpoint_texts(const char *path, char **experiment, char **isa)
{
    struct safetensors file;

    *experiment = *isa = NULL;
    TRY(safetensors_load(&file, path));
    *experiment = copy_of(safetensors_text(&file, "experiment"));
    *isa = copy_of(safetensors_text(&file, "isa"));
    safetensors_release(&file);
    return STATUS_OK;
}
