/*
 * snapshots_npy.c - the snapshots of a run as rows of a .npy file, like S000's _weights.npy.
 */
#include "base/mem.h"
#include "format/npy.h"
#include "record/snapshots.h"

static enum status put_header(struct file_writer *w, const struct snapshot_file *f)
{
    struct text header = {0};

    npy_add_header(&header, NPY_F32, 2, (const int64_t[]){f->count, f->state_count});
    const enum status s = file_writer_put(w, header.data, header.length);
    text_release(&header);
    return s;
}

static enum status put_rows(struct file_writer *w, const struct snapshot_file *f)
{
    float *values = MEM_NEW_N(float, f->state_count);
    struct snapshot_time time;
    enum status s = STATUS_OK;

    for (int64_t i = 0; i < f->count && s == STATUS_OK; i++) {
        s = snapshot_file_read(f, i, &time, values);
        if (s == STATUS_OK)
            s = file_writer_put(w, values, (size_t)f->state_count * sizeof *values);
    }
    mem_free(values);
    return s;
}

enum status snapshot_file_write_npy(const struct snapshot_file *f, const char *path)
{
    struct file_writer w;

    TRY(file_writer_open(&w, path));
    enum status s = put_header(&w, f);
    if (s == STATUS_OK)
        s = put_rows(&w, f);
    return file_writer_close(&w, s);
}
