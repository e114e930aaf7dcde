/*
 * lock.h - one process at a time in a folder.
 *
 * The lock is the kernel's, on a file in the folder: it ends with the process, however that ends,
 * and counts between hosts where the file system carries locks (NFS does). The file says who holds
 * it, for the message to others; it is removed when the lock is given back, and one that a killed
 * process left behind means nothing.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include "base/status.h"

#define LOCK_NAME ".lock"

struct lock {
    int descriptor;
    char *path; /* NULL: not held */
};

/*
 * Fails, naming the folder, process and host, when another process holds it: at once, or after some
 * seconds if that process or its parent has ended. A file system without locks is warned of once
 * for each folder, and the caller continues without. A zeroed lock is not held.
 */
enum status lock_take(struct lock *l, const char *folder);
void lock_release(struct lock *l); /* may be called twice */

#endif
