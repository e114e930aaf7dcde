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

enum { COUNT_COUNT = 9, NUMBER_COUNT = 7, NAME_MAX_BYTES = 160 };

struct loop_place loop_place_start(void)
{
    return (struct loop_place){
        .best_loss = (double)INFINITY,
        .train_loss = (double)NAN,
        .train_accuracy = (double)NAN,
        .moving_loss = (double)NAN,
    };
}

static void place_to_arrays(const struct loop_place *p, int64_t *counts, double *numbers)
{
    memcpy(counts,
           (const int64_t[COUNT_COUNT]){p->round, p->samples, p->gradients, p->epoch_samples,
                                        p->epoch_correct, p->best_round, p->logged_samples,
                                        p->bytes, p->passes},
           COUNT_COUNT * sizeof *counts);
    memcpy(numbers,
           (const double[NUMBER_COUNT]){p->seconds, p->epoch_loss, p->train_loss, p->train_accuracy,
                                        p->best_loss, p->logged_loss, p->moving_loss},
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
        .bytes = counts[7],
        .passes = counts[8],
        .seconds = numbers[0],
        .epoch_loss = numbers[1],
        .train_loss = numbers[2],
        .train_accuracy = numbers[3],
        .best_loss = numbers[4],
        .logged_loss = numbers[5],
        .moving_loss = numbers[6],
    };
}

