/*
 * graph.c - `muster graph`: the types of graphs, and the measures and the picture of one.
 *
 * Here: the flags, and measuring. Not here: the table (graph_show.c), the drawing (graph_svg.c),
 * the graphs themselves (graph/graph.h).
 */
#include "cli/graph.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/list.h"
#include "graph/spectrum.h"

#define USUAL "cycle" /* the type where only options are given */

enum {
    NODES_USUAL = 10,
    NODES_MAX = 5000,
    FASTEST_USUAL = 64, /* up to so many nodes fastest weights are shown without being asked for */
    PERIOD_MAX = 4096
};

static const struct flag graph_flags[] = {
    {"type",           "graph.name",           "NAME",
     "type of graph, such as cycle or erdos-renyi (default: list the types)",                               "Graph" },
    {"nodes",          NULL,                   "N",      "number of nodes (10)",                            NULL    },
    {"seed",           NULL,                   "N",      "seed of random graphs (1)",                       NULL    },
    {"weights",        "graph.weights",        "RULE",   NULL,                                              NULL    },
    {"schedule",       "graph.schedule",       "LIST",   NULL,                                              "Rounds"},
    {"switch-every",   "graph.switch_every",   "N",      NULL,                                              NULL    },
    {"drop-links",     "graph.drop_links",     "P",      NULL,                                              NULL    },
    {"drop-nodes",     "graph.drop_nodes",     "P",      NULL,                                              NULL    },
    {"drop-direction", "graph.drop_direction", "WAY",    NULL,                                              NULL    },
    {"burst-length",   "graph.burst_length",   "ROUNDS", NULL,                                              NULL    },
    {"round",          NULL,                   "R",      "the round to show (0)",                           NULL    },
    {"svg",            NULL,                   "FILE",   "also draw the graph",                             "Output"},
    {"force",          NULL,                   NULL,     "replace FILE even if it is another kind of file", NULL    },
    {"json",           NULL,                   NULL,     "print one JSON object",                           NULL    },
    FLAG_LAST,
};

static const struct flag_table graph_tables[] = {
    {"graph", topology_fields},
    FLAG_LAST,
};

static const struct registry *const graph_registries[] = {&graph_registry, NULL};

static const struct flags_spec graph_spec = {
    .command = "graph",
    .usage = "muster graph [--type NAME] [flags]",
    .intro = "Builds a communication graph as a run would. Prints its degrees, diameter, Fiedler "
             "value and the spectral gap of each rule for mixing weights. Options of the type are "
             "flags too: --erdos-renyi.p 0.3. Without --type: lists the types.",
    .examples = "muster graph\n"
                "muster graph --type torus --nodes 12 --svg torus.svg\n"
                "muster graph --type erdos-renyi --erdos-renyi.p 0.3 --nodes 20 --weights fastest\n"
                "muster graph --type one-peer-exponential --nodes 8 --round 2 --json",
    .flags = graph_flags,
    .tables = graph_tables,
    .registries = graph_registries,
};

/* --- the list of types --- */

static void list_text(struct text *out)
{
    text_addf(out, "%-21s %s\n", "type", "what");
    for (const struct entry *const *e = graph_registry.entries; *e != NULL; e++) {
        char *prefix = text_format("%s.", (*e)->name);

        text_addf(out, "%-21s %s\n", (*e)->name, (*e)->summary);
        if ((*e)->fields != NULL)
            fields_help((*e)->fields, prefix, out);
        mem_free(prefix);
    }
    text_add(out, "\nmuster graph --type NAME --nodes N shows the measures of one.\n");
}

static void list_json(struct text *out)
{
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_open_list(&j, "graphs");
    for (const struct entry *const *e = graph_registry.entries; *e != NULL; e++) {
        json_open_map(&j, NULL);
        json_text(&j, "name", (*e)->name);
        json_text(&j, "summary", (*e)->summary);
        json_open_list(&j, "options");
        for (const struct field *f = (*e)->fields; f != NULL && f->kind != FIELD_KIND_LAST; f++)
            json_text(&j, NULL, f->name);
        json_close_list(&j);
        json_close_map(&j);
    }
    json_close_list(&j);
    json_close_map(&j);
    text_add(out, "\n");
}

/* --- measures --- */

static enum status make_topology(const struct graph_view *v, enum weight_rule rule, int nodes,
                                 struct topology **t)
{
    struct topology_options options = v->choice->options;

    options.weights = (int)rule;
    return topology_new(
        &(struct topology_request){
            .type = &v->choice->type, .options = &options, .nodes = nodes, .seed = v->seed},
        t);
}

/* NAN for a rule that this graph cannot have, or that takes long and was not asked for. */
static double gap_of_rule(const struct graph_view *v, enum weight_rule rule)
{
    const int nodes = topology_nodes(v->topology);
    const bool is_chosen = (int)rule == v->choice->options.weights;
    struct topology *t = NULL;
    double gap = (double)NAN;

    if (is_chosen)
        return topology_spectral_gap_of(v->topology, v->round);
    if (topology_is_directed(v->topology) || (rule == WEIGHTS_FASTEST && nodes > FASTEST_USUAL))
        return (double)NAN;
    if (make_topology(v, rule, nodes, &t) == STATUS_OK)
        gap = topology_spectral_gap_of(t, v->round);
    topology_free(t);
    return gap;
}

