/*
 * subject.c - finds the runs of a report, and which case each belongs to.
 */
#include "report/subject.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/record.h"

/* --- cases --- */

static void add_case(struct results *r, const struct results_run *run)
{
    struct results_case c = {.run = run->run};

    c.values.items = MEM_NEW_N(struct results_value, run->values.count);
    for (int64_t i = 0; i < run->values.count; i++)
        c.values.items[c.values.count++] = run->values.items[i];
    for (int n = 0; n < RESULT_NUMBERS; n++)
        c.numbers[n] = (struct mean_deviation){(double)NAN, (double)NAN, (double)NAN, 0};
    r->cases = mem_resize(r->cases, r->case_count, r->case_count + 1, sizeof *r->cases);
    r->cases[r->case_count++] = c;
}

/* A damaged results.json may lack the case of a run. */
static int64_t find_case(struct results *r, const struct results_run *run, int64_t first)
{
    for (int64_t i = 0; i < r->case_count; i++) {
        const int64_t at = (first + i) % r->case_count; /* runs of a case follow each other */

        if (results_belongs(run, &r->cases[at]))
            return at;
    }
    add_case(r, run);
    return r->case_count - 1;
}

char *subject_short_key(const char *key)
{
    const char *dot = strrchr(key, '.');

    if (dot == NULL)
        return mem_text(key);
    return strcmp(dot, ".name") == 0 ? mem_text_n(key, (size_t)(dot - key)) : mem_text(dot + 1);
}

static bool is_word(const char *text)
{
    double number = 0;

    return text[0] != '\0' && !text_to_double(text, &number) && strcmp(text, "true") != 0 &&
           strcmp(text, "false") != 0;
}

/* What is chosen by name speaks for itself: "sync", but "lr 0.1". */
static void add_value(struct text *out, const struct results_value *v)
{
    if (out->length > 0)
        text_add(out, ", ");
    if (!is_word(v->text)) {
        char *key = subject_short_key(v->key);

        text_addf(out, "%s ", key);
        mem_free(key);
    }
    text_add(out, v->text[0] == '\0' ? "none" : v->text);
}

bool subject_varies(const struct subject *s, const char *key)
{
    for (int64_t i = 1; i < s->results.case_count; i++)
        if (!text_equal(results_find_value(&s->results.cases[i].values, key),
                        results_find_value(&s->results.cases[0].values, key)))
            return true;
    return false;
}

static char *case_name(const struct subject *s, const struct results_case *c, const char *otherwise)
{
    struct text out = {0};

    if (c->run != NULL)
        text_add(&out, c->run);
    for (int64_t i = 0; i < c->values.count; i++)
        if (subject_varies(s, c->values.items[i].key))
            add_value(&out, &c->values.items[i]);
    if (out.length == 0)
        text_add(&out, otherwise);
    return text_take(&out);
}

static void describe_case(struct subject_case *c, const char *dir, struct damage *damage)
{
    struct record r;

    if (dir == NULL || c->algorithm != NULL || record_open_brief(dir, &r) != STATUS_OK)
        return;
    damage_warn_record(damage, &r);
    const struct node *n = r.config == NULL ? NULL : node_find_path(r.config, "algorithm.name");
    c->algorithm = n != NULL && n->kind == NODE_SCALAR ? mem_text(n->text) : NULL;
    c->workers = r.environment.workers;
    record_release(&r);
}

static void place_runs(struct subject *s)
{
    int64_t at = 0;

    for (int64_t i = 0; i < s->results.run_count; i++)
        s->runs[i].case_number = at = find_case(&s->results, &s->results.runs[i], at);
}

static void name_cases(struct subject *s)
{
    s->cases = MEM_NEW_N(struct subject_case, s->results.case_count);
    for (int64_t i = 0; i < s->results.run_count; i++)
        describe_case(&s->cases[s->runs[i].case_number], s->runs[i].dir, s->damage);
    for (int64_t i = 0; i < s->results.case_count; i++)
        s->cases[i].name = case_name(s, &s->results.cases[i],
                                     s->cases[i].algorithm != NULL ? s->cases[i].algorithm : "run");
}

/* --- a study --- */

/* The folder may have been moved since results.json was written. A run that is read from a longer
 * one has no files before it is known where it ends. */
static char *dir_of(const char *folder, const struct results_run *run)
{
    char *dir = file_join(folder, run->part_of != NULL ? run->part_of : run->name);

    if (rundir_is_run(dir) && (run->part_of == NULL || run->as_of_round > 0))
        return dir;
    mem_free(dir);
    return NULL;
}

