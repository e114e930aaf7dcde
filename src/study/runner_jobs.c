/*
 * runner_jobs.c - the runs of a study as child processes, several at a time. Only this process
 * writes the table; a child that crashes or is killed is one run that failed.
 */
#include <math.h>
#include <poll.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/team.h"
#include "study/job.h"
#include "study/run_in_folder.h"
#include "study/runner_internal.h"

static const double SECONDS_BETWEEN_LINES = 1;

/* A child is waited for by its stderr, which it closes when it ends. */
enum { MILLISECONDS_TO_LISTEN = 200, MILLISECONDS_TO_END = 2 };

struct pool {
    struct runner *w;
    struct job *jobs; /* [slots] */
    struct pollfd *listen;
    struct eta_run *progress;
    int slots;
    int64_t next; /* the first run of the study that has not been looked at */
    int64_t due, done;
    double started_at, shown_at;
    bool is_stopping;   /* no further run is started */
    bool is_cut;        /* a run was stopped before its end, or never started */
    enum status broken; /* why the study itself cannot go on; STATUS_OK: it can */
    char *message;      /* of that; else NULL */
};

static bool is_taken(const struct job *j)
{
    return j->folder != NULL;
}

/* --- starting --- */

static void init_pool(struct pool *p, struct runner *w)
{
    const int64_t due = runner_count_due(w);
    const int slots = due < w->request->jobs ? (int)due : w->request->jobs;

    *p = (struct pool){
        .w = w,
        .jobs = MEM_NEW_N(struct job, slots),
        .listen = MEM_NEW_N(struct pollfd, slots),
        .progress = MEM_NEW_N(struct eta_run, slots),
        .slots = slots,
        .due = due,
        .started_at = clock_seconds(),
        .shown_at = clock_seconds(),
    };
    if (slots > team_cores())
        log_warning("--jobs %d: there are only %d cores, which the runs have to share", slots,
                    team_cores());
}

static void release_pool(struct pool *p)
{
    mem_free(p->jobs);
    mem_free(p->listen);
    mem_free(p->progress);
    mem_free(p->message);
}

/* -1: all have been started. */
static int64_t find_next(struct pool *p)
{
    while (p->next < p->w->study->count && !runner_is_due(p->w, p->next))
        p->next++;
    return p->next < p->w->study->count ? p->next : -1;
}

static enum status start_run(struct pool *p, int slot, int64_t run)
{
    const struct runner *w = p->w;
    char *folder = runner_folder_of(w, run);
    const struct job_setup setup = {
        .run = run,
        .name = w->study->runs[run].name,
        .folder = folder,
        .save = w->request->save,
        .is_temporary = !w->study->output.write,
        .part = slot,
        .parts = p->slots,
    };
    enum status s = runner_begin_run(p->w, run);

    if (s == STATUS_OK)
        s = run_in_folder_describe(&w->study->runs[run], folder);
    if (s != STATUS_OK) {
        mem_free(folder);
        return s;
    }
    return job_start(&p->jobs[slot], &setup);
}

/* --- ending --- */

/* The message of a failure outlives what else happens until all children have ended. */
static void break_off(struct pool *p, enum status s)
{
    if (s == STATUS_OK || p->broken != STATUS_OK)
        return;
    p->broken = s;
    p->message = mem_text(status_message());
}

static void end_run(struct pool *p, int64_t run, enum status s)
{
    p->done += s == STATUS_INTERRUPTED ? 0 : 1;
    p->is_cut = p->is_cut || s == STATUS_INTERRUPTED;
    if (s != STATUS_INTERRUPTED)
        break_off(p, runner_end_run(p->w, run, s));
    break_off(p, runner_write_results(p->w));
}

static void end_job(struct pool *p, struct job *j)
{
    enum status s = STATUS_OK;

    if (!job_has_ended(j, p->is_stopping, &s))
        return;
    end_run(p, j->run, s);
    job_release(j);
}

