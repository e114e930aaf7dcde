/*
 * evaluation_series_maps.c - the maps of robots along a run, from its maps.bin.
 */
#include "base/mem.h"
#include "record/evaluation_series.h"
#include "record/maps.h"

static void put_inputs(const struct map_mesh *mesh, double *inputs)
{
    for (int64_t i = 0; i < mesh->height * mesh->width; i++) {
        inputs[2 * i] = mesh->left + (double)(i % mesh->width) * mesh->step_x;
        inputs[2 * i + 1] = mesh->top + (double)(i / mesh->width) * mesh->step_y;
    }
}

static enum status read_record(const struct map_file *f, int64_t record, double *values)
{
    const int64_t count = f->mesh.robots * map_mesh_points(&f->mesh);
    uint8_t *bytes = MEM_NEW_N(uint8_t, count);
    struct map_time time;
    const enum status s = map_file_read(f, record, &time, bytes);

    for (int64_t i = 0; i < count && s == STATUS_OK; i++)
        values[i] = bytes[i] / 255.0;
    mem_free(bytes);
    return s;
}

static enum status read_maps(struct map_series *m, const struct map_file *f, bool only_last)
{
    const int64_t first = only_last && f->count > 0 ? f->count - 1 : 0;
    enum status s = STATUS_OK;

    *m = (struct map_series){
        .count = f->count - first,
        .robots = f->mesh.robots,
        .points = map_mesh_points(&f->mesh),
    };
    m->inputs = MEM_NEW_N(double, 2 * m->points);
    put_inputs(&f->mesh, m->inputs);
    m->values = MEM_NEW_N(double, m->count * m->robots * m->points);
    for (int64_t i = 0; i < m->count && s == STATUS_OK; i++)
        s = read_record(f, first + i, m->values + i * m->robots * m->points);
    return s;
}

enum status evaluation_series_read_maps(struct evaluation_series *r, const char *run_dir,
                                        bool only_last)
{
    struct map_file file;

    TRY(map_file_open(&file, run_dir));
    const enum status s = read_maps(&r->maps, &file, only_last);
    map_file_release(&file);
    return s;
}
