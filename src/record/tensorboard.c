/*
 * tensorboard.c - the event file of TensorBoard.
 *
 *     record  =  u64 length | u32 masked crc32c(length) | data | u32 masked crc32c(data)
 *
 * all little-endian; data is one protobuf message `Event`, of which we write four fields:
 * wall_time = 1 (double), step = 2 (varint), file_version = 3 (string, first record only) and
 * summary = 5 { value = 1 { tag = 1 (string), simple_value = 2 (float) } }.
 *
 * Here: the bytes. Not here: which metrics become which tags (recorder.c).
 */
#include "record/tensorboard.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/crc.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

struct tensorboard {
    int descriptor;
    char *path;
    struct text value, summary, event, record; /* room for the message that is being made */
};

/* --- protobuf --- */

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

static void add_byte(struct text *out, uint64_t byte)
{
    const char c = (char)(unsigned char)(byte & 0xff);

    text_add_n(out, &c, 1);
}

static void add_little_endian(struct text *out, uint64_t bits, int bytes)
{
    for (int i = 0; i < bytes; i++)
        add_byte(out, bits >> (8 * i));
}

static void add_varint(struct text *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        add_byte(out, value | 0x80);
    add_byte(out, value);
}

static void add_key(struct text *out, int field, enum wire wire)
{
    add_varint(out, (uint64_t)field << 3 | (uint64_t)wire);
}

static void add_bytes(struct text *out, int field, const char *bytes, size_t length)
{
    add_key(out, field, WIRE_BYTES);
    add_varint(out, length);
    text_add_n(out, bytes, length);
}

static void add_double(struct text *out, int field, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    add_key(out, field, WIRE_FIXED64);
    add_little_endian(out, bits, 8);
}

static void add_float(struct text *out, int field, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    add_key(out, field, WIRE_FIXED32);
    add_little_endian(out, bits, 4);
}

/* --- records --- */

static uint32_t masked_crc(const char *data, size_t bytes)
{
    const uint32_t crc = crc32c(0, data, bytes);

    return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

/* One write per record: what a killed run leaves is whole records, and perhaps a torn last one. */
static enum status write_all(struct tensorboard *t, const char *data, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t done = write(t->descriptor, data, bytes);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return FAIL(STATUS_IO, "%s: cannot write: %s", t->path, strerror(errno));
        data += done;
        bytes -= (size_t)done;
    }
    return STATUS_OK;
}

static enum status write_event(struct tensorboard *t)
{
    struct text *r = &t->record;

    text_clear(r);
    add_little_endian(r, t->event.length, 8);
    add_little_endian(r, masked_crc(text_get(r), 8), 4);
    text_add_n(r, text_get(&t->event), t->event.length);
    add_little_endian(r, masked_crc(text_get(&t->event), t->event.length), 4);
    return write_all(t, text_get(r), r->length);
}

static enum status write_version(struct tensorboard *t)
{
    static const char version[] = "brain.Event:2";

    text_clear(&t->event);
    add_double(&t->event, 1, clock_unix());
    add_bytes(&t->event, 3, version, sizeof version - 1);
    return write_event(t);
}

/* --- the file --- */

static enum status open_new(struct tensorboard *t, const char *folder)
{
    char host[256] = "";

    (void)gethostname(host, sizeof host - 1); /* an empty name is as good as none */
    for (int n = 0;; n++) {
        char *name = text_format("events.out.tfevents.%lld.%s.%lld.%d", (long long)clock_unix(),
                                 host[0] == '\0' ? "localhost" : host, (long long)getpid(), n);

        mem_free(t->path);
        t->path = file_join(folder, name);
        mem_free(name);
        t->descriptor = open(t->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
        if (t->descriptor >= 0)
            return write_version(t);
        if (errno != EEXIST)
            return FAIL(STATUS_IO, "%s: cannot create: %s", t->path, strerror(errno));
    }
}

void tensorboard_free(struct tensorboard *t)
{
    if (t == NULL)
        return;
    if (t->descriptor >= 0)
        (void)close(t->descriptor);
    text_release(&t->value);
    text_release(&t->summary);
    text_release(&t->event);
    text_release(&t->record);
    mem_free(t->path);
    mem_free(t);
}

enum status tensorboard_open(struct tensorboard **t, const char *folder)
{
    struct tensorboard *made = MEM_NEW(struct tensorboard);
    enum status status;

    made->descriptor = -1;
    status = open_new(made, folder);
    if (status != STATUS_OK) {
        tensorboard_free(made);
        made = NULL;
    }
    *t = made;
    return status;
}

enum status tensorboard_scalar(struct tensorboard *t, const char *tag, int64_t step, double value)
{
    CHECK(t != NULL && tag != NULL);
    text_clear(&t->value);
    add_bytes(&t->value, 1, tag, strlen(tag));
    add_float(&t->value, 2, (float)value);

    text_clear(&t->summary);
    add_bytes(&t->summary, 1, text_get(&t->value), t->value.length);

    text_clear(&t->event);
    add_double(&t->event, 1, clock_unix());
    add_key(&t->event, 2, WIRE_VARINT);
    add_varint(&t->event, (uint64_t)step);
    add_bytes(&t->event, 5, text_get(&t->summary), t->summary.length);
    return write_event(t);
}

enum status tensorboard_close(struct tensorboard *t)
{
    enum status status = STATUS_OK;

    if (t == NULL)
        return STATUS_OK;
    if (close(t->descriptor) != 0 && errno != EINTR)
        status = FAIL(STATUS_IO, "%s: cannot close: %s", t->path, strerror(errno));
    t->descriptor = -1;
    tensorboard_free(t);
    return status;
}
