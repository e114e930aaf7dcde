/*
 * cores.c - cuts the affinity mask of this process in parts.
 */
#include "base/cores.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/team.h"

struct core {
    int number;
    int physical; /* the lowest number of a thread of the same physical core */
};

/* Linux lists the threads of a core as "0,4" or "0-1". */
static int find_physical(int number)
{
    char path[96], line[64];
    int physical = number;

    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                   number);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return number;
    if (fgets(line, sizeof line, file) != NULL && line[0] >= '0' && line[0] <= '9')
        physical = (int)strtol(line, NULL, 10);
    (void)fclose(file);
    return physical;
}

static int by_physical(const void *a, const void *b)
{
    const struct core *x = a, *y = b;

    return x->physical != y->physical ? x->physical - y->physical : x->number - y->number;
}

bool cores_share(int part, int parts, cpu_set_t *share)
{
    struct core cores[CPU_SETSIZE];
    cpu_set_t all;
    int count = 0;
    int64_t from = 0, to = 0;

    CHECK(parts >= 1 && part >= 0 && part < parts);
    CPU_ZERO(&all);
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return false;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all))
            cores[count++] = (struct core){.number = i, .physical = find_physical(i)};
    qsort(cores, (size_t)count, sizeof cores[0], by_physical);
    if (parts > count) {
        from = part % count;
        to = from + 1;
    } else {
        team_part(count, part, parts, &from, &to);
    }
    CPU_ZERO(share);
    for (int64_t i = from; i < to; i++)
        CPU_SET(cores[i].number, share);
    return true;
}
