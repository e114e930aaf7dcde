/*
 * consensus.c - how far the models of any two nodes are from each other at the last evaluation.
 */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "record/consensus_row.h"
#include "report/axis.h"
#include "report/figures/list.h"
#include "report/heat_map.h"

enum { PAIRS_MAX = 64 }; /* of up to so many nodes the numbers are those of all pairs */

/* Between two different nodes; NaN: of one node, or not known. */
static double distance(const struct consensus_row *c, int64_t i)
{
    return i / c->nodes == i % c->nodes ? (double)NAN : c->normalized[i];
}

static double largest_distance(const struct consensus_row *c)
{
    double largest = 0;

    for (int64_t i = 0; i < c->nodes * c->nodes; i++)
        if (isfinite(distance(c, i)))
            largest = fmax(largest, distance(c, i));
    return largest;
}

static double mean_distance(const struct consensus_row *c)
{
    double sum = 0;
    int64_t count = 0;

    for (int64_t i = 0; i < c->nodes * c->nodes; i++) {
        if (isfinite(distance(c, i))) {
            sum += distance(c, i);
            count++;
        }
    }
    return count == 0 ? (double)NAN : sum / (double)count;
}

static void draw_map(const struct consensus_row *c, double largest, struct figure *f)
{
    double *shades = MEM_NEW_N(double, c->nodes * c->nodes);
    char *high = text_format("%.3g", largest);

    for (int64_t i = 0; i < c->nodes * c->nodes; i++)
        shades[i] = largest > 0 ? distance(c, i) / largest : 0;
    heat_map_draw(
        &(struct heat_map){
            .title = f->title,
            .rows = c->nodes,
            .columns = c->nodes,
            .shades = shades,
            .row_title = "node",
            .column_title = "node",
            .low = "0",
            .high = high,
        },
        &f->svg);
    mem_free(high);
    mem_free(shades);
}

static void put_pairs(const struct consensus_row *c, struct figure *f)
{
    static const char *const titles[] = {"node", "other_node", "distance", "normalized_distance",
                                         NULL};
    int64_t row = 0;

    figure_start_numbers(f, titles, c->nodes * (c->nodes - 1) / 2);
    for (int64_t i = 0; i < c->nodes; i++) {
        for (int64_t j = i + 1; j < c->nodes; j++) {
            figure_put_int(f, row, 0, i);
            figure_put_int(f, row, 1, j);
            if (c->raw != NULL)
                figure_put_number(f, row, 2, c->raw[i * c->nodes + j]);
            figure_put_number(f, row++, 3, c->normalized[i * c->nodes + j]);
        }
    }
}

static void put_nodes(const struct consensus_row *c, struct figure *f)
{
    static const char *const titles[] = {"node", "distance_from_mean",
                                         "normalized_distance_from_mean", NULL};

    figure_start_numbers(f, titles, c->nodes);
    for (int64_t i = 0; i < c->nodes; i++) {
        figure_put_int(f, i, 0, i);
        figure_put_number(f, i, 1, c->from_mean[i]);
        if (c->from_mean_normalized != NULL)
            figure_put_number(f, i, 2, c->from_mean_normalized[i]);
    }
}

static char *make_caption(const struct consensus_row *c)
{
    const int64_t block = heat_map_block(c->nodes);
    struct text caption = {0};

    text_addf(&caption,
              "Distance between the models of any two nodes after round %" PRId64
              ", each scaled to length 1. Mean %.3g.",
              c->round, mean_distance(c));
    if (block > 1)
        text_addf(&caption, " A cell is the mean of %" PRId64 " x %" PRId64 " nodes.", block,
                  block);
    return text_take(&caption);
}

static bool draw(const struct record *r, struct figure *f)
{
    struct consensus_row c = {0};
    bool has_pairs = false;

    if (record_has(r, RECORD_CONSENSUS))
        (void)consensus_row_read_last(r->run_dir, &c); /* a damaged file has no row */
    has_pairs = c.normalized != NULL && c.nodes > 1;
    if (has_pairs) {
        draw_map(&c, largest_distance(&c), f);
        (c.nodes <= PAIRS_MAX ? put_pairs : put_nodes)(&c, f);
        f->caption = make_caption(&c);
    }
    consensus_row_release(&c);
    return has_pairs;
}

const struct run_figure consensus_figure = {
    .name = "consensus",
    .title = "Distances between nodes",
    .draw = draw,
};
