/*
 * evaluation_queue.c - a queue of models, and a thread that evaluates them where a core is free.
 */
#include "train/loop/evaluation_queue.h"

#include <pthread.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "train/loop/coordinator.h"
#include "train/loop/snapshot_files.h"

static const int64_t memory_limit = (int64_t)1 << 30;

struct snapshot {
    struct snapshot *next;
    struct snapshot_label label;
    float *state; /* NULL: in the file */
    char *file;   /* NULL: in memory */
    char *kept;   /* its file for a resumed run; NULL: none */
    struct snapshot_result result;
    bool is_done;
};

struct evaluation_queue {
    const struct build *build;
    const char *run_dir;
    struct problem *evaluator; /* that of the build, where no core is free */
    int64_t held;              /* bytes in memory */
    int64_t made;
    float *room;                /* for a model from a file, while it is evaluated */
    float *delivered_room;      /* the same for the caller of evaluation_queue_next */
    struct snapshot *delivered; /* the last that evaluation_queue_next returned */

    pthread_mutex_t mutex; /* over the queue */
    pthread_cond_t changed;
    struct snapshot *first, *last;
    bool is_ending;
    enum status failure; /* of the background thread */
    struct status_slot slot;
    pthread_t thread;
    bool has_thread;
};

static int64_t state_bytes(const struct evaluation_queue *q)
{
    return q->build->layout.state_count * (int64_t)sizeof(float);
}

/* --- files --- */

static enum status spill(struct evaluation_queue *q, struct snapshot *x, const float *state)
{
    struct file_writer w;

    x->file = text_format("%s/snapshot.%lld.tmp", q->run_dir, (long long)q->made);
    TRY(file_writer_open(&w, x->file));
    return file_writer_close(&w, file_writer_put(&w, state, (size_t)state_bytes(q)));
}

/* The snapshot'q values: its own, or from its file in *room, which is made when it is needed. */
static enum status fetch(struct evaluation_queue *q, const struct snapshot *x, float **room,
                         float **state)
{
    struct text bytes = {0};

    if (x->state != NULL) {
        *state = x->state;
        return STATUS_OK;
    }
    TRY(file_read(x->file, (size_t)state_bytes(q) + 1, &bytes));
    if ((int64_t)bytes.length != state_bytes(q)) {
        text_release(&bytes);
        return FAIL(STATUS_IO, "%s was cut short", x->file);
    }
    if (*room == NULL)
        *room = MEM_NEW_N(float, q->build->layout.state_count);
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
    mem_free(x->kept);
    mem_free(x->state);
    mem_free(x->result.confusion);
    mem_free(x->result.map_bytes);
    mem_free(x);
}

/* Its results are recorded. */
static void snapshot_forget(struct snapshot *x)
{
    if (x != NULL && x->kept != NULL)
        (void)file_remove(x->kept);
    snapshot_free(x);
}

/* --- evaluation --- */

static enum status evaluate_map(struct evaluation_queue *q, struct snapshot *x, const float *state)
{
    struct snapshot_result *r = &x->result;
    const int64_t points = q->evaluator->part_counts[PART_MAP];

    if (points == 0)
        return STATUS_OK;
    if (x->label.has_map) {
        r->map_bytes = MEM_NEW_N(uint8_t, points);
        return maps_evaluate(q->evaluator, state, &r->map, r->map_bytes);
    }
    return x->label.node == SNAPSHOT_RUN ? problem_evaluate(q->evaluator, state, PART_MAP, &r->map)
                                         : STATUS_OK;
}

static enum status evaluate(struct evaluation_queue *q, struct snapshot *x)
{
    const int64_t *counts = q->evaluator->part_counts;
    const bool is_run = x->label.node == SNAPSHOT_RUN; /* nodes have one number each */
    struct snapshot_result *r = &x->result;
    float *state = NULL;

