/*
 * fuzz_graph.c - libFuzzer target: any bytes as a file of links or of places, or as a schedule, are
 * refused or make a topology whose columns add up to 1 in every round.
 *
 * The first byte is the number of nodes and what the rest is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "graph/topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NODES_MOST = 12 };

static void check_topology(const struct topology_choice *c, int nodes)
{
    const struct topology_request q = {
        .type = &c->type, .options = &c->options, .nodes = nodes, .seed = 1};
    double w[NODES_MOST * NODES_MOST];
    struct topology *t = NULL;

    if (topology_new(&q, &t) != STATUS_OK)
        return;
    for (int64_t round = 0; round < 3; round++) {
        topology_matrix(t, round, w);
        for (int j = 0; j < nodes; j++) {
            double sum = 0;

            for (int i = 0; i < nodes; i++)
                sum += w[i * nodes + j];
            if (sum != 1)
                abort();
        }
    }
    topology_free(t);
}

/* {name: `type`, `key`: `value`}, as an experiment would have it. */
static void check_option(const char *type, const char *key, const char *value, int nodes)
{
    struct node *section = node_new(NODE_MAP, "fuzz", 0, 0);
    struct topology_choice c;

    node_put(section, "name", node_new_scalar(type, "fuzz", 0, 0));
    node_put(section, key, node_new_scalar(value, "fuzz", 0, 0));
    if (topology_choice_read(&c, section, NULL) == STATUS_OK) {
        check_topology(&c, nodes);
        topology_choice_release(&c);
    }
    node_free(section);
}

/* The bytes as a file that has no name but this. */
static void check_file(const char *type, const char *key, const struct text *bytes, int nodes)
{
    const int file = memfd_create("fuzz", 0);
    char *path = text_format("/proc/self/fd/%d", file);

    if (file < 0 || write(file, text_get(bytes), bytes->length) != (ssize_t)bytes->length)
        abort();
    check_option(type, key, path, nodes);
    mem_free(path);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text bytes = {0};

    if (size == 0)
        return 0;
    const int nodes = 1 + data[0] % NODES_MOST;
    text_add_n(&bytes, (const char *)data + 1, size - 1);
    switch (data[0] / NODES_MOST % 4) {
    case 0:
        check_file("file", "path", &bytes, nodes);
        break;
    case 1:
        check_file("disk", "positions_file", &bytes, nodes);
        break;
    case 2:
        check_option("disk", "positions", text_get(&bytes), nodes);
        break;
    default:
        check_option("cycle", "schedule", text_get(&bytes), nodes);
        break;
    }
    text_release(&bytes);
    return 0;
}
