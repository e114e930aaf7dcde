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
#include "base/text.h"
#include "train/checkpoint_identity.h"
#include "train/checkpoint_ranges.h"
#include "train/checkpoint_vectors.h"
#include "train/config_paths.h"
#include "train/loop/coordinator.h"

enum { NAME_MAX_BYTES = 160 };

struct run_totals run_totals_start(void)
{
    return (struct run_totals){
        .best_loss = (double)INFINITY,
        .train_loss = (double)NAN,
        .train_accuracy = (double)NAN,
        .counters = counters_start(),
    };
}

/* --- the totals --- */

static const char BEFORE_RECORD[] = "run.before_record";
static const char GOOD_ENOUGH[] =
    "good_enough"; /* a text that only runs have which train.stop ended */
static const char LOGGED[] = "workers.logged";
enum { LOGGED_NUMBERS = sizeof(struct logged_sums) / sizeof(double) };

enum { TOTALS_ROUNDS = 2, TOTALS_NUMBERS = 3 };

/* As the file has them; must outlive the writer. */
struct totals_arrays {
    double counters[COUNTERS_COUNT];
    int64_t rounds[TOTALS_ROUNDS];
    double numbers[TOTALS_NUMBERS];
};

static void put_totals(struct safetensors_writer *w, const struct run_totals *t,
                       struct totals_arrays *a)
{
    const int64_t saved = counters_saved_count();

    *a = (struct totals_arrays){
        .rounds = {t->round,       t->best_round    },
        .numbers = { t->best_loss, t->train_loss, t->train_accuracy},
    };
    if (t->is_good_enough)
        safetensors_writer_text(w, GOOD_ENOUGH, "yes");
    counters_pack(&t->counters, a->counters);
    safetensors_writer_tensor(w, "run.counters", SAFETENSORS_F64, 1, &saved, a->counters);
    safetensors_writer_tensor(w, "run.rounds", SAFETENSORS_I64, 1, (int64_t[]){TOTALS_ROUNDS},
                              a->rounds);
    safetensors_writer_tensor(w, "run.numbers", SAFETENSORS_F64, 1, (int64_t[]){TOTALS_NUMBERS},
                              a->numbers);
}

enum status checkpoint_read_totals(const struct safetensors *file, struct run_totals *t)
{
    const void *counters = NULL, *rounds = NULL, *numbers = NULL;

    TRY(identity_check_version(file));
    TRY(safetensors_get(file, "run.counters", SAFETENSORS_F64, counters_saved_count(), &counters));
    TRY(safetensors_get(file, "run.rounds", SAFETENSORS_I64, TOTALS_ROUNDS, &rounds));
    TRY(safetensors_get(file, "run.numbers", SAFETENSORS_F64, TOTALS_NUMBERS, &numbers));
    *t = run_totals_start();
    counters_unpack(&t->counters, counters);
    t->round = ((const int64_t *)rounds)[0];
    t->best_round = ((const int64_t *)rounds)[1];
    t->best_loss = ((const double *)numbers)[0];
    t->train_loss = ((const double *)numbers)[1];
    t->train_accuracy = ((const double *)numbers)[2];
    t->is_good_enough = safetensors_text(file, GOOD_ENOUGH) != NULL;
    t->is_before_record = safetensors_find(file, BEFORE_RECORD) != NULL;
    return ranges_check_totals(t, file->path);
}

/* --- the model --- */

/* The model's tensors and batches_tracked; `canonical` is the whole state and must outlive the
 * writer. */
static void put_model(struct safetensors_writer *w, const struct model_values *v,
                      const float *canonical)
{
    const struct tensor_layout *l = v->layout;

    for (int i = 0; i < l->tensor_count; i++) {
        const struct tensor *t = &l->tensors[i];
        safetensors_writer_tensor(w, t->name, SAFETENSORS_F32, t->rank, t->dims,
                                  canonical + t->offset);
    }
    for (int i = 0; i < l->tracked_count; i++)
        safetensors_writer_tensor(w, l->tracked_names[i], SAFETENSORS_I64, 0, NULL,
                                  v->batches_tracked + i);
}

