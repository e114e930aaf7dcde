/*
 * record.c - opens the record of a run: every file by its own reader, then where the run stands.
 */
#include "record/record.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "conf/yaml.h"

const char *const record_file_state_names[RECORD_FILE_STATES] = {
    [RECORD_ABSENT] = "absent",
    [RECORD_PRESENT] = "present",
    [RECORD_DAMAGED] = "damaged",
};

const char *const record_state_names[RECORD_STATES] = {
    [RECORD_RUNNING] = "running",   [RECORD_FINISHED] = "finished",
    [RECORD_DIVERGED] = "diverged", [RECORD_INTERRUPTED] = "interrupted",
    [RECORD_FAILED] = "failed",     [RECORD_KILLED] = "killed",
    [RECORD_UNKNOWN] = "unknown",
};

/* --- readers, all of one form --- */

static enum status read_config(struct record *r)
{
    char *path = file_join(r->top_dir, "effective.yaml");
    const enum status s = yaml_load(path, &r->config);

    mem_free(path);
    return s;
}

static enum status read_environment(struct record *r)
{
    return rundir_read_environment(r->top_dir, &r->environment);
}

static enum status read_attempts(struct record *r)
{
    return attempts_read(r->run_dir, &r->attempts);
}

static enum status read_live(struct record *r)
{
    return live_read(r->run_dir, &r->live);
}

static enum status read_metrics(struct record *r)
{
    return metric_table_read(r->run_dir, &r->metrics);
}

static enum status read_result(struct record *r)
{
    return result_read(r->run_dir, &r->result);
}

static enum status read_workers(struct record *r)
{
    return workers_read(r->run_dir, &r->workers);
}

static enum status read_partition(struct record *r)
{
    return partition_counts_read(r->run_dir, &r->partition);
}

static enum status read_graph(struct record *r)
{
    return graph_rows_read(r->run_dir, &r->graph);
}

static enum status read_scans(struct record *r)
{
    return scan_rows_read(r->run_dir, &r->scans);
}

static enum status read_confusion(struct record *r)
{
    return confusion_read(r->run_dir, &r->confusion);
}

enum place { TOP, RUN };

#define RECORD_FILE_ROW(constant, file, folder) [RECORD_##constant] = {(file), folder},
static const struct {
    const char *name;
    enum place place;
} files[RECORD_FILES] = {RECORD_FILE_LIST(RECORD_FILE_ROW)};

/* NULL: whoever needs its content reads it elsewhere. */
static enum status (*const readers[RECORD_FILES])(struct record *r) = {
    [RECORD_CONFIG] = read_config,     [RECORD_ENVIRONMENT] = read_environment,
    [RECORD_ATTEMPTS] = read_attempts, [RECORD_LIVE] = read_live,
    [RECORD_METRICS] = read_metrics,   [RECORD_RESULT] = read_result,
    [RECORD_WORKERS] = read_workers,   [RECORD_PARTITION] = read_partition,
    [RECORD_GRAPH] = read_graph,       [RECORD_CONFUSION] = read_confusion,
    [RECORD_SCANS] = read_scans,
};

/* mem_free. The graph has another name in runs of earlier versions. */
static char *path_of(const struct record *r, enum record_file_id id)
{
    const char *folder = files[id].place == TOP ? r->top_dir : r->run_dir;
    char *path = file_join(folder, files[id].name);

    if (id == RECORD_GRAPH && !file_exists(path) && file_exists_in(folder, "graph.json")) {
        mem_free(path);
        path = file_join(folder, "graph.json");
    }
    return path;
}

static bool is_small(enum record_file_id id)
{
    return id == RECORD_CONFIG || id == RECORD_ENVIRONMENT || id == RECORD_ATTEMPTS ||
           id == RECORD_LIVE || id == RECORD_RESULT;
}

static void read_one(struct record *r, enum record_file_id id, bool is_brief)
{
    const bool is_read = readers[id] != NULL && (!is_brief || is_small(id));
    struct record_file *f = &r->files[id];
    char *path = path_of(r, id);

    *f = (struct record_file){.name = files[id].name, .bytes = file_size(path)};
    if (file_exists(path)) {
        const enum status s = file_is_folder(path) ? FAIL(STATUS_IO, "%s: is a folder", path)
                              : is_read            ? readers[id](r)
                                                   : STATUS_OK;

        f->state = s == STATUS_OK ? RECORD_PRESENT : RECORD_DAMAGED;
        f->message = s == STATUS_OK ? NULL : mem_text(status_message());
    }
    mem_free(path);
}

/* --- where the run stands --- */

static enum record_state state_of_word(const char *word)
{
    for (int i = 0; word != NULL && i < RECORD_STATES; i++)
        if (strcmp(word, record_state_names[i]) == 0)
            return (enum record_state)i;
    return RECORD_UNKNOWN;
}

/* A process that never said how it ended. */
static enum record_state state_of_process(const struct process_identity *p)
{
    switch (process_life(p)) {
    case PROCESS_RUNS:
        return RECORD_RUNNING;
    case PROCESS_GONE:
        return RECORD_KILLED;
    case PROCESS_UNKNOWN:
        break;
    }
    return RECORD_UNKNOWN;
}

static enum record_state state_of_attempt(const struct attempt *a)
{
    struct process_identity p = {.pid = a->pid, .start = a->process_start};

    if (a->end != NULL)
        return state_of_word(a->reason);
    if (a->host != NULL)
        (void)snprintf(p.host, sizeof p.host, "%s", a->host);
    return state_of_process(&p);
}

static enum record_state state_of_live(const struct live_file *l)
{
    const enum record_state state = state_of_word(l->state);

    return state == RECORD_RUNNING ? state_of_process(&l->process) : state;
}

/* The last start knows best. A resumed run removes the result of the one before, so that a result
 * is that of a process which was killed after it had written it. */
static enum record_state find_state(const struct record *r)
{
    enum record_state state = RECORD_UNKNOWN;

    if (r->attempts.count > 0)
        state = state_of_attempt(&r->attempts.items[r->attempts.count - 1]);
    else if (record_has(r, RECORD_LIVE))
        state = state_of_live(&r->live);
    if (record_has(r, RECORD_RESULT) && (state == RECORD_UNKNOWN || state == RECORD_KILLED))
        state = state_of_word(r->result.status);
    return state;
}

/* --- all of it --- */

static enum status open_record(const char *path, struct record *r, bool is_brief)
{
    *r = (struct record){0};
    result_init(&r->result);
    TRY(rundir_find(path, &r->run_dir, &r->top_dir));
    for (int id = 0; id < RECORD_FILES; id++)
        read_one(r, (enum record_file_id)id, is_brief);
    r->state = find_state(r);
    return STATUS_OK;
}

enum status record_open(const char *path, struct record *r)
{
    return open_record(path, r, false);
}

enum status record_open_brief(const char *path, struct record *r)
{
    return open_record(path, r, true);
}

void record_release(struct record *r)
{
    for (int id = 0; id < RECORD_FILES; id++)
        mem_free(r->files[id].message);
    node_free(r->config);
    rundir_facts_release(&r->environment);
    attempts_release(&r->attempts);
    live_file_release(&r->live);
    metric_table_release(&r->metrics);
    result_release(&r->result);
    workers_release(&r->workers);
    partition_counts_release(&r->partition);
    graph_rows_release(&r->graph);
    scan_rows_release(&r->scans);
    confusion_release(&r->confusion);
    mem_free(r->run_dir);
    mem_free(r->top_dir);
    *r = (struct record){0};
}
