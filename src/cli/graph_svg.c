/*
 * graph_svg.c - a graph as a drawing with its measures; links are as thick as their weights.
 *
 * The colours follow the viewer's light or dark scheme; the ground stays open. Where nodes are and
 * how they look is that of the report (report/graph_drawing.h).
 */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "cli/graph.h"
#include "report/graph_drawing.h"

#define SIDE 640.0
#define TOP  58.0 /* for the two lines of text */

static void draw_text(struct svg *s, const struct graph_view *v)
{
    const struct graph *g = v->graph;
    const bool is_directed = topology_is_directed(v->topology);
    const char *rule = is_directed ? "shares" : weight_rule_names[v->choice->options.weights];
    struct text about = {0};

    text_addf(&about, "%d nodes, %" PRId64 " %s", g->nodes, graph_edge_count(g),
              is_directed ? "links" : "edges");
    if (topology_changes(v->topology))
        text_addf(&about, ", round %" PRId64, v->round);
    if (!isnan(v->fiedler))
        text_addf(&about, "; Fiedler value %.4g", v->fiedler);
    text_addf(&about, "; spectral gap %.4g (%s)", v->gaps[v->choice->options.weights], rule);
    svg_text(s, &(struct svg_label){.x = 20, .y = 28, .size = 18, .is_bold = true},
             v->choice->type.entry->name);
    svg_text(s, &(struct svg_label){.x = 20, .y = 48, .size = SVG_TITLE, .colour = SVG_FAINT},
             text_get(&about));
    text_release(&about);
}

/* The links of the round with their weights, of which the largest becomes 1; mem_free both. */
static double *copy_links(const struct graph_view *v, struct graph_row *row)
{
    const struct graph *g = v->graph;
    double *strengths = MEM_NEW_N(double, graph_edge_count(g)), largest = 0;

    row->edges = MEM_NEW_N(int64_t, 2 * graph_edge_count(g));
    for (int i = 0; i < g->nodes; i++) {
        struct neighbourhood n;

        topology_neighbourhood(v->topology, v->round, i, &n);
        for (int k = 0; k < n.in_count; k++) {
            if (!g->is_directed && n.in[k] > i)
                continue;
            row->edges[2 * row->edge_count] = n.in[k];
            row->edges[2 * row->edge_count + 1] = i;
            strengths[row->edge_count++] = n.weights[k];
            largest = fmax(largest, n.weights[k]);
        }
    }
    for (int64_t e = 0; e < row->edge_count; e++)
        strengths[e] = largest > 0 ? strengths[e] / largest : 0;
    return strengths;
}

/* mem_free; NULL: nodes have no positions */
static double *copy_positions(const struct graph *g)
{
    double *positions = NULL;

    if (g->positions != NULL)
        positions = MEM_NEW_N(double, 2 * (int64_t)g->nodes);
    for (int64_t i = 0; g->positions != NULL && i < g->nodes; i++) {
        positions[2 * i] = g->positions[i].x;
        positions[2 * i + 1] = g->positions[i].y;
    }
    return positions;
}

void graph_svg(struct text *out, const struct graph_view *v)
{
    char *title = text_format("%s, %d nodes", v->choice->type.entry->name, v->graph->nodes);
    struct graph_row row = {.nodes = v->graph->nodes, .is_directed = v->graph->is_directed};
    double *strengths = copy_links(v, &row);
    struct svg s;

    row.positions = copy_positions(v->graph);
    svg_open(&s, out, &(struct svg_frame){SIDE, SIDE + TOP, title, SVG_FOLLOW});
    draw_text(&s, v);
    graph_drawing_draw(
        &(struct graph_drawing){
            .graph = &row, .strengths = strengths, .box = {14, TOP, SIDE - 28, SIDE - 14}
    },
        &s);
    svg_close(&s);
    mem_free(row.edges);
    mem_free(row.positions);
    mem_free(strengths);
    mem_free(title);
}
