/*
 * maps.h - maps.bin of a run directory: the maps of all robots along a run
 * (docs/reference/formats.md).
 *
 * A file of checksummed records (record_log.h), with the floor plan in its header. A map is a byte
 * for each point of a mesh: 0 is free, 255 is a wall. Records may also have the certainty of each
 * robot, a number for each point.
 */
#ifndef RECORD_MAPS_H
#define RECORD_MAPS_H

#include "record/record_log.h"

/* The mesh of all maps. The point in column c and row r is at (left + c step_x, top + r step_y), as
 * the positions of graph.jsonl. */
struct map_mesh {
    int64_t robots; /* maps of a record; 1: that of the run model */
    int64_t height, width;
    double left, top, step_x, step_y;
    int64_t certainties; /* of a record: as many as robots, or 0 */
};

/* When a record was made. */
struct map_time {
    int64_t round;
    double epoch;
};

/* Points of the mesh, and bytes of a record. */
int64_t map_mesh_points(const struct map_mesh *m);
int64_t map_record_bytes(const struct map_mesh *m);

/* A density as a byte; what is not in [0, 1] is moved there, and NaN becomes 0. */
uint8_t map_byte(double density);

/* --- writing --- */

struct map_log {
    struct record_log log;
    struct map_mesh mesh;
};

/* plan [height][width]. keep_round as with recorder_open: records of later rounds, or damaged ones,
 * are removed. */
enum status map_log_open(struct map_log *l, const char *run_dir, const struct map_mesh *mesh,
                         const uint8_t *plan, int64_t keep_round);

/* maps [robots][height][width], certainty [certainties][height][width] */
enum status map_log_add(struct map_log *l, const struct map_time *time, const uint8_t *maps,
                        const float *certainty);
void map_log_close(struct map_log *l); /* also of one that was never opened */

/* --- reading --- */

struct map_file {
    struct record_reader records;
    struct map_mesh mesh;
    uint8_t *plan; /* [height][width]; of records */
    int64_t count; /* complete records */
};

/* An error if the file is missing or its header is damaged. */
enum status map_file_open(struct map_file *f, const char *run_dir);
void map_file_release(struct map_file *f); /* may be called twice */

/* Record i: maps [robots][height][width]. A wrong checksum is an error that names it. */
enum status map_file_read(const struct map_file *f, int64_t i, struct map_time *time,
                          uint8_t *maps);

/* The same for certainty [certainties][height][width]. */
enum status map_file_read_certainty(const struct map_file *f, int64_t i, float *certainty);

/* --- maps_npz.c --- */

/* The maps of a run, with the links and positions of its graph.jsonl, for numpy.load. */
enum status map_file_write_npz(const struct map_file *f, const char *run_dir, const char *path);

#endif
