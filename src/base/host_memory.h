/*
 * host_memory.h - how much memory the processes of a run may use on this host: that of the machine,
 * or less where they have a limit.
 */
#ifndef BASE_HOST_MEMORY_H
#define BASE_HOST_MEMORY_H

struct host_memory {
    double bytes;
    const char *who; /* begins a sentence that ends with the amount: "this machine has" */
};

/* The least of the machine's memory, the limits of the cgroups of this process (containers, batch
 * systems), which all share, and the limits of address space (ulimit -v), which each has. */
struct host_memory host_memory(int processes);

/*
 * The least limit of the cgroups that a file in the form of /proc/self/cgroup lists, and of those
 * around them, below a folder like /sys/fs/cgroup; versions 1 and 2. Infinity: none.
 */
double host_memory_cgroup(const char *list, const char *folder);

#endif
