/*
 * barriers.c - see barriers.h.
 *
 * Entezari, Sedghi, Saukh, Neyshabur: "The role of permutation invariance in linear mode
 * connectivity of neural networks", 2022.
 */
#include "record/barriers.h"

#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "format/npy.h"
#include "record/json_write.h"

void barriers_release(struct barriers *b)
{
    for (int64_t i = 0; i < b->model_count; i++)
        mem_free(b->names[i]);
    mem_free(b->names);
    mem_free(b->losses);
    mem_free(b->matrix);
    mem_free(b->data);
    *b = (struct barriers){0};
}

static double highest_rise(const double *losses, int64_t points)
{
    double highest = 0;

    for (int64_t i = 0; i < points; i++) {
        const double t = (double)i / (double)(points - 1);
        const double rise = losses[i] - ((1 - t) * losses[0] + t * losses[points - 1]);

        if (!isfinite(rise))
            return (double)NAN;
        highest = fmax(highest, rise);
    }
    return highest;
}

void barriers_set_matrix(struct barriers *b)
{
    const int64_t n = b->model_count;
    const double *line = b->losses;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++, line += b->points)
            b->matrix[i * n + j] = b->matrix[j * n + i] = highest_rise(line, b->points);
}

void barriers_to_json(const struct barriers *b, struct json *j)
{
    const int64_t n = b->model_count;

    json_open_map(j, NULL);
    json_int(j, "version", 1);
    json_text(j, "data", b->data);
    json_int(j, "recalibrated", b->recalibrated);
    json_write_names(j, "models", (const char *const *)b->names, n);
    json_open_list(j, "barriers");
    for (int64_t i = 0; i < n; i++)
        json_number_list(j, NULL, b->matrix + i * n, n, 0);
    json_close_list(j);
    json_open_list(j, "losses");
    for (int64_t i = 0; i < b->pair_count; i++)
        json_number_list(j, NULL, b->losses + i * b->points, b->points, 0);
    json_close_list(j);
    json_close_map(j);
}

static enum status write_array(const struct barriers *b, const char *folder)
{
    char *path = file_join(folder, "between.npy");
    const int64_t dims[2] = {b->pair_count, b->points};
    const enum status s = npy_write(path, NPY_F64, 2, dims, b->losses);

    mem_free(path);
    return s;
}

enum status barriers_write(const struct barriers *b, const char *folder)
{
    struct text content = {0};
    struct json j;

    TRY(write_array(b, folder));
    json_init(&j, &content);
    barriers_to_json(b, &j);
    return json_write_file(folder, "between.json", &content);
}
