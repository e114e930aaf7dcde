/*
 * file_case.h - files that are damaged, and a disk that is full.
 */
#ifndef TESTS_FILE_CASE_H
#define TESTS_FILE_CASE_H

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "test.h"

/* Changes one bit of the byte at this place. */
static inline void flip_byte(const char *path, int64_t at)
{
    const int64_t bytes = file_size(path);
    char *data = mem_alloc(1, (size_t)bytes);
    struct file_writer w;

    EXPECT_OK(file_read_part(path, 0, data, (size_t)bytes));
    data[at] ^= 1;
    EXPECT_OK(file_writer_open(&w, path));
    EXPECT_OK(file_writer_close(&w, file_writer_put(&w, data, (size_t)bytes)));
    mem_free(data);
}

static inline void flip_byte_in(const char *folder, const char *name, int64_t at)
{
    char *path = file_join(folder, name);

    flip_byte(path, at);
    mem_free(path);
}

/* As on a full disk: from now on the system lets files grow to this size and no further. The
 * answer is the limit before, for the next call. */
static inline rlim_t limit_file_size(rlim_t bytes)
{
    struct rlimit limit;

    (void)signal(SIGXFSZ, SIG_IGN);
    EXPECT_INT(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = bytes;
    EXPECT_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
    return before;
}

/* Works in a new empty folder, until leave_folder, which removes it with its file `name`. */
static inline void enter_new_folder(void)
{
    char folder[] = "/tmp/muster_test.XXXXXX";

    EXPECT(mkdtemp(folder) != NULL);
    EXPECT_INT(chdir(folder), 0);
}

static inline void leave_folder(const char *name)
{
    char folder[256];

    EXPECT(getcwd(folder, sizeof folder) != NULL);
    (void)file_remove(name);
    EXPECT_INT(chdir("/"), 0);
    EXPECT_OK(file_remove(folder));
}

#endif
