/*
 * check.h - what can be said against an experiment before any data is read; and where in the file
 * that stands.
 *
 * Not here: types, ranges and unknown keys (experiment_read); what only the data can tell (plan.c,
 * whose failures are located here too).
 */
#ifndef TRAIN_CHECK_H
#define TRAIN_CHECK_H

#include "comm/world.h"
#include "train/experiment.h"

/*
 * Combinations that would quietly do something else than what they say, delays, and the partition
 * as far as the number of classes is known beforehand. workers: above 0.
 */
enum status experiment_check_settings(const struct experiment *e, int workers);

/* The communication graph for so many workers, NULL where there is none; topology_free. */
enum status experiment_topology(const struct experiment *e, int workers, struct topology **t);

/* The world that it asks for. A server of its own needs an algorithm that has one, and a launcher.
 */
enum status experiment_world(const struct experiment *e, struct world_request *request);

/* Puts a key, "graph", before the message of the last failure if it begins with none. Answers `s`.
 */
enum status experiment_say_key(const char *key, enum status s);

/*
 * Gives the last failure its place: a message that begins with a key, "graph.p: ...", gets the
 * position of that key in the tree in front, or of the nearest section around it that was given;
 * where a flag has set it, the flag instead of the key. Messages that have their place stay as they
 * are. Answers `s`.
 */
enum status experiment_locate(const struct node *root, enum status s);

#endif
