/*
 * world.h - all endpoints of a run, and which of them live in this process.
 *
 * A process may have any number of endpoints, and world_process_of says which: with threads all are
 * here; with mpi a process has consecutive workers, and perhaps the server or the workers'
 * responders, or it has the server alone. A body runs for each endpoint; when one fails, the others
 * are woken and the first failure is the answer.
 *
 * With several processes every call below is made by all of them, in the same order. A failure is
 * answered by all with the same status and reported by one: the others have an empty message, and
 * main prints nothing for an empty message. main prints before world_close, because a launcher ends
 * all processes as soon as one of them has ended with an error.
 *
 * Several worlds may follow one another in a process, but only one is open at a time.
 */
#ifndef COMM_WORLD_H
#define COMM_WORLD_H

#include "comm/transport.h"
#include "comm/transport_registry.h"

/*
 * What there is beside the workers. Responders: one for each worker, endpoint workers + r for
 * worker r and in the same process, which answers others while its worker computes; none for one
 * worker alone.
 */
enum world_server { WORLD_NO_SERVER, WORLD_SERVER_THREAD, WORLD_SERVER_OWN, WORLD_RESPONDERS };

struct world_request {
    const char *transport;    /* a name; NULL: transport_usual */
    int workers;              /* 0: as many as the launcher started, else 1 */
    enum world_server server; /* in one process OWN is the same as THREAD */
    int slots;                /* computing at once in this process; 0: as many as cores */
};

struct world {
    const struct world_ops *ops;
    const struct transport_entry *transport; /* set by world_open */
    enum world_server server;
    int workers, size;
    int process, processes; /* this process and how many: 0 of 1 with threads */
};

/* The process of an endpoint, from 0. */
int world_process_of(const struct world *w, int endpoint);

/* The lowest endpoint of a process, which speaks for it; and how many workers are in this one. */
int world_first_endpoint(const struct world *w, int process);
int world_own_workers(const struct world *w);

/* Whether mpirun or srun started this process (OMPI_COMM_WORLD_SIZE, PMIX_RANK). */
bool world_is_launched(void);

/* How many processes the launcher started: 1 without one, 0 if the environment does not say it. */
int world_launched_processes(void);

/* Of the processes that a launcher started, the first one reports what all of them found. */
bool world_reports(void);

/*
 * For a process that does not report, with an error from before the world was opened: perhaps it is
 * alone with it, on a host that lacks a file. Waits; where all have failed alike, the launcher ends
 * this process meanwhile. Answers whether it shall report after all.
 */
bool world_reports_late(void);

/*
 * Opens the world. A contradiction between `workers` and what the launcher started is an error, and
 * so is a transport without a launcher in several launched processes: never N separate trainings.
 */
enum status world_open(const struct world_request *request, struct world **world);

/*
 * What world_open would refuse of a request, as far as the environment tells without opening
 * anything. *workers gets how many there would be; 0: only the launcher knows.
 */
enum status world_check(const struct world_request *request, int *workers);

/*
 * Runs body(context, transport) for every endpoint of this process, each on a thread with its own
 * status slot, and waits for all, here and elsewhere. May be called again after success; after a
 * failure the world can only be closed.
 */
typedef enum status world_body(void *context, struct transport *t);
enum status world_run(struct world *w, world_body *body, void *context);

/*
 * Memory that all endpoints of the world read and write: zeroed, aligned to 64 bytes, of the same
 * size for all, until world_close. Not while the world runs. What several write at once they write
 * with atomics. An error when the processes are on several hosts.
 */
enum status world_share(struct world *w, size_t bytes, void **memory);

/* The lowest of the processes' numbers. Not while the world runs. */
enum status world_agree(struct world *w, int64_t mine, int64_t *lowest);

/* The endpoint that leads: it records and shows the results. It is the server, if there is one,
 * else worker 0. And whether it is in this process. */
int world_leader(const struct world *w);
bool world_is_lead(const struct world *w);

void world_close(struct world *w); /* NULL is fine */

#endif
