/*
 * rundir.c - the folders of runs and studies: made, found again, and swept.
 *
 * Here: names and folders. Not here: environment.json (environment.c), the files of a run
 * (recorder.c, train/).
 */
#include "record/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/text.h"
#include "record/latest_run.h"
#include "record/listed_runs.h"

enum { LISTED_MAX = 20 };

/* --- making --- */

static bool is_safe(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-' || c == '+' || c == '=' || c == ',';
}

/* A letter of another script; not the control characters after ASCII. */
static bool is_safe_beyond_ascii(const char *c, size_t bytes)
{
    return bytes > 1 && !((unsigned char)c[0] == 0xC2 && (unsigned char)c[1] < 0xA0);
}

/* What needs quotes in a shell, or means something in a path, becomes '-', once for each row of it.
 */
char *rundir_safe_text(const char *name, size_t length)
{
    struct text safe = {0};
    const char *const begin = name + strspn(name, "./-"); /* neither hidden nor an option */
    const char *const end = name + strlen(name);
    size_t step;

    for (const char *c = begin; c < end && safe.length < length; c += step) {
        step = text_utf8_step(c, (size_t)(end - c));
        step = step == 0 ? 1 : step;
        if (is_safe_beyond_ascii(c, step) ? safe.length + step <= length : is_safe(*c))
            text_add_n(&safe, c, step);
        else if (safe.length > 0 && safe.data[safe.length - 1] != '-')
            text_add(&safe, "-");
    }
    if (safe.length == 0)
        text_add(&safe, "run");
    return text_take(&safe);
}

char *rundir_safe_name(const char *name)
{
    return rundir_safe_text(name, RUNDIR_NAME_MAX);
}

/* "<name>.<digits>.tmp", as base/file.c names them: a user's own *.tmp is left alone. */
static bool is_left_over(const char *name)
{
    static const char ending[] = ".tmp";
    size_t end = strlen(name), digits = 0;

    if (end <= sizeof ending || strcmp(name + end - (sizeof ending - 1), ending) != 0)
        return false;
    end -= sizeof ending - 1;
    while (digits < end && name[end - digits - 1] >= '0' && name[end - digits - 1] <= '9')
        digits++;
    return digits > 0 && end > digits + 1 && name[end - digits - 1] == '.';
}

/* What a process that works here, or one that was killed when it began, has put there. */
static bool is_nothing(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, LOCK_NAME) == 0 ||
           is_left_over(name);
}

/* -1: it cannot be read. */
static int64_t count_entries(const char *folder)
{
    DIR *dir = opendir(folder);
    int64_t count = 0;

    if (dir == NULL)
        return -1;
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir))
        count += is_nothing(e->d_name) ? 0 : 1;
    (void)closedir(dir);
    return count;
}

enum status rundir_check(const char *out)
{
    if (!file_exists(out))
        return STATUS_OK;
    if (!file_is_folder(out))
        return FAIL(STATUS_BAD_INPUT, "%s: is a file; the output needs a new or empty folder", out);
    const int64_t entries = count_entries(out);
    if (entries < 0)
        return FAIL(STATUS_IO, "%s: cannot read the folder: %s", out, strerror(errno));
    if (entries > 0)
        return FAIL(STATUS_BAD_INPUT, "%s: is not empty; the output needs a new or empty folder",
                    out);
    return STATUS_OK;
}

static enum status make_given(const char *out, char **folder)
{
    TRY(rundir_check(out));
    TRY(file_make_folders(out));
    *folder = mem_text(out);
    return STATUS_OK;
}

/* mkdir, not file_make_folders: of two programs that start in the same second only one gets it. */
static enum status make_numbered(const char *wanted, char **folder)
{
    for (int number = 1;; number++) {
        char *path = number == 1 ? mem_text(wanted) : text_format("%s_%d", wanted, number);

        if (mkdir(path, 0777) == 0) {
            *folder = path;
            return STATUS_OK;
        }
        const int why = errno;
        const enum status status =
            why == EEXIST ? STATUS_OK
                          : FAIL(STATUS_IO, "%s: cannot make the folder: %s", path, strerror(why));
        mem_free(path);
        TRY(status);
    }
}

