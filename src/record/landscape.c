/*
 * landscape.c - see landscape.h.
 */
#include "record/landscape.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/crc.h"
#include "base/file.h"
#include "base/mem.h"
#include "format/npy.h"
#include "record/json_read.h"
#include "record/json_write.h"

/* Columns of landscape_path.npy. */
enum {
    COLUMN_RUN,
    COLUMN_ROUND,
    COLUMN_X,
    COLUMN_Y,
    COLUMN_DISTANCE,
    COLUMN_LOSS,
    COLUMN_PLANE_LOSS,
    COLUMNS
};

enum { GRID_ROWS = 3 }; /* of landscape.npy: x, y, loss */

void landscape_release(struct landscape *l)
{
    for (int64_t i = 0; i < l->run_count; i++)
        mem_free(l->runs[i].name);
    mem_free(l->runs);
    mem_free(l->points);
    mem_free(l->losses);
    mem_free(l->x);
    mem_free(l->y);
    mem_free(l->key);
    mem_free(l->data);
    mem_free(l->directions);
    mem_free(l->title);
    *l = (struct landscape){0};
}

int64_t landscape_minimum(const struct landscape *l)
{
    int64_t least = -1;

    for (int64_t i = 0; i < l->grid * l->grid; i++)
        if (isfinite(l->losses[i]) && (least < 0 || l->losses[i] < l->losses[least]))
            least = i;
    return least;
}

/* --- what the arrays have --- */

/* Like S000's: rows of x, y and loss. mem_free */
static double *grid_array(const struct landscape *l)
{
    const int64_t count = l->grid * l->grid;
    double *values = MEM_NEW_N(double, GRID_ROWS *count);

    for (int64_t i = 0; i < count; i++) {
        values[i] = l->x[i % l->grid];
        values[count + i] = l->y[i / l->grid];
        values[2 * count + i] = l->losses[i];
    }
    return values;
}

/* mem_free */
static double *path_array(const struct landscape *l)
{
    double *values = MEM_NEW_N(double, l->point_count *COLUMNS);

    for (int64_t i = 0; i < l->run_count; i++)
        for (int64_t k = l->runs[i].first; k < l->runs[i].first + l->runs[i].count; k++) {
            const struct landscape_point *p = &l->points[k];
            double *row = values + k * COLUMNS;

            row[COLUMN_RUN] = (double)i;
            row[COLUMN_ROUND] = (double)p->time.round;
            row[COLUMN_X] = p->x;
            row[COLUMN_Y] = p->y;
            row[COLUMN_DISTANCE] = p->distance;
            row[COLUMN_LOSS] = p->loss;
            row[COLUMN_PLANE_LOSS] = p->plane_loss;
        }
    return values;
}

/* Of both arrays; mem_free. */
static char *checksum_of(const struct landscape *l, const double *grid, const double *path)
{
    const size_t cells = (size_t)(l->grid * l->grid), points = (size_t)l->point_count;
    const uint32_t first = crc32c(0, grid, GRID_ROWS * cells * sizeof *grid);

    return text_format("%08x", (unsigned)crc32c(first, path, COLUMNS * points * sizeof *path));
}

/* --- landscape.json --- */

static void add_checksum(const struct landscape *l, struct json *j)
{
    double *grid = grid_array(l), *path = path_array(l);
    char *checksum = checksum_of(l, grid, path);

    json_text(j, "checksum", checksum);
    mem_free(checksum);
    mem_free(grid);
    mem_free(path);
}

static void add_point(const struct landscape_point *p, struct json *j)
{
    json_open_map(j, NULL);
    json_int(j, "round", p->time.round);
    json_number(j, "epoch", p->time.epoch);
    json_number(j, "x", p->x);
    json_number(j, "y", p->y);
    json_number(j, "distance", p->distance);
    json_number(j, "loss", p->loss);
    json_number(j, "plane_loss", p->plane_loss);
    json_close_map(j);
}

static void add_runs(const struct landscape *l, struct json *j)
{
    json_open_list(j, "runs");
    for (int64_t i = 0; i < l->run_count; i++) {
        const struct landscape_run *r = &l->runs[i];

        json_open_map(j, NULL);
        json_text(j, "name", r->name);
        json_open_list(j, "points");
        for (int64_t k = r->first; k < r->first + r->count; k++)
            add_point(&l->points[k], j);
        json_close_list(j);
        json_close_map(j);
    }
    json_close_list(j);
}

