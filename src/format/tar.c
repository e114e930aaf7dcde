/*
 * tar.c - a tar archive is a header of 512 bytes for each entry, its bytes, and zeros up to the
 * next multiple of 512.
 */
#include "format/tar.h"

#include <string.h>

enum {
    BLOCK = 512,
    NAME_BYTES = 100,
    SIZE_AT = 124,
    SIZE_BYTES = 12,
    SUM_AT = 148,
    SUM_BYTES = 8,
    TYPE_AT = 156,
    MAGIC_AT = 257,
    PREFIX_AT = 345,
    PREFIX_BYTES = 155,
    EXTRA_MAX = 1 << 16, /* bytes of a long name or of pax records */
};

static const int64_t entry_max = INT64_C(1) << 50;

enum status tar_open(struct tar *t, const char *path)
{
    *t = (struct tar){.own_bytes = -1};
    return gzip_file_open(&t->file, path);
}

void tar_close(struct tar *t)
{
    gzip_file_close(&t->file);
    text_release(&t->name);
    *t = (struct tar){0};
}

static enum status fail_damaged(const struct tar *t, const char *what)
{
    return FAIL(STATUS_IO, "%s: is not a tar archive that can be read: %s", t->file.path, what);
}

/* Exactly so many bytes, of which there may be none at the end of the archive. */
static enum status read_whole(struct tar *t, void *out, size_t bytes, bool *is_end)
{
    size_t have = 0, got = 1;

    while (have < bytes && got > 0) {
        TRY(gzip_file_read(&t->file, (uint8_t *)out + have, bytes - have, &got));
        have += got;
    }
    *is_end = have == 0 && bytes > 0;
    return have == bytes || *is_end ? STATUS_OK : fail_damaged(t, "it ends in a header");
}

enum status tar_read(struct tar *t, void *out, size_t bytes, size_t *got)
{
    const size_t most = t->left < (int64_t)bytes ? (size_t)t->left : bytes;

    *got = 0;
    if (most == 0)
        return STATUS_OK;
    TRY(gzip_file_read(&t->file, out, most, got));
    if (*got == 0)
        return FAIL(STATUS_IO, "%s: ends in the middle of %s", t->file.path, text_get(&t->name));
    t->left -= (int64_t)*got;
    return STATUS_OK;
}

static enum status skip_rest(struct tar *t)
{
    uint8_t rest[BLOCK];
    size_t got = 0;

    t->left += t->padding;
    t->padding = 0;
    while (t->left > 0)
        TRY(tar_read(t, rest, sizeof rest, &got));
    return STATUS_OK;
}

/* Octal digits with spaces or a NUL after them; or a binary number, after a byte 0x80. */
static bool read_number(const uint8_t *field, int bytes, int64_t *value)
{
    const bool is_binary = field[0] == 0x80;
    int i = is_binary ? 1 : 0;

    *value = 0;
    while (!is_binary && i < bytes && field[i] == ' ')
        i++;
    for (; i < bytes && (is_binary || (field[i] >= '0' && field[i] <= '7')); i++) {
        if (*value >= entry_max)
            return false;
        *value = is_binary ? *value * 256 + field[i] : *value * 8 + (field[i] - '0');
    }
    return i == bytes || field[i] == ' ' || field[i] == '\0';
}

/* The sum of the header's bytes, with spaces in place of the sum. */
static bool has_right_sum(const uint8_t *header)
{
    int64_t sum = 0, expected = 0;

    for (int i = 0; i < BLOCK; i++)
        sum += i >= SUM_AT && i < SUM_AT + SUM_BYTES ? ' ' : header[i];
    return read_number(header + SUM_AT, SUM_BYTES, &expected) && sum == expected;
}

static bool is_zero(const uint8_t *header)
{
    for (int i = 0; i < BLOCK; i++)
        if (header[i] != 0)
            return false;
    return true;
}

static void add_field(struct text *out, const uint8_t *field, size_t bytes)
{
    const char *start = (const char *)field;

    text_add_n(out, start, strnlen(start, bytes));
}

static void take_name(struct tar *t, const uint8_t *header)
{
    if (t->has_own_name)
        return;
    text_clear(&t->name);
    if (memcmp(header + MAGIC_AT, "ustar", 6) == 0 && header[PREFIX_AT] != '\0') {
        add_field(&t->name, header + PREFIX_AT, PREFIX_BYTES);
        text_add(&t->name, "/");
    }
    add_field(&t->name, header, NAME_BYTES);
}

