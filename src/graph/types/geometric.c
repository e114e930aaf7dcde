/*
 * geometric.c - nodes that have positions in the plane: random in the unit square with a given
 * Fiedler value (geometric), or given or random with a given radius (disk). Two nodes are linked
 * when they are no further apart than the radius.
 *
 * geometric bisects over the distances that occur, as the Fiedler value grows with the radius and
 * changes nowhere else, and draws other positions when none of them is near enough to the target.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "graph/list.h"
#include "graph/number_lines.h"
#include "graph/spectrum.h"

struct geometric_opts {
    double fiedler, tolerance;
    int64_t gen_attempts;
};

static const struct field geometric_fields[] = {
    FIELD_REAL(struct geometric_opts, fiedler, 1.0, 0, 1e6,
               "Fiedler value (algebraic connectivity) to reach"),
    FIELD_REAL(struct geometric_opts, tolerance, 0.01, 0, 1e6,
               "largest accepted difference from that value"),
    FIELD_INT(struct geometric_opts, gen_attempts, 50, 1, 1e6,
              "largest number of attempts to draw positions"),
    FIELD_LAST,
};

struct disk_opts {
    double radius;
    bool moves;
    int64_t move_every;
    char *positions, *positions_file, *positions_source;
};

static const struct field disk_fields[] = {
    FIELD_REAL(struct disk_opts, radius, 0.5, 0, 1e12,
               "nodes no further apart than this are linked"),
    FIELD_TEXT(
        struct disk_opts, positions, NULL,
        "positions of the nodes, as \"0 0, 1 0, 0.5 1\" (default: random in the unit square)"),
    FIELD_PATH(struct disk_opts, positions_file, NULL, "file of positions, a line \"x y\" each"),
    FIELD_BOOL(struct disk_opts, moves, true,
               "nodes move with the positions of their data, such as robots of the data set "
               "lidar; false: they stay at the first ones"),
    FIELD_INT(struct disk_opts, move_every, 0, 0, 1e9,
              "nodes move to their next positions after so many rounds: those of all nodes, one "
              "set after another; 0: they stay"),
    FIELD_TEXT(struct disk_opts, positions_source, NULL,
               "the file that positions were read from; set by the program"),
    FIELD_LAST,
};

/* --- positions --- */

struct position_reader {
    struct position *positions;
    int64_t count;
};

static enum status take_position(const struct number_line *line, void *context)
{
    struct position_reader *r = context;
    double values[2] = {0};

    if (line->count != 2)
        return FAIL(STATUS_BAD_INPUT, "%s: a position must be two numbers, such as \"0.5 1\"",
                    line->where);
    for (int i = 0; i < 2; i++) {
        if (!text_to_double(line->words[i], &values[i]) || !(fabs(values[i]) <= 1e12))
            return FAIL(STATUS_BAD_INPUT, "%s: \"%s\" is not a number in [-1e12, 1e12]",
                        line->where, line->words[i]);
    }
    r->positions = mem_grow(r->positions, r->count + 1, sizeof *r->positions);
    r->positions[r->count++] = (struct position){.x = values[0], .y = values[1]};
    return STATUS_OK;
}

/* Each node needs one, or one in every set. */
static enum status check_count(const struct disk_opts *opts, int64_t count, int nodes)
{
    const char *where = opts->positions_source != NULL ? opts->positions_source : "graph.positions";

    if (count > 0 && (opts->move_every > 0 ? count % nodes == 0 : count == nodes))
        return STATUS_OK;
    if (opts->move_every > 0)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: there are %lld positions for %d nodes that move; each node needs the same "
                    "number of them",
                    where, (long long)count, nodes);
    return FAIL(STATUS_BAD_INPUT, "%s: there are %lld positions for %d nodes; each node needs one",
                where, (long long)count, nodes);
}

/* mem_free *positions: sets of `nodes`, one after another. */
static enum status read_positions(const struct disk_opts *opts, int nodes,
                                  struct position **positions, int64_t *sets)
{
    struct position_reader r = {0};
    const struct number_lines lines = {
        .text = opts->positions, .key = "graph.positions", .source = opts->positions_source};
    enum status s = number_lines_read(&lines, take_position, &r);

    if (s == STATUS_OK)
        s = check_count(opts, r.count, nodes);
    if (s != STATUS_OK) {
        mem_free(r.positions);
        return s;
    }
    *positions = r.positions;
    *sets = r.count / nodes;
    return STATUS_OK;
}

/* Random ones in the unit square: [nodes]; mem_free. */
static struct position *random_positions(const struct graph_request *q, const struct rng *r)
{
    struct position *positions = MEM_NEW_N(struct position, q->nodes);

    for (int i = 0; i < q->nodes; i++) {
        positions[i].x = rng_uniform(r, graph_key(q, i, i), 0);
        positions[i].y = rng_uniform(r, graph_key(q, i, i), 1);
    }
    return positions;
}

/* --- linking --- */

static double squared_distance(const struct position *positions, int i, int j)
{
    const double dx = positions[i].x - positions[j].x;
    const double dy = positions[i].y - positions[j].y;

    return dx * dx + dy * dy;
}

/* Takes a copy of the positions. */
static void link_near(struct graph *g, const struct graph_request *q,
                      const struct position *positions, double squared_radius)
{
    struct arcs arcs = {0};

    for (int i = 0; i < q->nodes; i++) {
        for (int j = i + 1; j < q->nodes; j++) {
            if (squared_distance(positions, i, j) <= squared_radius)
                arcs_add(&arcs, i, j);
        }
    }
    graph_take(g, q, false, &arcs);
    g->positions = MEM_NEW_N(struct position, q->nodes);
    memcpy(g->positions, positions, (size_t)q->nodes * sizeof *positions);
}

