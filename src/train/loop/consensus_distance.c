/*
 * consensus_distance.c - the consensus distance between the nodes of a graph, computed by all of
 * them.
 *
 * From the mean: a slice of all vectors is averaged at a time, and every worker adds up how far its
 * own is from that. This costs as much as some sums, for any number of workers.
 *
 * Between any two nodes, up to 256 of them or if asked for: there are as many as the square of the
 * workers. The products of all pairs need every model in one worker's memory, which for many nodes
 * is too much. So each worker gets a slice of every vector, multiplies that, and control sums add
 * the slices, in rank order: the same bits on every transport. Vectors are taken from the mean, so
 * that small distances keep their digits.
 *
 * The table of all pairs goes by in blocks of rows, and only the leader keeps it: one for every
 * worker would be the cube of their number.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/team.h"
#include "train/loop/loop.h"

/* With more nodes their pairs are measured only if the user asks for it. */
enum { PAIRWISE_NODES = 256 };

bool consensus_measures_pairs(const struct build *b)
{
    const int chosen = b->config->train.pairwise_distances;

    return chosen == PAIRWISE_ALWAYS || (chosen == PAIRWISE_AUTO && b->workers <= PAIRWISE_NODES);
}

/* --- from the mean --- */

/* 1 / |x|; a node at zero has no direction. */
static double inverse_norm(const struct kernel *k, const float *x, int64_t n)
{
    const double square = k->dot(x, x, n);

    return square > 0 ? 1 / sqrt(square) : 0;
}

/* A part of a vector that is to be scaled, and room for as many values. */
struct scaled_slice {
    const float *x; /* [count] */
    float scale;
    int64_t count;
    float *room; /* [count] */
};

/* |scale x - room|^2; the room is overwritten. */
static double square_from_room(const struct kernel *k, const struct scaled_slice *s)
{
    for (int64_t i = 0; i < s->count; i++)
        s->room[i] = s->scale * s->x[i] - s->room[i];
    return k->dot(s->room, s->room, s->count);
}

/* Adds the squared distance from the mean of what all workers have there. */
static enum status add_slice(struct loop *l, const struct scaled_slice *s, double *square)
{
    for (int64_t i = 0; i < s->count; i++)
        s->room[i] = s->scale * s->x[i];
    TRY(run_model_average(l, s->room, s->count));
    *square += square_from_room(l->worker->optim->kernel, s);
    return STATUS_OK;
}

static enum status own_from_mean(struct loop *l, float *room, struct consensus_from_mean *own)
{
    const int64_t n = l->build->layout.param_count, length = run_model_slice(n);
    const float *x = l->memory->state;
    const float scale = (float)inverse_norm(l->worker->optim->kernel, x, n);
    double raw = 0, normalized = 0;

    for (int64_t begin = 0; begin < n; begin += length) {
        const int64_t count = n - begin < length ? n - begin : length;

        TRY(add_slice(l, &(struct scaled_slice){x + begin, 1, count, room}, &raw));
        TRY(add_slice(l, &(struct scaled_slice){x + begin, scale, count, room}, &normalized));
    }
    *own = (struct consensus_from_mean){sqrt(raw), sqrt(normalized)};
    return STATUS_OK;
}

/* Every worker's own to the leader, worker 0: all[workers]. */
static enum status gather_own(struct loop *l, struct consensus_from_mean *all,
                              const struct consensus_from_mean *own)
{
    struct transport *t = l->worker->transport;

    if (l->leader == NULL)
        return transport_send(t, 0, CONTROL_MODEL_SLICE, own, sizeof *own);
    all[0] = *own;
    for (int from = 1; from < t->workers; from++) {
        struct envelope e;
        TRY(transport_recv(t, from, CONTROL_MODEL_SLICE, &e, &all[from], sizeof all[from]));
    }
    return STATUS_OK;
}

static enum status from_mean(struct loop *l, struct consensus_distance *distances)
{
    const int workers = l->build->workers;
    float *room = MEM_NEW_N(float, run_model_slice(l->build->layout.param_count));
    struct consensus_from_mean own = {0};
    struct consensus_from_mean *all =
        l->leader != NULL ? MEM_NEW_N(struct consensus_from_mean, workers) : NULL;
    enum status s = own_from_mean(l, room, &own);

