/*
 * fail_allocation.c - a library to be preloaded: one allocation of the program fails, or every one
 * after it.
 *
 *     FAULT_RECORD=FILE    no allocation fails; FILE gets a line per site, with its name and the
 *                          number of its first allocation
 *     FAULT_SITE=NAME      the first allocation of this site fails
 *     FAULT_NUMBER=N       the N-th allocation of the process fails
 *     FAULT_FROM=N         the N-th allocation and all after it fail
 *
 * A site is the callers of an allocation, from the innermost to the fourth within the program
 * itself. Its name is made of their places in their files, which do not depend on where these were
 * loaded. When the allocation has failed, "fault: ..." on stderr says so. One site never fails:
 * libfyaml 0.7 does not check it, and src/conf/yaml.c sees to it that there is memory.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

enum { FRAMES_MAX = 24, OWN_FRAMES_MAX = 4, SITES_MAX = 1 << 16 };

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static struct {
    const char *record;
    uint64_t site;
    long number, from;
    const void *program, *library; /* where these were loaded */
} wanted;

struct site {
    uint64_t name;
    long first;
};

static struct {
    pthread_mutex_t mutex;
    struct site sites[SITES_MAX];
    int count;
} seen = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static atomic_long allocations;
static atomic_bool is_ready, has_failed;
static _Thread_local bool is_inside; /* what finds the callers may itself allocate */

/* --- the site of an allocation --- */

static const char unchecked[] = "fy_parse_input_append";

struct walk {
    uint64_t name; /* 0: the one that never fails */
    int frames, own_frames;
};

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *state)
{
    struct walk *w = state;
    const uintptr_t address = (uintptr_t)_Unwind_GetIP(context);
    Dl_info info;

    if (address == 0 || dladdr((void *)address, &info) == 0)
        return _URC_END_OF_STACK;
    if (info.dli_fbase == wanted.library)
        return _URC_NO_REASON;
    if (info.dli_sname != NULL && strcmp(info.dli_sname, unchecked) == 0) {
        w->name = 0;
        return _URC_END_OF_STACK;
    }
    w->name = (w->name ^ (address - (uintptr_t)info.dli_fbase)) * 0x100000001b3;
    w->frames++;
    w->own_frames += info.dli_fbase == wanted.program;
    return w->frames < FRAMES_MAX && w->own_frames < OWN_FRAMES_MAX ? _URC_NO_REASON
                                                                    : _URC_END_OF_STACK;
}

static uint64_t current_site(void)
{
    struct walk w = {.name = 0xcbf29ce484222325};

    _Unwind_Backtrace(visit_frame, &w);
    return w.name;
}

static void remember(uint64_t name, long number)
{
    pthread_mutex_lock(&seen.mutex);
    for (int i = 0; i < seen.count; i++) {
        if (seen.sites[i].name == name) {
            pthread_mutex_unlock(&seen.mutex);
            return;
        }
    }
    if (seen.count < SITES_MAX)
        seen.sites[seen.count++] = (struct site){name, number};
    pthread_mutex_unlock(&seen.mutex);
}

/* --- which one fails --- */

static bool is_wanted(long number)
{
    if (wanted.number > 0)
        return number == wanted.number && current_site() != 0;
    if (wanted.from > 0)
        return number >= wanted.from && current_site() != 0;
    if (wanted.record == NULL && (wanted.site == 0 || atomic_load(&has_failed)))
        return false;

    const uint64_t site = current_site();

    if (wanted.record != NULL && site != 0)
        remember(site, number);
    return site != 0 && site == wanted.site;
}

static bool must_fail(void)
{
    static const char told[] = "fault: an allocation fails\n";
    bool fails;

    if (!atomic_load(&is_ready) || is_inside)
        return false;
    is_inside = true;
    fails = is_wanted(atomic_fetch_add(&allocations, 1) + 1);
    if (fails && !atomic_exchange(&has_failed, true) &&
        write(STDERR_FILENO, told, sizeof told - 1) < 0)
        _exit(99);
    is_inside = false;
    if (fails)
        errno = ENOMEM;
    return fails;
}

/* --- the functions of the C library --- */

void *malloc(size_t bytes)
{
    return must_fail() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return must_fail() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    return must_fail() ? NULL : __libc_realloc(block, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return must_fail() ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    void *made = must_fail() ? NULL : __libc_memalign(alignment, bytes);

    if (made == NULL)
        return ENOMEM;
    *block = made;
    return 0;
}

void *mmap(void *address, size_t bytes, int protection, int flags, int descriptor, off_t offset)
{
    if (must_fail())
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, bytes, protection, flags, descriptor, offset);
}

/* --- beginning and end --- */

static long number_of(const char *variable)
{
    const char *text = getenv(variable);

    return text == NULL ? 0 : strtol(text, NULL, 10);
}

static const void *base_of(const void *address)
{
    Dl_info info;

    return dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

__attribute__((constructor)) static void begin(void)
{
    const char *site = getenv("FAULT_SITE");

    wanted.record = getenv("FAULT_RECORD");
    wanted.site = site == NULL ? 0 : strtoull(site, NULL, 16);
    wanted.number = number_of("FAULT_NUMBER");
    wanted.from = number_of("FAULT_FROM");
    wanted.library = base_of((const void *)(uintptr_t)begin);
    wanted.program = base_of((const void *)getauxval(AT_ENTRY));
    (void)current_site(); /* the first walk allocates */
    atomic_store(&is_ready, true);
}

__attribute__((destructor)) static void end(void)
{
    FILE *file;

    atomic_store(&is_ready, false);
    if (wanted.record == NULL || (file = fopen(wanted.record, "ae")) == NULL)
        return;
    for (int i = 0; i < seen.count; i++)
        fprintf(file, "%016llx %ld\n", (unsigned long long)seen.sites[i].name, seen.sites[i].first);
    fprintf(file, "all %ld\n", atomic_load(&allocations));
    fclose(file);
}
