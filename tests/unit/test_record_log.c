/*
 * test_record_log.c - record/record_log.h: the bytes of a file, files that were cut or changed at
 * any place, a full disk, and resuming after each of them.
 */
#include "base/crc.h"
#include "base/mem.h"
#include "file_case.h"
#include "record/record_log.h"
#include "scratch.h"

struct head {
    char mark[RECORD_MARK_BYTES];
    uint32_t name_bytes;
    int64_t body_bytes;
};

static bool head_sizes(const void *fixed, struct record_sizes *s)
{
    struct head h;

    memcpy(&h, fixed, sizeof h);
    s->more = h.name_bytes;
    s->record = h.body_bytes + 7; /* checksum and zeros */
    return h.body_bytes >= 0 && h.body_bytes < 1000;
}

static const struct record_format format = {
    .magic = "MUSTERTE",
    .version = 5,
    .content = "tests",
    .record = "result",
    .missing = "nothing was tested",
    .fixed_bytes = sizeof(struct head),
    .zeros = 3,
    .sizes = head_sizes,
};

enum { RECORDS = 3, BODY = 11, RECORD = BODY + 7, HEADER = sizeof(struct head) + 4 + 4 };

static const struct head head = {.name_bytes = 4, .body_bytes = BODY};
static const struct record_header header = {.format = &format, .fixed = &head, .more = "name"};

static char *folder, *path;

static void begin(void)
{
    folder = scratch_new();
    path = file_join(folder, "results.bin");
}

static void end(void)
{
    mem_free(path);
    scratch_remove(folder);
}

/* Records of rounds 0, 10, 20, ... */
static enum status add(struct record_log *l, int i)
{
    const int64_t round = 10L * i;

    memset(l->record, 'a' + i, RECORD); /* the layer sets what follows the body */
    memcpy(l->record, &round, sizeof round);
    return record_log_add(l, l->record);
}

static void write_records(void)
{
    struct record_log l;

    EXPECT_OK(record_log_create(&l, path, &header));
    for (int i = 0; i < RECORDS; i++)
        EXPECT_OK(add(&l, i));
    record_log_close(&l);
}

/* That the file has these records, and no more. */
static void expect_records(int64_t count)
{
    struct record_reader f;
    struct head found;

    if (!EXPECT_OK(record_reader_open(&f, path, &format, &found)))
        return;
    EXPECT_INT(found.body_bytes, BODY);
    EXPECT(memcmp(f.more, "name", 4) == 0);
    EXPECT_INT(f.count, count);
    for (int i = 0; i < f.count; i++) {
        char record[RECORD];
        int64_t round = -1;

        EXPECT_OK(record_reader_read(&f, i, record));
        memcpy(&round, record, sizeof round);
        EXPECT_INT(round, 10L * i);
        EXPECT(record[BODY - 1] == 'a' + i);
    }
    record_reader_release(&f);
}

/* Opens for all rounds, adds the record that comes next, and reads all. */
static void expect_resumed_after(int64_t kept)
{
    struct record_log l;

    if (!EXPECT_OK(record_log_open_rounds(&l, path, &header, 1000)))
        return;
    EXPECT_INT(l.kept, kept);
    EXPECT_INT(file_size(path), HEADER + kept * RECORD);
    EXPECT_OK(add(&l, (int)kept));
    record_log_close(&l);
    expect_records(kept + 1);
}

/* "123456789" is the text whose CRC-32C, 0xe3069283, is published. */
static void test_a_file_has_the_documented_bytes(void)
{
    const struct head nine = {.name_bytes = 4, .body_bytes = 9};
    struct record_log l;
    struct text all = {0};

    begin();
    EXPECT_OK(record_log_create(
        &l, path, &(struct record_header){.format = &format, .fixed = &nine, .more = "name"}));
    memcpy(l.record, "123456789", 9);
    EXPECT_OK(record_log_add(&l, l.record));
    record_log_close(&l);
    EXPECT_OK(file_read(path, 1000, &all));
    EXPECT_INT(all.length, HEADER + 16);
    EXPECT(memcmp(all.data, "MUSTERTE\5\0\0\0\4\0\0\0\11\0\0\0\0\0\0\0name", 28) == 0);
    const uint32_t crc = crc32c(0, all.data, 28);
    EXPECT(memcmp(all.data + 28, &crc, sizeof crc) == 0);
    EXPECT(memcmp(all.data + HEADER, "123456789\x83\x92\x06\xe3\0\0\0", 16) == 0);
    text_release(&all);
    end();
}

static void test_what_was_written_is_read(void)
{
    begin();
    write_records();
    expect_records(RECORDS);
    end();
}

static void test_a_file_that_is_cut_anywhere_keeps_its_whole_records(void)
{
    begin();
    for (int64_t bytes = 0; bytes <= HEADER + RECORDS * RECORD; bytes++) {
        const int64_t whole = bytes < HEADER ? 0 : (bytes - HEADER) / RECORD;
        struct record_reader f;
        struct head found;

        write_records();
        EXPECT_OK(file_cut(path, bytes));
        if (bytes < HEADER)
            EXPECT_FAILS(record_reader_open(&f, path, &format, &found), STATUS_BAD_INPUT,
                         "results.bin: the header is damaged");
        else
            expect_records(whole);
        expect_resumed_after(whole);
    }
    end();
}

