/*
 * host_memory.c - asks the kernel for the memory of the machine and for limits.
 */
#include "base/host_memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

/* --- cgroups --- */

/* The number in a file; infinity if there is none, or "max". */
static double read_limit(const char *path)
{
    char line[64];
    int64_t bytes = 0;
    double limit = (double)INFINITY;
    FILE *file = fopen(path, "re");

    if (file == NULL)
        return limit;
    if (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (text_to_int(line, &bytes) && bytes > 0)
            limit = (double)bytes;
    }
    (void)fclose(file);
    return limit;
}

/* Of a group "/a/b" and of those around it: "/a" and "". In a container the folder may begin
 * further down than the name says; then only the last of these is there. */
static double group_limit(const char *folder, const char *group, const char *file)
{
    double least = (double)INFINITY;
    char *name = mem_text(group);

    for (bool goes_on = true; goes_on;) {
        char *path = text_format("%s%s/%s", folder, name, file);
        char *slash = strrchr(name, '/');

        least = fmin(least, read_limit(path));
        mem_free(path);
        goes_on = slash != NULL;
        if (slash != NULL)
            *slash = '\0';
    }
    mem_free(name);
    return least;
}

/* Whether a list "cpu,memory" of controllers has memory. */
static bool has_memory(const char *controllers, size_t length)
{
    static const char wanted[] = "memory";

    for (size_t from = 0; from <= length;) {
        const size_t word = strcspn(controllers + from, ",:");

        if (word == sizeof wanted - 1 && strncmp(controllers + from, wanted, word) == 0)
            return true;
        from += word + 1;
    }
    return false;
}

/* A line is "number:controllers:group"; version 2 names no controllers. */
static double line_limit(char *line, const char *folder)
{
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');

    if (group == NULL)
        return (double)INFINITY;
    group[1 + strcspn(group + 1, "\n")] = '\0';
    if (group == controllers + 1)
        return group_limit(folder, group + 1, "memory.max");
    if (!has_memory(controllers + 1, (size_t)(group - controllers - 1)))
        return (double)INFINITY;
    char *hierarchy = text_format("%s/memory", folder);
    const double limit = group_limit(hierarchy, group + 1, "memory.limit_in_bytes");
    mem_free(hierarchy);
    return limit;
}

double host_memory_cgroup(const char *list, const char *folder)
{
    char line[4096 + 64];
    double least = (double)INFINITY;
    FILE *file = fopen(list, "re");

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        least = fmin(least, line_limit(line, folder));
    if (file != NULL)
        (void)fclose(file);
    return least;
}

/* --- all of it --- */

static void limit_to(struct host_memory *m, double bytes, const char *who)
{
    if (bytes < m->bytes)
        *m = (struct host_memory){bytes, who};
}

struct host_memory host_memory(int processes)
{
    struct rlimit space = {.rlim_cur = RLIM_INFINITY};
    struct host_memory m = {
        .bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE),
        .who = "this machine has",
    };

    limit_to(&m, host_memory_cgroup("/proc/self/cgroup", "/sys/fs/cgroup"),
             "the cgroup of this process has");
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        limit_to(&m, processes * (double)space.rlim_cur,
                 processes == 1 ? "the limit of this process (ulimit -v) is"
                                : "the limit of the processes of this host (ulimit -v) is");
    return m;
}
