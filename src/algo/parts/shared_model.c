/*
 * shared_model.c - the memory of a shared model, and its lock.
 */
#include "algo/parts/shared_model.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

void shared_model_init(struct shared_model *m)
{
    *m = (struct shared_model){.asked = SHARED_MODEL_NOBODY, .held = SHARED_MODEL_NOBODY};
    pthread_mutex_init(&m->mutex, NULL);
}

void shared_model_release(struct shared_model *m)
{
    pthread_mutex_destroy(&m->mutex);
    mem_free(m->x);
    mem_free(m->held_x);
    *m = (struct shared_model){0};
}

void shared_model_open(struct shared_model *m, const float *state, int64_t count)
{
    pthread_mutex_lock(&m->mutex);
    CHECK(m->x == NULL);
    m->count = count;
    m->x = MEM_NEW_N(float, count);
    m->held_x = MEM_NEW_N(float, count);
    memcpy(m->x, state, (size_t)count * sizeof *state);
    pthread_mutex_unlock(&m->mutex);
}

void shared_model_lock(struct shared_model *m, struct transport *t)
{
    pthread_mutex_lock(&m->mutex);
    t->locks_held++;
}

void shared_model_unlock(struct shared_model *m, struct transport *t)
{
    t->locks_held--;
    pthread_mutex_unlock(&m->mutex);
}

void shared_model_read(struct shared_model *m, struct transport *t, float *out)
{
    shared_model_lock(m, t);
    CHECK(m->x != NULL);
    memcpy(out, m->x, (size_t)m->count * sizeof *out);
    shared_model_unlock(m, t);
}
