/*
 * onednn_conv.c - one convolution with bias by oneDNN 2.x, pass by pass: forward, backward_data,
 * backward_weights.
 *
 * Both of oneDNN's algorithms are made, direct and what it chooses itself (Winograd where it has
 * that); the faster one of each pass counts. oneDNN chooses the layouts of all arrays, and what it
 * costs to bring data into them is left out: its best case.
 */
#include <dnnl.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "conv_serve.h"

#if DNNL_VERSION_MAJOR != 2
#error "written for oneDNN 2.x (Debian 12: libdnnl-dev)"
#endif

#define DNNL(call) CHECK((call) == dnnl_success)

enum { ALGORITHMS = 2, TRIALS = 5 };
enum { FORWARD, BACKWARD_DATA, BACKWARD_WEIGHTS, PASSES };
static const char *const pass_names[PASSES] = {"forward", "backward_data", "backward_weights"};

struct pass {
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    int count;
    dnnl_exec_arg_t arguments[4];
};

struct conv_peer {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    struct pass passes[ALGORITHMS][PASSES];
    int best[PASSES]; /* the faster algorithm */
};

/* What a convolution is described by. */
struct shapes {
    dnnl_memory_desc_t source, weights, bias, destination;
    dnnl_dims_t strides, pads;
    dnnl_alg_kind_t algorithm;
    dnnl_primitive_desc_t hint; /* for backward: that of forward */
};

static dnnl_memory_desc_t describe(int rank, const dnnl_dims_t sizes)
{
    dnnl_memory_desc_t d;

    DNNL(dnnl_memory_desc_init_by_tag(&d, rank, sizes, dnnl_f32,
                                      rank == 1 ? dnnl_a : dnnl_format_tag_any));
    return d;
}

static struct shapes shapes_of(const struct conv *c, dnnl_alg_kind_t algorithm)
{
    const int64_t out = conv_out(c);
    const dnnl_dims_t source = {c->batch, c->channels, c->side, c->side};
    const dnnl_dims_t weights = {c->filters, c->channels, c->kernel, c->kernel};
    const dnnl_dims_t destination = {c->batch, c->filters, out, out};
    const dnnl_dims_t bias = {c->filters};

    return (struct shapes){
        .source = describe(4, source),
        .weights = describe(4, weights),
        .bias = describe(1, bias),
        .destination = describe(4, destination),
        .strides = {c->stride, c->stride},
        .pads = {c->pad,    c->pad   },
        .algorithm = algorithm,
    };
}

/* Adds an array of the layout that oneDNN chose. */
static void add_argument(struct conv_peer *p, struct pass *pass, int argument, dnnl_query_t what)
{
    const dnnl_memory_desc_t *d = dnnl_primitive_desc_query_md(pass->description, what, 0);
    const size_t floats = dnnl_memory_desc_get_size(d) / sizeof(float);
    dnnl_memory_t memory;
    void *data = NULL;
    uint32_t state = 1;

    DNNL(dnnl_memory_create(&memory, d, p->engine, DNNL_MEMORY_ALLOCATE));
    DNNL(dnnl_memory_get_data_handle(memory, &data));
    for (size_t i = 0; i < floats; i++) {
        state = state * 1664525U + 1013904223U;
        ((float *)data)[i] = (float)(state >> 8) * 0x1p-23F - 1.0F;
    }
    pass->arguments[pass->count++] = (dnnl_exec_arg_t){argument, memory};
}

static void make(struct conv_peer *p, struct pass *pass, const dnnl_convolution_desc_t *d,
                 dnnl_primitive_desc_t hint)
{
    DNNL(dnnl_primitive_desc_create(&pass->description, d, NULL, p->engine, hint));
    DNNL(dnnl_primitive_create(&pass->primitive, pass->description));
}

static void make_forward(struct conv_peer *p, struct pass *pass, const struct shapes *s)
{
    dnnl_convolution_desc_t d;

    DNNL(dnnl_convolution_forward_desc_init(&d, dnnl_forward_training, s->algorithm, &s->source,
                                            &s->weights, &s->bias, &s->destination, s->strides,
                                            s->pads, s->pads));
    make(p, pass, &d, s->hint);
    add_argument(p, pass, DNNL_ARG_SRC, dnnl_query_src_md);
    add_argument(p, pass, DNNL_ARG_WEIGHTS, dnnl_query_weights_md);
    pass->arguments[pass->count] = (dnnl_exec_arg_t){DNNL_ARG_BIAS, NULL};
    DNNL(dnnl_memory_create(&pass->arguments[pass->count++].memory, &s->bias, p->engine,
                            DNNL_MEMORY_ALLOCATE));
    add_argument(p, pass, DNNL_ARG_DST, dnnl_query_dst_md);
}

