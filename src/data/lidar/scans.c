/*
 * scans.c - see scans.h.
 */
#include "data/lidar/scans.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

enum { TRIES = 100000 };

struct job {
    struct lidar_scans *scans;
    const struct lidar *lidar;
    const struct lidar_point *at;
};

static void keep_ends(struct lidar_scans *s, int64_t scan, const struct lidar_point *ends)
{
    float *to = s->ends + 2 * scan * s->beams;

    for (int64_t b = 0; b < s->beams; b++) {
        to[2 * b] = (float)ends[b].x;
        to[2 * b + 1] = (float)ends[b].y;
    }
}

/* Scan i goes to where it is if all scans have the most rows; first_row[i + 1] is its length. */
static void scan_share(void *context, int thread, int threads)
{
    const struct job *job = context;
    const int64_t most = lidar_rows_max(job->lidar);
    struct lidar_row *rows = MEM_NEW_N(struct lidar_row, most);
    struct lidar_point *ends = MEM_NEW_N(struct lidar_point, job->scans->beams);
    int64_t begin, end;

    team_part(job->scans->scans, thread, threads, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        const int64_t count = lidar_scan(job->lidar, job->at[i], rows, ends);

        job->scans->first_row[i + 1] = count;
        for (int64_t k = 0; k < count; k++) {
            job->scans->points[2 * (i * most + k)] = (float)rows[k].x;
            job->scans->points[2 * (i * most + k) + 1] = (float)rows[k].y;
            job->scans->densities[i * most + k] = (float)rows[k].density;
        }
        keep_ends(job->scans, i, ends);
    }
    mem_free(ends);
    mem_free(rows);
}

/* Closes the gaps after scans with fewer rows. */
static void join_scans(struct lidar_scans *s, int64_t most)
{
    for (int64_t i = 0; i < s->scans; i++) {
        const int64_t to = s->first_row[i], count = s->first_row[i + 1];

        memmove(s->points + 2 * to, s->points + 2 * i * most,
                (size_t)(2 * count) * sizeof *s->points);
        memmove(s->densities + to, s->densities + i * most, (size_t)count * sizeof *s->densities);
        s->first_row[i + 1] = to + count;
    }
}

void lidar_scans_init(struct lidar_scans *s, const struct lidar *l, const struct lidar_point *at,
                      int64_t count, struct team *team)
{
    const int64_t most = lidar_rows_max(l);

    *s = (struct lidar_scans){.scans = count, .beams = lidar_beams(l)};
    s->first_row = MEM_NEW_N(int64_t, count + 1);
    s->points = MEM_NEW_N(float, 2 * count * most);
    s->densities = MEM_NEW_N(float, count *most);
    s->ends = MEM_NEW_N(float, 2 * count * s->beams);
    team_run(team, scan_share, &(struct job){s, l, at});
    join_scans(s, most);
}

void lidar_scans_release(struct lidar_scans *s)
{
    mem_free(s->first_row);
    mem_free(s->points);
    mem_free(s->densities);
    mem_free(s->ends);
    *s = (struct lidar_scans){0};
}

int64_t lidar_scans_rows(const struct lidar_scans *s)
{
    return s->first_row[s->scans];
}

enum status lidar_poses_draw(const struct lidar *l, const struct lidar_poses *poses,
                             struct lidar_point *at)
{
    const struct rng r = rng_make(poses->seed, RNG_POSES, poses->set);

    for (int64_t i = 0; i < poses->count; i++) {
        uint32_t draw = 0;

        do {
            if (draw == 2 * TRIES)
                return FAIL(STATUS_BAD_INPUT,
                            "the floor plan has no free place for a scan: %d random pixels are all "
                            "in walls",
                            TRIES);
            const int64_t column = rng_below(&r, (uint64_t)i, draw++, lidar_width(l));
            const int64_t row = rng_below(&r, (uint64_t)i, draw++, lidar_height(l));
            at[i] = lidar_pixel(l, column, row);
        } while (!lidar_is_free(l, at[i]));
    }
    return STATUS_OK;
}
