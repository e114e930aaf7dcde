/*
 * subject.c - finds the runs of a report, and which case each belongs to.
 */
#include "report/subject.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/statistics.h"
#include "record/record.h"
#include "record/run_numbers.h"

/* --- cases --- */

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool subject_belongs(const struct results_run *run, const struct results_case *c)
{
    bool does = is_same(run->run, c->run) && run->values.count == c->values.count;

    for (int64_t i = 0; does && i < c->values.count; i++)
        does = is_same(results_find_value(&run->values, c->values.items[i].key),
                       c->values.items[i].text);
    return does;
}

static int64_t find_case(const struct results *r, const struct results_run *run, int64_t first)
{
    for (int64_t i = 0; i < r->case_count; i++) {
        const int64_t at = (first + i) % r->case_count; /* runs of a case follow each other */

        if (subject_belongs(run, &r->cases[at]))
            return at;
    }
    return 0;
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
        if (!is_same(results_find_value(&s->results.cases[i].values, key),
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

    for (int64_t i = 0; i < s->results.run_count && s->results.case_count > 0; i++)
        s->runs[i].case_number = at = find_case(&s->results, &s->results.runs[i], at);
}

static void name_cases(struct subject *s)
{
    for (int64_t i = 0; i < s->results.run_count; i++)
        describe_case(&s->cases[s->runs[i].case_number], s->runs[i].dir, s->damage);
    for (int64_t i = 0; i < s->results.case_count; i++)
        s->cases[i].name = case_name(s, &s->results.cases[i],
                                     s->cases[i].algorithm != NULL ? s->cases[i].algorithm : "run");
}

/* --- speed-up --- */

static bool is_workers(const char *key)
{
    return strcmp(key, "workers") == 0 || strcmp(key, "transport.workers") == 0;
}

/* Whether two cases have the same settings but for the number of workers. */
static bool differ_in_workers(const struct results_case *a, const struct results_case *b)
{
    bool does = is_same(a->run, b->run) && a->values.count == b->values.count;

    for (int64_t i = 0; does && i < a->values.count; i++) {
        const char *key = a->values.items[i].key;

        does = is_workers(key) ||
               is_same(a->values.items[i].text, results_find_value(&b->values, key));
    }
    return does;
}

int64_t subject_reference(const struct subject *s, int64_t case_number)
{
    int64_t best = case_number;

    for (int64_t i = 0; i < s->results.case_count; i++)
        if (s->cases[i].workers > 0 && s->cases[i].workers < s->cases[best].workers &&
            differ_in_workers(&s->results.cases[i], &s->results.cases[case_number]))
            best = i;
    return best;
}

static bool is_reference_of_any(const struct subject *s, int64_t case_number)
{
    bool is = false;

    for (int64_t i = 0; i < s->results.case_count && !is; i++)
        is = i != case_number && subject_reference(s, i) == case_number;
    return is;
}

static void find_speedups(struct subject *s)
{
    for (int64_t i = 0; i < s->results.case_count; i++) {
        const int64_t from = subject_reference(s, i);
        const double before = s->results.cases[from].numbers[RESULT_SECONDS].mean;
        const double now = s->results.cases[i].numbers[RESULT_SECONDS].mean;

        s->cases[i].speedup = from != i || is_reference_of_any(s, i) ? before / now : (double)NAN;
    }
}

/* --- a study --- */

/* The folder may have been moved since results.json was written. */
static char *dir_of(const char *folder, const struct results_run *run)
{
    char *dir = file_join(folder, run->name);

    if (rundir_is_run(dir))
        return dir;
    mem_free(dir);
    return NULL;
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
    return STATUS_OK;
}

/* --- runs --- */

static enum status list_runs(struct rundir_list *dirs, char *const *paths, int count)
{
    for (int i = 0; i < count; i++)
        TRY(rundir_list_add(dirs, paths[i]));
    return STATUS_OK;
}

static enum status open_runs(struct subject *s, const struct rundir_list *dirs, const char *first)
{
    char *run = NULL;

    TRY(subject_gather(dirs, s->damage, &s->results));
    s->runs = MEM_NEW_N(struct subject_run, s->results.run_count);
    for (int64_t i = 0; i < dirs->count; i++)
        s->runs[i].dir = mem_text(dirs->paths[i]);
    if (dirs->count > 1) {
        s->title = text_format("%lld runs", (long long)dirs->count);
        s->folder = mem_text(first);
        return STATUS_OK;
    }
    s->title = mem_text(s->results.name != NULL ? s->results.name : s->results.runs[0].name);
    const enum status status = rundir_find(dirs->paths[0], &run, &s->folder);
    mem_free(run);
    return status;
}

/* --- milestones, and means --- */

static struct mean_deviation mean_of(const struct subject *s, int64_t case_number, int number)
{
    double *values = MEM_NEW_N(double, s->results.run_count);
    int64_t count = 0;

    for (int64_t i = 0; i < s->results.run_count; i++) {
        const double value = s->results.runs[i].numbers[number];

        if (s->runs[i].case_number == case_number && !isnan(value))
            values[count++] = value;
    }
    const struct mean_deviation m = {
        .mean = statistics_mean(values, count),
        .deviation = statistics_deviation(values, count),
        .half_width = t_half_width(statistics_deviation(values, count), count, STATISTICS_LEVEL),
        .count = count,
    };
    mem_free(values);
    return m;
}

static void count_runs(struct subject *s)
{
    for (int64_t i = 0; i < s->results.run_count; i++) {
        struct results_case *c = &s->results.cases[s->runs[i].case_number];
        const char *status = s->results.runs[i].status;

        c->seeds += is_same(status, "finished") ? 1 : 0;
        c->diverged += is_same(status, "diverged") ? 1 : 0;
        c->failed +=
            is_same(status, "failed") || is_same(status, "killed") || is_same(status, "diverged")
                ? 1
                : 0;
    }
}

static bool has_milestones(const struct milestones *m)
{
    return m != NULL && (m->at.unit != AMOUNT_NONE || m->target_kind != TARGET_NONE);
}

static void find_milestones(struct subject *s, const struct milestones *m)
{
    s->results.milestones = *m;
    for (int64_t i = 0; i < s->results.run_count; i++)
        if (s->runs[i].dir != NULL)
            run_numbers_find(s->runs[i].dir, m, s->results.runs[i].numbers);
    for (int64_t i = 0; i < s->results.case_count; i++)
        for (int n = RESULT_AT_ACCURACY; n <= RESULT_TARGET_BYTES; n++)
            s->results.cases[i].numbers[n] = mean_of(s, i, n);
}

/*
 * A target for the column of times: the greatest multiple of 5 %, or above 95 % of 1 %, that half
 * of the cases reach in the end.
 */
static void choose_target(const struct subject *s, struct milestones *m)
{
    double median = 0;

    for (int64_t i = 0; i < s->results.case_count; i++) {
        const double accuracy = s->results.cases[i].numbers[RESULT_ACCURACY].mean;
        int64_t better = 0;

        for (int64_t k = 0; k < s->results.case_count; k++)
            better += s->results.cases[k].numbers[RESULT_ACCURACY].mean >= accuracy ? 1 : 0;
        if (2 * better >= s->results.case_count && accuracy > median)
            median = accuracy;
    }
    const double step = median >= 0.95 ? 0.01 : 0.05;
    const double target = step * floor(median / step);

    if (target > 0 && s->results.case_count > 1)
        *m = (struct milestones){.target_kind = TARGET_ACCURACY, .target = target};
}

static void finish(struct subject *s, const struct milestones *m)
{
    s->cases = MEM_NEW_N(struct subject_case, s->results.case_count);
    place_runs(s);
    name_cases(s);
    if (!s->is_study) {
        count_runs(s);
        for (int64_t i = 0; i < s->results.case_count; i++)
            for (int n = 0; n < RESULT_NUMBERS; n++)
                s->results.cases[i].numbers[n] = mean_of(s, i, n);
    }
    struct milestones wanted = has_milestones(m) ? *m : s->results.milestones;
    if (!has_milestones(&wanted)) {
        choose_target(s, &wanted);
        s->has_chosen_target = has_milestones(&wanted);
    }
    if (has_milestones(&wanted))
        find_milestones(s, &wanted);
    find_speedups(s);
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
        status = open_runs(s, &dirs, paths[0]);
    if (status == STATUS_OK && choice->only != NULL)
        status = subject_select(s, choice->only);
    if (status == STATUS_OK)
        finish(s, &choice->milestones);
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
