/*
 * number_lines.c - lines of words from files and options.
 */
#include "graph/number_lines.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

enum { FILE_LIMIT = 1 << 28 };
#define BLANKS " \t\r\v\f"

/* Cuts the line in place. */
static int cut_words(char *line, const char **words)
{
    int count = 0;

    line[strcspn(line, "#")] = '\0';
    for (line += strspn(line, BLANKS); *line != '\0' && count < NUMBER_LINE_WORDS_MAX;
         line += strspn(line, BLANKS)) {
        words[count++] = line;
        line += strcspn(line, BLANKS);
        if (*line != '\0')
            *line++ = '\0';
    }
    return count;
}

/* The text is cut in place. */
static enum status read_lines(char *text, const char *ends, const char *name, bool is_file,
                              number_line_taker *take, void *context)
{
    struct number_line line = {0};
    enum status s = STATUS_OK;

    while (text != NULL && s == STATUS_OK) {
        const size_t length = strcspn(text, ends);
        char *next = text[length] == '\0' ? NULL : text + length + 1;

        text[length] = '\0';
        line.number++;
        line.count = cut_words(text, line.words);
        if (line.count > 0) {
            char *where =
                text_format(is_file ? "%s:%lld" : "%s: place %lld", name, (long long)line.number);

            line.where = where;
            s = take(&line, context);
            mem_free(where);
        }
        text = next;
    }
    return s;
}

/* Without comments; every line stays where it is, so that messages can name it. */
static char *without_comments(const char *content)
{
    struct text out = {0};

    for (const char *at = content; *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        size_t used = strcspn(at, "#\n");

        while (used > 0 && strchr(BLANKS, at[used - 1]) != NULL)
            used--;
        text_add_n(&out, at, used);
        if (at[length] == '\n')
            text_add(&out, "\n");
        at += length + (at[length] == '\n' ? 1 : 0);
    }
    return text_take(&out);
}

enum status number_lines_embed(char **path, char **content, char **source)
{
    struct text bytes = {0};

    if (*path == NULL)
        return STATUS_OK;
    enum status s = file_read(*path, FILE_LIMIT, &bytes);
    if (s == STATUS_OK && memchr(text_get(&bytes), '\0', bytes.length) != NULL)
        s = FAIL(STATUS_BAD_INPUT, "%s: not a text file", *path);
    if (s == STATUS_OK) {
        *content = without_comments(text_get(&bytes));
        mem_free(*source);
        *source = *path;
        *path = NULL;
    }
    text_release(&bytes);
    return s;
}

enum status number_lines_read(const struct number_lines *lines, number_line_taker *take,
                              void *context)
{
    char *copy = mem_text(lines->text);
    const bool is_file = lines->source != NULL;
    const enum status s = read_lines(copy, is_file ? "\n" : ",;\n",
                                     is_file ? lines->source : lines->key, is_file, take, context);

    mem_free(copy);
    return s;
}
