/*
 * number_lines.c - lines of words from files and options.
 */
#include "graph/number_lines.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

enum { FILE_LIMIT = 1 << 28 };

/* Cuts the line in place. */
static int cut_words(char *line, const char **words)
{
    static const char blanks[] = " \t\r\v\f";
    int count = 0;

    line[strcspn(line, "#")] = '\0';
    for (line += strspn(line, blanks); *line != '\0' && count < NUMBER_LINE_WORDS_MAX;
         line += strspn(line, blanks)) {
        words[count++] = line;
        line += strcspn(line, blanks);
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

enum status number_lines_read_file(const char *path, number_line_taker *take, void *context)
{
    struct text content = {0};
    enum status s = file_read(path, FILE_LIMIT, &content);

    if (s == STATUS_OK && memchr(text_get(&content), '\0', content.length) != NULL)
        s = FAIL(STATUS_BAD_INPUT, "%s: this is no text file", path);
    else if (s == STATUS_OK && content.length > 0)
        s = read_lines(content.data, "\n", path, true, take, context);
    text_release(&content);
    return s;
}

enum status number_lines_read_text(const char *key, const char *text, number_line_taker *take,
                                   void *context)
{
    char *copy = mem_text(text);
    const enum status s = read_lines(copy, ",;\n", key, false, take, context);

    mem_free(copy);
    return s;
}
