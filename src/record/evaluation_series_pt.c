/*
 * evaluation_series_pt.c - results as torch.save would write them: a zip file with a pickle, whose
 * tensors are views of one storage per series.
 *
 * The pickle is of protocol 2 and uses only what torch.load(weights_only=True) allows:
 *
 *     {"validation_loss": [tensor of evaluation 0, tensor of evaluation 1, ...], ..., "edges": t}
 *
 * Storages have the numbers of the series; behind them are those of the edges, of the answers, of
 * the maps and of their mesh.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "format/zip.h"
#include "record/evaluation_series.h"

/* --- pickle --- */

static void op(struct text *p, char code)
{
    text_add_n(p, &code, 1);
}

static void put_bytes(struct text *p, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        op(p, (char)(uint8_t)(value >> 8 * i));
}

/* BININT where it fits, else LONG1 of eight bytes. */
static void put_int(struct text *p, int64_t value)
{
    const bool is_small = value >= INT32_MIN && value <= INT32_MAX;

    op(p, is_small ? 'J' : '\x8a');
    if (!is_small)
        op(p, 8);
    put_bytes(p, (uint64_t)value, is_small ? 4 : 8);
}

static void put_text(struct text *p, const char *text)
{
    op(p, 'X');
    put_bytes(p, strlen(text), 4);
    text_add(p, text);
}

static void put_global(struct text *p, const char *module, const char *name)
{
    text_addf(p, "c%s\n%s\n", module, name);
}

static void put_tuple(struct text *p, const int64_t *items, int count)
{
    op(p, '(');
    for (int i = 0; i < count; i++)
        put_int(p, items[i]);
    op(p, 't');
}

/* A view of a storage. */
struct view {
    int storage; /* its number */
    bool is_count, is_flag;
    int64_t storage_size, offset;
    int rank;
    const int64_t *dims;
};

static void put_storage(struct text *p, const struct view *v)
{
    char *number = text_format("%d", v->storage);

    op(p, '(');
    put_text(p, "storage");
    put_global(p, "torch",
               v->is_flag    ? "BoolStorage"
               : v->is_count ? "LongStorage"
                             : "DoubleStorage");
    put_text(p, number);
    put_text(p, "cpu");
    put_int(p, v->storage_size);
    text_add(p, "tQ");
    mem_free(number);
}

static void put_tensor(struct text *p, const struct view *v)
{
    int64_t strides[3] = {1, 1, 1};

    for (int i = v->rank - 2; i >= 0; i--)
        strides[i] = strides[i + 1] * v->dims[i + 1];

    put_global(p, "torch._utils", "_rebuild_tensor_v2");
    op(p, '(');
    put_storage(p, v);
    put_int(p, v->offset);
    put_tuple(p, v->dims, v->rank);
    put_tuple(p, strides, v->rank);
    op(p, '\x89'); /* requires no gradient */
    put_global(p, "collections", "OrderedDict");
    text_add(p, ")RtR");
}

static void put_series(struct text *p, const struct evaluation_series *r, int number)
{
    const struct named_series *s = &r->series[number];
    struct view v = {
        .storage = number,
        .is_count = s->is_count,
        .storage_size = r->evaluations * s->size,
        .rank = s->rank,
        .dims = s->dims,
    };

    put_text(p, s->name);
    text_add(p, "](");
    for (int64_t i = 0; i < r->evaluations; i++) {
        v.offset = i * s->size;
        put_tensor(p, &v);
    }
    op(p, 'e');
}

static void put_edges(struct text *p, const struct evaluation_series *r)
{
    const int64_t dims[2] = {r->edge_count, 2};

    put_text(p, "edges");
    put_tensor(p, &(struct view){
                      .storage = r->series_count,
                      .is_count = true,
                      .storage_size = 2 * r->edge_count,
                      .rank = 2,
                      .dims = dims,
                  });
}

/* By node and sample. */
static void put_answers(struct text *p, const struct evaluation_series *r)
{
    const int64_t dims[2] = {r->nodes, r->samples};
    struct view v = {
        .storage = r->series_count + 1,
        .is_flag = true,
        .storage_size = r->evaluations * r->nodes * r->samples,
        .rank = 2,
        .dims = dims,
    };

    put_text(p, CORRECT_SERIES);
    text_add(p, "](");
    for (int64_t i = 0; i < r->evaluations; i++) {
        v.offset = i * r->nodes * r->samples;
        put_tensor(p, &v);
    }
    op(p, 'e');
}

/* As S001 has them: a column for each robot. */
static void put_maps(struct text *p, const struct evaluation_series *r)
{
    const struct map_series *m = &r->maps;
    const int64_t dims[3] = {m->robots, m->points, 1}, mesh_dims[2] = {m->points, 2};
    struct view v = {
        .storage = r->series_count + 2,
        .storage_size = m->count * m->robots * m->points,
        .rank = 3,
        .dims = dims,
    };

    put_text(p, "mesh_grid_density");
    text_add(p, "](");
    for (int64_t i = 0; i < m->count; i++) {
        v.offset = i * m->robots * m->points;
        put_tensor(p, &v);
    }
    op(p, 'e');
    put_text(p, "mesh_inputs");
    put_tensor(p, &(struct view){.storage = r->series_count + 3,
                                 .storage_size = 2 * m->points,
                                 .rank = 2,
                                 .dims = mesh_dims});
}

static void make_pickle(struct text *p, const struct evaluation_series *r)
{
    op(p, '\x80');
    op(p, 2);
    text_add(p, "}(");
    for (int i = 0; i < r->series_count; i++)
        put_series(p, r, i);
    if (r->edges != NULL)
        put_edges(p, r);
    if (r->correct != NULL)
        put_answers(p, r);
    if (r->maps.count > 0)
        put_maps(p, r);
    text_add(p, "u.");
}

/* --- the file --- */

static enum status add_storage(struct zip *z, int number, const struct named_series *s,
                               int64_t count)
{
    char *name = text_format("archive/data/%d", number);
    void *data = evaluation_series_bytes(s->values, count, s->is_count);
    const enum status status = zip_add(z, name, data, (size_t)count * sizeof(double));

    mem_free(data);
    mem_free(name);
    return status;
}

static enum status add_answers(struct zip *z, const struct evaluation_series *r)
{
    char *name = text_format("archive/data/%d", r->series_count + 1);
    const size_t bytes = (size_t)(r->evaluations * r->nodes * r->samples);
    const enum status status = zip_add(z, name, r->correct, bytes);

    mem_free(name);
    return status;
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
    const enum status s = zip_add(z, "archive/data.pkl", pickle.data, pickle.length);
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
    return zip_add(z, "archive/version", "3\n", 2);
}

enum status evaluation_series_write_pt(const struct evaluation_series *r, const char *path)
{
    struct zip z;

    TRY(zip_open(&z, path));
    return zip_close(&z, add_all(&z, r));
}