    mem_free(r->confusion); /* of an evaluation that was cut */
    mem_free(r->map_bytes);
    *r = (struct snapshot_result){.label = x->label};
    TRY(fetch(q, x, &q->room, &state));
    if (is_run && q->build->config->train.statistics == STATISTICS_RECALIBRATE)
        TRY(problem_recalibrate(q->evaluator, state, RECALIBRATION_BATCHES));
    r->has_test = counts[PART_TEST] > 0;
    r->has_validation = counts[PART_VALIDATION] > 0 && (is_run || !r->has_test);
    if (is_run && q->evaluator->classes > 0)
        r->confusion = MEM_NEW_N(int64_t, q->evaluator->classes * q->evaluator->classes);
    r->test.can_be_cut = r->validation.can_be_cut = r->map.can_be_cut = true;
    *(r->has_test ? &r->test.confusion : &r->validation.confusion) = r->confusion;
    if (r->has_validation)
        TRY(problem_evaluate(q->evaluator, state, PART_VALIDATION, &r->validation));
    if (r->has_test)
        TRY(problem_evaluate(q->evaluator, state, PART_TEST, &r->test));
    return evaluate_map(q, x, state);
}

/* The first that is not evaluated; with the lock held. */
static struct snapshot *first_unevaluated(const struct evaluation_queue *q)
{
    struct snapshot *x = q->first;

    while (x != NULL && x->is_done)
        x = x->next;
    return x;
}

static void *background_main(void *argument)
{
    struct evaluation_queue *q = argument;

    status_slot_use(&q->slot);
    pthread_mutex_lock(&q->mutex);
    while (!q->is_ending && q->failure == STATUS_OK) {
        struct snapshot *x = first_unevaluated(q);

        if (x == NULL) {
            pthread_cond_wait(&q->changed, &q->mutex);
            continue;
        }
        pthread_mutex_unlock(&q->mutex);
        const enum status result = evaluate(q, x);
        pthread_mutex_lock(&q->mutex);
        q->is_ending = q->is_ending || result == STATUS_INTERRUPTED;
        q->failure = result == STATUS_INTERRUPTED ? STATUS_OK : result;
        x->is_done = result == STATUS_OK;
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->mutex);
    return NULL;
}

static void end_background(struct evaluation_queue *q)
{
    if (!q->has_thread)
        return;
    pthread_mutex_lock(&q->mutex);
    q->is_ending = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
    pthread_join(q->thread, NULL);
    q->has_thread = false;
}

/* --- the queue --- */

struct evaluation_queue *evaluation_queue_new(const struct build *b, const char *run_dir)
{
    struct evaluation_queue *q = MEM_NEW(struct evaluation_queue);
    const int servers = coordinator_of(b->algo)->has_server ? 1 : 0;
    const int free_cores = team_cores() - b->workers * b->threads - servers;

    q->build = b;
    q->run_dir = run_dir;
    pthread_mutex_init(&q->mutex, NULL);
    pthread_cond_init(&q->changed, NULL);
    q->evaluator = free_cores > 0 ? problem_new_evaluator(b->plan, free_cores) : b->evaluator;
    if (free_cores > 0)
        q->has_thread = pthread_create(&q->thread, NULL, background_main, q) == 0;
    return q;
}

void evaluation_queue_free(struct evaluation_queue *q)
{
    if (q == NULL)
        return;
    end_background(q);
    for (struct snapshot *x = q->first, *next; x != NULL; x = next) {
        next = x->next;
        snapshot_free(x);
    }
    snapshot_free(q->delivered);
    if (q->evaluator != q->build->evaluator)
        problem_free(q->evaluator);
    mem_free(q->room);
    mem_free(q->delivered_room);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->mutex);
    mem_free(q);
}

enum status evaluation_queue_add(struct evaluation_queue *q, const struct snapshot_label *label,
                                 const float *state)
{
    struct snapshot *x = MEM_NEW(struct snapshot);
    enum status result = STATUS_OK;

    x->label = *label;
    q->made++;
    if (q->held + state_bytes(q) <= memory_limit) {
        x->state = MEM_NEW_N(float, q->build->layout.state_count);
        memcpy(x->state, state, (size_t)state_bytes(q));
        q->held += state_bytes(q);
    } else {
        result = spill(q, x, state);
    }
    if (result != STATUS_OK) {
        snapshot_free(x);
        return result;
    }
    pthread_mutex_lock(&q->mutex);
    if (q->last == NULL || q->first == NULL)
        q->first = x;
    else
        q->last->next = x;
    q->last = x;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
    return STATUS_OK;
}

