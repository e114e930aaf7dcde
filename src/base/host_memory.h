/*
 * host_memory.h - how much memory this process may use: that of the machine, or less where the
 * process has a limit.
 */
#ifndef BASE_HOST_MEMORY_H
#define BASE_HOST_MEMORY_H

struct host_memory {
    double bytes;
    const char *who; /* begins a sentence that ends with the amount: "this machine has" */
};

/* The least of the machine's memory, the limits of the cgroups of this process (containers, batch
 * systems) and its limit of address space (ulimit -v). */
struct host_memory host_memory(void);

/*
 * The least limit of the cgroups that a file in the form of /proc/self/cgroup lists, and of those
 * around them, below a folder like /sys/fs/cgroup; versions 1 and 2. Infinity: none.
 */
double host_memory_cgroup(const char *list, const char *folder);

#endif
