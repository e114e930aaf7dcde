/*
 * killed_run.c - the last words of a process that could not write them.
 */
#include "record/killed_run.h"

#include "base/file.h"
#include "base/mem.h"
#include "record/attempts.h"
#include "record/live.h"
#include "record/result.h"

static const char state[] = "killed";

/* The last round that is known; -1: none. */
static int64_t find_round(const char *run_dir, int64_t pid)
{
    struct live_file live = {0};
    int64_t round = -1;

    if (file_exists_in(run_dir, "live.json") && live_read(run_dir, &live) == STATUS_OK &&
        live.process.pid == pid)
        round = live.round;
    live_file_release(&live);
    return round;
}

static enum status write_result(const char *run_dir, const struct killed_run *k, int64_t round)
{
    struct run_result r;
    char *texts[] = {mem_text(state), mem_text(run_dir), mem_text(k->name)};

    result_init(&r);
    r.status = texts[0];
    r.run_dir = texts[1];
    r.name = texts[2];
    r.rounds = round;
    const enum status s = result_write(run_dir, &r);
    for (int i = 0; i < 3; i++)
        mem_free(texts[i]);
    return s;
}

enum status killed_run_record(const char *run_dir, const struct killed_run *k)
{
    const int64_t round = find_round(run_dir, k->pid);
    const struct attempts_death death = {
        .pid = k->pid, .reason = state, .message = k->why, .to_round = round};
    bool was_open = false;

    TRY(attempts_end_child(run_dir, &death, &was_open));
    if (was_open)
        TRY(live_end(run_dir, state));
    return file_exists_in(run_dir, "result.json") ? STATUS_OK : write_result(run_dir, k, round);
}