/* The model's tensors and counters; `canonical` is the whole state and must outlive the writer. */
static void put_model(struct safetensors_writer *w, const struct model_values *v,
                      const float *canonical)
{
    const struct model *m = v->model;
    const int64_t *counter = v->counters;

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

enum status model_save(const struct model_values *v, const char *path)
{
    struct safetensors_writer *w = safetensors_writer_new();
    float *canonical = canonical_copy(v->model, v->state, v->model->state_count);

    put_model(w, v, canonical);
    const enum status s = safetensors_writer_save(w, path);
    safetensors_writer_free(w);
    mem_free(canonical);
    return s;
}

static enum status take_tensor(const struct model_values *v, const struct safetensors *file,
                               const struct tensor *t)
{
    const struct safetensors_item *item = safetensors_find(file, t->name);
    const void *data = NULL;

    TRY(safetensors_get(file, t->name, SAFETENSORS_F32, t->count, &data));
    for (int i = 0; i < t->rank; i++)
        if (item->rank != t->rank || item->dims[i] != t->dims[i])
            return FAIL(STATUS_BAD_INPUT, "%s: tensor %s has another shape than model %s",
                        file->path, t->name, v->model->name);
    tensor_from_canonical(t, v->state + t->offset, data);
    return STATUS_OK;
}

static enum status take_model(const struct model_values *v, const struct safetensors *file)
{
    const struct model *m = v->model;
    int64_t *counter = v->counters;

    for (int i = 0; i < m->tensor_count; i++)
        TRY(take_tensor(v, file, &m->tensors[i]));
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

enum status model_load(const struct model_values *v, const char *path)
{
    struct safetensors file;

    TRY(safetensors_load(&file, path));
    const enum status s = take_model(v, &file);
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

/* --- the optimiser --- */

static void optim_vector_name(char name[NAME_MAX_BYTES], int i)
{
    snprintf(name, NAME_MAX_BYTES, "optim.vector.%d", i);
}

/* Answers the copies in canonical order, which must outlive the writer. */
static float **put_optim(struct safetensors_writer *w, const struct actor *a)
{
    const struct optim *o = &a->optim;
    const int64_t number_count = o->number_count;
    float **vectors = MEM_NEW_N(float *, o->vector_count);
    char name[NAME_MAX_BYTES];

    for (int i = 0; i < o->vector_count; i++) {
        if (o->vectors[i] == NULL)
            continue;
        optim_vector_name(name, i);
        vectors[i] = canonical_copy(a->build->model, o->vectors[i], o->n);
        safetensors_writer_tensor(w, name, SAFETENSORS_F32, 1, &o->n, vectors[i]);
    }
    safetensors_writer_tensor(w, "optim.numbers", SAFETENSORS_F64, 1, &number_count, o->numbers);
    return vectors;
}

static enum status take_optim(struct actor *a, const struct safetensors *file)
{
    struct optim *o = &a->optim;
    const void *data = NULL;
    char name[NAME_MAX_BYTES];

    for (int i = 0; i < o->vector_count; i++) {
        optim_vector_name(name, i);
        if (safetensors_find(file, name) == NULL)
            continue;
        TRY(safetensors_get(file, name, SAFETENSORS_F32, o->n, &data));
        model_from_canonical(a->build->model, optim_vector(o, i), data, o->n);
    }
    TRY(safetensors_get(file, "optim.numbers", SAFETENSORS_F64, o->number_count, &data));
    if (o->number_count > 0)
        memcpy(o->numbers, data, (size_t)o->number_count * sizeof *o->numbers);
    return STATUS_OK;
}

/* --- what single workers have --- */

static void worker_name(char name[NAME_MAX_BYTES], int rank)
{
    snprintf(name, NAME_MAX_BYTES, "worker.%d", rank);
}

static void put_parcels(struct safetensors_writer *w, const struct checkpoint *c)
{
    char name[NAME_MAX_BYTES];

    for (int r = 0; c->parcels != NULL && r <= c->actor->build->workers; r++) {
        if (c->parcels[r].words == NULL)
            continue;
        worker_name(name, r);
        safetensors_writer_tensor(w, name, SAFETENSORS_I64, 1, &c->parcels[r].count,
                                  c->parcels[r].words);
    }
}

/* Of free workers, while they run: what the leader has seen of each. */
static void put_tallies(struct safetensors_writer *w, const struct checkpoint *c)
{
    const int64_t dims[] = {c->actor->build->workers, TALLY_NUMBERS};

    if (c->tallies != NULL)
        safetensors_writer_tensor(w, "tallies", SAFETENSORS_F64, 2, dims, c->tallies);
}

static enum status take_tally(const struct actor *a, struct tally *mine,
                              const struct safetensors *file)
{
    const int64_t workers = a->build->workers, rank = a->worker.transport->rank;
    const void *data = NULL;

    if (rank >= workers || safetensors_find(file, "tallies") == NULL)
        return STATUS_OK;
    TRY(safetensors_get(file, "tallies", SAFETENSORS_F64, workers * TALLY_NUMBERS, &data));
    memcpy(mine, (const double *)data + rank * TALLY_NUMBERS, sizeof *mine);
    return STATUS_OK;
}

static enum status take_parcel(struct actor *a, struct tally *mine, const struct safetensors *file)
{
    char name[NAME_MAX_BYTES];
    const struct safetensors_item *item = NULL;
    const void *data = NULL;

    worker_name(name, a->worker.transport->rank);
    item = safetensors_find(file, name);
    if (item == NULL)
        return take_tally(a, mine, file);
    TRY(safetensors_get(file, name, SAFETENSORS_I64, item->count, &data));

    struct parcel p = {.words = MEM_NEW_N(int64_t, item->count), .count = item->count};
    memcpy(p.words, data, (size_t)item->count * sizeof *p.words);
    const enum status s = parcel_unpack(&p, a, mine);
    parcel_release(&p);
    return s;
}

/* --- what a server knows of its workers --- */

_Static_assert(sizeof(struct client) % sizeof(int64_t) == 0, "a client is a list of 64-bit words");
enum { CLIENT_WORDS = sizeof(struct client) / sizeof(int64_t) };

static void put_clients(struct safetensors_writer *w, const struct actor *a)
{
    const int64_t dims[] = {a->build->workers, CLIENT_WORDS};

    if (a->clients != NULL)
        safetensors_writer_tensor(w, "clients", SAFETENSORS_I64, 2, dims, a->clients);
}

/* A served worker goes on behind the batches whose gradients the server has taken. */
static enum status take_clients(const struct actor *a, struct tally *mine,
                                const struct safetensors *file)
{
    const int workers = a->build->workers, rank = a->worker.transport->rank;
    const void *data = NULL;

    if (safetensors_find(file, "clients") == NULL)
        return STATUS_OK;
    TRY(safetensors_get(file, "clients", SAFETENSORS_I64, (int64_t)workers * CLIENT_WORDS, &data));
    if (rank < workers) {
        struct client own;

        memcpy(&own, (const int64_t *)data + (int64_t)rank * CLIENT_WORDS, sizeof own);
        mine->steps = mine->draws = (double)(own.updates + own.empty);
        mine->delayed = own.delayed;
    }
    if (a->clients == NULL)
        return STATUS_OK;
    memcpy(a->clients, data, (size_t)workers * sizeof *a->clients);
    for (int r = 0; r < workers; r++)
        a->clients[r].before = a->clients[r].account;
    return STATUS_OK;
}

/* --- all of it --- */

enum status checkpoint_save(const struct checkpoint *c, const char *path)
{
    struct safetensors_writer *w = safetensors_writer_new();
    const struct actor *a = c->actor;
    const struct model *m = a->build->model;
    float *canonical = canonical_copy(m, c->values.state, m->state_count);
    int64_t counts[COUNT_COUNT];
    double numbers[NUMBER_COUNT];

    put_model(w, &c->values, canonical);
    float **vectors = put_optim(w, a);
    place_to_arrays(c->place, counts, numbers);
    safetensors_writer_tensor(w, "loop.counts", SAFETENSORS_I64, 1, (int64_t[]){COUNT_COUNT},
                              counts);
    safetensors_writer_tensor(w, "loop.numbers", SAFETENSORS_F64, 1, (int64_t[]){NUMBER_COUNT},
                              numbers);
    put_clients(w, a);
    put_parcels(w, c);
    put_tallies(w, c);
    put_experiment(w, a->build->experiment);
    safetensors_writer_text(w, "isa", kernel_get()->isa);
    const enum status s = safetensors_writer_save(w, path);

    safetensors_writer_free(w);
    for (int i = 0; i < a->optim.vector_count; i++)
        mem_free(vectors[i]);
    mem_free(vectors);
    mem_free(canonical);
    return s;
}

static enum status take_place(struct loop_place *place, const struct safetensors *file)
{
    const void *counts = NULL;
    const void *numbers = NULL;

    TRY(safetensors_get(file, "loop.counts", SAFETENSORS_I64, COUNT_COUNT, &counts));
    TRY(safetensors_get(file, "loop.numbers", SAFETENSORS_F64, NUMBER_COUNT, &numbers));
    place_from_arrays(place, counts, numbers);
    return STATUS_OK;
}

enum status checkpoint_place(const char *path, struct loop_place *place)
{
    struct safetensors file;

    TRY(safetensors_load(&file, path));
    const enum status s = take_place(place, &file);
    safetensors_release(&file);
    return s;
}

static enum status restore(struct actor *a, struct tally *mine, const struct safetensors *file)
{
    const struct model_values values = {
        .model = a->build->model, .state = a->state, .counters = a->counters};

    TRY(take_model(&values, file));
    TRY(take_optim(a, file));
    TRY(take_clients(a, mine, file));
    return take_parcel(a, mine, file);
}

enum status checkpoint_restore(struct actor *a, struct tally *mine, const char *path)
{
    struct safetensors file;

    TRY(safetensors_load(&file, path));
    const enum status s = restore(a, mine, &file);
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