static void add_grid(const struct landscape *l, struct json *j)
{
    const int64_t least = landscape_minimum(l);

    json_open_map(j, "grid");
    json_number_list(j, "x", l->x, l->grid, 0);
    json_number_list(j, "y", l->y, l->grid, 0);
    json_number_list(j, "losses", l->losses, l->grid * l->grid, 0);
    if (least >= 0) {
        json_open_map(j, "minimum");
        json_number(j, "x", l->x[least % l->grid]);
        json_number(j, "y", l->y[least / l->grid]);
        json_number(j, "loss", l->losses[least]);
        json_close_map(j);
    }
    json_close_map(j);
}

void landscape_to_json(const struct landscape *l, struct json *j, const char *key)
{
    json_open_map(j, key);
    json_int(j, "version", 1);
    json_text(j, "title", l->title);
    json_text(j, "key", l->key);
    add_checksum(l, j);
    json_text(j, "directions", l->directions);
    json_text(j, "data", l->data);
    json_number_list(j, "explained", l->explained, 2, 0);
    json_int(j, "recalibrated", l->recalibrated);
    add_grid(l, j);
    add_runs(l, j);
    if (l->sharpness != NULL)
        sharpness_list_to_json(l->sharpness, j, "sharpness");
    json_close_map(j);
}

static enum status write_json(const struct landscape *l, const char *folder)
{
    struct text content = {0};
    struct json j;

    json_init(&j, &content);
    landscape_to_json(l, &j, NULL);
    return json_write_file(folder, "landscape.json", &content);
}

/* --- the arrays --- */

static enum status write_array(const char *folder, const char *name, const int64_t dims[2],
                               const double *values)
{
    char *path = file_join(folder, name);
    const enum status s = npy_write(path, NPY_F64, 2, dims, values);

    mem_free(path);
    return s;
}

static enum status write_arrays(const struct landscape *l, const char *folder)
{
    double *grid = grid_array(l), *path = path_array(l);
    enum status s =
        write_array(folder, "landscape.npy", (const int64_t[]){GRID_ROWS, l->grid * l->grid}, grid);

    if (s == STATUS_OK)
        s = write_array(folder, "landscape_path.npy", (const int64_t[]){l->point_count, COLUMNS},
                        path);
    mem_free(grid);
    mem_free(path);
    return s;
}

/* The key last: the arrays that it stands for are there. */
enum status landscape_write(const struct landscape *l, const char *folder)
{
    TRY(file_remove_in(folder, "landscape.json"));
    TRY(write_arrays(l, folder));
    return write_json(l, folder);
}

/* --- reuse --- */

static bool has_text(const json_t *root, const char *name, const char *text)
{
    char *found = json_read_text(root, name);
    const bool is_same = found != NULL && strcmp(found, text) == 0;

    mem_free(found);
    return is_same;
}

static bool has_texts(const char *folder, const char *key, const char *checksum)
{
    char *path = file_join(folder, "landscape.json");
    json_t *root = NULL;
    bool is_same = false;

    if (file_exists(path) && json_read_file(path, &root) == STATUS_OK) {
        is_same = has_text(root, "key", key) && has_text(root, "checksum", checksum);
        json_decref(root);
    }
    mem_free(path);
    return is_same;
}

static bool read_array(const char *folder, const char *name, const int64_t dims[2], double *values)
{
    char *path = file_join(folder, name);
    const enum status s = npy_read_f64(path, dims, values);

    mem_free(path);
    return s == STATUS_OK;
}

/* Both arrays as they were written for this key. */
static bool read_arrays(const struct landscape *l, const char *folder, double *grid, double *path)
{
    const int64_t cells = l->grid * l->grid;

    if (!read_array(folder, "landscape.npy", (const int64_t[]){GRID_ROWS, cells}, grid) ||
        !read_array(folder, "landscape_path.npy", (const int64_t[]){l->point_count, COLUMNS}, path))
        return false;
    char *checksum = checksum_of(l, grid, path);
    const bool is_same = has_texts(folder, l->key, checksum);
    mem_free(checksum);
    return is_same;
}

bool landscape_reuse(struct landscape *l, const char *folder)
{
    const int64_t count = l->grid * l->grid;
    double *grid = MEM_NEW_N(double, GRID_ROWS *count);
    double *path = MEM_NEW_N(double, l->point_count *COLUMNS);
    const bool found = read_arrays(l, folder, grid, path);

    if (found)
        memcpy(l->losses, grid + 2 * count, (size_t)count * sizeof *grid);
    for (int64_t i = 0; found && i < l->point_count; i++) {
        l->points[i].loss = path[i * COLUMNS + COLUMN_LOSS];
        l->points[i].plane_loss = path[i * COLUMNS + COLUMN_PLANE_LOSS];
    }
    mem_free(grid);
    mem_free(path);
    return found;
}
