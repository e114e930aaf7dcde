/*
 * evaluation_series_pt.c - results for torch.load:
 *
 *     {"validation_loss": [tensor of evaluation 0, tensor of evaluation 1, ...], ..., "edges": t}
 */
#include "base/mem.h"
#include "format/torch_file.h"
#include "record/evaluation_series.h"

static enum status add_numbers(struct torch_file *f, const double *values, bool is_count,
                               int64_t count, struct torch_storage *s)
{
    void *data = evaluation_series_bytes(values, count, is_count);
    const enum status status =
        torch_file_storage(f, is_count ? TORCH_I64 : TORCH_F64, count, data, s);

    mem_free(data);
    return status;
}

static enum status add_series(struct torch_file *f, const struct named_series *s,
                              int64_t evaluations)
{
    struct torch_storage storage;

    TRY(add_numbers(f, s->values, s->is_count, evaluations * s->size, &storage));
    torch_file_text(f, s->name);
    torch_file_tensors(f, &storage, evaluations, s->rank, s->dims);
    return STATUS_OK;
}

static enum status add_edges(struct torch_file *f, const struct evaluation_series *r)
{
    struct torch_storage storage;

    TRY(add_numbers(f, r->edges, true, 2 * r->edge_count, &storage));
    torch_file_text(f, "edges");
    torch_file_tensor(f, &storage, 0, 2, (int64_t[]){r->edge_count, 2});
    return STATUS_OK;
}

/* By node and sample. */
static enum status add_answers(struct torch_file *f, const struct evaluation_series *r)
{
    const int64_t count = r->evaluations * r->nodes * r->samples;
    struct torch_storage storage;

    TRY(torch_file_storage(f, TORCH_BOOL, count, r->correct, &storage));
    torch_file_text(f, CORRECT_SERIES);
    torch_file_tensors(f, &storage, r->evaluations, 2, (int64_t[]){r->nodes, r->samples});
    return STATUS_OK;
}

/* As S001 has them: a column for each robot. */
static enum status add_maps(struct torch_file *f, const struct map_series *m)
{
    struct torch_storage values, inputs;

    TRY(add_numbers(f, m->values, false, m->count * m->robots * m->points, &values));
    TRY(add_numbers(f, m->inputs, false, 2 * m->points, &inputs));
    torch_file_text(f, "mesh_grid_density");
    torch_file_tensors(f, &values, m->count, 3, (int64_t[]){m->robots, m->points, 1});
    torch_file_text(f, "mesh_inputs");
    torch_file_tensor(f, &inputs, 0, 2, (int64_t[]){m->points, 2});
    return STATUS_OK;
}

static enum status add_all(struct torch_file *f, const struct evaluation_series *r)
{
    torch_file_begin_dict(f);
    for (int i = 0; i < r->series_count; i++)
        TRY(add_series(f, &r->series[i], r->evaluations));
    if (r->edges != NULL)
        TRY(add_edges(f, r));
    if (r->correct != NULL)
        TRY(add_answers(f, r));
    if (r->maps.count > 0)
        TRY(add_maps(f, &r->maps));
    torch_file_end_dict(f);
    return STATUS_OK;
}

enum status evaluation_series_write_pt(const struct evaluation_series *r, const char *path)
{
    struct torch_file f;

    TRY(torch_file_open(&f, path));
    return torch_file_close(&f, add_all(&f, r));
}
