/*
 * mpi_ends.c - a program whose run ends badly in the way it is told; mpi_ends.sh judges how. It
 * does what main of muster does: prints a message that is not empty, closes the world, and ends
 * with the status's exit code.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "comm/world.h"

struct way {
    const char *name;
    int rank;     /* who ends badly */
    int stuck;    /* who does not listen for half a minute; -1: nobody */
    bool exits;   /* ends the program in the middle, as running out of memory does */
    bool is_dead; /* by a signal that cannot be caught */
    bool shares;  /* asks for memory that all share */
    bool is_late; /* who does not end badly begins half a second after that */
    struct world_request request;
};

/* The formatter ends itself over rows as different as these. */
/* clang-format off */
static const struct way ways[] = {
    {.name = "fails", .rank = 1, .stuck = -1},
    {.name = "others_stuck", .rank = 0, .stuck = 1},
    {.name = "first_stuck", .rank = 1, .stuck = 0},
    {.name = "server_stuck", .rank = 1, .stuck = 3, .request = {.server = WORLD_SERVER_THREAD}},
    {.name = "exits", .rank = 1, .stuck = -1, .exits = true},
    {.name = "is_killed", .rank = 1, .stuck = -1, .is_dead = true},
    {.name = "wrong_workers", .stuck = -1, .request = {.workers = 2}},
    {.name = "wrong_transport", .stuck = -1, .request = {.transport = "threads", .workers = 3}},
    {.name = "no_transport", .stuck = -1, .request = {.transport = "mpj"}},
    {.name = "shares", .rank = 1, .stuck = -1, .shares = true},
    {.name = "others_late", .rank = 1, .stuck = -1, .is_late = true},
    {.name = "responders", .rank = 1, .stuck = -1, .request = {.server = WORLD_RESPONDERS}},
    {.name = "responder_fails", .rank = 4, .stuck = -1, .request = {.server = WORLD_RESPONDERS}},
};
/* clang-format on */

static enum status end_badly(void *context, struct transport *t)
{
    const struct way *w = context;
    const struct timespec half_a_minute = {.tv_sec = 30};

    if (t->rank == w->stuck)
        nanosleep(&half_a_minute, NULL);
    if (t->rank != w->rank)
        return transport_recv(t, TRANSPORT_ANY, 0, NULL, NULL, 0);
    if (w->exits)
        exit(9);
    if (w->is_dead)
        raise(SIGKILL);
    return FAIL(STATUS_DIVERGED, "worker %d has had enough", t->rank);
}

int main(int argc, char **argv)
{
    const struct way *chosen = NULL;
    struct world *world = NULL;

    for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(ways[i].name, argv[1]) == 0)
            chosen = &ways[i];
    if (chosen == NULL)
        return 99;

    struct way way = *chosen;
    void *memory = NULL;
    enum status s = world_open(&way.request, &world);

    if (s == STATUS_OK && way.shares)
        s = world_share(world, 1000, &memory);
    if (s == STATUS_OK && way.is_late && world->process != way.rank)
        nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    if (s == STATUS_OK)
        s = world_run(world, end_badly, &way);
    if (s != STATUS_OK && status_message()[0] != '\0')
        fprintf(stderr, "error: %s\n", status_message());
    world_close(world);
    return status_exit_code(s);
}
