/*
 * node_write.c - a tree as YAML that yaml_parse reads back to the same tree.
 *
 * Maps and lists of collections are written as blocks, lists of scalars as [a, b] with breaks
 * before column 96. A scalar that could be read as anything but itself is double-quoted.
 */
#include <stdio.h>
#include <string.h>

#include "conf/node.h"

enum { INDENT = 2, WIDTH = 96 };

static bool is_plain_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_./+- ", c) != NULL);
}

/* Whether the text means itself without quotes, as a key, a value, and inside brackets. */
static bool is_plain(const char *text)
{
    const size_t length = strlen(text);

    if (length == 0 || text[0] == ' ' || text[length - 1] == ' ' || length > WIDTH)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!is_plain_byte(text[i]))
            return false;
    }
    if (text[0] == '-' && (length == 1 || text[1] == ' ' || text[1] == '-'))
        return false; /* a list item or a document's start */
    return strncmp(text, "...", 3) != 0 && strcmp(text, "null") != 0 && strcmp(text, "Null") != 0 &&
           strcmp(text, "NULL") != 0;
}

/*
 * Bytes that stand for a character which YAML does not carry as it is: C1 controls, the line
 * separators of Unicode, the byte order mark. Answers the code and how many bytes it takes, or 0.
 */
static unsigned hidden_character(const unsigned char *s, int *bytes)
{
    *bytes = 2;
    if (s[0] == 0xC2 && s[1] >= 0x80 && s[1] <= 0x9F)
        return s[1];
    *bytes = 3;
    if (s[0] == 0xE2 && s[1] == 0x80 && (s[2] == 0xA8 || s[2] == 0xA9))
        return 0x2000U | (s[2] & 0x3FU);
    if (s[0] == 0xEF && s[1] == 0xBB && s[2] == 0xBF)
        return 0xFEFFU;
    if (s[0] == 0xEF && s[1] == 0xBF && (s[2] == 0xBE || s[2] == 0xBF))
        return 0xFFC0U | (s[2] & 0x3FU);
    return 0;
}

static void write_quoted(const char *text, struct text *out)
{
    text_add(out, "\"");
    for (const char *s = text; *s != '\0'; s++) {
        const unsigned char c = (unsigned char)*s;
        int bytes = 1;
        const unsigned code = c < 0x80 ? 0 : hidden_character((const unsigned char *)s, &bytes);

        if (c == '"' || c == '\\')
            text_addf(out, "\\%c", c);
        else if (c == '\n')
            text_add(out, "\\n");
        else if (c == '\t')
            text_add(out, "\\t");
        else if (c < 0x20 || c == 0x7F)
            text_addf(out, "\\x%02X", c);
        else if (code == 0)
            text_add_n(out, s, 1);
        else {
            text_addf(out, "\\u%04X", code);
            s += bytes - 1;
        }
    }
    text_add(out, "\"");
}

static void write_text(const char *text, struct text *out)
{
    if (is_plain(text))
        text_add(out, text);
    else
        write_quoted(text, out);
}

static void write_scalar(const struct node *n, struct text *out)
{
    if (n->is_null)
        text_add(out, "null");
    else
        write_text(n->text, out);
}

static void new_line(int indent, struct text *out)
{
    text_addf(out, "\n%*s", indent, "");
}

static bool has_only_scalars(const struct node *list)
{
    for (int64_t i = 0; i < list->count; i++) {
        if (list->children[i]->kind != NODE_SCALAR)
            return false;
    }
    return true;
}

/* [a, b, c], continued on lines of this indentation. */
static void write_flow(const struct node *list, int indent, struct text *out)
{
    size_t line_start = out->length;

    text_add(out, "[");
    for (int64_t i = 0; i < list->count; i++) {
        if (i > 0)
            text_add(out, ",");
        if (out->length - line_start > WIDTH - 16 - (size_t)(indent < 40 ? indent : 40)) {
            new_line(indent, out);
            line_start = out->length;
        } else if (i > 0) {
            text_add(out, " ");
        }
        write_scalar(list->children[i], out);
    }
    text_add(out, "]");
}

static bool is_inline(const struct node *n)
{
    return n->kind == NODE_SCALAR || n->count == 0 || (n->kind == NODE_LIST && has_only_scalars(n));
}

static void write_inline(const struct node *n, int indent, struct text *out)
{
    if (n->kind == NODE_SCALAR)
        write_scalar(n, out);
    else if (n->kind == NODE_MAP)
        text_add(out, "{}");
    else
        write_flow(n, indent, out);
}

/* A block whose first line begins where the text ends, and whose others begin at `indent`. */
static void write_block(const struct node *n, int indent, struct text *out)
{
    for (int64_t i = 0; i < n->count; i++) {
        const struct node *child = n->children[i];

        if (i > 0)
            new_line(indent, out);
        if (n->kind == NODE_MAP) {
            write_text(n->keys[i], out);
            text_add(out, ":");
        } else {
            text_add(out, "-");
        }
        if (is_inline(child) || n->kind == NODE_LIST)
            text_add(out, " ");
        else
            new_line(indent + INDENT, out);
        if (is_inline(child))
            write_inline(child, indent + INDENT, out);
        else
            write_block(child, indent + INDENT, out);
    }
}

void node_write(const struct node *n, struct text *out)
{
    if (is_inline(n))
        write_inline(n, INDENT, out);
    else
        write_block(n, 0, out);
    text_add(out, "\n");
}
