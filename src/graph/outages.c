/*
 * outages.c - failures of links, in bursts or not, and of nodes.
 */
#include "graph/outages.h"

#include "base/check.h"
#include "graph/topology.h"

const char *const drop_direction_names[DROP_DIRECTIONS + 1] = {"two-way", "one-way", NULL};

/* Draws of a link in a round. */
enum { DRAW_STATE, DRAW_LOSS };

/* A mean burst of L rounds ends with probability 1 / L = (1 - memory) (1 - bad). */
static enum status init_bursts(struct outages *o, const struct topology_options *options)
{
    const double rate = options->drop_links, good = options->loss_good, bad = options->loss_bad;

    if (!(good <= rate && rate < bad))
        return FAIL(STATUS_BAD_INPUT,
                    "graph.drop_links: %g must be at least loss_good (%g) and below loss_bad (%g), "
                    "because it is the mean of both over all rounds",
                    rate, good, bad);
    o->bad = (rate - good) / (bad - good);
    o->loss_good = good;
    o->loss_bad = bad;
    const double shortest = 1 / (1 - o->bad);
    if (options->burst_length < shortest * (1 - 1e-9))
        return FAIL(
            STATUS_BAD_INPUT,
            "graph.burst_length: %g is shorter than the bursts of independent losses, which "
            "last %.4g rounds on average at this rate; choose at least that, or 0",
            options->burst_length, shortest);
    o->memory = options->burst_length > shortest ? 1 - shortest / options->burst_length : 0;
    return STATUS_OK;
}

enum status outages_init(struct outages *o, const struct topology_options *options, uint64_t seed)
{
    *o = (struct outages){
        .rng = rng_make(seed, RNG_OUTAGE, 0),
        .drop_nodes = options->drop_nodes,
        .bad = options->drop_links,
        .loss_bad = 1,
        .is_one_way = options->drop_direction == DROP_ONE_WAY,
    };
    if (options->burst_length > 0 && options->drop_links > 0)
        return init_bursts(o, options);
    return STATUS_OK;
}

static double draw_number(const struct outages *o, int64_t round, uint64_t link, uint32_t draw)
{
    struct rng r = o->rng;

    r.stream = (uint32_t)round;
    return rng_uniform(&r, link, draw);
}

/* The state that was drawn last; round 0 always draws. */
static bool is_bad(const struct outages *o, int64_t round, uint64_t link)
{
    const double draws = 1 - o->memory;

    for (; round > 0; round--) {
        const double u = draw_number(o, round, link, DRAW_STATE);

        if (u < draws)
            return u < draws * o->bad;
    }
    return draw_number(o, 0, link, DRAW_STATE) < o->bad;
}

static bool link_fails(const struct outages *o, int64_t round, uint64_t link)
{
    if (!(o->bad > 0) && !(o->loss_good > 0))
        return false;
    const double loss = is_bad(o, round, link) ? o->loss_bad : o->loss_good;

    if (loss <= 0 || loss >= 1)
        return loss >= 1;
    return draw_number(o, round, link, DRAW_LOSS) < loss;
}

static bool node_fails(const struct outages *o, int64_t round, int node)
{
    const uint64_t index = (uint64_t)node << 32 | (uint64_t)node;

    return o->drop_nodes > 0 && draw_number(o, round, index, DRAW_STATE) < o->drop_nodes;
}

/* Where both directions fail together, both ends draw the same number. */
bool outages_hit(const struct outages *o, int64_t round, int from, int to)
{
    const bool turn = !o->is_one_way && from > to;
    const uint64_t first = (uint64_t)(turn ? to : from), second = (uint64_t)(turn ? from : to);

    CHECK(from != to);
    return link_fails(o, round, first << 32 | second) || node_fails(o, round, from) ||
           node_fails(o, round, to);
}
