/*
 * edge_file.c - a graph from a file: a line "i j" for each link, '#' begins a comment.
 *
 * Nodes are numbered from 0. A link that is given twice, or both ways round, is one link; with
 * directions "i j" goes from i to j.
 */
#include "base/text.h"
#include "graph/list.h"
#include "graph/number_lines.h"

struct file_opts {
    char *path, *links, *source;
    bool directed;
};

static const struct field file_fields[] = {
    FIELD_PATH(struct file_opts, path, NULL, "the file of links, a line \"i j\" each"),
    FIELD_TEXT(struct file_opts, links, NULL, "the links themselves, as \"0 1, 1 2\""),
    FIELD_TEXT(struct file_opts, source, NULL,
               "the file that links were read from; set by the program"),
    FIELD_BOOL(struct file_opts, directed, false, "links go from i to j only"),
    FIELD_LAST,
};

struct edge_reader {
    struct arcs arcs;
    int nodes;
};

static enum status take_node(const struct number_line *line, const char *word, int nodes, int *node)
{
    int64_t value = 0;

    if (!text_to_int(word, &value))
        return FAIL(STATUS_BAD_INPUT, "%s: \"%s\" is not the number of a node", line->where, word);
    if (value < 0 || value >= nodes)
        return FAIL(STATUS_BAD_INPUT, "%s: there is no node %lld; the %d node%s 0 to %d",
                    line->where, (long long)value, nodes, nodes == 1 ? " is" : "s are", nodes - 1);
    *node = (int)value;
    return STATUS_OK;
}

static enum status take_edge(const struct number_line *line, void *context)
{
    struct edge_reader *r = context;
    int from = 0, to = 0;

    if (line->count != 2)
        return FAIL(STATUS_BAD_INPUT, "%s: a link must be two numbers of nodes, such as \"0 1\"",
                    line->where);
    TRY(take_node(line, line->words[0], r->nodes, &from));
    TRY(take_node(line, line->words[1], r->nodes, &to));
    if (from == to)
        return FAIL(STATUS_BAD_INPUT, "%s: node %d is linked to itself; a link joins two nodes",
                    line->where, from);
    arcs_add(&r->arcs, from, to);
    return STATUS_OK;
}

static enum status file_embed(void *options)
{
    struct file_opts *opts = options;

    if (opts->path != NULL && opts->links != NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "graph.path: conflicts with graph.links; give one of the two");
    return number_lines_embed(&opts->path, &opts->links, &opts->source);
}

static enum status file_make(const void *options, const struct graph_request *q, struct graph *g)
{
    const struct file_opts *opts = options;
    struct edge_reader r = {.nodes = q->nodes};

    if (opts->links == NULL)
        return FAIL(STATUS_BAD_INPUT, "graph.path: missing; graph file needs its file of links: "
                                      "--file.path FILE, or graph: {name: file, path: FILE}");
    const struct number_lines lines = {
        .text = opts->links, .key = "graph.links", .source = opts->source};
    const enum status s = number_lines_read(&lines, take_edge, &r);
    if (s == STATUS_OK)
        graph_init(g, q->nodes, opts->directed, &r.arcs);
    arcs_release(&r.arcs);
    return s;
}

const struct graph_ops file_graph = {
    .entry =
        {
                .name = "file",
                .summary = "the links of a file, a line \"i j\" each",
                .fields = file_fields,
                .options_size = sizeof(struct file_opts),
                },
    .embed = file_embed,
    .make = file_make,
};
