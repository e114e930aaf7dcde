/*
 * snapshots.c - see snapshots.h. All numbers are little-endian.
 */
#include "record/snapshots.h"

#include <string.h>

#include "base/crc.h"
#include "base/mem.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are written as they lie");

#define MAGIC "MUSTERSN"
enum { VERSION = 1 };

struct file_header {
    char magic[8];
    uint32_t version;
    uint32_t tensors; /* checksum of the table of tensors */
    int64_t param_count, state_count;
    uint32_t zero;
    uint32_t crc; /* of all before it */
};
_Static_assert(sizeof(struct file_header) == 40, "as documented");

/* After it: float values[state_count], uint32_t crc of time and values, uint32_t zero. */
_Static_assert(sizeof(struct snapshot_time) == 32, "as documented");

enum { TAIL_BYTES = 8 };

int64_t snapshot_record_bytes(int64_t state_count)
{
    return (int64_t)sizeof(struct snapshot_time) + state_count * (int64_t)sizeof(float) +
           TAIL_BYTES;
}

static size_t checked_bytes(int64_t state_count)
{
    return (size_t)snapshot_record_bytes(state_count) - TAIL_BYTES;
}

static uint32_t record_crc(const char *record, int64_t state_count)
{
    return crc32c(0, record, checked_bytes(state_count));
}

/* --- writing --- */

static uint32_t tensors_crc(const struct tensor_layout *l)
{
    uint32_t crc = 0;

    for (int i = 0; i < l->tensor_count; i++) {
        const struct tensor *t = &l->tensors[i];

        crc = crc32c(crc, t->name, strlen(t->name) + 1);
        crc = crc32c(crc, t->dims, (size_t)t->rank * sizeof t->dims[0]);
    }
    return crc;
}

static struct file_header make_header(const struct tensor_layout *l)
{
    struct file_header h = {
        .magic = MAGIC,
        .version = VERSION,
        .tensors = tensors_crc(l),
        .param_count = l->param_count,
        .state_count = l->state_count,
    };

    h.crc = crc32c(0, &h, sizeof h - sizeof h.crc);
    return h;
}

static enum status write_header(const char *path, const struct tensor_layout *layout)
{
    const struct file_header h = make_header(layout);
    struct file_writer w;

    TRY(file_writer_open(&w, path));
    return file_writer_close(&w, file_writer_put(&w, &h, sizeof h));
}

/* Records up to keep_round that are whole. */
static int64_t count_kept(const struct snapshot_file *f, int64_t keep_round)
{
    float *values = MEM_NEW_N(float, f->state_count);
    int64_t kept = 0;
    struct snapshot_time time;

    while (kept < f->count && snapshot_file_read(f, kept, &time, values) == STATUS_OK &&
           time.round <= keep_round)
        kept++;
    mem_free(values);
    return kept;
}

/* A run that had none until now, or whose file cannot be read, starts with an empty one. */
static enum status cut_records(struct snapshot_log *l, const char *run_dir, const char *path,
                               int64_t keep_round)
{
    struct snapshot_file f;
    enum status s;

    if (snapshot_file_open(&f, run_dir) != STATUS_OK)
        return write_header(path, l->layout);
    if (f.tensors != tensors_crc(l->layout) || f.state_count != l->layout->state_count) {
        s = FAIL(STATUS_BAD_INPUT, "%s: has snapshots of another network; move it away to resume",
                 path);
    } else {
        l->kept = count_kept(&f, keep_round);
        s = file_cut(path, f.header_bytes + l->kept * snapshot_record_bytes(f.state_count));
    }
    snapshot_file_release(&f);
    return s;
}

enum status snapshot_log_open(struct snapshot_log *l, const char *run_dir,
                              const struct tensor_layout *layout, int64_t keep_round)
{
    char *path = file_join(run_dir, "snapshots.bin");

    *l = (struct snapshot_log){.file = {.descriptor = -1}, .layout = layout};
    enum status s =
        keep_round < 0 ? write_header(path, layout) : cut_records(l, run_dir, path, keep_round);
    if (s == STATUS_OK)
        s = file_log_open(&l->file, path);
    if (s == STATUS_OK)
        l->record = mem_alloc(1, (size_t)snapshot_record_bytes(layout->state_count));
    mem_free(path);
    return s;
}

