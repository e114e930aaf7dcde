/*
 * partial_losses.c - see partial_losses.h.
 */
#include "record/partial_losses.h"

#include <string.h>

#include "base/log.h"
#include "base/mem.h"

static const char NAME[] = "landscape.partial";

/* After it: the key, without a zero, then uint32_t crc of both. */
struct file_header {
    char mark[RECORD_MARK_BYTES];
    uint32_t key_bytes;
    int64_t count;
};
_Static_assert(sizeof(struct file_header) == 24, "as documented");

struct file_record {
    int64_t point;
    double loss;
    uint32_t zero;
    uint32_t crc; /* of all before it */
};
_Static_assert(sizeof(struct file_record) == 24, "as documented");

static bool header_sizes(const void *fixed, struct record_sizes *s)
{
    struct file_header h;

    memcpy(&h, fixed, sizeof h);
    s->more = h.key_bytes;
    s->record = sizeof(struct file_record);
    return h.count >= 0;
}

/* Version 1 had the checksum of the header before the key. */
static const struct record_format format = {
    .magic = "MUSTERLP",
    .version = 2,
    .content = "losses",
    .record = "record",
    .missing = "no landscape is being measured",
    .fixed_bytes = sizeof(struct file_header),
    .sizes = header_sizes,
};

static bool take_record(void *context, const void *record)
{
    struct partial_losses *p = context;
    struct file_record r;

    memcpy(&r, record, sizeof r);
    if (r.point < 0 || r.point >= p->count)
        return false;
    p->known_count += p->is_known[r.point] ? 0 : 1;
    p->is_known[r.point] = true;
    p->losses[r.point] = r.loss;
    return true;
}

enum status partial_losses_open(struct partial_losses *p, const char *folder, const char *key,
                                int64_t count)
{
    const struct file_header h = {.key_bytes = (uint32_t)strlen(key), .count = count};
    const struct record_header header = {.format = &format, .fixed = &h, .more = key};
    char *path = file_join(folder, NAME);

    *p = (struct partial_losses){
        .count = count,
        .is_known = MEM_NEW_N(bool, count),
        .losses = MEM_NEW_N(double, count),
    };
    const enum status s = record_log_resume(&p->log, path, &header, take_record, p);
    mem_free(path);
    if (s != STATUS_OK)
        partial_losses_close(p);
    return s;
}

void partial_losses_close(struct partial_losses *p)
{
    record_log_close(&p->log);
    mem_free(p->is_known);
    mem_free(p->losses);
    *p = (struct partial_losses){0};
}

void partial_losses_add(struct partial_losses *p, int64_t point, double loss)
{
    struct file_record r = {.point = point, .loss = loss};

    if (!p->is_failed && record_log_add(&p->log, &r) != STATUS_OK &&
        !atomic_exchange(&p->is_failed, true))
        log_warning("%s; if this call is stopped, the next one measures the rest again",
                    status_message());
}

enum status partial_losses_remove(const char *folder)
{
    return file_remove_in(folder, NAME);
}
