/*
 * launch.h - what `muster launch` starts, and where.
 */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include "base/status.h"
#include "base/text.h"

struct launch_host {
    char *name;
    int64_t slots; /* processes that fit */
};

struct launch_hosts {
    struct launch_host *items; /* [count] */
    int64_t count;
};

/* "a,b:2,c", or a file with a host in each line: "a", "b slots=2" or "b:2"; # begins a comment. */
enum status launch_hosts_read(struct launch_hosts *h, const char *given);
void launch_hosts_release(struct launch_hosts *h);
int64_t launch_hosts_slots(const struct launch_hosts *h); /* all together */

struct launch_setup {
    int64_t processes;
    const struct launch_hosts *hosts; /* none: this one */
    const char *interface;            /* network for messages between hosts; NULL: MPI chooses */
    char **command;                   /* [command_count] "train", "--model", ... */
    int command_count;
};

/* A command line of mpirun: its words, and a NULL. */
struct launch_line {
    char **words;
    int64_t count; /* without the NULL */
};

void launch_line_init(struct launch_line *l, const struct launch_setup *s);
void launch_line_release(struct launch_line *l);

/* As it would be typed into a shell. */
void launch_line_show(const struct launch_line *l, struct text *out);

#endif
