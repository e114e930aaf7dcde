/*
 * scans.c - where robots are and what they see there, in scans.jsonl (record/scan_rows.h), for the
 * pictures of runs with maps. By the leader, from the plan of the problem alone.
 *
 * A row of round r says where robots are for the batch that follows the first r rounds. Where all
 * workers draw the same number of batches in every round, each round in which one of them has
 * moved has a row. Else the evaluations have rows, by the batches that each worker has drawn.
 */
#include "base/mem.h"
#include "problem/problem_plan.h"
#include "record/scan_rows.h"
#include "train/loop/evaluation.h"

static bool has_scans(const struct loop *l)
{
    struct problem_scan scan;

    return l->leader != NULL && l->build->config->train.maps != 0 &&
           problem_scan(l->build->plan, 0, 0, &scan);
}

static bool draws_are_alike(const struct loop *l)
{
    const struct build *b = l->build;

    return !l->coordinator->has_server && !l->coordinator->has_own_rounds &&
           !b->algo->has_own_epochs &&
           algo_training_count(b->algo, b->config->algorithm.options, b->workers) == b->workers;
}

/* --- a row --- */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Every stride-th beam, if there are too many. */
static void add_scan(struct scan_row *row, int64_t robot, const struct problem_scan *scan)
{
    const int64_t stride = (scan->beams + SCAN_BEAMS_MAX - 1) / SCAN_BEAMS_MAX;

    row->positions[2 * robot] = scan->x;
    row->positions[2 * robot + 1] = scan->y;
    for (int64_t b = 0; b < row->beams && robot < row->scanned; b++)
        for (int k = 0; k < 2; k++)
            row->ends[2 * (robot * row->beams + b) + k] = (double)scan->ends[2 * b * stride + k];
}

static struct scan_row new_row(const struct loop *l, int64_t beams)
{
    const int64_t stride = (beams + SCAN_BEAMS_MAX - 1) / SCAN_BEAMS_MAX;
    struct scan_row row = {
        .round = l->round,
        .robots = l->build->workers,
        .scanned = smaller(l->build->workers, SCAN_ROBOTS_MAX),
        .beams = (beams + stride - 1) / stride,
    };

    row.positions = MEM_NEW_N(double, 2 * row.robots);
    row.ends = MEM_NEW_N(double, 2 * row.scanned * row.beams);
    return row;
}

/* draws[workers]: batches that each has drawn. */
static enum status write_row(const struct loop *l, const int64_t *draws)
{
    struct problem_scan scan = {0};

    (void)problem_scan(l->build->plan, 0, draws[0], &scan);
    struct scan_row row = new_row(l, scan.beams);
    for (int w = 0; w < l->build->workers; w++) {
        (void)problem_scan(l->build->plan, w, draws[w], &scan);
        add_scan(&row, w, &scan);
    }
    const enum status s = scan_rows_add(l->setup->run_dir, &row);
    mem_free(row.positions);
    mem_free(row.ends);
    return s;
}

/* --- when --- */

static bool has_moved(const struct loop *l, int64_t round)
{
    const int64_t draws = l->length.epoch.draws;

    for (int w = 0; w < l->build->workers && round > 0; w++) {
        struct problem_scan now, before;

        (void)problem_scan(l->build->plan, w, round * draws, &now);
        (void)problem_scan(l->build->plan, w, (round - 1) * draws, &before);
        if (now.number != before.number)
            return true;
    }
    return round == 0;
}

enum status scans_open(const struct loop *l, int64_t keep_round)
{
    if (!has_scans(l))
        return STATUS_OK;
    return scan_rows_truncate(l->setup->run_dir,
                              keep_round >= 0 && draws_are_alike(l) ? l->round - 1 : keep_round);
}

enum status scans_add_round(const struct loop *l)
{
    if (!has_scans(l) || !draws_are_alike(l) || !has_moved(l, l->round))
        return STATUS_OK;
    int64_t *draws = MEM_NEW_N(int64_t, l->build->workers);
    for (int w = 0; w < l->build->workers; w++)
        draws[w] = l->round * l->length.epoch.draws;
    const enum status s = write_row(l, draws);
    mem_free(draws);
    return s;
}

enum status scans_add_evaluation(const struct loop *l)
{
    if (!has_scans(l) || draws_are_alike(l) || evaluation_is_recorded(l))
        return STATUS_OK;
    int64_t *draws = MEM_NEW_N(int64_t, l->build->workers);
    for (int w = 0; w < l->build->workers; w++)
        draws[w] = (int64_t)l->leader->worker_counters[w].draws;
    const enum status s = write_row(l, draws);
    mem_free(draws);
    return s;
}
