/*
 * run_summary.c - summaries from the small files of records (record_open_brief).
 */
#include "record/run_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/results.h"

static const char VARIES[] = "varies";

static struct run_summary empty_summary(const char *name)
{
    return (struct run_summary){
        .name = mem_text(name),
        .state = RECORD_UNKNOWN,
        .round = -1,
        .rounds_total = -1,
        .epochs = (double)NAN,
        .epochs_total = (double)NAN,
        .accuracy = (double)NAN,
        .accuracy_most = (double)NAN,
        .test_loss = (double)NAN,
    };
}

static void release_summary(struct run_summary *s)
{
    mem_free(s->name);
    mem_free(s->algorithm);
    mem_free(s->model);
    mem_free(s->data);
    mem_free(s->begun);
    mem_free(s->as_of);
    mem_free(s->message);
}

static void note_damage(struct run_summary *s, const char *message)
{
    char *old = s->message;

    s->is_damaged = true;
    s->message = old == NULL ? mem_text(message) : text_format("%s\n%s", old, message);
    mem_free(old);
}

/* --- one run --- */

/* What effective.yaml has at a path; NULL: nothing. */
static const char *setting(const struct record *r, const char *path)
{
    const struct node *n = r->config == NULL ? NULL : node_find_path(r->config, path);

    return node_is_null(n) || n->kind != NODE_SCALAR ? NULL : n->text;
}

static char *copy_of(const char *text)
{
    return text == NULL ? NULL : mem_text(text);
}

static char *copy_either(const char *text, const char *other)
{
    return copy_of(text != NULL ? text : other);
}

static void take_settings(struct run_summary *s, const struct record *r)
{
    const char *workers = setting(r, "transport.workers"), *epochs = setting(r, "train.epochs");
    double number = 0;

    s->algorithm = copy_either(setting(r, "algorithm.name"), r->result.algorithm);
    s->model = copy_either(setting(r, "model.name"), r->result.model);
    s->data = copy_either(setting(r, "data.name"), r->result.dataset);
    if (workers != NULL)
        (void)text_to_int(workers, &s->workers);
    if (s->workers == 0)
        s->workers = r->environment.workers;
    if (epochs != NULL && setting(r, "train.budget") == NULL && text_to_double(epochs, &number) &&
        number > 0)
        s->epochs_total = number;
}

/* The result knows best; live.json is of a run under way, or of one that was killed. */
static void take_numbers(struct run_summary *s, const struct record *r)
{
    if (record_has(r, RECORD_LIVE)) {
        s->round = r->live.round;
        s->rounds_total = r->live.rounds_total;
        s->epochs = r->live.epoch;
        s->accuracy = r->live.test_accuracy;
    }
    if (record_has(r, RECORD_RESULT)) {
        const bool has_nodes = !isnan(r->result.test_accuracy_mean);

        s->round = r->result.rounds;
        s->epochs = r->result.epochs;
        s->accuracy = has_nodes ? r->result.test_accuracy_mean : r->result.test_accuracy;
        s->test_loss = r->result.test_loss;
    }
    s->accuracy_most = s->accuracy;
}

static void take_times(struct run_summary *s, const struct record *r)
{
    const struct attempts *a = &r->attempts;
    const struct attempt *last = a->count > 0 ? &a->items[a->count - 1] : NULL;

    s->begun = copy_of(a->count > 0 ? a->items[0].start : r->environment.date);
    if (last != NULL && last->end != NULL)
        s->as_of = mem_text(last->end);
    else if (record_has(r, RECORD_LIVE) && r->live.time[0] != '\0')
        s->as_of = mem_text(r->live.time);
    else
        s->as_of = copy_of(s->begun);
}

static struct run_summary summarize_run(const char *path, const char *name)
{
    struct run_summary s = empty_summary(name);
    struct record r;

    if (record_open_brief(path, &r) != STATUS_OK) {
        note_damage(&s, status_message());
        record_release(&r);
        return s;
    }
    s.state = r.state;
    take_settings(&s, &r);
    take_numbers(&s, &r);
    take_times(&s, &r);
    for (int i = 0; i < RECORD_FILES; i++)
        if (r.files[i].message != NULL)
            note_damage(&s, r.files[i].message);
    record_release(&r);
    return s;
}

/* --- an experiment --- */

static void merge_text(char **all, const char *one)
{
    if (*all == NULL)
        *all = copy_of(one);
    else if (one != NULL && strcmp(*all, one) != 0) {
        mem_free(*all);
        *all = mem_text(VARIES);
    }
}

static void merge_time(char **all, const char *one, int order)
{
    if (one == NULL || (*all != NULL && order * strcmp(one, *all) <= 0))
        return;
    mem_free(*all);
    *all = mem_text(one);
}