enum status checkpoint_save_model(const struct model_values *v, const char *path)
{
    struct safetensors_writer *w = safetensors_writer_new();
    float *canonical = vectors_canonical(v->layout, v->state, v->layout->state_count);

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
            return FAIL(STATUS_BAD_INPUT, "%s: tensor %s has another shape than that of the model",
                        file->path, t->name);
    tensor_from_canonical(t, v->state + t->offset, data);
    return STATUS_OK;
}

static enum status take_model(const struct model_values *v, const struct safetensors *file)
{
    const struct tensor_layout *l = v->layout;

    for (int i = 0; i < l->tensor_count; i++)
        TRY(take_tensor(v, file, &l->tensors[i]));
    for (int i = 0; i < l->tracked_count; i++) {
        const struct safetensors_item *item = safetensors_find(file, l->tracked_names[i]);

        if (item != NULL && item->type == SAFETENSORS_I64 && item->count == 1)
            memcpy(v->batches_tracked + i, item->data,
                   sizeof *v->batches_tracked); /* other programs may leave it out */
    }
    return STATUS_OK;
}

/* Of a checkpoint nothing may be left out. */
static enum status check_tracked(const struct tensor_layout *l, const struct safetensors *file)
{
    const void *data = NULL;

    for (int i = 0; i < l->tracked_count; i++)
        TRY(safetensors_get(file, l->tracked_names[i], SAFETENSORS_I64, 1, &data));
    return STATUS_OK;
}

static void put_config(struct safetensors_writer *w, const struct run_config *config)
{
    struct node *root = run_config_dump(config);
    struct text yaml = {0};

    if (node_find(root, "data") != NULL) { /* a model does not depend on where its data are */
        node_remove(node_find(root, "data"), "dir");
        node_remove(node_find(root, "data"), "download");
    }
    config_paths_drop_folders(root);
    node_write(root, &yaml);
    safetensors_writer_text(w, "experiment", text_get(&yaml));
    text_release(&yaml);
    node_free(root);
}

/* --- what single workers have --- */

static void worker_name(char name[NAME_MAX_BYTES], int rank)
{
    snprintf(name, NAME_MAX_BYTES, "worker.%d", rank);
}

static void put_states(struct safetensors_writer *w, const struct checkpoint *c)
{
    char name[NAME_MAX_BYTES];

    for (int r = 0; c->states != NULL && r <= c->memory->build->workers; r++) {
        if (c->states[r].words == NULL)
            continue;
        worker_name(name, r);
        safetensors_writer_tensor(w, name, SAFETENSORS_I64, 1, &c->states[r].count,
                                  c->states[r].words);
    }
}

/* Of independent workers, while they run: the counters that the leader has seen of each. */
static double *put_counters(struct safetensors_writer *w, const struct checkpoint *c)
{
    const int64_t dims[] = {c->memory->build->workers, counters_saved_count()};

    if (c->counters == NULL)
        return NULL;
    double *packed = MEM_NEW_N(double, dims[0] * dims[1]); /* must outlive the writer */
    for (int64_t r = 0; r < dims[0]; r++)
        counters_pack(&c->counters[r], packed + r * dims[1]);
    safetensors_writer_tensor(w, "workers.counters", SAFETENSORS_F64, 2, dims, packed);
    return packed;
}

static enum status take_counters(const struct worker_memory *a, struct counters *counters,
                                 const struct safetensors *file)
{
    const int64_t saved = counters_saved_count();
    const int64_t workers = a->build->workers, rank = a->rank;
    const void *data = NULL;

    TRY(safetensors_get(file, "workers.counters", SAFETENSORS_F64, workers * saved, &data));
    counters_unpack(counters, (const double *)data + rank * saved);
    return STATUS_OK;
}

/* Whether a checkpoint has what this endpoint alone has. A worker alone needs only what its
 * algorithm remembers; of a server's workers the server knows what they need. */
static bool needs_state(const struct worker_memory *a)
{
    const struct coordinator *c = coordinator_of(a->build->algo);

    if (c->has_server)
        return a->rank == a->build->workers;
    return a->build->workers > 1 || (!c->has_own_rounds && a->vector_count + a->number_count > 0);
}

