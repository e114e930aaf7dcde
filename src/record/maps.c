/*
 * maps.c - see maps.h.
 */
#include "record/maps.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { SIDE_MAX = 1 << 16, ROBOTS_MAX = 1 << 24 };

/* After it: the plan, then uint32_t crc of both. */
struct file_header {
    char mark[RECORD_MARK_BYTES];
    uint32_t has_certainty;
    int64_t robots, height, width;
    double left, top, step_x, step_y;
};
_Static_assert(sizeof(struct file_header) == 72, "as documented");

/* After it: the maps, then uint32_t crc of both. */
_Static_assert(sizeof(struct map_time) == 16, "as documented");

int64_t map_mesh_points(const struct map_mesh *m)
{
    return m->height * m->width;
}

static int64_t maps_bytes(const struct map_mesh *m)
{
    return m->robots * map_mesh_points(m);
}

static int64_t certainty_bytes(const struct map_mesh *m)
{
    return m->certainties * map_mesh_points(m) * (int64_t)sizeof(float);
}

int64_t map_record_bytes(const struct map_mesh *m)
{
    return (int64_t)(sizeof(struct map_time) + sizeof(uint32_t)) + maps_bytes(m) +
           certainty_bytes(m);
}

static struct file_header header_of(const struct map_mesh *m)
{
    return (struct file_header){
        .has_certainty = m->certainties > 0,
        .robots = m->robots,
        .height = m->height,
        .width = m->width,
        .left = m->left,
        .top = m->top,
        .step_x = m->step_x,
        .step_y = m->step_y,
    };
}

static struct map_mesh mesh_of(const struct file_header *h)
{
    return (struct map_mesh){
        .robots = h->robots,
        .height = h->height,
        .width = h->width,
        .left = h->left,
        .top = h->top,
        .step_x = h->step_x,
        .step_y = h->step_y,
        .certainties = h->has_certainty == 1 ? h->robots : 0,
    };
}

static bool is_side(int64_t n)
{
    return n >= 1 && n <= SIDE_MAX;
}

static bool header_sizes(const void *fixed, struct record_sizes *s)
{
    struct file_header h;

    memcpy(&h, fixed, sizeof h);
    if (!is_side(h.height) || !is_side(h.width) || h.robots < 1 || h.robots > ROBOTS_MAX ||
        h.has_certainty > 1)
        return false;
    const struct map_mesh mesh = mesh_of(&h);
    s->more = map_mesh_points(&mesh);
    s->record = map_record_bytes(&mesh);
    return true;
}

static const struct record_format format = {
    .magic = "MUSTERMP",
    .version = 2,
    .content = "maps",
    .record = "record",
    .missing = "the run has no maps",
    .fixed_bytes = sizeof(struct file_header),
    .sizes = header_sizes,
};

uint8_t map_byte(double density)
{
    return (uint8_t)lrint(255 * fmin(1, fmax(0, density)));
}

/* --- writing --- */

enum status map_log_open(struct map_log *l, const char *run_dir, const struct map_mesh *mesh,
                         const uint8_t *plan, int64_t keep_round)
{
    const struct file_header h = header_of(mesh);
    char *path = file_join(run_dir, "maps.bin");

    *l = (struct map_log){.mesh = *mesh};
    const enum status s = record_log_open_rounds(
        &l->log, path, &(struct record_header){.format = &format, .fixed = &h, .more = plan},
        keep_round);
    mem_free(path);
    return s;
}

enum status map_log_add(struct map_log *l, const struct map_time *time, const uint8_t *maps,
                        const float *certainty)
{
    const size_t size = (size_t)maps_bytes(&l->mesh);

    memcpy(l->log.record, time, sizeof *time);
    memcpy(l->log.record + sizeof *time, maps, size);
    if (l->mesh.certainties > 0)
        memcpy(l->log.record + sizeof *time + size, certainty, (size_t)certainty_bytes(&l->mesh));
    return record_log_add(&l->log, l->log.record);
}

void map_log_close(struct map_log *l)
{
    record_log_close(&l->log);
    *l = (struct map_log){0};
}

/* --- reading --- */

enum status map_file_open(struct map_file *f, const char *run_dir)
{
    char *path = file_join(run_dir, "maps.bin");
    struct file_header h = {0};

    *f = (struct map_file){0};
    const enum status s = record_reader_open(&f->records, path, &format, &h);
    mem_free(path);
    if (s == STATUS_OK) {
        f->mesh = mesh_of(&h);
        f->plan = (uint8_t *)f->records.more;
        f->count = f->records.count;
    }
    return s;
}

void map_file_release(struct map_file *f)
{
    record_reader_release(&f->records);
    *f = (struct map_file){0};
}

enum status map_file_read(const struct map_file *f, int64_t i, struct map_time *time, uint8_t *maps)
{
    char *record = mem_alloc(1, (size_t)f->records.record_bytes);
    const enum status s = record_reader_read(&f->records, i, record);

    if (s == STATUS_OK) {
        memcpy(time, record, sizeof *time);
        memcpy(maps, record + sizeof *time, (size_t)maps_bytes(&f->mesh));
    }
    mem_free(record);
    return s;
}

enum status map_file_read_certainty(const struct map_file *f, int64_t i, float *certainty)
{
    char *record = mem_alloc(1, (size_t)f->records.record_bytes);
    const enum status s = record_reader_read(&f->records, i, record);

    if (s == STATUS_OK)
        memcpy(certainty, record + sizeof(struct map_time) + maps_bytes(&f->mesh),
               (size_t)certainty_bytes(&f->mesh));
    mem_free(record);
    return s;
}
