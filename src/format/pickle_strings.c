/*
 * pickle_strings.c - the opcodes that push numbers, bytes and text, in binary or as a line of text
 * (protocol 0).
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "format/pickle_machine.h"

enum { NUMBER_MAX = 40 };

static enum status push_int(struct pickle_machine *m, int64_t value)
{
    return pickle_push_new(m, (struct pickle_value){.kind = PICKLE_INT, .integer = value});
}

/* --- numbers --- */

/* A line of at most NUMBER_MAX characters as a string. */
static enum status read_number(struct pickle_machine *m, char number[NUMBER_MAX + 1])
{
    struct pickle_bytes line = {0};

    TRY(pickle_read_line(m, &line));
    if (line.bytes > NUMBER_MAX)
        return pickle_fail(m, "a number of %zu characters; at most %d are supported", line.bytes,
                           NUMBER_MAX);
    memcpy(number, line.data, line.bytes);
    number[line.bytes] = '\0';
    return STATUS_OK;
}

/* "12", "12L"; "01" and "00" are True and False. */
static enum status op_int_line(struct pickle_machine *m)
{
    char number[NUMBER_MAX + 1];
    int64_t value = 0;

    TRY(read_number(m, number));

    const size_t length = strlen(number);

    if (strcmp(number, "00") == 0 || strcmp(number, "01") == 0)
        return pickle_push_new(
            m, (struct pickle_value){.kind = PICKLE_BOOL, .boolean = number[1] == '1'});
    if (length > 1 && number[length - 1] == 'L')
        number[length - 1] = '\0';
    if (!text_to_int(number, &value))
        return pickle_fail(m, "a number must be a whole number of at most 64 bits");
    return push_int(m, value);
}

enum status pickle_op_int(struct pickle_machine *m, int argument)
{
    uint64_t bits = 0;

    if (argument == 0)
        return op_int_line(m);
    TRY(pickle_read_uint(m, argument, &bits));
    return push_int(m, argument == 4 ? (int64_t)(int32_t)(uint32_t)bits : (int64_t)bits);
}

static int64_t sign_extended(const uint8_t *data, size_t bytes)
{
    uint64_t bits = bytes > 0 && data[bytes - 1] >= 0x80 ? UINT64_MAX : 0;

    for (size_t i = bytes; i > 0; i--)
        bits = bits << 8 | data[i - 1];
    return (int64_t)bits;
}

enum status pickle_op_long(struct pickle_machine *m, int argument)
{
    const uint8_t *data = NULL;
    uint64_t bytes = 0;

    TRY(pickle_read_uint(m, argument, &bytes));
    TRY(pickle_read(m, bytes, &data));
    if (bytes <= sizeof(int64_t))
        return push_int(m, sign_extended(data, bytes));
    return pickle_push_new(m, (struct pickle_value){
                                  .kind = PICKLE_LONG, .bytes = {.data = data, .bytes = bytes}
    });
}

static enum status read_float_line(struct pickle_machine *m, double *value)
{
    char number[NUMBER_MAX + 1];

    TRY(read_number(m, number));
    if (strcmp(number, "nan") == 0)
        *value = (double)NAN;
    else if (!text_to_double(number, value))
        return pickle_fail(m, "a number must be a decimal number");
    return STATUS_OK;
}

enum status pickle_op_float(struct pickle_machine *m, int argument)
{
    const struct element_type big = {.kind = ELEMENT_F64, .is_big_endian = true};
    const uint8_t *data = NULL;
    double value = 0;

    if (argument == 0) {
        TRY(read_float_line(m, &value));
    } else {
        TRY(pickle_read(m, (size_t)argument, &data));
        value = element_to_double(big, data);
    }
    return pickle_push_new(m, (struct pickle_value){.kind = PICKLE_FLOAT, .number = value});
}

/* --- escapes of lines --- */

/* So many hexadecimal digits; false when there are fewer. */
static bool read_hex(const uint8_t *at, const uint8_t *end, int digits, uint32_t *value)
{
    static const char all[] = "0123456789abcdef0123456789ABCDEF";

    *value = 0;
    if (end - at < digits)
        return false;
    for (int i = 0; i < digits; i++) {
        const char *digit = at[i] == '\0' ? NULL : strchr(all, at[i]);

        if (digit == NULL)
            return false;
        *value = *value << 4 | (uint32_t)((digit - all) % 16);
    }
    return true;
}

/* Writes the byte of the escape at `at`, after its backslash; its length, 0: unknown. */
static int decode_escape(const uint8_t *at, const uint8_t *end, uint8_t *byte)
{
    static const char letters[] = "\\'\"nrt", bytes[] = "\\'\"\n\r\t";
    uint32_t value;

    if (at == end || *at == '\0')
        return 0;
    if (*at == 'x') {
        const bool is_hex = read_hex(at + 1, end, 2, &value);

        *byte = (uint8_t)value;
        return is_hex ? 3 : 0;
    }

    const char *letter = strchr(letters, *at);

    if (letter != NULL)
        *byte = (uint8_t)bytes[letter - letters];
    return letter != NULL;
}

