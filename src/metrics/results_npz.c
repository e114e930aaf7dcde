/*
 * results_npz.c - results as numpy.savez would write them: a zip file of .npy files, one array per
 * series with the evaluations as its first dimension.
 */
#include "base/mem.h"
#include "base/text.h"
#include "metrics/results.h"
#include "metrics/zip.h"

enum { PREFIX_BYTES = 10, ALIGNMENT = 64 };

/* Version 1.0: magic, length, a Python dict padded with blanks and ended by a newline. */
static void add_header(struct text *file, bool is_count, const int64_t *dims, int rank)
{
    static const char magic[] = "\x93NUMPY\x01";
    struct text dict = {0};

    text_addf(&dict, "{'descr': '%s', 'fortran_order': False, 'shape': (",
              is_count ? "<i8" : "<f8");
    for (int i = 0; i < rank; i++)
        text_addf(&dict, "%lld,%s", (long long)dims[i], i + 1 < rank ? " " : "");
    text_add(&dict, "), }");
    while ((PREFIX_BYTES + dict.length + 1) % ALIGNMENT != 0)
        text_add(&dict, " ");
    text_add(&dict, "\n");

    const char prefix[3] = {0, (char)(dict.length & 0xff), (char)(dict.length >> 8)};
    text_add_n(file, magic, sizeof magic - 1);
    text_add_n(file, prefix, sizeof prefix);
    text_add_n(file, dict.data, dict.length);
    text_release(&dict);
}

/* values[dims] as <name>.npy */
static enum status add_array(struct zip *z, const struct results_series *s, const int64_t *dims,
                             int rank)
{
    char *name = text_format("%s.npy", s->name);
    struct text file = {0};
    int64_t count = 1;

    for (int i = 0; i < rank; i++)
        count *= dims[i];
    add_header(&file, s->is_count, dims, rank);
    char *data = results_bytes(s->values, count, s->is_count);
    text_add_n(&file, data, (size_t)count * sizeof(double));
    const enum status status = zip_add(z, name, file.data, file.length);
    mem_free(data);
    text_release(&file);
    mem_free(name);
    return status;
}

static enum status add_all(struct zip *z, const struct results *r)
{
    const struct results_series edges = {.name = "edges", .is_count = true, .values = r->edges};

    for (int i = 0; i < r->series_count; i++) {
        const struct results_series *s = &r->series[i];
        TRY(add_array(z, s, (int64_t[]){r->evaluations, s->dims[0], s->dims[1]}, 1 + s->rank));
    }
    return r->edges == NULL ? STATUS_OK : add_array(z, &edges, (int64_t[]){r->edge_count, 2}, 2);
}

enum status results_write_npz(const struct results *r, const char *path)
{
    struct zip z;

    TRY(zip_open(&z, path));
    return zip_close(&z, add_all(&z, r));
}
