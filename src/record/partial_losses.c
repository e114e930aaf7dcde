/*
 * partial_losses.c - see partial_losses.h. All numbers are little-endian.
 */
#include "record/partial_losses.h"

#include <string.h>

#include "base/crc.h"
#include "base/log.h"
#include "base/mem.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are written as they lie");

static const char NAME[] = "landscape.partial";
#define MAGIC "MUSTERLP"
enum { VERSION = 1 };

/* The key follows, without a zero. */
struct file_header {
    char magic[8];
    uint32_t version;
    uint32_t key_bytes;
    int64_t count;
    uint32_t zero;
    uint32_t crc; /* of all before it, and of the key */
};
_Static_assert(sizeof(struct file_header) == 32, "as documented");

struct file_record {
    int64_t point;
    double loss;
    uint32_t zero;
    uint32_t crc; /* of all before it */
};
_Static_assert(sizeof(struct file_record) == 24, "as documented");

static uint32_t record_crc(const struct file_record *r)
{
    return crc32c(0, r, sizeof *r - sizeof r->crc);
}

/* --- the header --- */

/* Header and key as bytes: files with the same are of the same landscape. mem_free. */
static char *header_bytes(const char *key, int64_t count, size_t *bytes)
{
    struct file_header h = {
        .magic = MAGIC,
        .version = VERSION,
        .key_bytes = (uint32_t)strlen(key),
        .count = count,
    };
    char *data = mem_alloc(1, sizeof h + h.key_bytes);

    h.crc = crc32c(crc32c(0, &h, sizeof h - sizeof h.crc), key, h.key_bytes);
    memcpy(data, &h, sizeof h);
    memcpy(data + sizeof h, key, h.key_bytes);
    *bytes = sizeof h + h.key_bytes;
    return data;
}

static bool has_header(const char *path, const char *header, size_t bytes)
{
    char *found = mem_alloc(1, bytes);
    const bool is_same = file_size(path) >= (int64_t)bytes &&
                         file_read_part(path, 0, found, bytes) == STATUS_OK &&
                         memcmp(found, header, bytes) == 0;

    mem_free(found);
    return is_same;
}

static enum status write_header(const char *path, const char *header, size_t bytes)
{
    struct file_writer w;

    TRY(file_writer_open(&w, path));
    return file_writer_close(&w, file_writer_put(&w, header, bytes));
}

/* --- records --- */

static bool take_record(struct partial_losses *p, const struct file_record *r)
{
    if (r->crc != record_crc(r) || r->point < 0 || r->point >= p->count)
        return false;
    p->known_count += p->is_known[r->point] ? 0 : 1;
    p->is_known[r->point] = true;
    p->losses[r->point] = r->loss;
    return true;
}

/* What follows the last good record is cut off. */
static enum status read_records(struct partial_losses *p, const char *path, int64_t begin)
{
    const int64_t count = (file_size(path) - begin) / (int64_t)sizeof(struct file_record);
    struct file_record *records = MEM_NEW_N(struct file_record, count);
    enum status s = file_read_part(path, begin, records, (size_t)count * sizeof *records);
    int64_t good = 0;

    while (s == STATUS_OK && good < count && take_record(p, &records[good]))
        good++;
    if (s == STATUS_OK)
        s = file_cut(path, begin + good * (int64_t)sizeof *records);
    mem_free(records);
    return s;
}

static enum status read_or_begin(struct partial_losses *p, const char *path, const char *key)
{
    size_t bytes = 0;
    char *header = header_bytes(key, p->count, &bytes);
    const enum status s = has_header(path, header, bytes) ? read_records(p, path, (int64_t)bytes)
                                                          : write_header(path, header, bytes);

    mem_free(header);
    return s;
}

enum status partial_losses_open(struct partial_losses *p, const char *folder, const char *key,
                                int64_t count)
{
    char *path = file_join(folder, NAME);

    *p = (struct partial_losses){
        .file = {.descriptor = -1},
        .count = count,
        .is_known = MEM_NEW_N(bool, count),
        .losses = MEM_NEW_N(double, count),
    };
    enum status s = read_or_begin(p, path, key);
    if (s == STATUS_OK)
        s = file_log_open(&p->file, path);
    mem_free(path);
    if (s != STATUS_OK)
        partial_losses_close(p);
    return s;
}

void partial_losses_close(struct partial_losses *p)
{
    if (p->file.path != NULL)
        file_log_close(&p->file);
    mem_free(p->is_known);
    mem_free(p->losses);
    *p = (struct partial_losses){.file = {.descriptor = -1}};
}

void partial_losses_add(struct partial_losses *p, int64_t point, double loss)
{
    struct file_record r = {.point = point, .loss = loss};

    r.crc = record_crc(&r);
    if (!p->is_failed && file_log_bytes(&p->file, &r, sizeof r) != STATUS_OK &&
        !atomic_exchange(&p->is_failed, true))
        log_warning("%s; if this call is stopped, the next one measures the rest again",
                    status_message());
}

enum status partial_losses_remove(const char *folder)
{
    return file_remove_in(folder, NAME);
}