static void make_backward_data(struct conv_peer *p, struct pass *pass, const struct shapes *s)
{
    dnnl_convolution_desc_t d;

    DNNL(dnnl_convolution_backward_data_desc_init(&d, s->algorithm, &s->source, &s->weights,
                                                  &s->destination, s->strides, s->pads, s->pads));
    make(p, pass, &d, s->hint);
    add_argument(p, pass, DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md);
    add_argument(p, pass, DNNL_ARG_WEIGHTS, dnnl_query_weights_md);
    add_argument(p, pass, DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md);
}

static void make_backward_weights(struct conv_peer *p, struct pass *pass, const struct shapes *s)
{
    dnnl_convolution_desc_t d;

    DNNL(dnnl_convolution_backward_weights_desc_init(&d, s->algorithm, &s->source, &s->weights,
                                                     &s->bias, &s->destination, s->strides, s->pads,
                                                     s->pads));
    make(p, pass, &d, s->hint);
    add_argument(p, pass, DNNL_ARG_SRC, dnnl_query_src_md);
    add_argument(p, pass, DNNL_ARG_DIFF_WEIGHTS, dnnl_query_diff_weights_md);
    pass->arguments[pass->count] = (dnnl_exec_arg_t){DNNL_ARG_DIFF_BIAS, NULL};
    DNNL(dnnl_memory_create(&pass->arguments[pass->count++].memory, &s->bias, p->engine,
                            DNNL_MEMORY_ALLOCATE));
    add_argument(p, pass, DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md);
}

static double run_pass(const struct conv_peer *p, const struct pass *pass)
{
    const double start = clock_seconds();

    DNNL(dnnl_primitive_execute(pass->primitive, p->stream, pass->count, pass->arguments));
    DNNL(dnnl_stream_wait(p->stream));
    return clock_seconds() - start;
}

static int faster(const struct conv_peer *p, int pass)
{
    double best[ALGORITHMS] = {1e9, 1e9};

    for (int trial = 0; trial < TRIALS; trial++)
        for (int a = 0; a < ALGORITHMS; a++) {
            const double seconds = run_pass(p, &p->passes[a][pass]);
            best[a] = seconds < best[a] ? seconds : best[a];
        }
    return best[1] < best[0];
}

struct conv_peer *conv_peer_new(const struct conv *c)
{
    static const dnnl_alg_kind_t algorithms[ALGORITHMS] = {dnnl_convolution_direct,
                                                           dnnl_convolution_auto};
    struct conv_peer *p = MEM_NEW(struct conv_peer);

    DNNL(dnnl_engine_create(&p->engine, dnnl_cpu, 0));
    DNNL(dnnl_stream_create(&p->stream, p->engine, dnnl_stream_default_flags));
    for (int a = 0; a < ALGORITHMS; a++) {
        struct shapes s = shapes_of(c, algorithms[a]);
        struct pass *passes = p->passes[a];

        make_forward(p, &passes[FORWARD], &s);
        s.hint = passes[FORWARD].description;
        make_backward_data(p, &passes[BACKWARD_DATA], &s);
        make_backward_weights(p, &passes[BACKWARD_WEIGHTS], &s);
    }
    for (int i = 0; i < PASSES; i++)
        p->best[i] = faster(p, i);
    return p;
}

static void release_pass(struct pass *pass)
{
    for (int k = 0; k < pass->count; k++)
        dnnl_memory_destroy(pass->arguments[k].memory);
    dnnl_primitive_destroy(pass->primitive);
    dnnl_primitive_desc_destroy(pass->description);
}

void conv_peer_free(struct conv_peer *p)
{
    if (p == NULL)
        return;
    for (int i = 0; i < ALGORITHMS * PASSES; i++)
        release_pass(&p->passes[i / PASSES][i % PASSES]);
    dnnl_stream_destroy(p->stream);
    dnnl_engine_destroy(p->engine);
    mem_free(p);
}

double conv_peer_run(struct conv_peer *p, const char *name)
{
    for (int i = 0; i < PASSES; i++)
        if (strcmp(pass_names[i], name) == 0)
            return run_pass(p, &p->passes[p->best[i]][i]);
    return -1;
}
