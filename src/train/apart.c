/*
 * apart.c - how far apart the nodes of a graph are, worked out by all of them.
 *
 * The products of all pairs need every model in one place, which for many nodes is too much for
 * one. So each worker gets a slice of everybody's vector, multiplies that, and control sums add
 * the slices, in rank order: the same bits on every transport. Vectors are taken from the mean, so
 * that small distances keep their digits.
 *
 * The table of all pairs goes by in blocks of rows, and only the leader keeps it: one for every
 * worker would be the cube of their number.
 */
#include <string.h>

#include "base/mem.h"
#include "base/team.h"
#include "train/loop_parts.h"

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
            TRY(transport_send(t, to, LOOP_SLICE, gap + begin,
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
            TRY(transport_recv(t, from, LOOP_SLICE, &e, row, bytes));
    }
    return STATUS_OK;
}

enum { BLOCK_VALUES = 1 << 16 };

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

/* The products of all workers, and squares[workers]: everybody's own. */
static enum status products(struct loop *l, const float *mean, double *table, double *squares)
{
    const struct kernel *k = l->worker->optim->kernel;
    const int64_t n = l->build->model->param_count;
    const float *x = l->actor->state;
    float *gap = MEM_NEW_N(float, n + 1);

    for (int64_t i = 0; i < n; i++)
        gap[i] = x[i] - mean[i];
    squares[l->worker->transport->rank] = k->dot(x, x, n);
    enum status s = multiply_slices(l, gap, n, table);
    if (s == STATUS_OK)
        s = add_control(l, squares, l->build->workers);
    mem_free(gap);
    return s;
}

void apart_models(const struct loop *l, const float *models, int64_t stride, struct spread *spread)
{
    const struct kernel *k = l->worker->optim->kernel;
    const int64_t n = l->build->model->param_count;
    struct slices s = {.workers = l->build->workers, .count = n};
    double *table = MEM_NEW_N(double, (int64_t)s.workers *(s.workers + 1));

    s.rows = MEM_NEW_N(float, s.workers *n + 1);
    for (int w = 0; w < s.workers; w++) {
        const float *x = models + w * stride;

        table[(int64_t)s.workers * s.workers + w] = k->dot(x, x, n);
        for (int64_t i = 0; i < n; i++)
            s.rows[w * n + i] = x[i] - l->view[i];
    }
    multiply(k, &s, 0, s.workers, table);
    spread_init(spread, table, table + (int64_t)s.workers * s.workers, s.workers);
    mem_free(s.rows);
    mem_free(table);
}

static enum status take_spread(struct loop *l, const double *table, const double *squares)
{
    const int workers = l->build->workers;
    struct spread spread;
    enum status s = STATUS_OK;

    spread_init(&spread, table, squares, workers);
    for (int w = 0; w < workers; w++) {
        l->report->each[w].distance = spread.from_mean[w];
        l->report->each[w].normalized_distance = spread.from_mean_normalized[w];
    }
    if (!l->report->was_finished)
        s = spread_log_add(&l->spreads, l->place.round, &spread);
    spread_release(&spread);
    return s;
}

enum status examine_spread(struct loop *l, const float *mean)
{
    const int64_t workers = l->build->workers;
    double *table = l->is_lead ? MEM_NEW_N(double, workers *workers) : NULL;
    double *squares = MEM_NEW_N(double, workers);
    enum status s = products(l, mean, table, squares);

    if (s == STATUS_OK && l->is_lead)
        s = take_spread(l, table, squares);
    mem_free(squares);
    mem_free(table);
    return s;
}