static enum status take_state(struct worker_memory *a, struct counters *counters,
                              const struct safetensors *file)
{
    char name[NAME_MAX_BYTES];
    const struct safetensors_item *item = NULL;
    const void *data = NULL;

    worker_name(name, a->rank);
    item = safetensors_find(file, name);
    if (item == NULL && !needs_state(a))
        return STATUS_OK;
    if (item == NULL && a->rank > 0 && safetensors_find(file, "workers.counters") != NULL)
        return take_counters(a, counters, file);
    TRY(safetensors_get(file, name, SAFETENSORS_I64, item == NULL ? 0 : item->count, &data));

    struct worker_state p = {.words = MEM_NEW_N(int64_t, item->count), .count = item->count};
    memcpy(p.words, data, (size_t)item->count * sizeof *p.words);
    enum status s = worker_state_unpack(&p, a, counters);
    if (s != STATUS_OK)
        s = FAIL(s, "%s: %s", file->path, status_message());
    worker_state_release(&p);
    return s;
}

/* --- what a server knows of its workers --- */

_Static_assert(sizeof(struct client) % sizeof(int64_t) == 0, "a client is a list of 64-bit words");
enum { CLIENT_WORDS = sizeof(struct client) / sizeof(int64_t) };

static void put_clients(struct safetensors_writer *w, const struct worker_memory *a)
{
    const int64_t dims[] = {a->build->workers, CLIENT_WORDS};

    if (a->clients != NULL)
        safetensors_writer_tensor(w, "clients", SAFETENSORS_I64, 2, dims, a->clients);
}

/* A server's worker resumes after the batches whose gradients the server has applied. */
static enum status take_clients(const struct worker_memory *a, struct counters *counters,
                                const struct safetensors *file)
{
    const int workers = a->build->workers;
    const void *data = NULL;

    if (!coordinator_of(a->build->algo)->has_server)
        return STATUS_OK;
    TRY(safetensors_get(file, "clients", SAFETENSORS_I64, (int64_t)workers * CLIENT_WORDS, &data));
    for (int r = 0; r < workers; r++) {
        struct client c;

        memcpy(&c, (const int64_t *)data + (int64_t)r * CLIENT_WORDS, sizeof c);
        TRY(ranges_check_client(&c, file->path));
        if (r == a->rank) {
            counters->steps = counters->draws = (double)(c.updates + c.empty);
            counters->delayed = c.delayed;
        }
        c.before = c.counters;
        if (a->clients != NULL)
            a->clients[r] = c;
    }
    return STATUS_OK;
}

/* --- all of it --- */

enum status checkpoint_save(const struct checkpoint *c, const char *path)
{
    struct safetensors_writer *w = safetensors_writer_new();
    const struct worker_memory *a = c->memory;
    const struct tensor_layout *l = &a->build->layout;
    float *canonical = vectors_canonical(l, c->values.state, l->state_count);
    struct vectors_writer vectors = {.file = w, .layout = l};
    struct totals_arrays totals;

    put_model(w, &c->values, canonical);
    vectors_put(&vectors, a);
    put_totals(w, c->totals, &totals);
    identity_put(w, l);
    safetensors_writer_text(w, "data", a->build->data);
    put_clients(w, a);
    put_states(w, c);
    double *counters = put_counters(w, c);
    if (c->before_record != NULL)
        safetensors_writer_tensor(w, BEFORE_RECORD, SAFETENSORS_F64, 1,
                                  (int64_t[]){checkpoint_facts_count(a->build)}, c->before_record);
    if (c->logged != NULL)
        safetensors_writer_tensor(w, LOGGED, SAFETENSORS_F64, 2,
                                  (int64_t[]){a->build->workers, LOGGED_NUMBERS}, c->logged);
    put_config(w, a->build->config);
    identity_put_count(w);
    safetensors_writer_text(w, "isa", kernel_get()->isa);
    const enum status s = safetensors_writer_save(w, path);

    safetensors_writer_free(w);
    vectors_writer_release(&vectors);
    mem_free(counters);
    mem_free(canonical);
    return s;
}

enum status checkpoint_load_totals(const char *path, struct run_totals *totals)
{
    struct safetensors file;

    TRY(safetensors_load(&file, path));
    const enum status s = checkpoint_read_totals(&file, totals);
    safetensors_release(&file);
    return s;
}

