/*
 * class_dict.c - see class_dict.h.
 */
#include "data/class_dict.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

enum { FILE_MAX = 1 << 20 };

struct reading {
    const char *path;
    const char *begin, *at; /* ends with 0 */
    char **names;
    int64_t count;
};

/* Fails with the place of `at`. */
static enum status wrong(const struct reading *r, const char *at, const char *what)
{
    int64_t line = 1, column = 1;

    for (const char *c = r->begin; c < at; c++) {
        line += *c == '\n';
        column = *c == '\n' ? 1 : column + 1;
    }
    return FAIL(STATUS_BAD_INPUT, "%s:%lld:%lld: %s", r->path, (long long)line, (long long)column,
                what);
}

static void skip_spaces(struct reading *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

/* Spaces, then this character. */
static enum status expect(struct reading *r, char c, const char *what)
{
    skip_spaces(r);
    if (*r->at != c)
        return wrong(r, r->at, what);
    r->at++;
    return STATUS_OK;
}

static enum status read_key(struct reading *r, int64_t *key)
{
    const char *begin = r->at;
    int64_t value = 0;

    while (isdigit((unsigned char)*r->at) && value <= r->count)
        value = value * 10 + (*r->at++ - '0');
    if (r->at == begin)
        return wrong(r, begin, "expected the number of a class, as in 0: 'tench'");
    if (value >= r->count || r->names[value] != NULL) {
        char *what = value >= r->count
                         ? text_format("class numbers must be below %lld", (long long)r->count)
                         : text_format("class %lld is there for the second time", (long long)value);
        const enum status s = wrong(r, begin, what);

        mem_free(what);
        return s;
    }
    *key = value;
    return STATUS_OK;
}

/* The character after a backslash; 0: none that is known. */
static char escaped(char c)
{
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == '\\' || c == '\'' || c == '"' ? c : '\0';
}

static enum status read_characters(struct reading *r, char quote, struct text *name)
{
    const char *begin = r->at - 1;

    for (; *r->at != quote; r->at++) {
        char c = *r->at;

        if (c == '\0' || c == '\n')
            return wrong(r, begin, "the name has no closing quote");
        if (c == '\\') {
            c = escaped(r->at[1]);
            if (c == '\0')
                return wrong(r, r->at, "unknown escape; known are \\\\ \\' \\\" \\n \\t");
            r->at++;
        }
        text_add_n(name, &c, 1);
    }
    r->at++;
    if (name->length == 0)
        return wrong(r, begin, "the name is empty");
    return text_is_utf8(text_get(name), name->length) ? STATUS_OK
                                                      : wrong(r, begin, "the name is not UTF-8");
}

static enum status read_entry(struct reading *r)
{
    struct text name = {0};
    int64_t key = 0;

    TRY(read_key(r, &key));
    TRY(expect(r, ':', "expected : after the number of a class"));
    skip_spaces(r);
    if (*r->at != '\'' && *r->at != '"')
        return wrong(r, r->at, "expected a name in quotes");
    const char quote = *r->at++;
    const enum status s = read_characters(r, quote, &name);
    if (s == STATUS_OK)
        r->names[key] = text_take(&name);
    text_release(&name);
    return s;
}

static enum status read_entries(struct reading *r)
{
    TRY(expect(r, '{', "expected {, as in {0: 'tench', 1: 'goldfish'}"));
    for (skip_spaces(r); *r->at != '}'; skip_spaces(r)) {
        TRY(read_entry(r));
        skip_spaces(r);
        if (*r->at != '}')
            TRY(expect(r, ',', "expected , or } after a name"));
    }
    r->at++;
    skip_spaces(r);
    if (*r->at != '\0')
        return wrong(r, r->at, "expected nothing after the last }");
    for (int64_t k = 0; k < r->count; k++)
        if (r->names[k] == NULL) {
            char *what = text_format("class %lld is missing", (long long)k);
            const enum status s = wrong(r, r->at, what);

            mem_free(what);
            return s;
        }
    return STATUS_OK;
}

static void forget(struct reading *r)
{
    for (int64_t k = 0; k < r->count; k++) {
        mem_free(r->names[k]);
        r->names[k] = NULL;
    }
}

enum status class_dict_read(const char *path, char **names, int64_t count)
{
    struct text content = {0};
    struct reading r = {.path = path, .names = names, .count = count};

    memset(names, 0, (size_t)count * sizeof *names);
    TRY(file_read(path, FILE_MAX, &content));
    r.begin = r.at = text_get(&content);
    enum status s = strlen(r.begin) == content.length
                        ? read_entries(&r)
                        : wrong(&r, r.begin + strlen(r.begin), "has a byte 0; expected text");
    if (s != STATUS_OK)
        forget(&r);
    text_release(&content);
    return s;
}
