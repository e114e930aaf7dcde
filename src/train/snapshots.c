/*
 * snapshots.c - a queue of models, and a thread that evaluates them where a core is free.
 */
#include "train/snapshots.h"

#include <pthread.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "problem/supervised.h"

static const int64_t memory_limit = (int64_t)1 << 30;

struct snapshot {
    struct snapshot *next;
    struct snapshot_label label;
    float *state; /* NULL: in the file */
    char *file;   /* NULL: in memory */
    struct snapshot_result result;
    bool is_done;
};

struct snapshots {
    const struct build *build;
    const char *run_dir;
    struct problem *examiner;
    struct stations *stations; /* of the background thread; NULL: there is none */
    int64_t held;              /* bytes in memory */
    int64_t made;
    float *room;            /* a model from a file, for who evaluates */
    float *given_room;      /* the same for who asked for the next */
    struct snapshot *given; /* the one that snapshots_next answered last */

    pthread_mutex_t mutex; /* over the queue */
    pthread_cond_t changed;
    struct snapshot *first, *last;
    bool is_ending;
    enum status failure; /* of the background thread */
    struct status_slot slot;
    pthread_t thread;
    bool has_thread;
};

static int64_t state_bytes(const struct snapshots *s)
{
    return s->build->model->state_count * (int64_t)sizeof(float);
}

/* --- files --- */

static enum status spill(struct snapshots *s, struct snapshot *x, const float *state)
{
    struct file_writer w;

    x->file = text_format("%s/snapshot.%lld.tmp", s->run_dir, (long long)s->made);
    TRY(file_writer_open(&w, x->file));
    return file_writer_close(&w, file_writer_put(&w, state, (size_t)state_bytes(s)));
}

/* The snapshot's values: its own, or from its file in *room, which is made when it is needed. */
static enum status fetch(struct snapshots *s, const struct snapshot *x, float **room, float **state)
{
    struct text bytes = {0};

    if (x->state != NULL) {
        *state = x->state;
        return STATUS_OK;
    }
    TRY(file_read(x->file, (size_t)state_bytes(s) + 1, &bytes));
    if ((int64_t)bytes.length != state_bytes(s)) {
        text_release(&bytes);
        return FAIL(STATUS_IO, "%s was cut short", x->file);
    }
    if (*room == NULL)
        *room = MEM_NEW_N(float, s->build->model->state_count);
    memcpy(*room, bytes.data, bytes.length);
    text_release(&bytes);
    *state = *room;
    return STATUS_OK;
}

static void snapshot_free(struct snapshot *x)
{
    if (x == NULL)
        return;
    if (x->file != NULL)
        (void)file_remove(x->file);
    mem_free(x->file);
    mem_free(x->state);
    mem_free(x);
}

/* --- evaluation --- */

static enum status evaluate(struct snapshots *s, struct snapshot *x)
{
    const int64_t *counts = s->examiner->part_counts;
    const bool is_run = x->label.node == SNAPSHOT_RUN; /* nodes have one number each */
    struct snapshot_result *r = &x->result;
    float *state = NULL;

    *r = (struct snapshot_result){.label = x->label};
    TRY(fetch(s, x, &s->room, &state));
    if (is_run && s->build->experiment->train.statistics == STATISTICS_RECALIBRATE)
        TRY(problem_recalibrate(s->examiner, state, RECALIBRATION_BATCHES));
    r->has_test = counts[PART_TEST] > 0;
    r->has_validation = counts[PART_VALIDATION] > 0 && (is_run || !r->has_test);
    if (r->has_validation)
        TRY(problem_evaluate(s->examiner, state, PART_VALIDATION, &r->validation));
    if (r->has_test)
        TRY(problem_evaluate(s->examiner, state, PART_TEST, &r->test));
    return STATUS_OK;
}

/* The first that nobody has evaluated; with the lock held. */
static struct snapshot *first_open(const struct snapshots *s)
{
    struct snapshot *x = s->first;

    while (x != NULL && x->is_done)
        x = x->next;
    return x;
}

