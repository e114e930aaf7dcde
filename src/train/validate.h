/*
 * validate.h - what can be wrong with a run config before any data is read, and where in the file
 * that is.
 *
 * Not here: types, ranges and unknown keys (run_config_read); what concerns the problem
 * (problem/problem_plan.h, whose errors get their position here too).
 */
#ifndef TRAIN_VALIDATE_H
#define TRAIN_VALIDATE_H

#include "comm/world.h"
#include "train/run_config.h"

/* Combinations that would silently do something else than they say, and delays. What concerns the
 * problem: problem_check. workers: above 0. */
enum status validate_settings(const struct run_config *config, int workers);

/* The communication graph for so many workers, NULL where there is none; topology_free. motion: as
 * in struct topology_request. */
enum status validate_topology(const struct run_config *config, int workers,
                              const struct graph_motion *motion, struct topology **t);

/* The world that the run needs. A server process needs an algorithm with a server, and a
 * launcher. */
enum status validate_world(const struct run_config *config, struct world_request *request);

/* Puts a key, "graph", before the message of the last failure if it begins with none. Answers `s`.
 */
enum status validate_name_key(const char *key, enum status s);

/*
 * Gives the last failure its position: a message that begins with a key, "graph.p: ...", gets the
 * position of that key in the tree in front, or of the nearest section around it that was given;
 * where a flag has set it, the flag instead of the key. Messages that have a position stay as they
 * are. Answers `s`.
 */
enum status validate_locate_error(const struct node *root, enum status s);

#endif
