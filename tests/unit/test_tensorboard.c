/*
 * test_tensorboard.c - the event file, read again by a small decoder that shares no code with the
 * writer: its own CRC-32C, its own varints.
 */
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "record/tensorboard.h"
#include "test.h"

/* --- the decoder --- */

static uint32_t plain_crc32c(const uint8_t *data, size_t bytes)
{
    uint32_t crc = 0xffffffffU;

    for (size_t i = 0; i < bytes; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0);
    }
    return ~crc;
}

static uint64_t little_endian(const uint8_t *p, int bytes)
{
    uint64_t value = 0;

    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | p[i];
    return value;
}

static bool crc_matches(const uint8_t *data, size_t bytes, const uint8_t *stored)
{
    const uint32_t crc = plain_crc32c(data, bytes);

    return (uint32_t)little_endian(stored, 4) == ((crc >> 15 | crc << 17) + 0xa282ead8U);
}

struct bytes {
    const uint8_t *at, *end;
};

static uint64_t take_varint(struct bytes *b)
{
    uint64_t value = 0;

    for (int shift = 0; b->at < b->end && shift < 64; shift += 7) {
        const uint8_t byte = *b->at++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            break;
    }
    return value;
}

struct decoded {
    double wall_time;
    int64_t step;
    char version[32], tag[64];
    float value;
    int fields; /* seen, at all levels */
};

static struct bytes take_bytes(struct bytes *b)
{
    const uint64_t length = take_varint(b);
    const struct bytes part = {b->at, b->at + length};

    EXPECT(length <= (uint64_t)(b->end - b->at));
    b->at = part.end;
    return part;
}

static void take_text(struct bytes *b, char *out, size_t size)
{
    const struct bytes part = take_bytes(b);

    if (EXPECT((size_t)(part.end - part.at) < size))
        memcpy(out, part.at, (size_t)(part.end - part.at));
}

static void decode_value(struct bytes b, struct decoded *d)
{
    while (b.at < b.end) {
        const uint64_t key = take_varint(&b);

        d->fields++;
        if (key == (1 << 3 | 2)) {
            take_text(&b, d->tag, sizeof d->tag);
        } else if (key == (2 << 3 | 5)) {
            memcpy(&d->value, b.at, 4);
            b.at += 4;
        } else {
            EXPECT_INT(key, 0); /* a field of Value that is not expected */
            return;
        }
    }
}

static void decode_event(struct bytes b, struct decoded *d)
{
    while (b.at < b.end) {
        const uint64_t key = take_varint(&b);

        d->fields++;
        if (key == (1 << 3 | 1)) {
            memcpy(&d->wall_time, b.at, 8);
            b.at += 8;
        } else if (key == (2 << 3 | 0)) {
            d->step = (int64_t)take_varint(&b);
        } else if (key == (3 << 3 | 2)) {
            take_text(&b, d->version, sizeof d->version);
        } else if (key == (5 << 3 | 2)) {
            struct bytes summary = take_bytes(&b);

            EXPECT(take_varint(&summary) == (1 << 3 | 2));
            decode_value(take_bytes(&summary), d);
            EXPECT(summary.at == summary.end);
        } else {
            EXPECT_INT(key, 0); /* a field of Event that is not expected */
            return;
        }
    }
}

/* Answers the number of records; -1 when the bytes are not records with right checksums. */
static int decode_file(const struct text *file, struct decoded *out, int capacity)
{
    struct bytes b = {(const uint8_t *)file->data, (const uint8_t *)file->data + file->length};
    int count = 0;

    while (b.at < b.end) {
        if (b.end - b.at < 16 || !crc_matches(b.at, 8, b.at + 8))
            return -1;
        const uint64_t length = little_endian(b.at, 8);
        if (length > (uint64_t)(b.end - b.at - 16) || count == capacity)
            return -1;
        const struct bytes event = {b.at + 12, b.at + 12 + length};
        if (!crc_matches(event.at, length, event.end))
            return -1;
        out[count] = (struct decoded){0};
        decode_event(event, &out[count++]);
        b.at = event.end + 4;
    }
    return count;
}

/* --- helpers --- */

static char *make_folder(void)
{
    char *folder = mem_text("/tmp/muster_tensorboard.XXXXXX");

    EXPECT(mkdtemp(folder) != NULL);
    return folder;
}

static void find_events(const char *folder, glob_t *found)
{
    char *pattern = file_join(folder, "events.out.tfevents.*");

    EXPECT_INT(glob(pattern, 0, NULL, found), 0);
    mem_free(pattern);
}

static void remove_folder(char *folder)
{
    glob_t found;

    find_events(folder, &found);
    for (size_t i = 0; i < found.gl_pathc; i++)
        EXPECT_OK(file_remove(found.gl_pathv[i]));
    globfree(&found);
    EXPECT_OK(file_remove(folder));
    mem_free(folder);
}