static void merge_run(struct run_summary *all, const struct run_summary *one)
{
    all->workers = all->runs == 0 || all->workers == one->workers ? one->workers : -1;
    all->runs++;
    all->states[one->state]++;
    merge_text(&all->algorithm, one->algorithm);
    merge_text(&all->model, one->model);
    merge_text(&all->data, one->data);
    all->accuracy = fmin(all->accuracy, one->accuracy);
    all->accuracy_most = fmax(all->accuracy_most, one->accuracy_most);
    merge_time(&all->begun, one->begun, -1);
    merge_time(&all->as_of, one->as_of, 1);
    if (one->message != NULL)
        note_damage(all, one->message);
}

static enum status add_runs(const char *folder, struct run_summaries *l);

/* Running while any of its runs is; else how they all ended, or the worst that happened. */
static enum record_state study_state(const struct run_summary *s)
{
    static const enum record_state order[] = {RECORD_RUNNING,  RECORD_KILLED,      RECORD_FAILED,
                                              RECORD_DIVERGED, RECORD_INTERRUPTED, RECORD_UNKNOWN,
                                              RECORD_FINISHED};

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (s->states[order[i]] > 0)
            return order[i];
    return RECORD_UNKNOWN;
}

/* Also runs that have not begun count. */
static void count_planned(const char *path, struct run_summary *s)
{
    struct results results;

    if (results_read(path, &results) != STATUS_OK) {
        note_damage(s, status_message());
        return;
    }
    int64_t trained = 0;

    for (int64_t i = 0; i < results.run_count; i++)
        trained += results.runs[i].part_of == NULL ? 1 : 0;
    if (trained > s->runs)
        s->runs = trained;
    results_release(&results);
}

static struct run_summary summarize_study(const char *path, const char *name)
{
    struct run_summary s = empty_summary(name);
    struct run_summaries runs = {0};

    s.is_study = true;
    if (add_runs(path, &runs) != STATUS_OK)
        note_damage(&s, status_message());
    for (int64_t i = 0; i < runs.count; i++)
        merge_run(&s, &runs.items[i]);
    s.state = study_state(&s);
    count_planned(path, &s);
    run_summaries_release(&runs);
    return s;
}

/* --- a folder --- */

static bool is_study(const char *folder)
{
    return file_exists_in(folder, "results.json");
}

/* A link, such as runs/latest, is shown as what it points to. */
static bool is_own_folder(const char *path)
{
    struct stat s;

    return lstat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool is_listed(const char *path)
{
    return is_own_folder(path) && (rundir_is_run(path) || file_exists_in(path, "effective.yaml") ||
                                   file_exists_in(path, "environment.json") || is_study(path));
}

static void add_summary(struct run_summaries *l, struct run_summary s)
{
    l->items = mem_grow(l->items, l->count + 1, sizeof *l->items);
    l->items[l->count++] = s;
}

static enum status add_folders(const char *folder, bool (*test)(const char *path),
                               struct run_summaries *l)
{
    struct rundir_names names = {0};
    const enum status s = rundir_folders(folder, test, &names);

    for (int64_t i = 0; s == STATUS_OK && i < names.count; i++) {
        char *path = file_join(folder, names.items[i]);

        add_summary(l, is_study(path) ? summarize_study(path, names.items[i])
                                      : summarize_run(path, names.items[i]));
        mem_free(path);
    }
    rundir_names_release(&names);
    return s;
}

static enum status add_runs(const char *folder, struct run_summaries *l)
{
    return add_folders(folder, rundir_is_run, l);
}

/* By the first start; what has none comes first. */
static int by_time(const void *a, const void *b)
{
    const struct run_summary *left = a, *right = b;
    const int order =
        strcmp(left->begun == NULL ? "" : left->begun, right->begun == NULL ? "" : right->begun);

    return order != 0 ? order : strcmp(left->name, right->name);
}

static enum status read_folder(const char *folder, struct run_summaries *l)
{
    if (is_study(folder))
        return add_runs(folder, l);
    if (rundir_is_run(folder) || file_exists_in(folder, "effective.yaml")) {
        add_summary(l, summarize_run(folder, folder));
        return STATUS_OK;
    }
    return add_folders(folder, is_listed, l);
}

enum status run_summaries_read(const char *folder, struct run_summaries *l)
{
    *l = (struct run_summaries){0};
    if (!file_is_folder(folder))
        return FAIL(STATUS_BAD_INPUT, "%s: there is no such folder", folder);
    TRY(read_folder(folder, l));
    if (l->count > 0)
        qsort(l->items, (size_t)l->count, sizeof *l->items, by_time);
    return STATUS_OK;
}

void run_summaries_release(struct run_summaries *l)
{
    for (int64_t i = 0; i < l->count; i++)
        release_summary(&l->items[i]);
    mem_free(l->items);
    *l = (struct run_summaries){0};
}