/* --- headers about the entry after them --- */

/* A pax record is "<length> <key>=<value>\n", and the length counts all of it. */
static enum status take_record(struct tar *t, const char *key, const char *value)
{
    if (strcmp(key, "path") == 0) {
        text_clear(&t->name);
        text_add(&t->name, value);
        t->has_own_name = true;
    }
    if (strcmp(key, "size") == 0 &&
        (!text_to_int(value, &t->own_bytes) || t->own_bytes < 0 || t->own_bytes > entry_max))
        return fail_damaged(t, "a size is not a number");
    return STATUS_OK;
}

static enum status take_records(struct tar *t, char *at, char *end)
{
    while (at < end) {
        char *space = memchr(at, ' ', (size_t)(end - at));
        int64_t length = 0;

        if (space == NULL)
            return fail_damaged(t, "a pax record has no length");
        *space = '\0';
        if (!text_to_int(at, &length) || length > end - at || at + length - 1 <= space)
            return fail_damaged(t, "a pax record has a wrong length");
        at[length - 1] = '\0';
        char *equals = strchr(space + 1, '=');
        if (equals == NULL)
            return fail_damaged(t, "a pax record has no value");
        *equals = '\0';
        TRY(take_record(t, space + 1, equals + 1));
        at += length;
    }
    return STATUS_OK;
}

static enum status read_extra(struct tar *t, struct text *extra)
{
    size_t got = 1;

    if (t->left > EXTRA_MAX)
        return fail_damaged(t, "a name is too long");
    text_reserve(extra, (size_t)t->left + 1);
    while (got > 0) {
        TRY(tar_read(t, extra->data + extra->length, (size_t)t->left, &got));
        extra->length += got;
    }
    extra->data[extra->length] = '\0';
    return STATUS_OK;
}

/* 'L' has the long name of the next entry (GNU), 'x' has records about it (pax). */
static enum status take_extra(struct tar *t, char type)
{
    struct text extra = {0};
    enum status s = read_extra(t, &extra);

    if (s == STATUS_OK && type == 'L')
        s = take_record(t, "path", text_get(&extra));
    else if (s == STATUS_OK)
        s = take_records(t, extra.data, extra.data + extra.length);
    text_release(&extra);
    return s;
}

/* --- entries --- */

static bool leaves_folder(const char *name)
{
    if (name[0] == '/')
        return true;
    for (const char *at = name; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
            return true;
    }
    return false;
}

static enum status take_header(struct tar *t, const uint8_t *header, bool *is_entry)
{
    const char type = (char)header[TYPE_AT];

    *is_entry = type != 'x' && type != 'L' && type != 'g' && type != 'K';
    if (!has_right_sum(header))
        return fail_damaged(t, "the checksum of a header is wrong");
    if (!read_number(header + SIZE_AT, SIZE_BYTES, &t->bytes))
        return fail_damaged(t, "a size is not a number");
    if (*is_entry && t->own_bytes >= 0)
        t->bytes = t->own_bytes;
    t->left = t->bytes;
    t->padding = (BLOCK - t->bytes % BLOCK) % BLOCK;
    if (!*is_entry)
        return type == 'x' || type == 'L' ? take_extra(t, type) : STATUS_OK;
    take_name(t, header);
    t->is_regular = type == '0' || type == '\0' || type == '7';
    t->has_own_name = false;
    t->own_bytes = -1;
    if (leaves_folder(text_get(&t->name)))
        return FAIL(STATUS_IO, "%s: rejected, because it has a file outside of its folder: %s",
                    t->file.path, text_get(&t->name));
    return STATUS_OK;
}

enum status tar_next(struct tar *t, bool *is_there)
{
    uint8_t header[BLOCK];
    bool is_end = false, is_entry = false;

    *is_there = false;
    while (!is_entry) {
        TRY(skip_rest(t));
        TRY(read_whole(t, header, sizeof header, &is_end));
        if (is_end || is_zero(header))
            return STATUS_OK;
        TRY(take_header(t, header, &is_entry));
    }
    *is_there = true;
    return STATUS_OK;
}