static enum status restore(struct worker_memory *a, struct counters *counters,
                           const struct safetensors *file)
{
    const struct model_values values = {
        .layout = &a->build->layout, .state = a->state, .batches_tracked = a->batches_tracked};

    TRY(identity_check_version(file));
    TRY(identity_check_layout(file, a->build->plan));
    TRY(identity_check_data(file, a->build));
    TRY(take_model(&values, file));
    TRY(ranges_check_weights(a, file->path)); /* of the run model; a worker's own may follow */
    TRY(check_tracked(&a->build->layout, file));
    TRY(vectors_take(a, file));
    TRY(take_clients(a, counters, file));
    TRY(take_state(a, counters, file));
    return ranges_check_memory(a, counters, file->path);
}

enum status checkpoint_restore(struct worker_memory *a, struct counters *counters, const char *path)
{
    struct safetensors file;

    TRY(safetensors_load(&file, path));
    const enum status s = restore(a, counters, &file);
    safetensors_release(&file);
    return s;
}

/* --- all endpoints --- */

static enum status check_endpoint(const struct build *b, int rank, const struct safetensors *file)
{
    struct worker_memory *a = worker_memory_new(b, rank);
    struct counters counters = counters_start();
    const enum status s = restore(a, &counters, file);

    worker_memory_free(a);
    return s;
}

int64_t checkpoint_facts_count(const struct build *b)
{
    return 1 + 2 * (int64_t)b->workers;
}

static enum status find_facts(const struct build *b, const struct safetensors *file,
                              const void **facts)
{
    return safetensors_get(file, BEFORE_RECORD, SAFETENSORS_F64, checkpoint_facts_count(b), facts);
}

enum status checkpoint_load_facts(const struct build *b, const char *path, double **facts)
{
    const int64_t count = checkpoint_facts_count(b);
    struct safetensors file;
    const void *data = NULL;

    *facts = NULL;
    TRY(safetensors_load(&file, path));
    const enum status s = find_facts(b, &file, &data);
    if (s == STATUS_OK)
        *facts = memcpy(MEM_NEW_N(double, count), data, (size_t)count * sizeof **facts);
    safetensors_release(&file);
    return s;
}

static enum status take_logged(const struct build *b, const struct safetensors *file,
                               struct logged_sums *logged)
{
    const int64_t count = b->workers;
    const void *data = NULL;

    if (safetensors_find(file, LOGGED) == NULL)
        return STATUS_OK;
    TRY(safetensors_get(file, LOGGED, SAFETENSORS_F64, count * LOGGED_NUMBERS, &data));
    memcpy(logged, data, (size_t)count * sizeof *logged);
    return ranges_check_logged(logged, b->workers, file->path);
}

enum status checkpoint_load_logged(const struct build *b, const char *path,
                                   struct logged_sums *logged)
{
    struct safetensors file;

    TRY(safetensors_load(&file, path));
    const enum status s = take_logged(b, &file, logged);
    safetensors_release(&file);
    return s;
}

static enum status check_logged(const struct build *b, const struct safetensors *file)
{
    struct logged_sums *logged = MEM_NEW_N(struct logged_sums, b->workers);
    const enum status s = take_logged(b, file, logged);

    mem_free(logged);
    return s;
}

enum status checkpoint_check(const struct build *b, const struct safetensors *file)
{
    const int endpoints = b->workers + (coordinator_of(b->algo)->has_server ? 1 : 0);
    const void *facts = NULL;

    if (safetensors_find(file, BEFORE_RECORD) != NULL)
        TRY(find_facts(b, file, &facts));
    TRY(check_logged(b, file));
    for (int rank = 0; rank < endpoints; rank++)
        TRY(check_endpoint(b, rank, file));
    return STATUS_OK;
}

static char *copy_of(const char *text)
{
    return text == NULL ? NULL : mem_text(text);
}

enum status checkpoint_texts(const char *path, char **config, char **isa)
{
    struct safetensors file;

    *config = *isa = NULL;
    TRY(safetensors_load(&file, path));
    *config = copy_of(safetensors_text(&file, "experiment"));
    *isa = copy_of(safetensors_text(&file, "isa"));
    safetensors_release(&file);
    return STATUS_OK;
}
