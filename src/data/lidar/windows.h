/*
 * windows.h - online data: a robot on its path trains only on the scans of its present window.
 *
 * The rule is that of study S001. A cursor c begins at scan 0 of S; the next window of w scans is
 *     [c, c + w), then c += w,   if c + w < S;
 *     [c, S), then c = S - 1,    else if c is not S - 1;
 *     [0, w), then c = w,        else.
 * The robot is at scan c. So windows come in cycles, which all begin at scan 0. A path of at most w
 * scans has one window, with all of them. (There the study's cursor passes the end of the path,
 * and every second window is empty; those are left out, and the robot is at the last scan.)
 *
 * The rows of a window are visited once in random order, in batches; the last batch of a window
 * may be smaller (in the study it continues in the next window). Where a robot is after so many
 * draws is a function of their number: nothing is saved.
 */
#ifndef DATA_LIDAR_WINDOWS_H
#define DATA_LIDAR_WINDOWS_H

#include <stdint.h>

#include "data/lidar/scans.h"

struct lidar_windows {
    int64_t scans, window, batch_size;
    int64_t cycle;         /* windows of a cycle */
    int64_t *draws_before; /* [cycle + 1] batches of a cycle before each of its windows */
    const int64_t *first_row;
};

/* first_row [scans + 1] as in struct lidar_scans, borrowed; scans, window and batch_size >= 1. */
void lidar_windows_init(struct lidar_windows *w, const int64_t *first_row, int64_t scans,
                        int64_t window, int64_t batch_size);
void lidar_windows_release(struct lidar_windows *w);

/* The batch with number `draw` of a run, counted from 0. */
struct lidar_draw {
    int64_t window;               /* its number in the run, for the order of its rows */
    int64_t first_scan, end_scan; /* the window's scans */
    int64_t first_row, end_row;   /* and their rows */
    int64_t batch;                /* within the window */
    int64_t batch_size;           /* its rows */
    int64_t position;             /* the scan at which the robot is */
};
struct lidar_draw lidar_windows_draw(const struct lidar_windows *w, int64_t draw);

#endif