/* results.json says "not run" of a run that is training or was stopped, and "failed" of one that
 * diverged; its own record knows better. */
static void refine_status(struct results_run *run, const char *dir)
{
    struct record r;

    if (run->status == NULL)
        run->status = record_state_names[RECORD_UNKNOWN];
    if (dir == NULL || strcmp(run->status, record_state_names[RECORD_FINISHED]) == 0 ||
        record_open_brief(dir, &r) != STATUS_OK)
        return;
    if (r.state != RECORD_UNKNOWN && r.state != RECORD_FINISHED)
        run->status = record_state_names[r.state];
    record_release(&r);
}

static enum status open_study(struct subject *s, const char *folder)
{
    TRY(results_read(folder, &s->results));
    s->is_study = true;
    s->folder = mem_text(folder);
    s->title = mem_text(s->results.name == NULL ? "study" : s->results.name);
    s->runs = MEM_NEW_N(struct subject_run, s->results.run_count);
    for (int64_t i = 0; i < s->results.run_count; i++)
        s->runs[i].dir = dir_of(folder, &s->results.runs[i]);
    for (int64_t i = 0; i < s->results.run_count; i++)
        refine_status(&s->results.runs[i], s->runs[i].dir);
    return STATUS_OK;
}

/* --- runs --- */

/* A run that was named twice, by whatever path, is one. */
static void drop_repeated(struct rundir_list *dirs)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < dirs->count; i++) {
        bool is_new = true;

        for (int64_t k = 0; k < kept && is_new; k++)
            is_new = !file_is_same(dirs->paths[k], dirs->paths[i]);
        if (is_new)
            dirs->paths[kept++] = dirs->paths[i];
        else
            mem_free(dirs->paths[i]);
    }
    dirs->count = kept;
}

static enum status list_runs(struct rundir_list *dirs, char *const *paths, int count)
{
    for (int i = 0; i < count; i++)
        TRY(rundir_list_add(dirs, paths[i]));
    drop_repeated(dirs);
    return STATUS_OK;
}

static enum status open_runs(struct subject *s, const struct rundir_list *dirs, const char *first,
                             bool is_one_path)
{
    char *run = NULL;

    TRY(subject_gather(dirs, s->damage, &s->results));
    s->runs = MEM_NEW_N(struct subject_run, s->results.run_count);
    for (int64_t i = 0; i < dirs->count; i++)
        s->runs[i].dir = mem_text(dirs->paths[i]);
    if (dirs->count > 1) {
        s->title = text_format("%lld runs", (long long)dirs->count);
        s->folder = mem_text(is_one_path ? first : ".");
        return STATUS_OK;
    }
    s->title = mem_text(s->results.name != NULL ? s->results.name : s->results.runs[0].name);
    const enum status status = rundir_find(dirs->paths[0], &run, &s->folder);
    mem_free(run);
    return status;
}

enum status subject_open(struct subject *s, char *const *paths, int count,
                         const struct subject_choice *choice)
{
    struct rundir_list dirs = {0};
    enum status status = STATUS_OK;

    *s = (struct subject){.damage = MEM_NEW(struct damage)};
    if (count == 1 && file_exists_in(paths[0], "results.json"))
        status = open_study(s, paths[0]);
    else
        status = list_runs(&dirs, paths, count);
    if (status == STATUS_OK && !s->is_study)
        status = open_runs(s, &dirs, paths[0], count == 1);
    if (status == STATUS_OK && choice->only != NULL)
        status = subject_select(s, choice->only);
    if (status == STATUS_OK) {
        place_runs(s);
        name_cases(s);
        subject_numbers(s, &choice->milestones);
    }
    rundir_list_release(&dirs);
    return status;
}

void subject_release(struct subject *s)
{
    for (int64_t i = 0; s->cases != NULL && i < s->results.case_count; i++) {
        mem_free(s->cases[i].name);
        mem_free(s->cases[i].algorithm);
    }
    for (int64_t i = 0; s->runs != NULL && i < s->results.run_count; i++)
        mem_free(s->runs[i].dir);
    mem_free(s->cases);
    mem_free(s->runs);
    mem_free(s->title);
    mem_free(s->folder);
    results_release(&s->results);
    if (s->damage != NULL)
        damage_release(s->damage);
    mem_free(s->damage);
    *s = (struct subject){0};
}