static void *background_main(void *argument)
{
    struct snapshots *s = argument;

    status_slot_use(&s->slot);
    pthread_mutex_lock(&s->mutex);
    while (!s->is_ending && s->failure == STATUS_OK) {
        struct snapshot *x = first_open(s);

        if (x == NULL) {
            pthread_cond_wait(&s->changed, &s->mutex);
            continue;
        }
        pthread_mutex_unlock(&s->mutex);
        const enum status result = evaluate(s, x);
        pthread_mutex_lock(&s->mutex);
        s->failure = result;
        x->is_done = result == STATUS_OK;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

static void end_background(struct snapshots *s)
{
    if (!s->has_thread)
        return;
    pthread_mutex_lock(&s->mutex);
    s->is_ending = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
    pthread_join(s->thread, NULL);
    s->has_thread = false;
}

/* --- the queue --- */

struct snapshots *snapshots_new(const struct build *b, const char *run_dir)
{
    struct snapshots *s = MEM_NEW(struct snapshots);
    const int servers = b->algo->kind == ALGO_SERVED ? 1 : 0;
    const int free_cores = team_cores() - b->workers * b->threads - servers;

    s->build = b;
    s->run_dir = run_dir;
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->changed, NULL);
    if (free_cores > 0)
        s->stations = stations_new(b->model, b->dataset, b->batch, free_cores);
    s->examiner = build_examiner(b, s->stations != NULL ? s->stations : b->wide);
    if (free_cores > 0)
        s->has_thread = pthread_create(&s->thread, NULL, background_main, s) == 0;
    return s;
}

void snapshots_free(struct snapshots *s)
{
    if (s == NULL)
        return;
    end_background(s);
    for (struct snapshot *x = s->first, *next; x != NULL; x = next) {
        next = x->next;
        snapshot_free(x);
    }
    snapshot_free(s->given);
    problem_free(s->examiner);
    stations_free(s->stations);
    mem_free(s->room);
    mem_free(s->given_room);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->mutex);
    mem_free(s);
}

enum status snapshots_add(struct snapshots *s, const struct snapshot_label *label,
                          const float *state)
{
    struct snapshot *x = MEM_NEW(struct snapshot);
    enum status result = STATUS_OK;

    x->label = *label;
    s->made++;
    if (s->held + state_bytes(s) <= memory_limit) {
        x->state = MEM_NEW_N(float, s->build->model->state_count);
        memcpy(x->state, state, (size_t)state_bytes(s));
        s->held += state_bytes(s);
    } else {
        result = spill(s, x, state);
    }
    if (result != STATUS_OK) {
        snapshot_free(x);
        return result;
    }
    pthread_mutex_lock(&s->mutex);
    if (s->last == NULL || s->first == NULL)
        s->first = x;
    else
        s->last->next = x;
    s->last = x;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
    return STATUS_OK;
}

/* The oldest, when it is evaluated; else NULL. */
static struct snapshot *take_done(struct snapshots *s)
{
    pthread_mutex_lock(&s->mutex);
    struct snapshot *x = s->first;
    if (x != NULL && x->is_done)
        s->first = x->next;
    else
        x = NULL;
    pthread_mutex_unlock(&s->mutex);
    return x;
}

/* The run is over and its cores are free: what is left is evaluated here. */
static enum status evaluate_rest(struct snapshots *s)
{
    end_background(s);
    if (s->failure != STATUS_OK)
        return FAIL(s->failure, "%s", s->slot.text);
    for (struct snapshot *x = s->first; x != NULL; x = x->next)
        if (!x->is_done) {
            TRY(evaluate(s, x));
            x->is_done = true;
        }
    return STATUS_OK;
}

enum status snapshots_next(struct snapshots *s, bool waits, struct snapshot_result *result,
                           float **state, bool *found)
{
    struct snapshot *x = take_done(s);

    if (x == NULL && waits) {
        TRY(evaluate_rest(s));
        x = take_done(s);
    }
    *found = x != NULL;
    if (x == NULL)
        return STATUS_OK;
    if (s->given != NULL && s->given->state != NULL)
        s->held -= state_bytes(s);
    snapshot_free(s->given);
    s->given = x;
    *result = x->result;
    return fetch(s, x, &s->given_room, state);
}
