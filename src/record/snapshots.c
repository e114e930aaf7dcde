/*
 * snapshots.c - see snapshots.h.
 */
#include "record/snapshots.h"

#include <string.h>

#include "base/crc.h"
#include "base/mem.h"

struct file_header {
    char mark[RECORD_MARK_BYTES];
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

static bool header_sizes(const void *fixed, struct record_sizes *s)
{
    struct file_header h;

    memcpy(&h, fixed, offsetof(struct file_header, crc));
    if (h.param_count < 0 || h.state_count < h.param_count || h.state_count > INT64_MAX / 8)
        return false;
    s->record = snapshot_record_bytes(h.state_count);
    return true;
}

static const struct record_format format = {
    .magic = "MUSTERSN",
    .version = 1,
    .content = "snapshots",
    .record = "snapshot",
    .missing = "snapshots are written with --saves-per-epoch",
    .fixed_bytes = offsetof(struct file_header, crc),
    .zeros = TAIL_BYTES - sizeof(uint32_t),
    .sizes = header_sizes,
};

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

/* A run that had none until now, or whose file cannot be read, starts with an empty one. */
static enum status check_network(const char *run_dir, const struct file_header *h)
{
    struct snapshot_file f;
    enum status s = STATUS_OK;

    if (snapshot_file_open(&f, run_dir) != STATUS_OK)
        return STATUS_OK;
    if (f.tensors != h->tensors || f.param_count != h->param_count ||
        f.state_count != h->state_count)
        s = FAIL(STATUS_BAD_INPUT, "%s: has snapshots of another network; move it away to resume",
                 f.records.path);
    snapshot_file_release(&f);
    return s;
}

enum status snapshot_log_open(struct snapshot_log *l, const char *run_dir,
                              const struct tensor_layout *layout, int64_t keep_round)
{
    const struct file_header h = {
        .tensors = tensors_crc(layout),
        .param_count = layout->param_count,
        .state_count = layout->state_count,
    };

    *l = (struct snapshot_log){.layout = layout};
    if (keep_round >= 0)
        TRY(check_network(run_dir, &h));
    char *path = file_join(run_dir, "snapshots.bin");
    const enum status s = record_log_open_rounds(
        &l->log, path, &(struct record_header){.format = &format, .fixed = &h}, keep_round);

    mem_free(path);
    return s;
}

enum status snapshot_log_add(struct snapshot_log *l, const struct snapshot_time *time,
                             const float *state)
{
    const int64_t count = l->layout->state_count;
    char *record = l->log.record, *values = record + sizeof *time;

    memcpy(record, time, sizeof *time);
    if (l->layout->tensor_count == 0)
        memcpy(values, state, (size_t)count * sizeof *state);
    tensor_layout_to_canonical(l->layout, (float *)(void *)values, state, count);
    return record_log_add(&l->log, record);
}

void snapshot_log_close(struct snapshot_log *l)
{
    record_log_close(&l->log);
    *l = (struct snapshot_log){0};
}

/* --- reading --- */

bool snapshot_file_exists(const char *run_dir)
{
    return file_exists_in(run_dir, "snapshots.bin");
}

enum status snapshot_file_open(struct snapshot_file *f, const char *run_dir)
{
    char *path = file_join(run_dir, "snapshots.bin");
    struct file_header h = {0};

    *f = (struct snapshot_file){0};
    const enum status s = record_reader_open(&f->records, path, &format, &h);
    mem_free(path);
    if (s == STATUS_OK) {
        f->param_count = h.param_count;
        f->state_count = h.state_count;
        f->tensors = h.tensors;
        f->count = f->records.count;
    }
    return s;
}

void snapshot_file_release(struct snapshot_file *f)
{
    record_reader_release(&f->records);
    *f = (struct snapshot_file){0};
}

enum status snapshot_file_read(const struct snapshot_file *f, int64_t i, struct snapshot_time *time,
                               float *values)
{
    char *record = mem_alloc(1, (size_t)f->records.record_bytes);
    const enum status s = record_reader_read(&f->records, i, record);

    if (s == STATUS_OK) {
        memcpy(time, record, sizeof *time);
        memcpy(values, record + sizeof *time, (size_t)f->state_count * sizeof *values);
    }
    mem_free(record);
    return s;
}