enum status snapshot_log_add(struct snapshot_log *l, const struct snapshot_time *time,
                             const float *state)
{
    const int64_t count = l->layout->state_count;
    char *values = l->record + sizeof *time;

    memcpy(l->record, time, sizeof *time);
    if (l->layout->tensor_count == 0)
        memcpy(values, state, (size_t)count * sizeof *state);
    tensor_layout_to_canonical(l->layout, (float *)(void *)values, state, count);

    const uint32_t tail[2] = {record_crc(l->record, count), 0};

    memcpy(l->record + checked_bytes(count), tail, sizeof tail);
    return file_log_bytes(&l->file, l->record, (size_t)snapshot_record_bytes(count));
}

void snapshot_log_close(struct snapshot_log *l)
{
    if (l->file.path != NULL)
        file_log_close(&l->file);
    mem_free(l->record);
    *l = (struct snapshot_log){.file = {.descriptor = -1}};
}

/* --- reading --- */

static enum status check_header(const char *path, const struct file_header *h)
{
    if (memcmp(h->magic, MAGIC, sizeof h->magic) != 0)
        return FAIL(STATUS_BAD_INPUT, "%s: is not a file of snapshots", path);
    if (h->version != VERSION)
        return FAIL(STATUS_BAD_INPUT, "%s: has version %u; this program reads version %d", path,
                    (unsigned)h->version, VERSION);
    if (h->crc != crc32c(0, h, sizeof *h - sizeof h->crc) || h->param_count < 0 ||
        h->state_count < h->param_count || h->state_count > INT64_MAX / 8)
        return FAIL(STATUS_BAD_INPUT, "%s: the header is damaged", path);
    return STATUS_OK;
}

static enum status open_path(struct snapshot_file *f)
{
    const int64_t bytes = file_size(f->path);
    struct file_header h;

    if (bytes < 0)
        return FAIL(STATUS_BAD_INPUT, "%s: missing; snapshots are written with --saves-per-epoch",
                    f->path);
    if (bytes < (int64_t)sizeof h)
        return FAIL(STATUS_BAD_INPUT, "%s: the header is damaged", f->path);
    TRY(file_read_part(f->path, 0, &h, sizeof h));
    TRY(check_header(f->path, &h));
    f->param_count = h.param_count;
    f->state_count = h.state_count;
    f->tensors = h.tensors;
    f->header_bytes = sizeof h;
    f->count = (bytes - f->header_bytes) / snapshot_record_bytes(f->state_count);
    return STATUS_OK;
}

bool snapshot_file_exists(const char *run_dir)
{
    return file_exists_in(run_dir, "snapshots.bin");
}

enum status snapshot_file_open(struct snapshot_file *f, const char *run_dir)
{
    *f = (struct snapshot_file){.path = file_join(run_dir, "snapshots.bin")};
    const enum status s = open_path(f);

    if (s != STATUS_OK)
        snapshot_file_release(f);
    return s;
}

void snapshot_file_release(struct snapshot_file *f)
{
    mem_free(f->path);
    *f = (struct snapshot_file){0};
}

enum status snapshot_file_read(const struct snapshot_file *f, int64_t i, struct snapshot_time *time,
                               float *values)
{
    const int64_t bytes = snapshot_record_bytes(f->state_count);
    char *record = mem_alloc(1, (size_t)bytes);
    enum status s = file_read_part(f->path, f->header_bytes + i * bytes, record, (size_t)bytes);
    uint32_t crc = 0;

    if (s == STATUS_OK) {
        memcpy(&crc, record + checked_bytes(f->state_count), sizeof crc);
        memcpy(time, record, sizeof *time);
        memcpy(values, record + sizeof *time, (size_t)f->state_count * sizeof *values);
        if (crc != record_crc(record, f->state_count))
            s = FAIL(STATUS_BAD_INPUT, "%s: snapshot %lld is damaged (wrong checksum)", f->path,
                     (long long)i);
    }
    mem_free(record);
    return s;
}