/* Writes what repr() of Python 2 has made of bytes; their number, -1: not this. */
static int64_t decode_repr(const uint8_t *at, const uint8_t *end, uint8_t *out)
{
    int64_t count = 0;

    while (at < end) {
        out[count] = *at;
        if (*at++ == '\\') {
            const int length = decode_escape(at, end, &out[count]);

            if (length == 0)
                return -1;
            at += length;
        }
        count++;
    }
    return count;
}

/* 'text' or "text", with escapes */
static enum status op_string_line(struct pickle_machine *m)
{
    struct pickle_bytes line = {0};

    TRY(pickle_read_line(m, &line));

    const uint8_t *begin = line.data, *end = begin + line.bytes;
    const bool is_quoted =
        line.bytes >= 2 && (*begin == '\'' || *begin == '"') && end[-1] == *begin;

    if (!is_quoted)
        return pickle_fail(m, "a string must have quotes");

    uint8_t *out = pickle_alloc(m->p, line.bytes);
    const int64_t count = decode_repr(begin + 1, end - 1, out);

    if (count < 0)
        return pickle_fail(m, "a string has an unknown escape");
    return pickle_push_new(m, (struct pickle_value){
                                  .kind = PICKLE_BYTES,
                                  .is_owned = true,
                                  .bytes = {.data = out, .bytes = (size_t)count}
    });
}

/* The bytes of a character in UTF-8. */
static size_t encode_utf8(uint32_t point, uint8_t *out)
{
    static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    const size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (uint8_t)(0x80 | (point & 0x3f));
        point >>= 6;
    }
    out[0] = (uint8_t)(first[length] | point);
    return length;
}

/* Latin-1 with \uXXXX and \UXXXXXXXX; -1: a character that there is not. */
static int64_t decode_unicode(const uint8_t *at, const uint8_t *end, uint8_t *out)
{
    int64_t count = 0;

    while (at < end) {
        const int digits = end - at < 2 || at[0] != '\\' ? 0
                           : at[1] == 'u'                ? 4
                           : at[1] == 'U'                ? 8
                                                         : 0;
        uint32_t point = *at;

        if (digits > 0 && (!read_hex(at + 2, end, digits, &point) || point > 0x10ffff))
            return -1;
        at += digits > 0 ? 2 + digits : 1;
        count += (int64_t)encode_utf8(point, out + count);
    }
    return count;
}

static enum status push_text(struct pickle_machine *m, struct pickle_bytes text, bool is_owned)
{
    if (!text_is_utf8((const char *)text.data, text.bytes))
        return pickle_fail(m, "a text is not valid UTF-8");
    return pickle_push_new(
        m, (struct pickle_value){.kind = PICKLE_TEXT, .is_owned = is_owned, .bytes = text});
}

static enum status op_text_line(struct pickle_machine *m)
{
    struct pickle_bytes line = {0};

    TRY(pickle_read_line(m, &line));

    uint8_t *out = pickle_alloc(m->p, 2 * line.bytes);
    const int64_t count = decode_unicode(line.data, line.data + line.bytes, out);

    if (count < 0)
        return pickle_fail(m, "a text has an unknown escape");
    return push_text(m, (struct pickle_bytes){.data = out, .bytes = (size_t)count}, true);
}

/* --- bytes and text that are in the file as they are --- */

static enum status read_sized(struct pickle_machine *m, int argument, struct pickle_bytes *bytes)
{
    uint64_t length = 0;

    TRY(pickle_read_uint(m, argument, &length));
    bytes->bytes = length;
    return pickle_read(m, length, &bytes->data);
}

enum status pickle_op_bytes(struct pickle_machine *m, int argument)
{
    struct pickle_bytes bytes = {0};

    if (argument == 0)
        return op_string_line(m);
    TRY(read_sized(m, argument, &bytes));
    return pickle_push_new(m, (struct pickle_value){.kind = PICKLE_BYTES, .bytes = bytes});
}

enum status pickle_op_text(struct pickle_machine *m, int argument)
{
    struct pickle_bytes text = {0};

    if (argument == 0)
        return op_text_line(m);
    TRY(read_sized(m, argument, &text));
    return push_text(m, text, false);
}

enum status pickle_encode_latin1(struct pickle_machine *m, const struct pickle_value *text,
                                 struct pickle_value **bytes)
{
    const uint8_t *at = text->bytes.data, *end = at + text->bytes.bytes;
    uint8_t *out = pickle_alloc(m->p, text->bytes.bytes);
    size_t count = 0;

    while (at < end) { /* valid UTF-8: below 256 are one byte, or two that begin with C2 or C3 */
        if (*at >= 0xc4)
            return pickle_fail(m, "bytes are written as text that is not Latin-1");
        if (*at >= 0x80) {
            out[count++] = (uint8_t)((at[0] & 3) << 6 | (at[1] & 0x3f));
            at += 2;
        } else {
            out[count++] = *at++;
        }
    }
    *bytes = pickle_new(m, PICKLE_BYTES);
    (*bytes)->is_owned = true;
    (*bytes)->bytes = (struct pickle_bytes){.data = out, .bytes = count};
    return STATUS_OK;
}
