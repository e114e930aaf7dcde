/* workspace.c - memory for one pass over a batch; model_memory.c plans what lies where. */
#include "base/check.h"
#include "base/mem.h"
#include "nn/model_memory.h"

struct parts {
    int64_t blocks, fixed, shared, scratch; /* floats */
};

static struct parts parts_of(const struct model *m, int64_t max_batch, int threads)
{
    return (struct parts){
        .blocks = m->memory->per_sample * max_batch,
        .fixed = m->memory->fixed,
        .shared = model_memory_round(model_memory_shared_scratch(m, max_batch)),
        .scratch = m->memory->scratch_per_thread * threads,
    };
}

static int64_t total(struct parts p)
{
    return p.blocks + p.fixed + p.shared + p.scratch;
}

int64_t workspace_bytes(const struct model *m, int64_t max_batch, int threads)
{
    return total(parts_of(m, max_batch, threads)) * (int64_t)sizeof(float);
}

struct workspace *workspace_new(const struct model *m, int64_t max_batch, int threads)
{
    const struct parts p = parts_of(m, max_batch, threads);
    struct workspace *w = MEM_NEW(struct workspace);

    CHECK(max_batch >= 1 && threads >= 1);
    w->model = m;
    w->max_batch = max_batch;
    w->threads = threads;
    w->blocks = MEM_NEW_N(float, total(p));
    w->fixed = w->blocks + p.blocks;
    w->scratch_shared = w->fixed + p.fixed;
    w->scratch = w->scratch_shared + p.shared;
    return w;
}

void workspace_free(struct workspace *w)
{
    if (w == NULL)
        return;
    mem_free(w->blocks);
    mem_free(w);
}

float *workspace_input(struct workspace *w)
{
    return w->blocks + w->model->memory->input * w->max_batch;
}

float *workspace_output_gradient(struct workspace *w)
{
    const struct model *m = w->model;

    return w->blocks + m->memory->layers[m->layer_count - 1].gradient * w->max_batch;
}
