/*
 * waypoints.h - files of way-points, through which a robot drives.
 *
 * Way-points are in units of half the plan: (-1, -1) is its top left corner, (1, 1) the bottom
 * right one. A file is a .npy matrix of float64 with two columns, or a text with a pair of numbers
 * in each line ("0.25 -0.5" or "0.25,-0.5"; from '#' on a line is a comment).
 */
#ifndef DATA_LIDAR_WAYPOINTS_H
#define DATA_LIDAR_WAYPOINTS_H

#include <stdint.h>

#include "base/status.h"
#include "data/lidar/lidar.h"

enum { WAYPOINTS_MIN = 4 }; /* a cubic spline needs so many */

struct waypoints {
    int64_t count;
    struct lidar_point *points; /* [count], owned */
};

/* At least WAYPOINTS_MIN points, all in the plan; else the message begins with the file's name. */
enum status waypoints_read(struct waypoints *w, const char *file);

/* The same of the content of a file with this name; it is changed. */
enum status waypoints_decode(struct waypoints *w, const char *name, struct text *content);

/* As .npy if the name ends so, else as text. */
enum status waypoints_write(const struct waypoints *w, const char *file);
bool waypoints_is_npy(const char *file);
void waypoints_text(const struct waypoints *w, struct text *out); /* begins with a comment */

void waypoints_add(struct waypoints *w, struct lidar_point p);
void waypoints_release(struct waypoints *w);

/* The files of way-points (.npy, .txt, .csv) in a folder, by name; no file is an error. */
struct waypoint_files {
    int64_t count;
    char **paths; /* [count], owned */
};
enum status waypoint_files_find(struct waypoint_files *f, const char *folder);
void waypoint_files_release(struct waypoint_files *f);

#endif
