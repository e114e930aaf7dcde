/*
 * tensorboard.c - the event file of TensorBoard.
 *
 *     record  =  u64 length | u32 masked crc32c(length) | data | u32 masked crc32c(data)
 *
 * all little-endian; data is one protobuf message `Event`, of which we write four fields:
 * wall_time = 1 (double), step = 2 (varint), file_version = 3 (string, first record only) and
 * summary = 5 { value = 1 }. A value has a tag = 1 and one of simple_value = 2 (float), image = 4,
 * histo = 5 and tensor = 8; metadata = 9 says what it is for.
 *
 * Here: the bytes. Not here: which metrics become which tags (recorder.c), and the table of
 * settings (tensorboard_hparams.c).
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
#include "format/protobuf.h"

struct tensorboard {
    int descriptor;
    char *path;
    struct text value, summary, event, record; /* room for the message that is being made */
};

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
    protobuf_add_fixed(r, t->event.length, 8);
    protobuf_add_fixed(r, masked_crc(text_get(r), 8), 4);
    text_add_n(r, text_get(&t->event), t->event.length);
    protobuf_add_fixed(r, masked_crc(text_get(&t->event), t->event.length), 4);
    return write_all(t, text_get(r), r->length);
}

static enum status write_version(struct tensorboard *t)
{
    static const char version[] = "brain.Event:2";

    text_clear(&t->event);
    protobuf_double(&t->event, 1, clock_unix());
    protobuf_text(&t->event, 3, version);
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

/* --- values --- */

enum status tensorboard_value(struct tensorboard *t, int64_t step, const struct text *value)
{
    text_clear(&t->summary);
    protobuf_message(&t->summary, 1, value);

    text_clear(&t->event);
    protobuf_double(&t->event, 1, clock_unix());
    protobuf_int(&t->event, 2, step);
    protobuf_message(&t->event, 5, &t->summary);
    return write_event(t);
}

/* Begins the value of a tag. */
static struct text *start_value(struct tensorboard *t, const char *tag)
{
    CHECK(t != NULL && tag != NULL);
    text_clear(&t->value);
    protobuf_text(&t->value, 1, tag);
    return &t->value;
}

enum status tensorboard_scalar(struct tensorboard *t, const char *tag, int64_t step, double value)
{
    struct text *v = start_value(t, tag);

    protobuf_float(v, 2, (float)value);
    return tensorboard_value(t, step, v);
}

enum status tensorboard_image(struct tensorboard *t, const char *tag, int64_t step,
                              const struct png_picture *picture)
{
    struct text *v = start_value(t, tag);
    struct text image = {0}, file = {0};

    png_picture_encode(picture, &file);
    protobuf_int(&image, 1, picture->height);
    protobuf_int(&image, 2, picture->width);
    protobuf_int(&image, 3, picture->channels);
    protobuf_message(&image, 4, &file);
    protobuf_message(v, 4, &image);
    const enum status s = tensorboard_value(t, step, v);
    text_release(&image);
    text_release(&file);
    return s;
}

enum status tensorboard_histogram(struct tensorboard *t, const char *tag, int64_t step,
                                  const struct histogram *h)
{
    struct text *v = start_value(t, tag);
    struct text message = {0};

    protobuf_double(&message, 1, h->min);
    protobuf_double(&message, 2, h->max);
    protobuf_double(&message, 3, h->count);
    protobuf_double(&message, 4, h->sum);
    protobuf_double(&message, 5, h->sum_squares);
    protobuf_doubles(&message, 6, h->limits, h->bins);
    protobuf_doubles(&message, 7, h->counts, h->bins);
    protobuf_message(v, 5, &message);
    const enum status s = tensorboard_value(t, step, v);
    text_release(&message);
    return s;
}

/* SummaryMetadata: plugin_data = 1 { plugin_name = 1, content = 2 }, data_class = 4. */
void tensorboard_add_plugin(struct text *value, const char *plugin, const struct text *content)
{
    enum { DATA_CLASS_TENSOR = 2 };
    struct text data = {0}, metadata = {0};

    protobuf_text(&data, 1, plugin);
    if (content != NULL)
        protobuf_message(&data, 2, content);
    protobuf_message(&metadata, 1, &data);
    protobuf_int(&metadata, 4, DATA_CLASS_TENSOR);
    protobuf_message(value, 9, &metadata);
    text_release(&data);
    text_release(&metadata);
}

/* TensorProto: dtype = 1, tensor_shape = 2 { dim = 2 { size = 1 } }, float_val = 5, string_val = 8.
 */
void tensorboard_start_tensor(struct text *tensor, int dtype)
{
    struct text size = {0}, shape = {0};

    protobuf_int(&size, 1, 1);
    protobuf_message(&shape, 2, &size);
    protobuf_int(tensor, 1, dtype);
    protobuf_message(tensor, 2, &shape);
    text_release(&size);
    text_release(&shape);
}

enum status tensorboard_text(struct tensorboard *t, const char *tag, int64_t step,
                             const char *markdown)
{
    enum { DTYPE_STRING = 7 };
    struct text *v = start_value(t, tag);
    struct text tensor = {0};

    tensorboard_start_tensor(&tensor, DTYPE_STRING);
    protobuf_text(&tensor, 8, markdown);
    protobuf_message(v, 8, &tensor);
    tensorboard_add_plugin(v, "text", NULL);
    const enum status s = tensorboard_value(t, step, v);
    text_release(&tensor);
    return s;
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