/* --- geometric --- */

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* All squared distances, ascending, after a radius below all of them. */
static double *sorted_distances(const struct position *positions, int nodes, int64_t *count)
{
    double *list = MEM_NEW_N(double, 1 + (int64_t)nodes * (nodes - 1) / 2);

    *count = 0;
    list[(*count)++] = -1;
    for (int i = 0; i < nodes; i++) {
        for (int j = i + 1; j < nodes; j++)
            list[(*count)++] = squared_distance(positions, i, j);
    }
    qsort(list, (size_t)*count, sizeof *list, compare_numbers);
    return list;
}

struct search {
    const struct graph_request *request;
    const struct position *positions;
    double target, tolerance;
    double nearest; /* Fiedler value so far */
};

/* The graph of this radius and its Fiedler value. */
static double try_radius(struct search *s, double squared_radius, struct graph *g)
{
    link_near(g, s->request, s->positions, squared_radius);
    const double value = spectrum_fiedler(g);
    if (!(fabs(s->nearest - s->target) <= fabs(value - s->target)))
        s->nearest = value;
    return value;
}

/* Whether a radius gives the target; then *g is that graph. */
static bool bisect(struct search *s, struct graph *g)
{
    int64_t low = 0, high = 0;
    double *distances = sorted_distances(s->positions, s->request->nodes, &high);
    bool is_found = false;

    while (low < high && !is_found) {
        const int64_t middle = low + (high - low) / 2;
        const double value = try_radius(s, distances[middle], g);

        is_found = fabs(value - s->target) <= s->tolerance;
        if (!is_found)
            graph_release(g);
        if (value < s->target)
            low = middle + 1;
        else
            high = middle;
    }
    mem_free(distances);
    return is_found;
}

static enum status geometric_make(const void *options, const struct graph_request *q,
                                  struct graph *g)
{
    const struct geometric_opts *opts = options;
    struct search s = {
        .request = q,
        .target = q->nodes == 1 ? 0 : opts->fiedler,
        .tolerance = opts->tolerance,
        .nearest = HUGE_VAL,
    };
    bool is_found = false;

    if (opts->fiedler > q->nodes && q->nodes > 1)
        return FAIL(STATUS_BAD_INPUT,
                    "graph.fiedler: %g is more than that of the complete graph of %d nodes, which "
                    "is %d",
                    opts->fiedler, q->nodes, q->nodes);
    for (int64_t attempt = 0; attempt < opts->gen_attempts && !is_found; attempt++) {
        const struct rng r = graph_rng(q, attempt);
        struct position *positions = random_positions(q, &r);

        s.positions = positions;
        is_found = bisect(&s, g);
        mem_free(positions);
    }
    if (is_found)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "graph.fiedler: no geometric graph of %d nodes comes within %g of %g in %lld "
                "attempts (gen_attempts); the nearest has %.4g: more attempts, or a larger "
                "tolerance",
                q->nodes, opts->tolerance, opts->fiedler, (long long)opts->gen_attempts, s.nearest);
}

/* --- disk --- */

static enum status disk_embed(void *options)
{
    struct disk_opts *opts = options;

    if (opts->positions != NULL && opts->positions_file != NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "graph.positions: conflicts with graph.positions_file; give one of the two");
    return number_lines_embed(&opts->positions_file, &opts->positions, &opts->positions_source);
}

/* The first positions of the options, or random ones; mem_free. */
static enum status first_positions(const struct disk_opts *opts, const struct graph_request *q,
                                   struct position **positions)
{
    const struct rng r = graph_rng(q, 0);
    int64_t sets = 0;

    if (opts->positions != NULL)
        return read_positions(opts, q->nodes, positions, &sets);
    *positions = random_positions(q, &r);
    return STATUS_OK;
}

static enum status disk_make(const void *options, const struct graph_request *q, struct graph *g)
{
    const struct disk_opts *opts = options;
    struct position *own = NULL;

    if (q->positions == NULL)
        TRY(first_positions(opts, q, &own));
    link_near(g, q, q->positions != NULL ? q->positions : own, opts->radius * opts->radius);
    mem_free(own);
    return STATUS_OK;
}

static bool disk_has_positions(const void *options)
{
    return ((const struct disk_opts *)options)->positions != NULL;
}

static bool disk_moves(const void *options)
{
    return ((const struct disk_opts *)options)->moves;
}

static enum status disk_motion(const void *options, int nodes, struct graph_motion *m)
{
    const struct disk_opts *opts = options;
    int64_t sets = 0;

    if (opts->move_every == 0)
        return STATUS_OK;
    if (opts->positions == NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "graph.move_every: nodes can only move to given positions; set positions or "
                    "positions_file, with several for each node");
    TRY(read_positions(opts, nodes, &m->positions, &sets));
    m->sets = (int)sets;
    m->steps = sets;
    m->step_rounds = opts->move_every;
    m->set_of_step = MEM_NEW_N(int32_t, sets);
    for (int i = 0; i < m->sets; i++)
        m->set_of_step[i] = i;
    return STATUS_OK;
}

const struct graph_ops geometric_graph = {
    .entry =
        {
                .name = "geometric",
                .summary = "random positions, nearby nodes linked, with a given Fiedler value",
                .fields = geometric_fields,
                .options_size = sizeof(struct geometric_opts),
                },
    .make = geometric_make,
};

const struct graph_ops disk_graph = {
    .entry =
        {
                .name = "disk",
                .summary = "given or random positions, nodes within a radius linked",
                .fields = disk_fields,
                .options_size = sizeof(struct disk_opts),
                },
    .embed = disk_embed,
    .make = disk_make,
    .takes_positions = true,
    .has_positions = disk_has_positions,
    .moves = disk_moves,
    .motion = disk_motion,
};
