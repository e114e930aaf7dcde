/*
 * scans.h - the rows of many scans, at random places or along a path: the samples of the problem.
 */
#ifndef DATA_LIDAR_SCANS_H
#define DATA_LIDAR_SCANS_H

#include "base/team.h"
#include "data/lidar/lidar.h"

struct lidar_scans {
    int64_t scans;
    int64_t *first_row; /* [scans + 1] where each scan begins; the last is the number of rows */
    float *points;      /* [rows][2] x and y */
    float *densities;   /* [rows] */
    int64_t beams;      /* of a scan */
    float *ends;        /* [scans][beams][2] x and y of the last point of each beam */
};

/* Scans at all these free places, by all threads of the team; same bits for any number. */
void lidar_scans_init(struct lidar_scans *s, const struct lidar *l, const struct lidar_point *at,
                      int64_t count, struct team *team);
void lidar_scans_release(struct lidar_scans *s);

int64_t lidar_scans_rows(const struct lidar_scans *s);

/*
 * Free pixels, each drawn evenly from all. Pose i depends on (seed, set, i) alone: more poses begin
 * with the same ones, and sets are independent. A plan with almost nothing but walls is an error.
 */
struct lidar_poses {
    uint64_t seed;
    uint32_t set;
    int64_t count;
};
enum status lidar_poses_draw(const struct lidar *l, const struct lidar_poses *poses,
                             struct lidar_point *at);

#endif