/* p <- w p, both [n][n] */
static void multiply(const double *w, double *p, int64_t n, double *scratch)
{
    memset(scratch, 0, (size_t)(n * n) * sizeof *scratch);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < n; k++) {
            for (int64_t j = 0; w[i * n + k] != 0 && j < n; j++)
                scratch[i * n + j] += w[i * n + k] * p[k * n + j];
        }
    }
    memcpy(p, scratch, (size_t)(n * n) * sizeof *p);
}

/* What a round brings on average: 1 - |lambda_2|^(1 / period) of a period's product. */
static double gap_of_period(const struct graph_view *v)
{
    const int64_t period = topology_period(v->topology), n = topology_nodes(v->topology);
    const struct topology_options *o = &v->choice->options;

    if (period == 1 || period > PERIOD_MAX || o->drop_links > 0 || o->drop_nodes > 0)
        return (double)NAN;
    double *w = MEM_NEW_N(double, 3 * n * n), *p = w + n * n, *scratch = w + 2 * n * n;
    for (int64_t i = 0; i < n; i++)
        p[i * n + i] = 1;
    for (int64_t round = 0; round < period; round++) {
        topology_matrix(v->topology, round, w);
        multiply(w, p, n, scratch);
    }
    const double left = 1 - spectrum_gap_directed(p, (int)n);
    mem_free(w);
    return left < 1e-12 ? 1 : 1 - pow(left, 1 / (double)period);
}

static void measure(struct graph_view *v)
{
    v->graph = topology_graph(v->topology, v->round);
    v->fiedler = v->graph->is_directed ? (double)NAN : spectrum_fiedler(v->graph);
    v->degree_min = v->degree_max = graph_out_degree(v->graph, 0);
    for (int i = 1; i < v->graph->nodes; i++) {
        const int64_t degree = graph_out_degree(v->graph, i);

        v->degree_min = degree < v->degree_min ? degree : v->degree_min;
        v->degree_max = degree > v->degree_max ? degree : v->degree_max;
    }
    for (int rule = 0; rule < WEIGHTS_RULES; rule++)
        v->gaps[rule] = gap_of_rule(v, (enum weight_rule)rule);
    v->period_gap = gap_of_period(v);
}

/* --- from flags to a graph --- */

static enum status draw(const struct flags *f, const struct graph_view *v)
{
    const char *path = flags_value(f, "svg");
    struct text svg = {0};

    if (path == NULL)
        return STATUS_OK;
    graph_svg(&svg, v);
    const enum status s = file_write_text(path, text_get(&svg));
    text_release(&svg);
    return s;
}

static enum status show_chosen(const struct flags *f, const struct topology_choice *choice,
                               struct text *out)
{
    int64_t nodes = NODES_USUAL, seed = 1, round = 0;
    struct topology *t = NULL;

    TRY(command_read_int(f, "nodes", 1, NODES_MAX, &nodes));
    TRY(command_read_int(f, "seed", 0, INT64_MAX, &seed));
    TRY(command_read_int(f, "round", 0, UINT32_MAX, &round));
    TRY(command_check_replaced(f, "svg", "<svg"));
    struct graph_view v = {.choice = choice, .round = round, .seed = (uint64_t)seed};
    TRY(make_topology(&v, (enum weight_rule)choice->options.weights, (int)nodes, &t));
    v.topology = t;
    measure(&v);
    const enum status s = draw(f, &v);
    if (s == STATUS_OK)
        (flags_has(f, "json") ? graph_json : graph_table)(out, &v);
    topology_free(t);
    return s;
}

static enum status show_type(const struct flags *f, const struct node *section, struct text *out)
{
    const struct node *name = section->kind == NODE_MAP ? node_find(section, "name") : section;
    struct topology_choice choice;

    TRY(flags_check_entries(f, &graph_registry, name == NULL ? USUAL : name->text));
    TRY(topology_choice_read(&choice, section, USUAL));
    const enum status s = show_chosen(f, &choice, out);
    topology_choice_release(&choice);
    return s;
}

static enum status compose(const struct flags *f, struct text *out)
{
    static const char *const needs_type[] = {"nodes", "seed", "round", "svg", NULL};
    const struct node *section = node_find(f->tree, "graph");

    if (section != NULL)
        return show_type(f, section, out);
    for (int i = 0; needs_type[i] != NULL; i++) {
        if (flags_has(f, needs_type[i]))
            return FAIL(STATUS_BAD_INPUT, "--%s needs --type NAME; muster graph lists the types",
                        needs_type[i]);
    }
    (flags_has(f, "json") ? list_json : list_text)(out);
    return STATUS_OK;
}

static enum status graph_run(int argc, char **argv)
{
    return command_run_printing(&graph_spec, argc, argv, compose);
}

const struct command graph_command = {
    .name = "graph",
    .summary = "list the communication graphs, or measure and draw one",
    .flags = &graph_spec,
    .run = graph_run,
};
