/* support.c - what several layers need; see support.h. */
#include "nn/layers/support.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"

enum {
    ALONE = 16384,        /* elements below which waking the team costs more than it saves */
    CHUNK_FLOATS = 32768, /* 128 KB: what one thread keeps in its second-level cache */
    ENDS = 2,             /* pieces of a part's last quarter that others may take */
    SHARERS_MOST = 32,    /* threads: their ends have the bits of one word */
    CHUNK_ROWS_MIN = 48,  /* eight tiles of six rows use a panel that is in cache */
};

enum status layer_fail(const struct layer *l, const char *format, ...)
{
    struct text t = {0};
    enum status s;
    va_list arguments;

    va_start(arguments, format);
    text_addv(&t, format, arguments);
    va_end(arguments);
    s = FAIL(STATUS_BAD_INPUT, "%s (%s): %s", l->name, l->ops->entry.name, text_get(&t));
    text_release(&t);
    return s;
}

enum status layer_fail_shape(const struct layer *l, const char *what, struct shape s)
{
    struct text t = {0};
    enum status status;

    shape_text(s, &t);
    status = layer_fail(l, "%s an input of %s", what, text_get(&t));
    text_release(&t);
    return status;
}

struct tensor *layer_add_tensor(struct layer *l, const char *suffix, enum tensor_kind kind,
                                int64_t count)
{
    struct tensor *t = &l->tensors[l->tensor_count++];

    CHECK(l->tensor_count <= LAYER_TENSORS_MAX);
    *t = (struct tensor){
        .name = text_format("%s.%s", l->name, suffix),
        .kind = kind,
        .rank = 1,
        .dims = {count},
        .count = count,
        .rows = 1,
        .columns = count,
    };
    return t;
}

struct tensor *layer_add_weights(struct layer *l, struct shape from, int64_t out, bool bias)
{
    const int64_t k = shape_size(from);
    struct tensor *w = layer_add_tensor(l, "weight", TENSOR_WEIGHT, k * out);

    w->rows = out;
    w->columns = k;
    w->panel_out = out;
    w->panel_height = from.height;
    w->panel_width = from.width;
    w->panel_channels = from.channels;
    w->init = INIT_UNIFORM;
    w->bound = 1.0 / sqrt((double)k);
    if (bias) {
        struct tensor *b = layer_add_tensor(l, "bias", TENSOR_BIAS, out);
        b->init = INIT_UNIFORM;
        b->bound = w->bound;
    }
    return w;
}

float *layer_scratch(const struct layer_pass *p, int thread)
{
    return p->scratch + thread * p->layer->scratch_per_thread;
}

struct split_work {
    layer_body *body;
    const void *context;
    int64_t pieces;
    atomic_uint_fast64_t taken; /* of layer_share: a bit for each end of a part */
};

static void run_part(void *context, int thread, int threads)
{
    const struct split_work *s = context;
    int64_t begin, end;

    team_part(s->pieces, thread, threads, &begin, &end);
    if (begin < end)
        s->body(s->context, thread, begin, end);
}

/* Half of the last quarter of thread `of`, computed by `thread` if nobody has taken it. */
static void run_end(struct split_work *s, int thread, int of, int threads, int half)
{
    const uint_fast64_t bit = UINT64_C(1) << (ENDS * of + half);
    int64_t begin, end, quarter, from, to;

    team_part(s->pieces, of, threads, &begin, &end);
    quarter = (end - begin) / 4;
    from = end - quarter + half * (quarter / ENDS);
    to = half == ENDS - 1 ? end : from + quarter / ENDS;
    if (from < to && (atomic_fetch_or_explicit(&s->taken, bit, memory_order_relaxed) & bit) == 0)
        s->body(s->context, thread, from, to);
}

/* Its own part first, then what others have left. */
static void run_shared(void *context, int thread, int threads)
{
    struct split_work *s = context;
    int64_t begin, end;

    team_part(s->pieces, thread, threads, &begin, &end);
    end -= (end - begin) / 4;
    if (begin < end)
        s->body(s->context, thread, begin, end);
    for (int i = 0; i < threads; i++)
        for (int half = 0; half < ENDS; half++)
            run_end(s, thread, (thread + i) % threads, threads, half);
}

static void run_split(const struct layer_pass *p, struct split_work *s, team_body *parts)
{
    const struct layer *l = p->layer;
    const int64_t work = p->batch * (shape_size(l->in[0]) + shape_size(l->out) + l->flops / 16);

    if (work < ALONE || team_size(p->team) == 1)
        run_part(s, 0, 1);
    else
        team_run(p->team, parts, s);
}

void layer_split(const struct layer_pass *p, int64_t pieces, layer_body *body, const void *context)
{
    struct split_work s = {.body = body, .context = context, .pieces = pieces};

    run_split(p, &s, run_part);
}

void layer_share(const struct layer_pass *p, int64_t pieces, layer_body *body, const void *context)
{
    struct split_work s = {.body = body, .context = context, .pieces = pieces};

    run_split(p, &s, team_size(p->team) <= SHARERS_MOST ? run_shared : run_part);
}

struct slice_job {
    const struct layer_pass *pass;
    const struct slice_sums *sums;
};

static void sum_slices(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct slice_job *job = context;
    const struct slice_sums *s = job->sums;
    const int64_t batch = job->pass->batch;

    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const int64_t first = i * SLICE, last = first + SLICE < batch ? first + SLICE : batch;
        double *part = s->parts + i * s->channels;
        memset(part, 0, (size_t)s->channels * sizeof *part);
        job->pass->kernel->column_sums(part, s->x + first * s->rows * s->channels,
                                       (last - first) * s->rows, s->channels);
    }
}

void layer_add_slices(const struct layer_pass *p, const struct slice_sums *s)
{
    const int64_t slices = layer_slices(p->batch);

    memset(s->sums, 0, (size_t)s->channels * sizeof *s->sums);
    for (int64_t i = 0; i < slices; i++)
        for (int64_t c = 0; c < s->channels; c++)
            s->sums[c] += s->parts[i * s->channels + c];
}

void layer_sum_slices(const struct layer_pass *p, const struct slice_sums *s)
{
    const struct slice_job job = {.pass = p, .sums = s};

    layer_split(p, layer_slices(p->batch), sum_slices, &job);
    layer_add_slices(p, s);
}

int64_t layer_slice_floats(int64_t batch, int64_t channels, int64_t arrays)
{
    return 2 * channels * (layer_slices(batch) + 1) * arrays;
}

void layer_plan_slices(struct layer *l, int64_t channels, int64_t arrays)
{
    const int64_t floats = 2 * channels * arrays; /* of one slice */

    /* ceil(batch / 8) + 1 <= batch / 8 + 2 */
    l->scratch_shared_per_sample += (floats + SLICE - 1) / SLICE;
    l->scratch_shared_fixed += 2 * floats;
}

int64_t layer_row_chunk(int64_t k)
{
    const int64_t rows = CHUNK_FLOATS / k;

    return rows > CHUNK_ROWS_MIN ? rows : CHUNK_ROWS_MIN;
}
