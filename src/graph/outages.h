/*
 * outages.h - which links and nodes fail in a round: a function of the seed, the round and the link
 * or node, so that every algorithm meets the same failures, on every transport and after a resume.
 *
 * Links follow the Gilbert-Elliott model. A link is in a good or a bad state, and each of them
 * loses messages with its own probability. In a round it stays as it was with probability `memory`,
 * and else draws a new state. So the state of a round is that of the last draw before it: it is
 * found by looking back, and nothing has to be kept. Without bursts every round draws a new one.
 *
 * Gilbert: "Capacity of a burst-noise channel", 1960. Elliott: "Estimates of error rates for codes
 * on burst-noise channels", 1963.
 */
#ifndef GRAPH_OUTAGES_H
#define GRAPH_OUTAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "base/status.h"

/* Whether the two directions of a link fail together. */
enum drop_direction { DROP_TWO_WAY, DROP_ONE_WAY, DROP_DIRECTIONS };

extern const char *const drop_direction_names[DROP_DIRECTIONS + 1]; /* ends with NULL */

struct topology_options; /* graph/topology.h */

struct outages {
    struct rng rng; /* its stream is the round */
    double drop_nodes;
    double bad;    /* part of all rounds in which a link is in the bad state */
    double memory; /* probability that a round keeps the state */
    double loss_good, loss_bad;
    bool is_one_way; /* the two directions of a link fail independently of each other */
};

enum status outages_init(struct outages *o, const struct topology_options *options, uint64_t seed);

/* Whether what `from` sends in this round does not reach `to`. */
bool outages_hit(const struct outages *o, int64_t round, int from, int to);

#endif
