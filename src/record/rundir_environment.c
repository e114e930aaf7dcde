/*
 * rundir_environment.c - environment.json, written and read: on what, by what and how a run was
 * made.
 *
 * Here: the questions to the machine and the build. Not here: what the run computes, which
 * effective.yaml says.
 */
#include <jansson.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "record/json_read.h"
#include "record/rundir.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* The value of a line "model name\t: AMD EPYC"; false when the line is another one. */
static bool cpu_model_of(char *line, struct text *model)
{
    static const char key[] = "model name";
    char *value = strchr(line, ':');

    if (value == NULL || strncmp(line, key, sizeof key - 1) != 0)
        return false;
    value++;
    value += strspn(value, " \t");
    text_add_n(model, value, strcspn(value, "\n"));
    return true;
}

/* Empty where the kernel does not tell (not every architecture has the line). */
static void read_cpu_model(struct text *model)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "re");

    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL && !cpu_model_of(line, model))
        continue;
    (void)fclose(file);
}

/* The cores that this process may use: fewer than the machine has under taskset or in a container.
 */
static int64_t usable_cores(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return sysconf(_SC_NPROCESSORS_ONLN);
    return CPU_COUNT(&set);
}

static void write_build(struct json *j)
{
    json_open_map(j, "build");
    json_text(j, "compiler", COMPILER);
    json_text(j, "type", MUSTER_BUILD_TYPE);
    json_text(j, "flags", MUSTER_BUILD_FLAGS);
    json_close_map(j);
}

static void write_machine(struct json *j)
{
    struct utsname system = {0};
    struct text text = {0};

    (void)uname(&system); /* leaves empty names when it fails */
    json_open_map(j, "machine");
    json_text(j, "host", system.nodename);
    text_addf(&text, "%s %s %s", system.sysname, system.release, system.machine);
    json_text(j, "kernel", text_get(&text));
    text_clear(&text);
    read_cpu_model(&text);
    json_text(j, "cpu", text.length == 0 ? system.machine : text_get(&text));
    json_int(j, "cores", sysconf(_SC_NPROCESSORS_ONLN));
    json_int(j, "usable_cores", usable_cores());
    json_int(j, "memory_bytes", (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
    json_close_map(j);
    text_release(&text);
}

static void write_date(struct json *j)
{
    char date[48];

    clock_date(date, sizeof date);
    json_text(j, "date", date);
}

/* As `muster data partition` prints it. */
static void write_hash(struct json *j, uint64_t hash)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    json_text(j, "partition_hash", text);
}

static void write_environment(struct json *j, const struct rundir_environment *e)
{
    json_open_map(j, NULL);
    json_text(j, "version", MUSTER_VERSION);
    write_build(j);
    write_machine(j);
    json_text(j, "isa", e->isa);
    json_int(j, "threads", e->threads);
    json_int(j, "workers", e->workers);
    json_text(j, "transport", e->transport);
    write_hash(j, e->partition_hash);
    write_date(j);
    json_open_list(j, "command_line");
    for (int i = 0; i < e->argc; i++)
        json_text(j, NULL, e->argv[i]);
    json_close_list(j);
    json_close_map(j);
}

enum status rundir_write_environment(const char *top_dir, const struct rundir_environment *e)
{
    char *path = file_join(top_dir, "environment.json");
    struct text content = {0};
    struct json json;
    enum status status;

    json_init(&json, &content);
    write_environment(&json, e);
    text_add(&content, "\n");
    status = file_write_text(path, text_get(&content));
    text_release(&content);
    mem_free(path);
    return status;
}

/* --- reading --- */

static void read_facts(const json_t *root, struct rundir_facts *f)
{
    const json_t *machine = json_object_get(root, "machine");

    *f = (struct rundir_facts){
        .version = json_read_text(root, "version"),
        .host = json_read_text(machine, "host"),
        .cpu = json_read_text(machine, "cpu"),
        .isa = json_read_text(root, "isa"),
        .transport = json_read_text(root, "transport"),
        .partition_hash = json_read_text(root, "partition_hash"),
        .date = json_read_text(root, "date"),
        .cores = json_read_int(machine, "cores", 0),
        .threads = json_read_int(root, "threads", 0),
        .workers = json_read_int(root, "workers", 0),
    };
    (void)json_read_names(json_object_get(root, "command_line"), &f->command_line);
}

enum status rundir_read_environment(const char *top_dir, struct rundir_facts *f)
{
    char *path = file_join(top_dir, "environment.json");
    json_t *root = NULL;
    enum status s = json_read_file(path, &root);

    *f = (struct rundir_facts){0};
    if (s == STATUS_OK && !json_is_object(root))
        s = FAIL(STATUS_IO, "%s:1: does not say how a run was made", path);
    if (s == STATUS_OK)
        read_facts(root, f);
    json_decref(root);
    mem_free(path);
    return s;
}

void rundir_facts_release(struct rundir_facts *f)
{
    mem_free(f->version);
    mem_free(f->host);
    mem_free(f->cpu);
    mem_free(f->isa);
    mem_free(f->transport);
    mem_free(f->partition_hash);
    mem_free(f->date);
    rundir_names_release(&f->command_line);
    *f = (struct rundir_facts){0};
}
