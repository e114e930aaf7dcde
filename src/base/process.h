/*
 * process.h - which process wrote something, and whether it still runs.
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdint.h>

struct process_identity {
    char host[256]; /* "": not known */
    int64_t pid;
    int64_t start; /* when it started, in the kernel's ticks since boot; 0: not known */
};

/* This process. */
void process_identify(struct process_identity *p);

enum process_life {
    PROCESS_GONE,
    PROCESS_RUNS,
    PROCESS_UNKNOWN, /* it ran on another host */
};

/* A process that has the same number but started at another time is another one. */
enum process_life process_life(const struct process_identity *p);

#endif