static void write_three(const char *folder, struct text *file)
{
    struct tensorboard *t = NULL;
    glob_t found;

    EXPECT_OK(tensorboard_open(&t, folder));
    EXPECT_OK(tensorboard_scalar(t, "train/loss", 1, 2.5));
    EXPECT_OK(tensorboard_scalar(t, "train/loss", 300, 0.1));
    EXPECT_OK(tensorboard_scalar(t, "gr\303\266\303\237e", INT64_C(5000000000), (double)NAN));
    EXPECT_OK(tensorboard_close(t));
    find_events(folder, &found);
    EXPECT_INT(found.gl_pathc, 1);
    EXPECT_OK(file_read(found.gl_pathv[0], 1 << 20, file));
    globfree(&found);
}

/* --- tests --- */

static void test_the_decoder_knows_the_published_crc(void)
{
    EXPECT(plain_crc32c((const uint8_t *)"123456789", 9) == 0xe3069283U);
}

static void test_every_record_decodes_to_what_was_written(void)
{
    char *folder = make_folder();
    struct text file = {0};
    struct decoded events[8] = {0};

    write_three(folder, &file);
    EXPECT_INT(decode_file(&file, events, 8), 4);
    EXPECT_TEXT(events[0].version, "brain.Event:2");
    EXPECT_INT(events[0].fields, 2);
    EXPECT(events[0].wall_time > 1.6e9 && events[0].wall_time < 1e10);
    EXPECT_TEXT(events[1].tag, "train/loss");
    EXPECT_INT(events[1].step, 1);
    EXPECT(events[1].value == 2.5F);
    EXPECT_INT(events[1].fields, 5); /* time, step, summary; tag, value */
    EXPECT(events[1].wall_time >= events[0].wall_time);
    EXPECT_INT(events[2].step, 300);
    EXPECT(events[2].value == 0.1F);
    EXPECT_TEXT(events[3].tag, "gr\303\266\303\237e");
    EXPECT_INT(events[3].step, INT64_C(5000000000));
    EXPECT(isnan(events[3].value));
    text_release(&file);
    remove_folder(folder);
}

static void test_the_decoder_sees_any_flipped_byte(void)
{
    char *folder = make_folder();
    struct text file = {0};
    struct decoded events[8] = {0};

    write_three(folder, &file);
    for (size_t i = 0; i < file.length; i++) {
        file.data[i] ^= 0x10;
        EXPECT_INT(decode_file(&file, events, 8), -1);
        file.data[i] ^= 0x10;
    }
    text_release(&file);
    remove_folder(folder);
}

static void test_records_are_in_the_file_before_it_is_closed(void)
{
    char *folder = make_folder();
    struct tensorboard *t = NULL;
    struct text file = {0};
    struct decoded events[8] = {0};
    glob_t found;

    EXPECT_OK(tensorboard_open(&t, folder));
    EXPECT_OK(tensorboard_scalar(t, "a", 1, 1.0));
    find_events(folder, &found);
    EXPECT_OK(file_read(found.gl_pathv[0], 1 << 20, &file));
    EXPECT_INT(decode_file(&file, events, 8), 2);
    EXPECT_OK(tensorboard_close(t));
    EXPECT_OK(tensorboard_close(NULL));
    globfree(&found);
    text_release(&file);
    remove_folder(folder);
}

static void test_opening_again_makes_a_new_file(void)
{
    char *folder = make_folder();
    struct tensorboard *t[3];
    glob_t found;

    for (int i = 0; i < 3; i++)
        EXPECT_OK(tensorboard_open(&t[i], folder));
    for (int i = 0; i < 3; i++)
        EXPECT_OK(tensorboard_close(t[i]));
    find_events(folder, &found);
    EXPECT_INT(found.gl_pathc, 3);
    globfree(&found);
    remove_folder(folder);
}

static void test_a_missing_folder_is_an_error_that_names_the_file(void)
{
    struct tensorboard *t = NULL;

    EXPECT_FAILS(tensorboard_open(&t, "/nonexistent/folder"), STATUS_IO,
                 "/nonexistent/folder/events.out.tfevents.");
    EXPECT(t == NULL);
}

static void test_a_full_disk_is_an_error(void)
{
    char *folder = make_folder();
    struct tensorboard *t = NULL;
    glob_t found;

    EXPECT_OK(tensorboard_open(&t, folder));
    find_events(folder, &found);
    if (access("/dev/full", W_OK) == 0) {
        /* The descriptor of the file just made is the highest in use. */
        FILE *full = fopen("/dev/full", "w");
        const int event_file = fileno(full) - 1;

        EXPECT(dup2(fileno(full), event_file) == event_file);
        EXPECT_FAILS(tensorboard_scalar(t, "a", 1, 1.0), STATUS_IO, found.gl_pathv[0]);
        (void)fclose(full);
    }
    tensorboard_free(t);
    globfree(&found);
    remove_folder(folder);
}

TEST_MAIN(TEST(test_the_decoder_knows_the_published_crc),
          TEST(test_every_record_decodes_to_what_was_written),
          TEST(test_the_decoder_sees_any_flipped_byte),
          TEST(test_records_are_in_the_file_before_it_is_closed),
          TEST(test_opening_again_makes_a_new_file),
          TEST(test_a_missing_folder_is_an_error_that_names_the_file),
          TEST(test_a_full_disk_is_an_error))