static enum status keep_one(struct evaluation_queue *q, struct snapshot *x)
{
    float *state = NULL;
    char *path = snapshot_files_path(q->run_dir, &x->label);
    enum status s = fetch(q, x, &q->room, &state);

    if (s == STATUS_OK)
        s = snapshot_files_save(path, &q->build->layout, &x->label, state);
    if (s == STATUS_OK)
        x->kept = path;
    else
        mem_free(path);
    return s;
}

enum status evaluation_queue_keep(struct evaluation_queue *q)
{
    end_background(q);
    for (struct snapshot *x = q->first; x != NULL; x = x->next)
        if (x->kept == NULL)
            TRY(keep_one(q, x));
    return STATUS_OK;
}

/* One that cannot be read, or is of a round that the run has gone back behind, is removed. */
static enum status restore_one(struct evaluation_queue *q, const char *path, int64_t round,
                               float *state)
{
    struct snapshot_label label;

    if (snapshot_files_load(path, &q->build->layout, &label, state) != STATUS_OK) {
        log_warning("%s; its evaluation is lost", status_message());
        return file_remove(path);
    }
    if (label.totals.round > round)
        return file_remove(path);
    TRY(evaluation_queue_add(q, &label, state));
    q->last->kept = mem_text(path);
    return STATUS_OK;
}

enum status evaluation_queue_restore(struct evaluation_queue *q, int64_t round)
{
    float *state = MEM_NEW_N(float, q->build->layout.state_count);
    struct rundir_names paths = {0};
    enum status s = STATUS_OK;

    snapshot_files_list(q->run_dir, &paths);
    for (int64_t i = 0; i < paths.count && s == STATUS_OK; i++)
        s = restore_one(q, paths.items[i], round, state);
    rundir_names_release(&paths);
    mem_free(state);
    return s;
}

int64_t evaluation_queue_waiting(struct evaluation_queue *q)
{
    int64_t count = 0;

    pthread_mutex_lock(&q->mutex);
    for (const struct snapshot *x = q->first; x != NULL; x = x->next)
        count += !x->is_done;
    pthread_mutex_unlock(&q->mutex);
    return count;
}

/* The oldest, when it is evaluated; else NULL. */
static struct snapshot *take_done(struct evaluation_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    struct snapshot *x = q->first;
    if (x != NULL && x->is_done)
        q->first = x->next;
    else
        x = NULL;
    pthread_mutex_unlock(&q->mutex);
    return x;
}

/* The run is over and its cores are free: what is left is evaluated here. */
static enum status evaluate_rest(struct evaluation_queue *q)
{
    end_background(q);
    if (q->failure != STATUS_OK)
        return FAIL(q->failure, "%s", q->slot.text);
    for (struct snapshot *x = q->first; x != NULL; x = x->next)
        if (!x->is_done) {
            TRY(evaluate(q, x));
            x->is_done = true;
        }
    return STATUS_OK;
}

enum status evaluation_queue_next(struct evaluation_queue *q, bool waits,
                                  struct snapshot_result *result, float **state, bool *found)
{
    if (q->delivered != NULL && q->delivered->state != NULL)
        q->held -= state_bytes(q);
    snapshot_forget(q->delivered); /* the caller has recorded it */
    q->delivered = NULL;

    struct snapshot *x = take_done(q);

    if (x == NULL && waits) {
        TRY(evaluate_rest(q));
        x = take_done(q);
    }
    *found = x != NULL;
    if (x == NULL)
        return STATUS_OK;
    q->delivered = x;
    *result = x->result;
    return fetch(q, x, &q->delivered_room, state);
}
