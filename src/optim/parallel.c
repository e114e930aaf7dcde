/*
 * parallel.c - cutting vectors, and adding pieces in order.
 */
#include "optim/parallel.h"

#include <math.h>
#include <string.h>

/*
 * A thread is worth its start (some microseconds) from this many elements on. Pieces of a sum are
 * at least so long, and there are never more than PIECES_MAX of them.
 */
enum { PIECE_MIN = 16384, PIECES_MAX = 64, GRAIN = 16 };

static bool is_short(const struct team *team, int64_t n)
{
    return team == NULL || team_size(team) == 1 || n < 2 * PIECE_MIN;
}

/* --- without a sum --- */

struct for_job {
    int64_t n;
    parallel_body *body;
    void *context;
};

/* Cut at multiples of a cache line, as long as the vector begins at one. */
static void for_share(void *context, int thread, int threads)
{
    const struct for_job *j = context;
    int64_t begin, end;

    team_part((j->n + GRAIN - 1) / GRAIN, thread, threads, &begin, &end);
    begin *= GRAIN;
    end = end * GRAIN < j->n ? end * GRAIN : j->n;
    if (begin < end)
        j->body(j->context, begin, end - begin);
}

void parallel_for(struct team *team, int64_t n, parallel_body *body, void *context)
{
    struct for_job job = {.n = n, .body = body, .context = context};

    if (is_short(team, n))
        body(context, 0, n);
    else
        team_run(team, for_share, &job);
}

/* --- sums --- */

struct pieces {
    int64_t n, size;
    int count;
    parallel_sum_body *body;
    void *context;
    double results[PIECES_MAX];
};

static void compute_pieces(struct pieces *p, int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; i++) {
        const int64_t begin = i * p->size, rest = p->n - begin;
        p->results[i] = p->body(p->context, begin, rest < p->size ? rest : p->size);
    }
}

static void pieces_share(void *context, int thread, int threads)
{
    struct pieces *p = context;
    int64_t first, end;

    team_part(p->count, thread, threads, &first, &end);
    compute_pieces(p, first, end);
}

static void run_pieces(struct pieces *p, struct team *team)
{
    const int64_t least = (p->n + PIECES_MAX - 1) / PIECES_MAX;

    p->size = least < PIECE_MIN ? PIECE_MIN : (least + GRAIN - 1) / GRAIN * GRAIN;
    p->count = (int)((p->n + p->size - 1) / p->size);
    if (is_short(team, p->n))
        compute_pieces(p, 0, p->count);
    else
        team_run(team, pieces_share, p);
}

double parallel_sum(struct team *team, int64_t n, parallel_sum_body *body, void *context)
{
    struct pieces p = {.n = n, .body = body, .context = context};
    double sum = 0;

    run_pieces(&p, team);
    for (int i = 0; i < p.count; i++)
        sum += p.results[i];
    return sum;
}

/* --- the kernel's functions --- */

struct parallel parallel_begin(struct team_pool *teams)
{
    return (struct parallel){
        .kernel = kernel_get(),
        .team = teams == NULL ? NULL : team_pool_take(teams),
    };
}

void parallel_end(struct parallel *p, struct team_pool *teams)
{
    if (p->team != NULL)
        team_pool_give(teams, p->team);
    p->team = NULL;
}

enum status parallel_evaluate(struct parallel *p, const struct objective *f, const float *x,
                              float *gradient, double *loss)
{
    parallel_end(p, f->teams);
    const enum status s = f->evaluate(f->context, x, gradient, loss);
    *p = parallel_begin(f->teams);
    return s;
}

struct operands {
    const struct kernel *kernel;
    float *to;
    const float *x, *y;
    float a;
};

static void copy_range(void *context, int64_t begin, int64_t count)
{
    const struct operands *o = context;

    memcpy(o->to + begin, o->x + begin, (size_t)count * sizeof *o->to);
}

void parallel_copy(const struct parallel *p, float *to, const float *from, int64_t n)
{
    parallel_for(p->team, n, copy_range, &(struct operands){.to = to, .x = from});
}

static void scale_range(void *context, int64_t begin, int64_t count)
{
    const struct operands *o = context;

    o->kernel->scale(o->to + begin, o->a, count);
}

void parallel_scale(const struct parallel *p, float *x, float a, int64_t n)
{
    parallel_for(p->team, n, scale_range, &(struct operands){.kernel = p->kernel, .to = x, .a = a});
}

static void axpy_range(void *context, int64_t begin, int64_t count)
{
    const struct operands *o = context;

    o->kernel->axpy(o->to + begin, o->a, o->x + begin, count);
}

void parallel_axpy(const struct parallel *p, float *y, float a, const float *x, int64_t n)
{
    parallel_for(p->team, n, axpy_range,
                 &(struct operands){.kernel = p->kernel, .to = y, .x = x, .a = a});
}

static double dot_piece(void *context, int64_t begin, int64_t count)
{
    const struct operands *o = context;

    return o->kernel->dot(o->x + begin, o->y + begin, count);
}

double parallel_dot(const struct parallel *p, const float *x, const float *y, int64_t n)
{
    return parallel_sum(p->team, n, dot_piece,
                        &(struct operands){.kernel = p->kernel, .x = x, .y = y});
}

static double sum_abs_piece(void *context, int64_t begin, int64_t count)
{
    const struct operands *o = context;

    return o->kernel->sum_abs(o->x + begin, count);
}

double parallel_sum_abs(const struct parallel *p, const float *x, int64_t n)
{
    return parallel_sum(p->team, n, sum_abs_piece, &(struct operands){.kernel = p->kernel, .x = x});
}

static double max_abs_piece(void *context, int64_t begin, int64_t count)
{
    const struct operands *o = context;

    return (double)o->kernel->max_abs(o->x + begin, count);
}

float parallel_max_abs(const struct parallel *p, const float *x, int64_t n)
{
    struct operands operands = {.kernel = p->kernel, .x = x};
    struct pieces pieces = {.n = n, .body = max_abs_piece, .context = &operands};
    double most = 0;

    run_pieces(&pieces, p->team);
    for (int i = 0; i < pieces.count; i++)
        if (pieces.results[i] > most || isnan(pieces.results[i]))
            most = pieces.results[i];
    return (float)most;
}
