/*
 * evaluation_series_pt.c - results as torch.save would write them: a zip file with a pickle, whose
 * tensors are views of one storage per series.
 *
 * The pickle (format/pt_write.h) is that of
 *
 *     {"validation_loss": [tensor of evaluation 0, tensor of evaluation 1, ...], ..., "edges": t}
 *
 * Storages have the numbers of the series; behind them are those of the edges, of the answers, of
 * the maps and of their mesh.
 */
#include "base/mem.h"
#include "base/text.h"
#include "format/pt_write.h"
#include "record/evaluation_series.h"

/* --- pickle --- */

static void put_series(struct text *p, const struct evaluation_series *r, int number)
{
    const struct named_series *s = &r->series[number];
    struct pt_view v = {
        .storage = number,
        .type = s->is_count ? PT_I64 : PT_F64,
        .storage_size = r->evaluations * s->size,
        .rank = s->rank,
        .dims = s->dims,
    };

    pt_put_text(p, s->name);
    pt_begin_list(p);
    for (int64_t i = 0; i < r->evaluations; i++) {
        v.offset = i * s->size;
        pt_put_tensor(p, &v);
    }
    pt_end_list(p);
}

static void put_edges(struct text *p, const struct evaluation_series *r)
{
    const int64_t dims[2] = {r->edge_count, 2};

    pt_put_text(p, "edges");
    pt_put_tensor(p, &(struct pt_view){
                         .storage = r->series_count,
                         .type = PT_I64,
                         .storage_size = 2 * r->edge_count,
                         .rank = 2,
                         .dims = dims,
                     });
}

/* By node and sample. */
static void put_answers(struct text *p, const struct evaluation_series *r)
{
    const int64_t dims[2] = {r->nodes, r->samples};
    struct pt_view v = {
        .storage = r->series_count + 1,
        .type = PT_BOOL,
        .storage_size = r->evaluations * r->nodes * r->samples,
        .rank = 2,
        .dims = dims,
    };

    pt_put_text(p, CORRECT_SERIES);
    pt_begin_list(p);
    for (int64_t i = 0; i < r->evaluations; i++) {
        v.offset = i * r->nodes * r->samples;
        pt_put_tensor(p, &v);
    }
    pt_end_list(p);
}

/* As S001 has them: a column for each robot. */
static void put_maps(struct text *p, const struct evaluation_series *r)
{
    const struct map_series *m = &r->maps;
    const int64_t dims[3] = {m->robots, m->points, 1}, mesh_dims[2] = {m->points, 2};
    struct pt_view v = {
        .storage = r->series_count + 2,
        .type = PT_F64,
        .storage_size = m->count * m->robots * m->points,
        .rank = 3,
        .dims = dims,
    };

    pt_put_text(p, "mesh_grid_density");
    pt_begin_list(p);
    for (int64_t i = 0; i < m->count; i++) {
        v.offset = i * m->robots * m->points;
        pt_put_tensor(p, &v);
    }
    pt_end_list(p);
    pt_put_text(p, "mesh_inputs");
    pt_put_tensor(p, &(struct pt_view){.storage = r->series_count + 3,
                                       .type = PT_F64,
                                       .storage_size = 2 * m->points,
                                       .rank = 2,
                                       .dims = mesh_dims});
}

static void make_pickle(struct text *p, const struct evaluation_series *r)
{
    pt_begin(p);
    for (int i = 0; i < r->series_count; i++)
        put_series(p, r, i);
    if (r->edges != NULL)
        put_edges(p, r);
    if (r->correct != NULL)
        put_answers(p, r);
    if (r->maps.count > 0)
        put_maps(p, r);
    pt_end(p);
}

/* --- the file --- */

static enum status add_storage(struct zip *z, int number, const struct named_series *s,
                               int64_t count)
{
    void *data = evaluation_series_bytes(s->values, count, s->is_count);
    const enum status status = pt_add_storage(z, number, data, (size_t)count * sizeof(double));

    mem_free(data);
    return status;
}

static enum status add_answers(struct zip *z, const struct evaluation_series *r)
{
    const size_t bytes = (size_t)(r->evaluations * r->nodes * r->samples);

    return pt_add_storage(z, r->series_count + 1, r->correct, bytes);
}

static enum status add_maps(struct zip *z, const struct evaluation_series *r)
{
    const struct map_series *m = &r->maps;
    const struct named_series values = {.values = m->values}, inputs = {.values = m->inputs};

    TRY(add_storage(z, r->series_count + 2, &values, m->count * m->robots * m->points));
    return add_storage(z, r->series_count + 3, &inputs, 2 * m->points);
}

static enum status add_all(struct zip *z, const struct evaluation_series *r)
{
    const struct named_series edges = {.is_count = true, .values = r->edges};
    struct text pickle = {0};

    make_pickle(&pickle, r);
    const enum status s = pt_add_pickle(z, &pickle);
    text_release(&pickle);
    TRY(s);
    for (int i = 0; i < r->series_count; i++)
        TRY(add_storage(z, i, &r->series[i], r->evaluations * r->series[i].size));
    if (r->edges != NULL)
        TRY(add_storage(z, r->series_count, &edges, 2 * r->edge_count));
    if (r->correct != NULL)
        TRY(add_answers(z, r));
    if (r->maps.count > 0)
        TRY(add_maps(z, r));
    return pt_add_version(z);
}

enum status evaluation_series_write_pt(const struct evaluation_series *r, const char *path)
{
    struct zip z;

    TRY(zip_open(&z, path));
    return zip_close(&z, add_all(&z, r));
}
