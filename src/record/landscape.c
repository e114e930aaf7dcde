/*
 * landscape.c - see landscape.h.
 */
#include "record/landscape.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

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

/* --- landscape.json --- */

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
    struct text file = {0};
    struct file_writer w;

    npy_add(&file, NPY_F64, 2, dims, values);
    enum status s = file_writer_open(&w, path);
    if (s == STATUS_OK)
        s = file_writer_close(&w, file_writer_put(&w, file.data, file.length));
    text_release(&file);
    mem_free(path);
    return s;
}

/* Like S000's: rows of x, y and loss. */
static enum status write_grid(const struct landscape *l, const char *folder)
{
    const int64_t count = l->grid * l->grid;
    double *values = MEM_NEW_N(double, 3 * count);

    for (int64_t i = 0; i < count; i++) {
        values[i] = l->x[i % l->grid];
        values[count + i] = l->y[i / l->grid];
        values[2 * count + i] = l->losses[i];
    }
    const enum status s = write_array(folder, "landscape.npy", (const int64_t[]){3, count}, values);
    mem_free(values);
    return s;
}

static enum status write_path(const struct landscape *l, const char *folder)
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
    const enum status s = write_array(folder, "landscape_path.npy",
                                      (const int64_t[]){l->point_count, COLUMNS}, values);
    mem_free(values);
    return s;
}

/* The key last: the arrays that it stands for are there. */
enum status landscape_write(const struct landscape *l, const char *folder)
{
    TRY(file_remove_in(folder, "landscape.json"));
    TRY(write_grid(l, folder));
    TRY(write_path(l, folder));
    return write_json(l, folder);
}

/* --- reuse --- */

static bool has_key(const char *folder, const char *key)
{
    char *path = file_join(folder, "landscape.json");
    json_t *root = NULL;
    bool is_same = false;

    if (file_exists(path) && json_read_file(path, &root) == STATUS_OK) {
        char *found = json_read_text(root, "key");

        is_same = found != NULL && strcmp(found, key) == 0;
        mem_free(found);
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

bool landscape_reuse(struct landscape *l, const char *folder)
{
    const int64_t count = l->grid * l->grid;
    double *grid = MEM_NEW_N(double, 3 * count), *path = MEM_NEW_N(double, l->point_count *COLUMNS);
    const bool found =
        has_key(folder, l->key) &&
        read_array(folder, "landscape.npy", (const int64_t[]){3, count}, grid) &&
        read_array(folder, "landscape_path.npy", (const int64_t[]){l->point_count, COLUMNS}, path);

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
