/*
 * job.c - starts the child, repeats what it says, and turns its end into a status.
 */
#include "study/job.h"

#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "record/attempts.h"
#include "record/killed_run.h"
#include "record/live.h"

/* --- start --- */

enum status job_start(struct job *j, const struct job_setup *s)
{
    char program[] = "muster", command[] = "run-one", child[] = "--child", end[] = "--";
    char no_save[] = "--no-save", temporary[] = "--temporary";
    char *argv[8] = {program, command, child};
    int count = 3;

    if (!s->save)
        argv[count++] = no_save;
    if (s->is_temporary)
        argv[count++] = temporary;
    argv[count++] = end;
    argv[count] = s->folder;
    *j = (struct job){
        .run = s->run, .name = s->name, .folder = s->folder, .started_at = clock_seconds()};
    const enum status status = child_process_start(&j->process, &(struct child_setup){
                                                                    .program = "/proc/self/exe",
                                                                    .argv = argv,
                                                                    .part = s->part,
                                                                    .parts = s->parts,
                                                                });
    j->pid = j->process.pid;
    if (status != STATUS_OK)
        job_release(j);
    return status;
}

void job_release(struct job *j)
{
    mem_free(j->folder);
    text_release(&j->heard);
    text_release(&j->failure);
    *j = (struct job){0};
}

/* --- what it says --- */

static const char *after(const char *line, const char *prefix)
{
    const size_t length = strlen(prefix);

    return strncmp(line, prefix, length) == 0 ? line + length : NULL;
}

/* The last error is kept: it is the reason if the run fails. */
static void take_failure(struct job *j, const char *message)
{
    if (j->failure.length > 0)
        log_say(LOG_ERROR, "%s: %s", j->name, text_get(&j->failure));
    text_clear(&j->failure);
    text_add(&j->failure, message);
    j->is_in_failure = true;
}

/* Warnings and errors as base/log.c prints them; "muster:" comes from where there is no log. */
static void take_line(struct job *j, const char *line)
{
    const char *error = after(line, "error: "), *warning = after(line, "warning: ");

    if (error == NULL)
        error = after(line, "muster: ");
    if (error != NULL) {
        take_failure(j, error);
    } else if (warning == NULL && j->is_in_failure) {
        text_addf(&j->failure, "\n%s", line);
    } else if (warning != NULL || line[0] != '\0') {
        j->is_in_failure = false;
        log_warning("%s: %s", j->name, warning != NULL ? warning : line);
    }
}

/* Whole lines; at the end of the job also the last one without its end. */
static void take_lines(struct job *j, bool is_end)
{
    const char *at = text_get(&j->heard);
    struct text rest = {0};

    for (;;) {
        const size_t length = strcspn(at, "\n");
        char *line;

        if (at[length] == '\0' && (!is_end || length == 0))
            break;
        line = mem_text_n(at, length);
        take_line(j, line);
        mem_free(line);
        at += length + (at[length] == '\n' ? 1 : 0);
    }
    text_add(&rest, at);
    text_release(&j->heard);
    j->heard = rest;
}

void job_listen(struct job *j)
{
    child_process_read(&j->process, &j->heard);
    take_lines(j, false);
}

/* --- how it ended --- */

/* STATUS_COUNT: no exit code of ours. */
static enum status status_of_exit(int code)
{
    enum status s = STATUS_OK;

    while (s < STATUS_COUNT && status_exit_code(s) != code)
        s++;
    return s;
}

/* It could not say itself how it ended: killed, or ended by a bug. */
static enum status fail_dead(const struct job *j, const struct child_end *end)
{
    struct text why = {0};

    child_end_words(end, &why);
    if (j->failure.length > 0)
        text_addf(&why, ": %s", text_get(&j->failure));
    const struct killed_run killed = {.name = j->name, .pid = j->pid, .why = text_get(&why)};
    if (killed_run_record(j->folder, &killed) != STATUS_OK)
        log_warning("%s: %s", j->name, status_message());
    const enum status s = FAIL(STATUS_PEER, "%s", text_get(&why));
    text_release(&why);
    return s;
}

static enum status status_of_end(const struct job *j, const struct child_end *end, bool is_stopping)
{
    const enum status s = end->signal != 0 ? STATUS_COUNT : status_of_exit(end->exit_code);

    if (s == STATUS_OK)
        return STATUS_OK;
    if (is_stopping && (s == STATUS_INTERRUPTED || signals_is_stop(end->signal)))
        return STATUS_INTERRUPTED;
    if (s == STATUS_INTERRUPTED)
        return FAIL(STATUS_PEER, "its process was stopped by a signal; the next call resumes it");
    if (s == STATUS_COUNT || j->failure.length == 0)
        return fail_dead(j, end);
    return FAIL(s, "%s", text_get(&j->failure));
}

bool job_has_ended(struct job *j, bool is_stopping, enum status *s)
{
    struct child_end end;

    if (!child_process_has_ended(&j->process, &j->heard, &end))
        return false;
    take_lines(j, true);
    /* a signal to all processes has come to this one before a child could end by it */
    *s = status_of_end(j, &end, is_stopping || signals_stop_requested());
    if (*s == STATUS_OK && j->failure.length > 0) /* it said an error and went on */
        log_say(LOG_ERROR, "%s: %s", j->name, text_get(&j->failure));
    return true;
}

/* --- how far it is --- */

/* The round that this start began with: that of its checkpoint. */
static int64_t first_round(const struct job *j)
{
    struct attempts a;
    int64_t round = 0;

    if (attempts_read(j->folder, &a) == STATUS_OK && a.count > 0)
        round = a.items[a.count - 1].from_round;
    attempts_release(&a);
    return round;
}

struct eta_run job_progress(struct job *j)
{
    struct live_file live = {0};

    /* A file of an earlier start counts as nothing. */
    if (file_exists_in(j->folder, "live.json") && live_read(j->folder, &live) == STATUS_OK &&
        live.process.pid == j->pid && live.rounds_total > 0) {
        j->now = (double)live.round / (double)live.rounds_total;
        if (!j->has_begun)
            j->begun = (double)first_round(j) / (double)live.rounds_total;
        j->has_begun = true;
    }
    live_file_release(&live);
    return (struct eta_run){
        .begun = j->begun, .now = j->now, .seconds = clock_seconds() - j->started_at};
}