    if (s == STATUS_OK)
        s = gather_own(l, all, &own);
    if (s == STATUS_OK && l->leader != NULL)
        consensus_distance_init_from_mean(distances, all, workers);
    mem_free(all);
    mem_free(room);
    return s;
}

/* --- between any two --- */

struct slices {
    int workers, rank;
    int64_t begin, count; /* of the own slice */
    float *rows;          /* [workers][count] */
};

static enum status send_slices(struct transport *t, const float *gap, int64_t n)
{
    for (int to = 0; to < t->workers; to++) {
        int64_t begin = 0, end = 0;

        team_part(n, to, t->workers, &begin, &end);
        if (to != t->rank)
            TRY(transport_send(t, to, CONTROL_MODEL_SLICE, gap + begin,
                               (size_t)(end - begin) * sizeof *gap));
    }
    return STATUS_OK;
}

static enum status receive_slices(struct transport *t, struct slices *s, const float *gap)
{
    const size_t bytes = (size_t)s->count * sizeof *s->rows;
    struct envelope e;

    for (int from = 0; from < t->workers; from++) {
        float *row = s->rows + from * s->count;

        if (from == t->rank)
            memcpy(row, gap + s->begin, bytes);
        else
            TRY(transport_recv(t, from, CONTROL_MODEL_SLICE, &e, row, bytes));
    }
    return STATUS_OK;
}

enum { BLOCK_VALUES = 1 << 13 };

/* Rows of the table: as many as make a block, at least one. */
static int block_rows(int workers)
{
    const int rows = BLOCK_VALUES / workers;

    return rows < 1 ? 1 : rows < workers ? rows : workers;
}

/* Rows first .. end - 1 of the products, right of the diagonal; what is left of it stays. */
static void multiply(const struct kernel *k, const struct slices *s, int first, int end,
                     double *gram)
{
    for (int i = first; i < end; i++)
        for (int j = i; j < s->workers; j++)
            gram[(int64_t)(i - first) * s->workers + j] =
                k->dot(s->rows + i * s->count, s->rows + j * s->count, s->count);
}

static enum status add_control(struct loop *l, double *x, int64_t count)
{
    return transport_sum(
        l->worker->transport,
        &(struct sum){.data = x, .count = count, .type = SUM_DOUBLE, .is_control = true});
}

/* Block after block; table[workers][workers] is the leader's and NULL elsewhere. */
static enum status add_blocks(struct loop *l, const struct slices *s, double *block, double *table)
{
    const int64_t width = s->workers;
    const int rows = block_rows(s->workers);

    for (int first = 0; first < s->workers; first += rows) {
        const int end = first + rows < s->workers ? first + rows : s->workers;
        const int64_t count = (end - first) * width;

        memset(block, 0, (size_t)count * sizeof *block);
        multiply(l->worker->optim->kernel, s, first, end, block);
        TRY(add_control(l, block, count));
        if (table != NULL)
            memcpy(table + first * width, block, (size_t)count * sizeof *block);
    }
    return STATUS_OK;
}

static enum status multiply_all(struct loop *l, const struct slices *s, double *table)
{
    double *block = MEM_NEW_N(double, (int64_t)block_rows(s->workers) * s->workers);
    const enum status status = add_blocks(l, s, block, table);

    mem_free(block);
    return status;
}

/* All products; gap[n] is the own vector from the mean. */
static enum status multiply_slices(struct loop *l, const float *gap, int64_t n, double *table)
{
    struct transport *t = l->worker->transport;
    struct slices s = {.workers = t->workers, .rank = t->rank};
    int64_t end = 0;

    team_part(n, t->rank, t->workers, &s.begin, &end);
    s.count = end - s.begin;
    s.rows = MEM_NEW_N(float, s.count *s.workers + 1);
    enum status status = send_slices(t, gap, n);
    if (status == STATUS_OK)
        status = receive_slices(t, &s, gap);
    if (status == STATUS_OK)
        status = multiply_all(l, &s, table);
    mem_free(s.rows);
    return status;
}

/* The products of all workers, and squares[workers]: each worker's own. */
static enum status products(struct loop *l, double *table, double *squares)
{
    const struct kernel *k = l->worker->optim->kernel;
    const int64_t n = l->build->layout.param_count;
    const float *x = l->memory->state;
    float *gap = MEM_NEW_N(float, n + 1);

