/*
 * board.h - what the workers of a run write for each other in memory that they share: their
 * counters, and after which round to stop. No worker waits for another.
 *
 * A stop is a number. A worker publishes the round that it begins, then reads the stop. Whoever
 * asks for a stop says so, then takes the largest round that was published. So no worker has begun
 * a later one: it would have seen the request, and waits for the number. All workers end with that
 * round.
 */
#ifndef TRAIN_LOOP_BOARD_H
#define TRAIN_LOOP_BOARD_H

#include <stdbool.h>
#include <stddef.h>

#include "record/counters.h"

/* In memory that is zero at the start, aligned to 64 bytes, also between processes. */
struct board;
size_t board_bytes(int workers);

/* The counters of a worker; and those of all, rows[workers]. While workers write, a row may mix
 * counters of two rounds. */
void board_write(struct board *b, int worker, const struct counters *c);
void board_read(const struct board *b, int workers, struct counters *rows);

/* The worker begins this round, counted from 1. Answers whether it may: the stop is not before. */
bool board_begin_round(struct board *b, int worker, int64_t round);

/* Asks all workers to stop, after a round that none of them has passed. By any worker, repeatedly.
 */
void board_stop(struct board *b, int workers);

/* Whether a stop was asked for. */
bool board_is_stopped(const struct board *b);

/* The next of the rounds of all workers, counted from 0: no two get the same. */
int64_t board_claim_round(struct board *b);

/* The earliest round that a worker is in. */
int64_t board_slowest_round(const struct board *b, int workers);

/* A worker's loss was not finite in this round; and the first such round, 0: none. */
void board_note_divergence(struct board *b, int64_t round);
int64_t board_divergence(const struct board *b);

#endif
