/*
 * maps_npz.c - the maps of a run, with the positions and links of its robots, as numpy.savez would
 * write them; names as in S001's results.
 */
#include <string.h>

#include "base/mem.h"
#include "format/npy.h"
#include "format/zip.h"
#include "record/graph_rows.h"
#include "record/maps.h"

/* All of the file: arrays of NumPy, the records first. */
struct map_arrays {
    const struct map_file *file;
    int64_t *rounds;  /* [count] */
    double *epochs;   /* [count] */
    float *densities; /* [count][robots][height][width] */
    float *certainty; /* the same; NULL: the file has none */
    float *plan;      /* [height][width] */
    struct graph_rows graph;
};

static void to_densities(float *to, const uint8_t *bytes, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)bytes[i] / 255.0F;
}

static enum status read_records(struct map_arrays *a)
{
    const struct map_file *f = a->file;
    const int64_t points = map_mesh_points(&f->mesh), size = f->mesh.robots * points;
    uint8_t *maps = MEM_NEW_N(uint8_t, size);
    enum status s = STATUS_OK;

    a->rounds = MEM_NEW_N(int64_t, f->count);
    a->epochs = MEM_NEW_N(double, f->count);
    a->densities = MEM_NEW_N(float, f->count *size);
    if (f->mesh.certainties > 0)
        a->certainty = MEM_NEW_N(float, f->count *size);
    a->plan = MEM_NEW_N(float, points);
    to_densities(a->plan, f->plan, points);
    for (int64_t i = 0; i < f->count && s == STATUS_OK; i++) {
        struct map_time time = {0};

        s = map_file_read(f, i, &time, maps);
        a->rounds[i] = time.round;
        a->epochs[i] = time.epoch;
        to_densities(a->densities + i * size, maps, size);
        if (s == STATUS_OK && a->certainty != NULL)
            s = map_file_read_certainty(f, i, a->certainty + i * size);
    }
    mem_free(maps);
    return s;
}

static void map_arrays_release(struct map_arrays *a)
{
    mem_free(a->rounds);
    mem_free(a->epochs);
    mem_free(a->densities);
    mem_free(a->certainty);
    mem_free(a->plan);
    graph_rows_release(&a->graph);
}

/* --- the graph at the records --- */

/* Whether all rows are of the same nodes; and whether all have positions. */
static bool has_graph(const struct graph_rows *g, bool with_positions)
{
    for (int64_t i = 0; i < g->count; i++)
        if (g->items[i].nodes != g->items[0].nodes ||
            (with_positions && g->items[i].positions == NULL))
            return false;
    return g->count > 0;
}

static void set_links(const struct graph_row *row, uint8_t *matrix)
{
    for (int64_t e = 0; e < row->edge_count; e++) {
        const int64_t from = row->edges[2 * e], to = row->edges[2 * e + 1];

        matrix[from * row->nodes + to] = 1;
        if (!row->is_directed)
            matrix[to * row->nodes + from] = 1;
    }
}

/* --- writing --- */

static enum status add_array(struct zip *z, const char *name, enum npy_type type, int rank,
                             const int64_t *dims, const void *data)
{
    struct text file = {0};

    npy_add(&file, type, rank, dims, data);
    const enum status s = zip_add(z, name, file.data, file.length);
    text_release(&file);
    return s;
}

static enum status add_axis(struct zip *z, const char *name, double first, double step,
                            int64_t count)
{
    double *values = MEM_NEW_N(double, count);

    for (int64_t i = 0; i < count; i++)
        values[i] = first + (double)i * step;
    const enum status s = add_array(z, name, NPY_F64, 1, &count, values);
    mem_free(values);
    return s;
}

static enum status add_links(struct zip *z, const struct map_arrays *a)
{
    const int64_t count = a->file->count;

    if (!has_graph(&a->graph, false))
        return STATUS_OK;
    const int64_t nodes = a->graph.items[0].nodes;
    uint8_t *links = MEM_NEW_N(uint8_t, count * nodes * nodes);
    for (int64_t i = 0; i < count; i++)
        set_links(graph_rows_at(&a->graph, a->rounds[i]), links + i * nodes * nodes);
    const enum status s =
        add_array(z, "current_graph.npy", NPY_BOOL, 3, (int64_t[]){count, nodes, nodes}, links);
    mem_free(links);
    return s;
}

static enum status add_positions(struct zip *z, const struct map_arrays *a)
{
    const int64_t count = a->file->count;

    if (!has_graph(&a->graph, true))
        return STATUS_OK;
    const int64_t nodes = a->graph.items[0].nodes;
    double *positions = MEM_NEW_N(double, count *nodes * 2);
    for (int64_t i = 0; i < count; i++)
        memcpy(positions + i * nodes * 2, graph_rows_at(&a->graph, a->rounds[i])->positions,
               (size_t)(2 * nodes) * sizeof *positions);
    const enum status s =
        add_array(z, "current_position.npy", NPY_F64, 3, (int64_t[]){count, nodes, 2}, positions);
    mem_free(positions);
    return s;
}

static enum status add_all(struct zip *z, const struct map_arrays *a)
{
    const struct map_mesh *m = &a->file->mesh;
    const int64_t dims[] = {a->file->count, m->robots, m->height, m->width};

    TRY(add_array(z, "round.npy", NPY_I64, 1, dims, a->rounds));
    TRY(add_array(z, "epoch.npy", NPY_F64, 1, dims, a->epochs));
    TRY(add_array(z, "mesh_grid_density.npy", NPY_F32, 4, dims, a->densities));
    if (a->certainty != NULL)
        TRY(add_array(z, "certainty.npy", NPY_F32, 4, dims, a->certainty));
    TRY(add_array(z, "plan.npy", NPY_F32, 2, dims + 2, a->plan));
    TRY(add_axis(z, "mesh_x.npy", m->left, m->step_x, m->width));
    TRY(add_axis(z, "mesh_y.npy", m->top, m->step_y, m->height));
    TRY(add_positions(z, a));
    return add_links(z, a);
}

static enum status write_file(const struct map_arrays *a, const char *path)
{
    struct zip z;

    TRY(zip_open(&z, path));
    return zip_close(&z, add_all(&z, a));
}

enum status map_file_write_npz(const struct map_file *f, const char *run_dir, const char *path)
{
    struct map_arrays a = {.file = f};
    enum status s = read_records(&a);

    if (s == STATUS_OK)
        s = graph_rows_read(run_dir, &a.graph);
    if (s == STATUS_OK)
        s = write_file(&a, path);
    map_arrays_release(&a);
    return s;
}
