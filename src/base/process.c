/*
 * process.c - reads when a process started from /proc/<pid>/stat.
 */
#include "base/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Field 22; 0: it does not run. The name, field 2, is in parentheses and may hold anything: count
 * from the last one. */
static int64_t start_of(int64_t pid)
{
    char path[64], line[1024];
    const char *at = NULL;

    (void)snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fgets(line, sizeof line, file) != NULL)
        at = strrchr(line, ')');
    (void)fclose(file);
    if (at != NULL && (strncmp(at, ") Z", 3) == 0 || strncmp(at, ") X", 3) == 0))
        return 0; /* it has ended, and its parent has not looked */
    for (int field = 2; at != NULL && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at == NULL ? 0 : strtoll(at, NULL, 10);
}

void process_identify(struct process_identity *p)
{
    *p = (struct process_identity){.pid = (int64_t)getpid()};
    (void)gethostname(p->host, sizeof p->host - 1);
    p->start = start_of(p->pid);
}

enum process_life process_life(const struct process_identity *p)
{
    struct process_identity me;

    process_identify(&me);
    if (strcmp(me.host, p->host) != 0)
        return PROCESS_UNKNOWN;
    if (p->pid <= 0 || (kill((pid_t)p->pid, 0) != 0 && errno != EPERM))
        return PROCESS_GONE;
    return p->start == 0 || start_of(p->pid) == p->start ? PROCESS_RUNS : PROCESS_GONE;
}
