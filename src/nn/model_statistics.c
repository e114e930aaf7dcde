/*
 * model_statistics.c - BatchNorm's running statistics outside of a pass: reset, and averaged over
 * batches.
 *
 * Not here: the statistics of a batch (layers/batchnorm.c), moving them (kernel/tensor.h).
 */
#include "nn/model_memory.h"

/* One layer's range of the buffers, which lie side by side: a layer without has none. */
struct range {
    int64_t begin, end;
};

static struct range buffers_of(const struct model *m, const struct layer *l)
{
    struct range r = {0, 0};

    for (int t = 0; t < l->tensor_count; t++) {
        const int64_t begin = l->tensors[t].offset - m->param_count;
        if (l->tensors[t].kind != TENSOR_BUFFER)
            continue;
        r.begin = r.end == 0 ? begin : r.begin;
        r.end = begin + l->tensors[t].count;
    }
    return r;
}

void model_reset_statistics(const struct model *m, float *buffers)
{
    for (int i = 0; i < m->tensor_count; i++) {
        const struct tensor *t = &m->tensors[i];
        if (t->kind != TENSOR_BUFFER)
            continue;
        for (int64_t k = 0; k < t->count; k++)
            buffers[t->offset - m->param_count + k] = t->init == INIT_ONE ? 1.0F : 0.0F;
    }
}

void model_average_statistics(const struct model *m, float *buffers, const double *sums,
                              const int64_t *batches_tracked)
{
    for (int i = 0; i < m->layer_count; i++) {
        const struct range r = buffers_of(m, &m->layers[i]);
        const int64_t batches = r.end > r.begin ? batches_tracked[m->memory->layers[i].tracked] : 0;
        for (int64_t k = r.begin; batches > 0 && k < r.end; k++)
            buffers[k] = (float)(sums[k] / (double)batches);
    }
}
