/*
 * yaml_check.c - what libfyaml would accept, describe badly or not survive is refused before it
 * looks: NUL, controls, bad UTF-8, tabs, long lines, brackets without end.
 */
#include "conf/yaml_check.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/*
 * libfyaml holds all tokens for as long as a "[" among them may still turn out to be a key; limits
 * on the line and on brackets opened one after the other are what bound its memory.
 */
enum {
    LINE_MAX_BYTES = 1 << 16,
    OPENED_MAX = 256, /* more in a row can only be nesting, not part of a text */
};

enum status yaml_fail_at(const char *origin, struct yaml_position at, const char *what)
{
    return FAIL(STATUS_BAD_INPUT, "%s:%d:%d: %s", origin, at.line, at.column, what);
}

/* What is wrong with a character, or NULL. */
static const char *character_fault(char c, size_t bytes)
{
    if (bytes == 0)
        return "this byte is not valid UTF-8";
    if (c == '\0')
        return "a NUL byte does not belong in a text file";
    if (((unsigned char)c < 0x20 && strchr("\t\n\r", c) == NULL) || c == 0x7F)
        return "a control character does not belong here; write it as \"\\xNN\"";
    return NULL;
}

static bool ends_line(const char *s, size_t left)
{
    return s[0] == '\n' || (s[0] == '\r' && (left == 1 || s[1] != '\n'));
}

/* Whether a tab stands before the first character of a line that is not empty. */
static bool has_tab_indent(const char *line, size_t left, int *column)
{
    *column = 0;
    for (size_t i = 0; i < left; i++) {
        if (line[i] == '\t' && *column == 0)
            *column = (int)i + 1;
        if (line[i] != ' ' && line[i] != '\t')
            return *column > 0 && line[i] != '\n' && line[i] != '\r';
    }
    return false;
}

static enum status check_line_start(const char *line, size_t left, struct yaml_position at,
                                    const char *origin)
{
    if (has_tab_indent(line, left, &at.column))
        return yaml_fail_at(origin, at, "a tab in the indentation; YAML wants spaces");
    return STATUS_OK;
}

/*
 * What libfyaml 0.7 cannot take: a tab after a colon within an explicit key ("? key") ends it
 * badly. Where such a key begins and ends is for a parser to say; so the tab is refused wherever a
 * '?' that may begin one stood before.
 */
static bool may_begin_key(const char *s, size_t left)
{
    return s[0] == '?' && (left == 1 || strchr(" \t\r\n", s[1]) != NULL);
}

static bool has_tab_after_colon(const char *s, size_t left)
{
    size_t i = 1;

    while (s[0] == ':' && i < left && s[i] == ' ')
        i++;
    return i < left && s[0] == ':' && s[i] == '\t';
}

/* Brackets opened with nothing but space between them. */
struct opened {
    int count;
    struct yaml_position too_deep; /* of the first beyond YAML_NESTING_MAX */
};

static void count_opened(struct opened *o, char c, struct yaml_position at)
{
    if (c == '[' || c == '{') {
        o->count++;
        if (o->count == YAML_NESTING_MAX + 1)
            o->too_deep = at;
    } else if (c != ' ' && c != '\n' && c != '\r') {
        o->count = 0;
    }
}

enum status yaml_check_characters(const char *content, size_t length, const char *origin)
{
    struct yaml_position at = {.line = 1, .column = 1};
    struct opened opened = {0};
    size_t line_start = 0, bytes = 0;
    bool has_explicit_key = false;

    for (size_t i = 0; i < length; i += bytes) {
        if (i == line_start)
            TRY(check_line_start(content + i, length - i, at, origin));
        bytes = text_utf8_step(content + i, length - i);
        const char *fault = character_fault(content[i], bytes);
        has_explicit_key = has_explicit_key || may_begin_key(content + i, length - i);
        if (fault == NULL && has_explicit_key && has_tab_after_colon(content + i, length - i))
            fault = "a tab after this colon; write a space";
        if (fault != NULL)
            return yaml_fail_at(origin, at, fault);
        if (i - line_start >= LINE_MAX_BYTES)
            return yaml_fail_at(origin, at, "this line is longer than 65536 bytes");
        count_opened(&opened, content[i], at);
        if (opened.count > OPENED_MAX)
            return yaml_fail_at(origin, opened.too_deep, YAML_TOO_DEEP);
        at.column++;
        if (ends_line(content + i, length - i)) {
            at = (struct yaml_position){.line = at.line + 1, .column = 1};
            line_start = i + 1;
        }
    }
    return STATUS_OK;
}
