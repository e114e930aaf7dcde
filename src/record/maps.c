/*
 * maps.c - see maps.h. All numbers are little-endian.
 */
#include "record/maps.h"

#include <math.h>
#include <string.h>

#include "base/crc.h"
#include "base/mem.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie");

#define MAGIC "MUSTERMP"
enum { VERSION = 1, SIDE_MAX = 1 << 16, ROBOTS_MAX = 1 << 24 };

/* After it: the plan, then uint32_t crc of both. */
struct file_header {
    char magic[8];
    uint32_t version, zero;
    struct map_mesh mesh;
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

int64_t map_record_bytes(const struct map_mesh *m)
{
    return (int64_t)(sizeof(struct map_time) + sizeof(uint32_t)) + maps_bytes(m);
}

static int64_t header_bytes(const struct map_mesh *m)
{
    return (int64_t)(sizeof(struct file_header) + sizeof(uint32_t)) + map_mesh_points(m);
}

uint8_t map_byte(double density)
{
    return (uint8_t)lrint(255 * fmin(1, fmax(0, density)));
}

/* --- writing --- */

static struct file_header make_header(const struct map_mesh *mesh)
{
    return (struct file_header){.magic = MAGIC, .version = VERSION, .mesh = *mesh};
}

static enum status write_header(const char *path, const struct map_mesh *mesh, const uint8_t *plan)
{
    const struct file_header h = make_header(mesh);
    const size_t points = (size_t)map_mesh_points(mesh);
    const uint32_t crc = crc32c(crc32c(0, &h, sizeof h), plan, points);
    struct file_writer w;

    TRY(file_writer_open(&w, path));
    enum status s = file_writer_put(&w, &h, sizeof h);
    if (s == STATUS_OK)
        s = file_writer_put(&w, plan, points);
    if (s == STATUS_OK)
        s = file_writer_put(&w, &crc, sizeof crc);
    return file_writer_close(&w, s);
}

/* Bytes of the records up to keep_round that are whole, and of the header. */
static int64_t kept_bytes(const struct map_file *f, int64_t keep_round)
{
    uint8_t *maps = MEM_NEW_N(uint8_t, maps_bytes(&f->mesh));
    struct map_time time;
    int64_t kept = 0;

    while (kept < f->count && map_file_read(f, kept, &time, maps) == STATUS_OK &&
           time.round <= keep_round)
        kept++;
    mem_free(maps);
    return header_bytes(&f->mesh) + kept * map_record_bytes(&f->mesh);
}

static bool is_of(const struct map_file *f, const struct map_mesh *mesh, const uint8_t *plan)
{
    return memcmp(&f->mesh, mesh, sizeof *mesh) == 0 &&
           memcmp(f->plan, plan, (size_t)map_mesh_points(mesh)) == 0;
}

/* A run that had none until now starts with an empty file. */
static enum status cut_records(const char *run_dir, const char *path, const struct map_mesh *mesh,
                               const uint8_t *plan, int64_t keep_round)
{
    struct map_file f;

    if (map_file_open(&f, run_dir) != STATUS_OK)
        return write_header(path, mesh, plan);
    const enum status s = is_of(&f, mesh, plan) ? file_cut(path, kept_bytes(&f, keep_round))
                                                : write_header(path, mesh, plan);
    map_file_release(&f);
    return s;
}

enum status map_log_open(struct map_log *l, const char *run_dir, const struct map_mesh *mesh,
                         const uint8_t *plan, int64_t keep_round)
{
    char *path = file_join(run_dir, "maps.bin");

    *l = (struct map_log){.file = {.descriptor = -1}, .mesh = *mesh};
    enum status s = keep_round < 0 ? write_header(path, mesh, plan)
                                   : cut_records(run_dir, path, mesh, plan, keep_round);
    if (s == STATUS_OK)
        s = file_log_open(&l->file, path);
    if (s == STATUS_OK)
        l->record = mem_alloc(1, (size_t)map_record_bytes(mesh));
    mem_free(path);
    return s;
}

enum status map_log_add(struct map_log *l, const struct map_time *time, const uint8_t *maps)
{
    const size_t bytes = (size_t)map_record_bytes(&l->mesh), checked = bytes - sizeof(uint32_t);

