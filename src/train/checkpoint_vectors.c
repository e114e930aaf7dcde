/*
 * checkpoint_vectors.c - vectors in canonical order, between a checkpoint and what all workers have
 * alike.
 */
#include "train/checkpoint_vectors.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { NAME_MAX_BYTES = 64 };

float *vectors_canonical(const struct tensor_layout *l, const float *stored, int64_t count)
{
    float *canonical = MEM_NEW_N(float, count);

    tensor_layout_to_canonical(l, canonical, stored, count);
    return canonical;
}

void vectors_writer_release(struct vectors_writer *v)
{
    for (int i = 0; i < v->count; i++)
        mem_free(v->copies[i]);
    mem_free(v->copies);
}

static void put_vector(struct vectors_writer *v, const char *name, const float *x, int64_t count)
{
    v->copies = mem_resize(v->copies, v->count, v->count + 1, sizeof *v->copies);
    v->copies[v->count] = vectors_canonical(v->layout, x, count);
    safetensors_writer_tensor(v->file, name, SAFETENSORS_F32, 1, &count, v->copies[v->count]);
    v->count++;
}

static enum status take_vector(const struct worker_memory *a, const struct safetensors *file,
                               const char *name, float *x, int64_t count)
{
    const void *data = NULL;

    TRY(safetensors_get(file, name, SAFETENSORS_F32, count, &data));
    tensor_layout_from_canonical(&a->build->layout, x, data, count);
    return STATUS_OK;
}

/* As "WHOSE.vector.<i>" and "WHOSE.numbers". */
static void put_optim(struct vectors_writer *v, const char *whose, const struct optim *o)
{
    const int64_t number_count = o->number_count;
    char name[NAME_MAX_BYTES];

    for (int i = 0; i < o->vector_count; i++) {
        snprintf(name, sizeof name, "%s.vector.%d", whose, i);
        if (o->vectors[i] != NULL)
            put_vector(v, name, o->vectors[i], o->n);
    }
    snprintf(name, sizeof name, "%s.numbers", whose);
    safetensors_writer_tensor(v->file, name, SAFETENSORS_F64, 1, &number_count, o->numbers);
}

static enum status take_optim(const struct worker_memory *a, const struct safetensors *file,
                              const char *whose, struct optim *o)
{
    const void *data = NULL;
    char name[NAME_MAX_BYTES];

    for (int i = 0; i < o->vector_count; i++) {
        snprintf(name, sizeof name, "%s.vector.%d", whose, i);
        if (safetensors_find(file, name) != NULL)
            TRY(take_vector(a, file, name, optim_vector(o, i), o->n));
    }
    snprintf(name, sizeof name, "%s.numbers", whose);
    TRY(safetensors_get(file, name, SAFETENSORS_F64, o->number_count, &data));
    if (o->number_count > 0)
        memcpy(o->numbers, data, (size_t)o->number_count * sizeof *o->numbers);
    return STATUS_OK;
}

static int alike_count(const struct worker_memory *a)
{
    return a->problem == NULL
               ? 0
               : algo_alike_count(a->build->algo, a->build->config->algorithm.options);
}

void vectors_put(struct vectors_writer *v, const struct worker_memory *a)
{
    char name[NAME_MAX_BYTES];

    put_optim(v, "optim", &a->optim);
    if (a->worker.outer != NULL)
        put_optim(v, "outer", &a->outer);
    for (int i = 0; i < alike_count(a); i++) {
        snprintf(name, sizeof name, "algorithm.vector.%d", i);
        put_vector(v, name, a->vectors[i], v->layout->state_count);
    }
}

enum status vectors_take(struct worker_memory *a, const struct safetensors *file)
{
    char name[NAME_MAX_BYTES];

    TRY(take_optim(a, file, "optim", &a->optim));
    if (a->worker.outer != NULL)
        TRY(take_optim(a, file, "outer", &a->outer));
    for (int i = 0; i < alike_count(a); i++) {
        snprintf(name, sizeof name, "algorithm.vector.%d", i);
        TRY(take_vector(a, file, name, a->vectors[i], a->build->layout.state_count));
    }
    return STATUS_OK;
}