static void stop_if_asked(struct pool *p)
{
    if (p->is_stopping || (!signals_stop_requested() && p->broken == STATUS_OK))
        return;
    p->is_stopping = true;
    for (int i = 0; i < p->slots; i++)
        child_process_stop(&p->jobs[i].process);
}

/* --- progress --- */

static void add_running(const struct pool *p, struct text *line)
{
    for (int i = 0; i < p->slots; i++)
        if (is_taken(&p->jobs[i]))
            text_addf(line, "  %s %.0f %%", p->jobs[i].name, 100 * p->jobs[i].now);
}

static double estimate(const struct pool *p)
{
    struct eta e = {
        .runs = p->due,
        .done = p->done,
        .seconds = clock_seconds() - p->started_at,
        .running = p->progress,
    };

    for (int i = 0; i < p->slots; i++)
        if (is_taken(&p->jobs[i]))
            p->progress[e.count++] = job_progress(&p->jobs[i]);
    return eta_seconds(&e);
}

/* "4 of 20 runs done, 12.3 s, about 48.1 s left  sync 45 %  async 12 %" */
static void show_progress(struct pool *p, bool is_final)
{
    const double now = clock_seconds();
    const int64_t before = p->w->before + p->w->wanted - p->due;
    struct text line = {0};
    char words[32];

    if (!is_final && now - p->shown_at < SECONDS_BETWEEN_LINES)
        return;
    p->shown_at = now;
    clock_duration(words, sizeof words, now - p->started_at);
    text_addf(&line, "%lld of %lld runs done, %s", (long long)(before + p->done),
              (long long)p->w->all, words);
    if (!is_final) {
        const double left = estimate(p);

        clock_duration(words, sizeof words, left);
        if (!isnan(left))
            text_addf(&line, ", about %s left", words);
        add_running(p, &line);
    }
    log_progress(text_get(&line), is_final);
    text_release(&line);
}

/* --- all --- */

static void fill_slots(struct pool *p)
{
    for (int i = 0; i < p->slots && !p->is_stopping; i++) {
        const int64_t run = is_taken(&p->jobs[i]) ? -1 : find_next(p);

        if (run < 0)
            continue;
        p->next++;
        const enum status s = start_run(p, i, run);
        if (s != STATUS_OK)
            end_run(p, run, s);
    }
}

/* Until a child says something or ends, a signal comes, or some time has passed. */
static void wait_for_news(struct pool *p)
{
    int count = 0, limit = MILLISECONDS_TO_LISTEN;

    for (int i = 0; i < p->slots; i++) {
        if (!is_taken(&p->jobs[i]))
            continue;
        if (p->jobs[i].process.messages < 0)
            limit = MILLISECONDS_TO_END;
        else
            p->listen[count++] =
                (struct pollfd){.fd = p->jobs[i].process.messages, .events = POLLIN};
    }
    (void)poll(p->listen, (nfds_t)count, limit);
}

static bool is_busy(const struct pool *p)
{
    for (int i = 0; i < p->slots; i++)
        if (is_taken(&p->jobs[i]))
            return true;
    return false;
}

static void attend(struct pool *p)
{
    for (int i = 0; i < p->slots; i++)
        if (is_taken(&p->jobs[i])) {
            job_listen(&p->jobs[i]);
            end_job(p, &p->jobs[i]);
        }
}

enum status runner_run_jobs(struct runner *w)
{
    struct pool p;

    if (runner_count_due(w) == 0)
        return STATUS_OK;
    init_pool(&p, w);
    do {
        stop_if_asked(&p);
        fill_slots(&p);
        wait_for_news(&p);
        attend(&p);
        show_progress(&p, false);
    } while (is_busy(&p) || (!p.is_stopping && find_next(&p) >= 0));
    show_progress(&p, true);
    p.is_cut = p.is_cut || find_next(&p) >= 0;

    enum status s = p.is_cut ? STATUS_INTERRUPTED : STATUS_OK;

    if (p.broken != STATUS_OK)
        s = FAIL(p.broken, "%s", p.message);
    else if (s == STATUS_INTERRUPTED)
        s = runner_fail_interrupted(w);
    release_pool(&p);
    return s;
}