    memcpy(l->record, time, sizeof *time);
    memcpy(l->record + sizeof *time, maps, (size_t)maps_bytes(&l->mesh));
    const uint32_t crc = crc32c(0, l->record, checked);
    memcpy(l->record + checked, &crc, sizeof crc);
    return file_log_bytes(&l->file, l->record, bytes);
}

void map_log_close(struct map_log *l)
{
    if (l->file.path != NULL)
        file_log_close(&l->file);
    mem_free(l->record);
    *l = (struct map_log){.file = {.descriptor = -1}};
}

/* --- reading --- */

static bool is_side(int64_t n)
{
    return n >= 1 && n <= SIDE_MAX;
}

static enum status check_header(const char *path, const struct file_header *h)
{
    if (memcmp(h->magic, MAGIC, sizeof h->magic) != 0)
        return FAIL(STATUS_BAD_INPUT, "%s: is not a file of maps", path);
    if (h->version != VERSION)
        return FAIL(STATUS_BAD_INPUT, "%s: has version %u; this program reads version %d", path,
                    (unsigned)h->version, VERSION);
    if (!is_side(h->mesh.height) || !is_side(h->mesh.width) || h->mesh.robots < 1 ||
        h->mesh.robots > ROBOTS_MAX)
        return FAIL(STATUS_BAD_INPUT, "%s: the header is damaged", path);
    return STATUS_OK;
}

static enum status read_plan(struct map_file *f, const struct file_header *h)
{
    const size_t points = (size_t)map_mesh_points(&f->mesh);
    uint32_t crc = 0;

    f->plan = MEM_NEW_N(uint8_t, (int64_t)points);
    TRY(file_read_part(f->path, sizeof *h, f->plan, points));
    TRY(file_read_part(f->path, (int64_t)(sizeof *h + points), &crc, sizeof crc));
    if (crc != crc32c(crc32c(0, h, sizeof *h), f->plan, points))
        return FAIL(STATUS_BAD_INPUT, "%s: the header is damaged", f->path);
    return STATUS_OK;
}

static enum status open_path(struct map_file *f)
{
    const int64_t bytes = file_size(f->path);
    struct file_header h;

    if (bytes < 0)
        return FAIL(STATUS_BAD_INPUT, "%s: missing; the run has no maps", f->path);
    if (bytes < (int64_t)sizeof h)
        return FAIL(STATUS_BAD_INPUT, "%s: the header is damaged", f->path);
    TRY(file_read_part(f->path, 0, &h, sizeof h));
    TRY(check_header(f->path, &h));
    f->mesh = h.mesh;
    if (bytes < header_bytes(&f->mesh))
        return FAIL(STATUS_BAD_INPUT, "%s: the header is damaged", f->path);
    f->count = (bytes - header_bytes(&f->mesh)) / map_record_bytes(&f->mesh);
    return read_plan(f, &h);
}

enum status map_file_open(struct map_file *f, const char *run_dir)
{
    *f = (struct map_file){.path = file_join(run_dir, "maps.bin")};
    const enum status s = open_path(f);

    if (s != STATUS_OK)
        map_file_release(f);
    return s;
}

void map_file_release(struct map_file *f)
{
    mem_free(f->path);
    mem_free(f->plan);
    *f = (struct map_file){0};
}

enum status map_file_read(const struct map_file *f, int64_t i, struct map_time *time, uint8_t *maps)
{
    const size_t bytes = (size_t)map_record_bytes(&f->mesh), checked = bytes - sizeof(uint32_t);
    char *record = mem_alloc(1, bytes);
    enum status s =
        file_read_part(f->path, header_bytes(&f->mesh) + i * (int64_t)bytes, record, bytes);
    uint32_t crc = 0;

    if (s == STATUS_OK) {
        memcpy(&crc, record + checked, sizeof crc);
        memcpy(time, record, sizeof *time);
        memcpy(maps, record + sizeof *time, (size_t)maps_bytes(&f->mesh));
        if (crc != crc32c(0, record, checked))
            s = FAIL(STATUS_BAD_INPUT, "%s: record %lld is damaged (wrong checksum)", f->path,
                     (long long)i);
    }
    mem_free(record);
    return s;
}
