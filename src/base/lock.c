/*
 * lock.c - locks of open files (F_OFD_SETLK), because those of processes are lost when anybody in
 * the process closes the same file.
 */
#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

enum { TRIES = 250, RETRY_US = 20000, HOLDER_MAX = 300 };

static int set_lock(int descriptor)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int answer = fcntl(descriptor, F_OFD_SETLK, &whole);

    if (answer != 0 && errno == EINVAL) { /* a kernel or file system with the older kind alone */
        whole = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
        answer = fcntl(descriptor, F_SETLK, &whole);
    }
    return answer;
}

/* Whoever held the lock before has removed the file with it: then a new one stands there. */
static bool is_still_there(int descriptor, const char *path)
{
    struct stat mine, there;

    return fstat(descriptor, &mine) == 0 && stat(path, &there) == 0 &&
           mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

/* What cannot be written (a full disk) is missing in the message to others, and no more. */
static void write_holder(int descriptor)
{
    char host[256] = "";

    (void)gethostname(host, sizeof host - 1);
    char *holder = text_format("process %ld on %s\n", (long)getpid(), host);
    const ssize_t n =
        ftruncate(descriptor, 0) == 0 ? pwrite(descriptor, holder, strlen(holder), 0) : -1;
    (void)n;
    mem_free(holder);
}

static void read_holder(int descriptor, char holder[HOLDER_MAX])
{
    const ssize_t n = pread(descriptor, holder, HOLDER_MAX - 1, 0);

    holder[n < 0 ? 0 : n] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
}

/* Whether the parent of a process has ended, so that another one (process 1) took its place. */
static bool is_orphan(long pid)
{
    char path[64], line[512] = "";
    long parent = 0;

    (void)snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    const ssize_t n = read(descriptor, line, sizeof line - 1);
    close(descriptor);
    line[n < 0 ? 0 : n] = '\0';
    const char *behind_name = strrchr(line, ')'); /* "4711 (name) S 1 ..." */
    return behind_name != NULL && sscanf(behind_name, ") %*c %ld", &parent) == 1 && parent == 1;
}

/*
 * Whether the lock will be free in a moment. The process that took it may have ended: then a child
 * has it that was forked before and is about to execute another program or to end. Or its parent
 * has: then it may be a run of a study that was killed, which stops by SIGTERM.
 */
static bool holder_is_ending(int descriptor)
{
    char holder[HOLDER_MAX], here[HOLDER_MAX], host[256] = "";
    long pid = 0;

    read_holder(descriptor, holder);
    if (sscanf(holder, "process %ld on ", &pid) != 1 || pid <= 0)
        return false;
    (void)gethostname(host, sizeof host - 1);
    (void)snprintf(here, sizeof here, "process %ld on %s", pid, host);
    return strcmp(holder, here) == 0 &&
           ((kill((pid_t)pid, 0) != 0 && errno == ESRCH) || is_orphan(pid));
}

static enum status fail_held(int descriptor, const char *folder)
{
    char holder[HOLDER_MAX];

    read_holder(descriptor, holder);
    return FAIL(STATUS_IO, "%s: the folder is in use by %s; wait for it, or choose another folder",
                folder, holder[0] == '\0' ? "another process" : holder);
}

/* Sets is_taken, or says why not; neither: try again. */
static enum status try_lock(struct lock *l, const char *folder, bool is_patient, bool *is_done)
{
    const int descriptor = open(l->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    enum status s = STATUS_OK;

    if (descriptor < 0)
        return FAIL(STATUS_IO, "%s: cannot create the file: %s", l->path, strerror(errno));
    if (set_lock(descriptor) == 0) {
        *is_done = is_still_there(descriptor, l->path);
        if (*is_done) {
            l->descriptor = descriptor;
            write_holder(descriptor);
            return STATUS_OK;
        }
    } else if (errno == EAGAIN || errno == EACCES) {
        if (holder_is_ending(descriptor) && is_patient)
            (void)usleep(RETRY_US);
        else
            s = fail_held(descriptor, folder);
    } else {
        log_warning("%s: this file system has no locks (%s): make sure that no other process uses "
                    "the folder",
                    folder, strerror(errno));
        (void)unlink(l->path);
        *is_done = true;
    }
    close(descriptor);
    return s;
}

enum status lock_take(struct lock *l, const char *folder)
{
    bool is_done = false;
    enum status s = STATUS_OK;

    *l = (struct lock){.descriptor = -1, .path = file_join(folder, LOCK_NAME)};
    for (int i = 0; i < TRIES && s == STATUS_OK && !is_done; i++)
        s = try_lock(l, folder, i + 1 < TRIES, &is_done);
    if (s == STATUS_OK && !is_done)
        s = FAIL(STATUS_IO, "%s: cannot lock the folder: other processes keep using it", folder);
    if (s != STATUS_OK || l->descriptor < 0) {
        mem_free(l->path);
        l->path = NULL;
    }
    return s;
}

/* The file goes before the lock, so that nobody locks one that is about to go. */
void lock_release(struct lock *l)
{
    if (l->path != NULL) {
        (void)unlink(l->path);
        close(l->descriptor);
    }
    mem_free(l->path);
    *l = (struct lock){.descriptor = -1};
}
