/*
 * evaluation_series_npz.c - the series as numpy.savez would write them: a zip file of .npy files,
 * one array per series with the evaluations as its first dimension.
 */
#include "base/mem.h"
#include "base/text.h"
#include "format/npy.h"
#include "format/zip.h"
#include "record/evaluation_series.h"

/* values[dims] as <name>.npy */
static enum status add_array(struct zip *z, const struct named_series *s, const int64_t *dims,
                             int rank)
{
    char *name = text_format("%s.npy", s->name);
    struct text file = {0};
    int64_t count = 1;

    for (int i = 0; i < rank; i++)
        count *= dims[i];
    void *data = evaluation_series_bytes(s->values, count, s->is_count);
    npy_add(&file, s->is_count ? NPY_I64 : NPY_F64, rank, dims, data);
    const enum status status = zip_add(z, name, file.data, file.length);
    mem_free(data);
    text_release(&file);
    mem_free(name);
    return status;
}

static enum status add_answers(struct zip *z, const struct evaluation_series *r)
{
    struct text file = {0};

    npy_add(&file, NPY_BOOL, 3, (int64_t[]){r->evaluations, r->nodes, r->samples}, r->correct);
    const enum status status = zip_add(z, CORRECT_SERIES ".npy", file.data, file.length);
    text_release(&file);
    return status;
}

static enum status add_all(struct zip *z, const struct evaluation_series *r)
{
    const struct named_series edges = {.name = "edges", .is_count = true, .values = r->edges};

    for (int i = 0; i < r->series_count; i++) {
        const struct named_series *s = &r->series[i];
        TRY(add_array(z, s, (int64_t[]){r->evaluations, s->dims[0], s->dims[1]}, 1 + s->rank));
    }
    if (r->correct != NULL)
        TRY(add_answers(z, r));
    return r->edges == NULL ? STATUS_OK : add_array(z, &edges, (int64_t[]){r->edge_count, 2}, 2);
}

enum status evaluation_series_write_npz(const struct evaluation_series *r, const char *path)
{
    struct zip z;

    TRY(zip_open(&z, path));
    return zip_close(&z, add_all(&z, r));
}