static void expect_damaged_record(int64_t i)
{
    struct record_reader f;
    struct head found;
    char record[RECORD], message[128];

    snprintf(message, sizeof message,
             "results.bin: result %lld is damaged (wrong checksum), from byte %lld", (long long)i,
             (long long)(HEADER + i * RECORD));
    EXPECT_OK(record_reader_open(&f, path, &format, &found));
    for (int64_t k = 0; k < RECORDS; k++)
        if (k == i)
            EXPECT_FAILS(record_reader_read(&f, k, record), STATUS_BAD_INPUT, message);
        else
            EXPECT_OK(record_reader_read(&f, k, record));
    record_reader_release(&f);
}

/* Except the zeros after a checksum, which say nothing. */
static void test_a_byte_that_is_changed_anywhere_is_found(void)
{
    begin();
    for (int64_t at = 0; at < HEADER + RECORDS * RECORD; at++) {
        struct record_reader f;
        struct head found;

        if (at >= HEADER && (at - HEADER) % RECORD >= BODY + 4)
            continue;
        write_records();
        flip_byte(path, at);
        if (at < HEADER) {
            EXPECT_FAILS(record_reader_open(&f, path, &format, &found), STATUS_BAD_INPUT,
                         at < 8    ? "results.bin: is not a file of tests"
                         : at < 12 ? "; this program reads version 5"
                                   : "results.bin: the header is damaged");
            expect_resumed_after(0);
        } else {
            expect_damaged_record((at - HEADER) / RECORD);
            expect_resumed_after((at - HEADER) / RECORD);
        }
    }
    end();
}

static void test_records_of_later_rounds_are_cut_off(void)
{
    struct record_log l;

    begin();
    write_records();
    EXPECT_OK(record_log_open_rounds(&l, path, &header, 10));
    EXPECT_INT(l.kept, 2);
    record_log_close(&l);
    expect_resumed_after(2);
    EXPECT_OK(record_log_open_rounds(&l, path, &header, 9));
    record_log_close(&l);
    expect_records(1);
    EXPECT_OK(record_log_open_rounds(&l, path, &header, -1)); /* a new run */
    record_log_close(&l);
    expect_records(0);
    end();
}

static bool keeps_two(void *context, const void *record)
{
    (void)record;
    return ++*(int *)context <= 2;
}

static void test_a_resume_keeps_what_the_caller_keeps(void)
{
    struct record_log l;
    int asked = 0;

    begin();
    write_records();
    EXPECT_OK(record_log_resume(&l, path, &header, keeps_two, &asked));
    EXPECT_INT(l.kept, 2);
    record_log_close(&l);
    EXPECT_INT(asked, 3);
    expect_records(2);
    end();
}

static void test_a_missing_file_or_another_header_starts_an_empty_file(void)
{
    const struct head longer = {.name_bytes = 5, .body_bytes = BODY};
    struct record_reader f;
    struct head found;
    struct record_log l;

    begin();
    EXPECT_FAILS(record_reader_open(&f, path, &format, &found), STATUS_BAD_INPUT,
                 "results.bin: missing; nothing was tested");
    expect_resumed_after(0);
    EXPECT_OK(record_log_open_rounds(
        &l, path, &(struct record_header){.format = &format, .fixed = &head, .more = "nama"},
        1000));
    EXPECT_INT(l.kept, 0);
    record_log_close(&l);
    expect_resumed_after(0);
    EXPECT_OK(record_log_open_rounds(
        &l, path, &(struct record_header){.format = &format, .fixed = &longer, .more = "name5"},
        1000));
    EXPECT_INT(l.kept, 0);
    record_log_close(&l);
    expect_resumed_after(0);
    end();
}

/* A part of the record that does not fit may be written; the next writer cuts it off. */
static void test_a_full_disk_is_reported_and_a_resume_continues(void)
{
    struct record_log l;

    begin();
    for (int64_t part = 0; part < RECORD; part++) {
        write_records();
        EXPECT_OK(record_log_open_rounds(&l, path, &header, 1000));
        const rlim_t before = limit_file_size((rlim_t)(HEADER + RECORDS * RECORD + part));
        EXPECT_FAILS(add(&l, RECORDS), STATUS_IO, "results.bin: cannot write: ");
        limit_file_size(before);
        record_log_close(&l);
        EXPECT_INT(file_size(path), HEADER + RECORDS * RECORD + part);
        expect_resumed_after(RECORDS);
    }
    end();
}

static void test_a_header_that_cannot_be_written_leaves_the_old_file(void)
{
    struct record_log l;

    begin();
    write_records();
    const rlim_t before = limit_file_size(HEADER - 1);
    EXPECT_FAILS(record_log_create(&l, path, &header), STATUS_IO, "results.bin");
    limit_file_size(before);
    record_log_close(&l); /* may be closed all the same */
    expect_records(RECORDS);
    end();
}

TEST_MAIN(TEST(test_a_file_has_the_documented_bytes), TEST(test_what_was_written_is_read),
          TEST(test_a_file_that_is_cut_anywhere_keeps_its_whole_records),
          TEST(test_a_byte_that_is_changed_anywhere_is_found),
          TEST(test_records_of_later_rounds_are_cut_off),
          TEST(test_a_resume_keeps_what_the_caller_keeps),
          TEST(test_a_missing_file_or_another_header_starts_an_empty_file),
          TEST(test_a_full_disk_is_reported_and_a_resume_continues),
          TEST(test_a_header_that_cannot_be_written_leaves_the_old_file))
