/*
 * graph.c - the graph of a run: links as thick as the bytes that they carried, nodes coloured by
 * the accuracy of their models or, where that is not known, by their distance from the mean.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "record/consensus_row.h"
#include "report/axis.h"
#include "report/figures/list.h"
#include "report/graph_drawing.h"

#define WIDTH  640.0
#define HEIGHT 620.0
#define TOP    34.0

enum { NODES_MAX = 300, LINKS_MAX = 1500, BAR_STEPS = 20 };

/* What is drawn. */
struct network {
    struct graph_row graph; /* its edges are own ones */
    int64_t *bytes;         /* [edge_count], in both directions of an edge without direction */
    int64_t most_bytes, link_count; /* link_count: with those that are not drawn */
    double *values;                 /* [nodes]; NaN: not known; NULL: of no node */
    double low, high;               /* of the values */
    bool is_accuracy;               /* else a distance */
    const char *what;               /* the values are */
};

struct weighed_link {
    int64_t from, to, bytes;
};

/* --- links --- */

static int compare_ends(const void *a, const void *b)
{
    const struct weighed_link *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static int compare_bytes(const void *a, const void *b)
{
    const struct weighed_link *x = a, *y = b;

    return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : compare_ends(a, b);
}

static bool is_link(const struct graph_row *g, int64_t from, int64_t to)
{
    return from >= 0 && to >= 0 && from < g->nodes && to < g->nodes && from != to;
}

/* Without directions the smaller node is first, so that both ways are one link. */
static struct weighed_link make_link(const struct graph_row *g, int64_t from, int64_t to,
                                     int64_t bytes)
{
    if (!g->is_directed && from > to)
        return (struct weighed_link){to, from, bytes};
    return (struct weighed_link){from, to, bytes};
}

/* Links that are listed several times become one with the bytes of all; answers how many. */
static int64_t merge_links(struct weighed_link *links, int64_t count)
{
    int64_t kept = 0;

    qsort(links, (size_t)count, sizeof *links, compare_ends);
    for (int64_t i = 0; i < count; i++) {
        if (kept > 0 && links[kept - 1].from == links[i].from && links[kept - 1].to == links[i].to)
            links[kept - 1].bytes += links[i].bytes;
        else
            links[kept++] = links[i];
    }
    return kept;
}

/* Those of the file, and what workers sent. Where the graph changes, the latter are all links that
 * were ever used. */
static struct weighed_link *gather_links(const struct graph_row *row,
                                         const struct record_workers *w, int64_t *count)
{
    int64_t room = row->edge_count;

    for (int64_t i = 0; i < w->count; i++)
        room += w->items[i].link_count;
    struct weighed_link *links = MEM_NEW_N(struct weighed_link, room);
    *count = 0;
    for (int64_t e = 0; e < row->edge_count; e++)
        if (is_link(row, row->edges[2 * e], row->edges[2 * e + 1]))
            links[(*count)++] = make_link(row, row->edges[2 * e], row->edges[2 * e + 1], 0);
    for (int64_t i = 0; i < w->count; i++) {
        for (int64_t k = 0; k < w->items[i].link_count; k++) {
            const struct record_link *sent = &w->items[i].links[k];

            if (is_link(row, i, sent->to))
                links[(*count)++] = make_link(row, i, sent->to, sent->bytes);
        }
    }
    *count = merge_links(links, *count);
    return links;
}

static void set_links(struct network *n, const struct graph_row *row,
                      const struct record_workers *w)
{
    struct weighed_link *links = gather_links(row, w, &n->link_count);

    n->graph = *row;
    n->graph.edge_count = n->link_count < LINKS_MAX ? n->link_count : LINKS_MAX;
    if (n->graph.edge_count < n->link_count)
        qsort(links, (size_t)n->link_count, sizeof *links, compare_bytes);
    n->graph.edges = MEM_NEW_N(int64_t, 2 * n->graph.edge_count);
    n->bytes = MEM_NEW_N(int64_t, n->graph.edge_count);
    for (int64_t e = 0; e < n->graph.edge_count; e++) {
        n->graph.edges[2 * e] = links[e].from;
        n->graph.edges[2 * e + 1] = links[e].to;
        n->bytes[e] = links[e].bytes;
        n->most_bytes = links[e].bytes > n->most_bytes ? links[e].bytes : n->most_bytes;
    }
    mem_free(links);
}

/* --- nodes --- */

static void set_range(struct network *n)
{
    n->low = (double)INFINITY;
    n->high = -(double)INFINITY;
    for (int64_t i = 0; i < n->graph.nodes; i++) {
        if (!isfinite(n->values[i]))
            continue;
        n->low = fmin(n->low, n->values[i]);
        n->high = fmax(n->high, n->values[i]);
    }
    if (n->low <= n->high)
        return;
    mem_free(n->values);
    n->values = NULL;
}

static void set_values(struct network *n, const struct record *r)
{
    struct consensus_row c = {0};

    n->values = MEM_NEW_N(double, n->graph.nodes);
    n->what = "test accuracy";
    n->is_accuracy = true;
    for (int64_t i = 0; i < n->graph.nodes; i++)
        n->values[i] = i < r->workers.count ? r->workers.items[i].test_accuracy : (double)NAN;
    set_range(n);
    if (n->values != NULL || !record_has(r, RECORD_CONSENSUS))
        return;
    (void)consensus_row_read_last(r->run_dir, &c); /* a damaged file has no row */
    if (c.nodes == n->graph.nodes && c.from_mean != NULL) {
        n->values = c.from_mean;
        c.from_mean = NULL;
        n->what = "distance from the mean";
        n->is_accuracy = false;
        set_range(n);
    }
    consensus_row_release(&c);
}

static void network_release(struct network *n)
{
    mem_free(n->graph.edges);
    mem_free(n->bytes);
    mem_free(n->values);
}

/* --- drawing --- */

static enum axis_unit unit_of(const struct network *n)
{
    return n->is_accuracy ? AXIS_PERCENT : AXIS_NUMBER;
}

/* The lowest value is pale, but still to be seen. */
static double shade_of(const struct network *n, double value)
{
    const double extent = n->high - n->low;

    return 0.12 + 0.88 * (extent > 0 ? (value - n->low) / extent : 1);
}

static double *make_shades(const struct network *n)
{
    double *shades = MEM_NEW_N(double, n->graph.nodes);

    for (int64_t i = 0; i < n->graph.nodes; i++)
        shades[i] = shade_of(n, n->values[i]);
    return shades;
}

static double *make_strengths(const struct network *n)
{
    double *strengths = MEM_NEW_N(double, n->graph.edge_count);

    for (int64_t e = 0; e < n->graph.edge_count; e++)
        strengths[e] = n->most_bytes > 0 ? (double)n->bytes[e] / (double)n->most_bytes : 0.5;
    return strengths;
}

static char **make_tooltips(const struct network *n)
{
    char **tooltips = MEM_NEW_N(char *, n->graph.nodes);

    for (int64_t i = 0; i < n->graph.nodes; i++) {
        struct text text = {0};

        text_addf(&text, "node %" PRId64, i);
        if (n->values != NULL && isfinite(n->values[i])) {
            text_addf(&text, ": %s ", n->what);
            axis_add_short(&text, n->values[i], unit_of(n));
        }
        tooltips[i] = text_take(&text);
    }
    return tooltips;
}

static double draw_key_text(struct svg *s, double x, const char *text)
{
    svg_text(s, &(struct svg_label){.x = x, .y = 20, .size = SVG_SMALL, .colour = SVG_FAINT}, text);
    return x + svg_text_width(text, SVG_SMALL) + 6;
}

/* "test accuracy 80 % [colours] 92 %" */
static void draw_key(const struct network *n, struct svg *s)
{
    struct text low = {0}, high = {0};
    double x = 20;

    if (n->values == NULL)
        return;
    axis_add_short(&low, n->low, unit_of(n));
    axis_add_short(&high, n->high, unit_of(n));
    x = draw_key_text(s, x, n->what);
    x = draw_key_text(s, x + 4, text_get(&low));
    for (int i = 0; i < BAR_STEPS && n->high > n->low; i++)
        svg_rect(s, (struct svg_box){x + 6 * i, 11, 6, 10},
                 &(struct svg_look){.fill = SVG_HEAT,
                                    .opacity = 0.12 + 0.88 * (i + 0.5) / BAR_STEPS,
                                    .is_crisp = true});
    if (n->high > n->low)
        (void)draw_key_text(s, x + 6 * BAR_STEPS + 6, text_get(&high));
    text_release(&low);
    text_release(&high);
}

static void draw_network(const struct network *n, struct figure *f)
{
    double *shades = n->values == NULL ? NULL : make_shades(n), *strengths = make_strengths(n);
    char **tooltips = make_tooltips(n);
    struct svg s;

    svg_open(&s, &f->svg, &(struct svg_frame){WIDTH, HEIGHT, f->title, SVG_LIGHT});
    draw_key(n, &s);
    graph_drawing_draw(
        &(struct graph_drawing){
            .graph = &n->graph,
            .strengths = strengths,
            .shades = shades,
            .tooltips = (const char *const *)tooltips,
            .box = {10, TOP, WIDTH - 20, HEIGHT - TOP - 10},
    },
        &s);
    svg_close(&s);
    for (int64_t i = 0; i < n->graph.nodes; i++)
        mem_free(tooltips[i]);
    mem_free(tooltips);
    mem_free(strengths);
    mem_free(shades);
}

/* --- around it --- */

static void put_numbers(const struct network *n, struct figure *f)
{
    static const char *const titles[] = {"from", "to", "bytes", NULL};

    figure_start_numbers(f, titles, n->graph.edge_count);
    for (int64_t e = 0; e < n->graph.edge_count; e++) {
        figure_put_int(f, e, 0, n->graph.edges[2 * e]);
        figure_put_int(f, e, 1, n->graph.edges[2 * e + 1]);
        figure_put_int(f, e, 2, n->bytes[e]);
    }
}

static char *make_caption(const struct network *n)
{
    struct text caption = {0};

    text_addf(&caption, "%s%s%" PRId64 " nodes and %" PRId64 " links.", n->graph.name,
              n->graph.name[0] == '\0' ? "" : ": ", n->graph.nodes, n->link_count);
    if (n->most_bytes > 0) {
        text_add(&caption, " A link is as thick as the bytes that it carried, at most ");
        axis_add_short(&caption, (double)n->most_bytes, AXIS_BYTES);
        text_add(&caption, ".");
    }
    if (n->graph.changes)
        text_add(&caption, " Links change from round to round; all that were used are drawn.");
    if (n->graph.edge_count < n->link_count)
        text_addf(&caption, " Drawn are the %" PRId64 " that carried most.", n->graph.edge_count);
    if (n->values != NULL)
        text_addf(&caption, " The colour of a node is the %s of its model.", n->what);
    return text_take(&caption);
}

static bool draw(const struct record *r, struct figure *f)
{
    const struct graph_row *row = r->graph.count > 0 ? &r->graph.items[0] : NULL;
    struct network n = {0};

    if (row == NULL || row->nodes < 2 || row->nodes > NODES_MAX)
        return false;
    set_links(&n, row, &r->workers);
    set_values(&n, r);
    draw_network(&n, f);
    put_numbers(&n, f);
    f->caption = make_caption(&n);
    network_release(&n);
    return true;
}

const struct run_figure graph_figure = {
    .name = "graph",
    .title = "Communication graph",
    .draw = draw,
};
