/*
 * graph_read.c - lines of words from files and options; places of nodes, given or random.
 */
#include "comm/graph_read.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "comm/graph.h"

enum { FILE_LIMIT = 1 << 28 };

/* Cuts the line in place. */
static int cut_words(char *line, const char **words)
{
    static const char blanks[] = " \t\r\v\f";
    int count = 0;

    line[strcspn(line, "#")] = '\0';
    for (line += strspn(line, blanks); *line != '\0' && count < GRAPH_WORDS_MAX;
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
                              graph_line_taker *take, void *context)
{
    struct graph_line line = {0};
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

enum status graph_read_file(const char *path, graph_line_taker *take, void *context)
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

enum status graph_read_text(const char *key, const char *text, graph_line_taker *take,
                            void *context)
{
    char *copy = mem_text(text);
    const enum status s = read_lines(copy, ",;\n", key, false, take, context);

    mem_free(copy);
    return s;
}

/* --- places --- */

struct place_reader {
    struct place *places;
    int nodes;
    int64_t count;
};

static enum status take_place(const struct graph_line *line, void *context)
{
    struct place_reader *r = context;
    double values[2] = {0};

    if (line->count != 2)
        return FAIL(STATUS_BAD_INPUT, "%s: a place is two numbers, as \"0.5 1\"", line->where);
    for (int i = 0; i < 2; i++) {
        if (!text_to_double(line->words[i], &values[i]) || !(fabs(values[i]) <= 1e12))
            return FAIL(STATUS_BAD_INPUT, "%s: \"%s\" is not a number in [-1e12, 1e12]",
                        line->where, line->words[i]);
    }
    if (r->count < r->nodes)
        r->places[r->count] = (struct place){.x = values[0], .y = values[1]};
    r->count++;
    return STATUS_OK;
}

enum status graph_read_places(const char *text, const char *path, int nodes, struct place **places)
{
    struct place_reader r = {.places = MEM_NEW_N(struct place, nodes), .nodes = nodes};
    enum status s = path != NULL ? graph_read_file(path, take_place, &r)
                                 : graph_read_text("graph.positions", text, take_place, &r);

    if (s == STATUS_OK && r.count != nodes)
        s = FAIL(STATUS_BAD_INPUT, "%s: there are %lld places for %d nodes; each needs one",
                 path != NULL ? path : "graph.positions", (long long)r.count, nodes);
    if (s == STATUS_OK)
        *places = r.places;
    else
        mem_free(r.places);
    return s;
}

struct place *graph_places(const struct graph_request *q, const struct rng *r)
{
    struct place *places = MEM_NEW_N(struct place, q->nodes);

    for (int i = 0; i < q->nodes; i++) {
        places[i].x = rng_uniform(r, graph_key(q, i, i), 0);
        places[i].y = rng_uniform(r, graph_key(q, i, i), 1);
    }
    return places;
}