enum status rundir_make_in(const char *parent, const char *name, char **folder)
{
    char stamp[32];

    *folder = NULL;
    TRY(file_make_folders(parent));
    clock_stamp(stamp, sizeof stamp, "%Y-%m-%d_%H-%M-%S");
    char *safe = rundir_safe_name(name);
    char *last = text_format("%s_%s", stamp, safe);
    char *wanted = file_join(parent, last);
    const enum status status = make_numbered(wanted, folder);
    if (status == STATUS_OK)
        latest_run_set(parent, *folder);
    mem_free(wanted);
    mem_free(last);
    mem_free(safe);
    return status;
}

enum status rundir_make(const char *out, const char *name, char **folder)
{
    *folder = NULL;
    return out != NULL ? make_given(out, folder) : rundir_make_in(RUNDIR_PARENT, name, folder);
}

enum status rundir_make_flat(const char *folder)
{
    char *checkpoints = file_join(folder, "checkpoints");
    const enum status status = file_make_folders(checkpoints);

    mem_free(checkpoints);
    return status;
}

enum status rundir_make_run(const char *top_dir, const char *run_name, char **folder)
{
    char *safe = rundir_safe_name(run_name);
    char *run = file_join(top_dir, safe);
    const enum status status = rundir_make_flat(run);

    if (status != STATUS_OK) {
        mem_free(run);
        run = NULL;
    }
    mem_free(safe);
    *folder = run;
    return status;
}

/* --- finding --- */

bool rundir_is_run(const char *folder)
{
    return file_exists_in(folder, "metrics.jsonl") || file_exists_in(folder, "model.safetensors") ||
           file_exists_in(folder, "checkpoints");
}

static bool is_top_dir(const char *folder)
{
    return file_exists_in(folder, "effective.yaml") || file_exists_in(folder, "environment.json");
}

void rundir_names_add(struct rundir_names *n, const char *name)
{
    if (n->count == n->capacity) {
        const int64_t capacity = 2 * n->capacity + 8;

        n->items = mem_resize(n->items, n->capacity, capacity, sizeof *n->items);
        n->capacity = capacity;
    }
    n->items[n->count++] = mem_text(name);
}

void rundir_names_release(struct rundir_names *n)
{
    for (int64_t i = 0; i < n->count; i++)
        mem_free(n->items[i]);
    mem_free(n->items);
    *n = (struct rundir_names){0};
}

void rundir_names_text(const struct rundir_names *n, struct text *out)
{
    for (int64_t i = 0; i < n->count && i < LISTED_MAX; i++)
        text_addf(out, "%s%s", i == 0 ? "" : ", ", n->items[i]);
    if (n->count > LISTED_MAX)
        text_addf(out, " and %lld more", (long long)(n->count - LISTED_MAX));
}

static int name_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum status rundir_folders(const char *folder, bool (*test)(const char *path),
                           struct rundir_names *names)
{
    DIR *dir = opendir(folder);

    if (dir == NULL)
        return FAIL(STATUS_IO, "%s: cannot read the folder: %s", folder, strerror(errno));
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        char *path = file_join(folder, e->d_name);

        if (e->d_name[0] != '.' && file_is_folder(path) && test(path))
            rundir_names_add(names, e->d_name);
        mem_free(path);
    }
    (void)closedir(dir);
    if (names->count > 0)
        qsort(names->items, (size_t)names->count, sizeof *names->items, name_order);
    return STATUS_OK;
}

static enum status fail_many(const char *path, const struct rundir_names *runs)
{
    struct text list = {0};
    enum status status;

    rundir_names_text(runs, &list);
    status = FAIL(STATUS_BAD_INPUT, "%s: has %lld runs; name one of them, as in %s/%s: %s", path,
                  (long long)runs->count, path, runs->items[0], text_get(&list));
    text_release(&list);
    return status;
}

/* Not a run: perhaps the folder that holds all top folders was given instead of the last of them.
 */
static enum status fail_none(const char *path)
{
    struct rundir_names top_dirs = {0};
    enum status status = rundir_folders(path, is_top_dir, &top_dirs);

