/*
 * graph.h - what the files of `muster graph` share.
 */
#ifndef CLI_GRAPH_H
#define CLI_GRAPH_H

#include "base/text.h"
#include "graph/topology.h"
#include "graph/weights.h"

/* One round's graph to show. */
struct graph_view {
    const struct topology_choice *choice;
    const struct topology *topology;
    const struct graph *graph; /* of the round */
    int64_t round;
    uint64_t seed;
    double fiedler;             /* NAN with directions */
    double gaps[WEIGHTS_RULES]; /* of the round; NAN: there is none */
    double period_gap;          /* a round, over a period; NAN: not periodic */
    int64_t degree_min, degree_max;
};

void graph_table(struct text *out, const struct graph_view *v);
void graph_json(struct text *out, const struct graph_view *v);

/* A drawing that follows the page's light or dark colours. */
void graph_svg(struct text *out, const struct graph_view *v);

#endif
