/*
 * topology_case.h - graphs and topologies by a section as in an experiment file:
 * "{name: erdos_renyi, p: 0.3}", or a name.
 */
#ifndef TESTS_TOPOLOGY_CASE_H
#define TESTS_TOPOLOGY_CASE_H

#include "base/mem.h"
#include "conf/yaml.h"
#include "graph/topology.h"
#include "graph/weights.h"
#include "test.h"

#define CASE_PI 3.14159265358979323846

static inline enum status case_read(const char *section, struct topology_choice *c)
{
    struct node *node = NULL;

    TRY(yaml_parse(section, strlen(section), "test", &node));
    const enum status s = topology_choice_read(c, node, NULL);
    node_free(node);
    return s;
}

static inline enum status case_graph(const char *section, int nodes, uint64_t seed, struct graph *g)
{
    const struct graph_request q = {.nodes = nodes, .seed = seed};
    struct topology_choice c;

    TRY(case_read(section, &c));
    const enum status s = graph_make(&c.type, &q, g);
    topology_choice_release(&c);
    return s;
}

static inline enum status case_topology(const char *section, int nodes, uint64_t seed,
                                        struct topology **t)
{
    struct topology_choice c;

    *t = NULL;
    TRY(case_read(section, &c));
    const struct topology_request q = {
        .type = &c.type, .options = &c.options, .nodes = nodes, .seed = seed};
    const enum status s = topology_new(&q, t);
    topology_choice_release(&c);
    return s;
}

static inline bool case_has(const struct graph *g, int from, int to)
{
    for (int64_t k = g->out.begins[from]; k < g->out.begins[from + 1]; k++) {
        if (g->out.ends[k] == to)
            return true;
    }
    return false;
}

#endif
