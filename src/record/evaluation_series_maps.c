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

static enum status read_record(const struct map_file *f, int64_t record, struct map_time *time,
                               double *values)
{
    const int64_t count = f->mesh.robots * map_mesh_points(&f->mesh);
    uint8_t *bytes = MEM_NEW_N(uint8_t, count);
    const enum status s = map_file_read(f, record, time, bytes);

    for (int64_t i = 0; i < count && s == STATUS_OK; i++)
        values[i] = bytes[i] / 255.0;
    mem_free(bytes);
    return s;
}

/* times [m->count] */
static enum status read_maps(struct map_series *m, const struct map_file *f, int64_t first,
                             struct map_time *times)
{
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
        s = read_record(f, first + i, &times[i], m->values + i * m->robots * m->points);
    return s;
}

enum status evaluation_series_read_maps(struct evaluation_series *r, const char *run_dir,
                                        bool only_last)
{
    struct map_file file;

    TRY(map_file_open(&file, run_dir));
    struct map_time *times = MEM_NEW_N(struct map_time, file.count + 1);
    const int64_t first = only_last && file.count > 0 ? file.count - 1 : 0;
    const enum status s = read_maps(&r->maps, &file, first, times);
    mem_free(times);
    map_file_release(&file);
    return s;
}

/* --- maps alone --- */

static void add_times(struct evaluation_series *r, const struct map_time *times)
{
    const struct named_series *rounds =
        evaluation_series_add(r, &(struct named_series){
                                     .name = "round", .is_count = true, .dims = {1, 1}
    });
    const struct named_series *epochs =
        evaluation_series_add(r, &(struct named_series){
                                     .name = "epoch", .dims = {1, 1}
    });

    for (int64_t i = 0; i < r->evaluations; i++) {
        rounds->values[i] = (double)times[i].round;
        epochs->values[i] = times[i].epoch;
    }
}

static enum status read_file(struct evaluation_series *r, const struct map_file *f,
                             const char *run_dir)
{
    struct map_time *times = MEM_NEW_N(struct map_time, f->count + 1);
    const enum status s = read_maps(&r->maps, f, 0, times);

    if (s == STATUS_OK)
        add_times(r, times);
    mem_free(times);
    TRY(s);
    return evaluation_series_add_places(r, run_dir, true);
}

enum status evaluation_series_of_maps(struct evaluation_series *r, const char *run_dir)
{
    struct map_file file;

    TRY(map_file_open(&file, run_dir));
    *r = (struct evaluation_series){.evaluations = file.count, .nodes = file.mesh.robots};
    const enum status s = read_file(r, &file, run_dir);
    map_file_release(&file);
    if (s != STATUS_OK)
        evaluation_series_release(r);
    return s;
}