    memcpy(gap, x, (size_t)n * sizeof *gap);
    enum status s = run_model_average(l, gap, n);
    for (int64_t i = 0; i < n; i++)
        gap[i] = x[i] - gap[i];
    squares[l->worker->transport->rank] = k->dot(x, x, n);
    if (s == STATUS_OK)
        s = multiply_slices(l, gap, n, table);
    if (s == STATUS_OK)
        s = add_control(l, squares, l->build->workers);
    mem_free(gap);
    return s;
}

static enum status between_pairs(struct loop *l, struct consensus_distance *distances)
{
    const int64_t workers = l->build->workers;
    double *table = l->leader != NULL ? MEM_NEW_N(double, workers *workers) : NULL;
    double *squares = MEM_NEW_N(double, workers);
    const enum status s = products(l, table, squares);

    if (s == STATUS_OK && l->leader != NULL)
        consensus_distance_init(distances, table, squares, (int)workers);
    mem_free(squares);
    mem_free(table);
    return s;
}

/* --- models in memory --- */

static void pairs_of_models(const struct loop *l, const float *models, int64_t stride,
                            struct consensus_distance *distances)
{
    const struct kernel *k = l->worker->optim->kernel;
    const int64_t n = l->build->layout.param_count;
    struct slices s = {.workers = l->build->workers, .count = n};
    double *table = MEM_NEW_N(double, (int64_t)s.workers *(s.workers + 1));

    s.rows = MEM_NEW_N(float, s.workers *n + 1);
    for (int w = 0; w < s.workers; w++) {
        const float *x = models + w * stride;

        table[(int64_t)s.workers * s.workers + w] = k->dot(x, x, n);
        for (int64_t i = 0; i < n; i++)
            s.rows[w * n + i] = x[i] - l->run_model[i];
    }
    multiply(k, &s, 0, s.workers, table);
    consensus_distance_init(distances, table, table + (int64_t)s.workers * s.workers, s.workers);
    mem_free(s.rows);
    mem_free(table);
}

static void models_from_mean(const struct loop *l, const float *models, int64_t stride,
                             struct consensus_distance *distances)
{
    const struct kernel *k = l->worker->optim->kernel;
    const int64_t n = l->build->layout.param_count;
    const int workers = l->build->workers;
    struct consensus_from_mean *all = MEM_NEW_N(struct consensus_from_mean, workers);
    float *mean = MEM_NEW_N(float, n), *room = MEM_NEW_N(float, n);

    for (int w = 0; w < workers; w++)
        k->axpy(mean, (float)(inverse_norm(k, models + w * stride, n) / workers),
                models + w * stride, n);
    for (int w = 0; w < workers; w++) {
        const float *x = models + w * stride;
        const float scale = (float)inverse_norm(k, x, n);

        memcpy(room, l->run_model, (size_t)n * sizeof *room);
        all[w].distance = sqrt(square_from_room(k, &(struct scaled_slice){x, 1, n, room}));
        memcpy(room, mean, (size_t)n * sizeof *room);
        all[w].normalized = sqrt(square_from_room(k, &(struct scaled_slice){x, scale, n, room}));
    }
    consensus_distance_init_from_mean(distances, all, workers);
    mem_free(room);
    mem_free(mean);
    mem_free(all);
}

void consensus_of_models(const struct loop *l, const float *models, int64_t stride,
                         struct consensus_distance *distances)
{
    if (consensus_measures_pairs(l->build))
        pairs_of_models(l, models, stride, distances);
    else
        models_from_mean(l, models, stride, distances);
}

/* --- all of it --- */

static enum status record_distance(struct loop *l, const struct consensus_distance *distances)
{
    for (int w = 0; w < l->build->workers; w++) {
        l->leader->report->per_worker[w].distance = distances->from_mean[w];
        l->leader->report->per_worker[w].normalized_distance = distances->from_mean_normalized[w];
    }
    if (l->was_finished)
        return STATUS_OK;
    return consensus_log_add(&l->leader->consensus_log, l->round, distances);
}

enum status consensus_measure(struct loop *l)
{
    struct consensus_distance distances = {0};
    enum status s = consensus_measures_pairs(l->build) ? between_pairs(l, &distances)
                                                       : from_mean(l, &distances);

    if (s == STATUS_OK && l->leader != NULL)
        s = record_distance(l, &distances);
    consensus_distance_release(&distances);
    return s;
}
