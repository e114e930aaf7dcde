/*
 * topology_options.c - the section "graph": what every type of graph has beside its own options.
 */
#include <string.h>

#include "base/mem.h"
#include "graph/outages.h"
#include "graph/topology.h"
#include "graph/weights.h"

const struct field topology_fields[] = {
    FIELD_CHOICE(struct topology_options, weights, "metropolis", weight_rule_names,
                 "rule for the mixing weights"),
    FIELD_REAL(struct topology_options, drop_links, 0, 0, 1,
               "probability that a link fails in a round, over all rounds"),
    FIELD_REAL(struct topology_options, drop_nodes, 0, 0, 1,
               "probability that a node has no links in a round"),
    FIELD_CHOICE(struct topology_options, drop_direction, "two-way", drop_direction_names,
                 "whether both directions of a link fail together, or each on its own (one-way)"),
    FIELD_REAL(struct topology_options, burst_length, 0, 0, 1e4,
               "mean number of rounds that a failed link stays so; 0: independent failures"),
    FIELD_REAL(struct topology_options, loss_good, 0, 0, 1,
               "with burst_length: probability of a failure between bursts"),
    FIELD_REAL(struct topology_options, loss_bad, 1, 0, 1,
               "with burst_length: probability of a failure within a burst"),
    FIELD_BOOL(struct topology_options, require_connected, true,
               "reject a graph in which some nodes cannot reach each other, over all rounds"),
    FIELD_TEXT(struct topology_options, schedule, NULL,
               "graphs that follow in turn, as \"star,erdos_renyi:5\" (five draws)"),
    FIELD_INT(struct topology_options, switch_every, 1, 1, 1e9,
              "number of rounds for each graph of the schedule"),
    FIELD_LAST,
};

/* "name" and the names of a table: the keys that belong to somebody else. mem_free. */
static const char **keys_of(const struct field *fields)
{
    int64_t count = 0;

    while (fields != NULL && fields[count].kind != FIELD_KIND_LAST)
        count++;
    const char **keys = MEM_NEW_N(const char *, count + 2);
    keys[0] = "name";
    for (int64_t i = 0; i < count; i++)
        keys[i + 1] = fields[i].name;
    return keys;
}

static enum status read_common(struct topology_choice *c, const struct node *section)
{
    const char **own = keys_of(c->type.entry->fields);
    const struct fields_place place = {.owner = "graph", .path = "graph", .skip = own};
    const enum status s = fields_read(topology_fields, &c->options, section, &place);

    mem_free(own);
    return s;
}

/* A message about a file does not say which section names it. */
static enum status embed_files(struct choice *type)
{
    const enum status s = graph_embed(type);

    if (s == STATUS_OK || strncmp(status_message(), "graph.", 6) == 0)
        return s;
    return FAIL(s, "graph: %s", status_message());
}

enum status topology_choice_read(struct topology_choice *c, const struct node *section,
                                 const char *fallback)
{
    const char **common = keys_of(topology_fields);
    const struct choice_place place = {.fallback = fallback, .skip = common};

    *c = (struct topology_choice){.type = {0}};
    fields_default(topology_fields, &c->options);
    enum status s = choice_read(&c->type, &graph_registry, section, &place);
    if (s == STATUS_OK && section != NULL && section->kind == NODE_MAP)
        s = read_common(c, section);
    mem_free(common);
    if (s == STATUS_OK)
        s = embed_files(&c->type);
    if (s != STATUS_OK)
        topology_choice_release(c);
    return s;
}

void topology_choice_dump(const struct topology_choice *c, struct node *section)
{
    choice_dump(&c->type, section);
    fields_dump(topology_fields, &c->options, section);
}

void topology_choice_release(struct topology_choice *c)
{
    choice_release(&c->type);
    fields_release(topology_fields, &c->options);
    *c = (struct topology_choice){.type = {0}};
}
