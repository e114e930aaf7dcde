/*
 * subject_numbers.c - counts and means of cases, the target that their times are measured by, and
 * speed-ups.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/statistics.h"
#include "record/record.h"
#include "record/run_numbers.h"
#include "report/subject.h"

/* --- speed-up --- */

static bool is_workers(const char *key)
{
    return strcmp(key, "workers") == 0 || strcmp(key, "transport.workers") == 0;
}

/* Whether two cases have the same settings but for the number of workers. */
static bool differ_in_workers(const struct results_case *a, const struct results_case *b)
{
    bool does = text_equal(a->run, b->run) && a->values.count == b->values.count;

    for (int64_t i = 0; does && i < a->values.count; i++) {
        const char *key = a->values.items[i].key;

        does = is_workers(key) ||
               text_equal(a->values.items[i].text, results_find_value(&b->values, key));
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

/* --- milestones, and means --- */

static bool is_finished(const struct subject *s, int64_t run)
{
    return text_equal(s->results.runs[run].status, record_state_names[RECORD_FINISHED]);
}

bool subject_counts(const struct subject *s, int64_t run)
{
    bool any = false;

    for (int64_t i = 0; i < s->results.run_count && !any; i++)
        any = s->runs[i].case_number == s->runs[run].case_number && is_finished(s, i);
    return is_finished(s, run) || !any;
}

static struct mean_deviation mean_of(const struct subject *s, int64_t case_number, int number)
{
    double *values = MEM_NEW_N(double, s->results.run_count);
    int64_t count = 0;

    for (int64_t i = 0; i < s->results.run_count; i++) {
        const double value = s->results.runs[i].numbers[number];

        if (s->runs[i].case_number == case_number && subject_counts(s, i) && !isnan(value))
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

/* How many runs of a case have this state. */
static int64_t count_state(const struct subject *s, int64_t case_number, enum record_state state)
{
    int64_t count = 0;

    for (int64_t i = 0; i < s->results.run_count; i++)
        count += s->runs[i].case_number == case_number &&
                         strcmp(s->results.runs[i].status, record_state_names[state]) == 0
                     ? 1
                     : 0;
    return count;
}

static int64_t count_runs(const struct subject *s, int64_t case_number)
{
    int64_t count = 0;

    for (int64_t i = 0; i < s->results.run_count; i++)
        count += s->runs[i].case_number == case_number ? 1 : 0;
    return count;
}

/* The counts and means of a case, from its runs. */
static void summarize(struct subject *s, int64_t number)
{
    struct results_case *c = &s->results.cases[number];
    const int64_t diverged = count_state(s, number, RECORD_DIVERGED);

    c->seeds = count_state(s, number, RECORD_FINISHED);
    c->failed =
        diverged + count_state(s, number, RECORD_FAILED) + count_state(s, number, RECORD_KILLED);
    c->not_run = count_runs(s, number) - c->seeds - c->failed;
    c->diverged = diverged;
    for (int n = 0; n < RESULT_NUMBERS; n++)
        c->numbers[n] = mean_of(s, number, n);
}

/* results.json has them of a study, but not of a part of one. */
static bool is_summarized(const struct subject *s, int64_t number)
{
    const struct results_case *c = &s->results.cases[number];

    return s->is_study && c->seeds + c->failed + c->not_run == count_runs(s, number);
}

static bool has_milestones(const struct milestones *m)
{
    return m != NULL && (m->at.unit != AMOUNT_NONE || m->target_kind != TARGET_NONE);
}

static void find_milestones(struct subject *s, const struct milestones *m)
{
    s->results.milestones = *m;
    for (int64_t i = 0; i < s->results.run_count; i++)
        if (s->runs[i].dir != NULL) {
            struct milestones until = *m;

            until.rounds = s->results.runs[i].as_of_round;
            run_numbers_find(s->runs[i].dir, &until, s->results.runs[i].numbers);
        }
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
    const double steps = median >= 0.95 ? 100 : 20;
    const double target = floor(steps * median + 1e-9) / steps;

    if (target > 0 && s->results.case_count > 1)
        *m = (struct milestones){.target_kind = TARGET_ACCURACY, .target = target};
}

void subject_numbers(struct subject *s, const struct milestones *m)
{
    struct milestones wanted = has_milestones(m) ? *m : s->results.milestones;

    for (int64_t i = 0; i < s->results.case_count; i++)
        if (!is_summarized(s, i))
            summarize(s, i);
    if (!has_milestones(&wanted)) {
        choose_target(s, &wanted);
        s->has_chosen_target = has_milestones(&wanted);
    }
    if (has_milestones(&wanted))
        find_milestones(s, &wanted);
    find_speedups(s);
}