    if (status == STATUS_OK && top_dirs.count > 0)
        status = FAIL(STATUS_BAD_INPUT, "%s: holds experiments, not runs; name one, as in %s/%s",
                      path, path, top_dirs.items[top_dirs.count - 1]);
    else if (status == STATUS_OK)
        status = FAIL(STATUS_BAD_INPUT,
                      "%s: is neither a run nor a folder of runs; a run is a folder with "
                      "metrics.jsonl, model.safetensors or checkpoints",
                      path);
    rundir_names_release(&top_dirs);
    return status;
}

static enum status find_inside(const char *path, char **run)
{
    struct rundir_names runs = {0};
    enum status status = rundir_folders(path, rundir_is_run, &runs);

    if (status == STATUS_OK && runs.count == 0)
        status = fail_none(path);
    else if (status == STATUS_OK && runs.count > 1)
        status = fail_many(path, &runs);
    else if (status == STATUS_OK)
        *run = file_join(path, runs.items[0]);
    rundir_names_release(&runs);
    return status;
}

/* The folder above, as text: a link stays where the user sees it. */
static char *folder_above(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *last = slash == NULL ? path : slash + 1;

    if (strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
        return file_join(path, "..");
    if (slash == NULL)
        return mem_text(".");
    return mem_text_n(path, slash == path ? 1 : (size_t)(slash - path));
}

/* The path of a folder that exists, without slashes at its end; mem_free. */
static enum status existing_folder(const char *path, char **folder)
{
    size_t length = strlen(path);

    if (!file_exists(path))
        return FAIL(STATUS_BAD_INPUT, "%s: there is no such run", path);
    if (!file_is_folder(path))
        return FAIL(STATUS_BAD_INPUT, "%s: is a file; a run is a folder", path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    *folder = mem_text_n(path, length);
    return STATUS_OK;
}

enum status rundir_find(const char *path, char **run, char **top_dir)
{
    char *folder = NULL;
    enum status status = STATUS_OK;

    *run = *top_dir = NULL;
    TRY(existing_folder(path, &folder));
    if (rundir_is_run(folder)) {
        *top_dir =
            file_exists_in(folder, "effective.yaml") ? mem_text(folder) : folder_above(folder);
        *run = folder;
        return STATUS_OK;
    }
    status = find_inside(folder, run);
    if (status == STATUS_OK)
        *top_dir = folder;
    else
        mem_free(folder);
    return status;
}

static void add_path(struct rundir_list *l, char *path)
{
    l->paths = mem_resize(l->paths, l->count, l->count + 1, sizeof *l->paths);
    l->paths[l->count++] = path;
}

static enum status add_inside(struct rundir_list *l, const char *folder)
{
    struct rundir_names runs = {0};
    enum status status = rundir_folders(folder, rundir_is_run, &runs);

    if (status == STATUS_OK && runs.count == 0)
        status = fail_none(folder);
    if (status == STATUS_OK)
        status = listed_runs_keep(folder, &runs);
    for (int64_t i = 0; status == STATUS_OK && i < runs.count; i++)
        add_path(l, file_join(folder, runs.items[i]));
    rundir_names_release(&runs);
    return status;
}

enum status rundir_list_add(struct rundir_list *l, const char *path)
{
    char *folder = NULL;

    TRY(existing_folder(path, &folder));
    if (rundir_is_run(folder)) {
        add_path(l, folder);
        return STATUS_OK;
    }
    const enum status status = add_inside(l, folder);
    mem_free(folder);
    return status;
}

void rundir_list_add_file(struct rundir_list *l, const char *path)
{
    add_path(l, mem_text(path));
}

void rundir_list_release(struct rundir_list *l)
{
    for (int64_t i = 0; i < l->count; i++)
        mem_free(l->paths[i]);
    mem_free(l->paths);
    *l = (struct rundir_list){0};
}

/* --- sweeping --- */

void rundir_sweep(const char *folder)
{
    DIR *dir = opendir(folder);

    if (dir == NULL)
        return;
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        char *path = file_join(folder, e->d_name);

        if (is_left_over(e->d_name) && !file_is_folder(path))
            (void)file_remove(path); /* what cannot be swept does no harm */
        mem_free(path);
    }
    (void)closedir(dir);
}
