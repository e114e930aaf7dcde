/*
 * answer.c - the tables at the top of a report.
 */
#include "report/answer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "record/paired_cases.h"
#include "record/results_table.h"

/* --- the cases --- */

/* Whether several cases all have the same value, which then needs no column. */
static bool is_common(const struct subject *s, int number)
{
    const struct results_case *cases = s->results.cases;
    bool is = s->results.case_count > 1;

    for (int64_t i = 0; i < s->results.case_count && is; i++)
        is = cases[i].numbers[number].mean == cases[0].numbers[number].mean &&
             !(cases[i].numbers[number].deviation > 0);
    return is;
}

/* The table must fit on a screen. Of a chosen target, the time is enough. */
static bool shows(const struct subject *s, int number)
{
    const bool is_target = number >= RESULT_TARGET_ROUNDS && number <= RESULT_TARGET_BYTES;

    if (!results_table_shows(&s->results, number) || number == RESULT_SAMPLES_PER_S)
        return false;
    if ((number == RESULT_ROUNDS || number == RESULT_EPOCHS) && is_common(s, number))
        return false;
    return !(s->has_chosen_target && is_target && number != RESULT_TARGET_SECONDS);
}

static const char *repetitions(const struct results *r)
{
    const char *name = results_repetitions(r);

    return name == NULL ? "runs" : name;
}

static bool has_seeds(const struct results *r)
{
    return r->run_count > r->case_count;
}

static bool has_speedup(const struct subject *s)
{
    bool found = false;

    for (int64_t i = 0; i < s->results.case_count; i++)
        found = found || isfinite(s->cases[i].speedup);
    return found;
}

static bool has_entries(const struct results *r)
{
    bool found = false;

    for (int64_t i = 0; i < r->case_count; i++)
        found = found || r->cases[i].run != NULL;
    return found;
}

/* The first run of a case that has not finished; -1: all have. */
static int64_t find_unfinished(const struct subject *s, int64_t number, int64_t *finished)
{
    int64_t first = -1;

    *finished = 0;
    for (int64_t i = 0; i < s->results.run_count; i++) {
        if (s->runs[i].case_number != number)
            continue;
        if (strcmp(s->results.runs[i].status, "finished") == 0)
            (*finished)++;
        else if (first < 0)
            first = i;
    }
    return first;
}

/* "finished", "2 of 3 finished; killed: out of memory", "3 of 3 no better than guessing" */
static char *state_text(const struct subject *s, int64_t number)
{
    const struct results_case *c = &s->results.cases[number];
    const int64_t all = c->seeds + c->failed + c->not_run;
    int64_t finished = 0;
    const int64_t first = find_unfinished(s, number, &finished);
    struct text out = {0};

    if (first < 0 && c->diverged > 0)
        return text_format("%" PRId64 " of %" PRId64 " no better than guessing", c->diverged, all);
    if (first < 0)
        return mem_text("finished");
    if (all > 1)
        text_addf(&out, "%" PRId64 " of %" PRId64 " finished; ", finished, all);
    text_add(&out, s->results.runs[first].status);
    if (s->results.runs[first].reason != NULL)
        text_addf(&out, ": %s", s->results.runs[first].reason);
    return text_take(&out);
}

/* A column of its own if a case is not simply finished, and for a run alone. */
static bool has_states(const struct subject *s)
{
    bool found = s->results.case_count == 1;

    for (int64_t i = 0; i < s->results.case_count && !found; i++) {
        char *state = state_text(s, i);

        found = strcmp(state, "finished") != 0;
        mem_free(state);
    }
    return found;
}

/* Only what differs, or all of one case alone. */
static struct results_keys find_keys(const struct subject *s)
{
    struct results_keys keys = results_find_keys(&s->results);
    int64_t kept = 0;

    for (int64_t i = 0; i < keys.count; i++)
        if (s->results.case_count == 1 || subject_varies(s, keys.names[i]))
            keys.names[kept++] = keys.names[i];
    keys.count = kept;
    return keys;
}

/* A setting that is called like a number, such as epochs, keeps its whole path. */
static char *key_heading(const struct results *r, const char *key)
{
    char *heading = subject_short_key(key);

    for (int n = 0; n < RESULT_NUMBERS; n++)
        if (results_table_shows(r, n) && strcmp(result_numbers[n].heading, heading) == 0) {
            mem_free(heading);
            return mem_text(key);
        }
    return heading;
}

static void add_columns(const struct subject *s, const struct results_keys *keys,
                        const struct paired_cases *p, struct table *t)
{
    const struct results *r = &s->results;

    if (has_entries(r) || keys->count == 0)
        table_column(t, mem_text("run"), false);
    for (int64_t k = 0; k < keys->count; k++)
        table_column(t, key_heading(r, keys->names[k]), false);
    if (p->compared > 0)
        table_column(t, mem_text("best"), false);
    if (has_seeds(r))
        table_column(t, mem_text(repetitions(r)), true);
    if (r->stages.count > 0)
        table_column(t, mem_text("stage"), true);
    for (int n = 0; n < RESULT_NUMBERS; n++)
        if (shows(s, n))
            table_column(t, results_table_heading(r, n), true);
    if (has_speedup(s))
        table_column(t, mem_text("speed-up"), true);
    if (has_states(s))
        table_column(t, mem_text("state"), false);
}

static enum table_mark mark_of(const struct paired_cases *p, int64_t number)
{
    const struct paired_case *c = p->compared > 0 ? paired_cases_find(p, number) : NULL;

    if (c == NULL)
        return TABLE_PLAIN;
    return c->is_best ? TABLE_BEST : c->is_tied ? TABLE_TIED : TABLE_PLAIN;
}

static void add_case(const struct subject *s, const struct results_keys *keys,
                     const struct paired_cases *p, int64_t number, struct table *t)
{
    static const char *const marks[] = {
        [TABLE_PLAIN] = "",
        [TABLE_BEST] = "best",
        [TABLE_TIED] = "tied",
    };
    const struct results *r = &s->results;
    const struct results_case *c = &r->cases[number];

    if (has_entries(r) || keys->count == 0)
        table_put(t, mem_text(c->run != NULL ? c->run : s->cases[number].name));
    for (int64_t k = 0; k < keys->count; k++) {
        const char *value = results_find_value(&c->values, keys->names[k]);
        double sorted = (double)NAN;

        if (value != NULL && !text_to_double(value, &sorted))
            sorted = (double)NAN;
        table_put_number(t, value == NULL ? NULL : mem_text(value), sorted);
    }
    if (p->compared > 0)
        table_put(t, mem_text(marks[mark_of(p, number)]));
    if (has_seeds(r))
        table_put_number(t, text_format("%" PRId64, c->seeds), (double)c->seeds);
    if (r->stages.count > 0)
        table_put_number(t, text_format("%" PRId64, c->stage), (double)c->stage);
    for (int n = 0; n < RESULT_NUMBERS; n++)
        if (shows(s, n))
            table_put_number(t, results_table_cell(c, n), c->numbers[n].mean);
    if (has_speedup(s))
        table_put_number(t,
                         isfinite(s->cases[number].speedup)
                             ? text_format("%.2f", s->cases[number].speedup)
                             : NULL,
                         s->cases[number].speedup);
    if (has_states(s))
        table_put(t, state_text(s, number));
}

/* mem_free; NULL: nothing needs words. */
static char *cases_note(const struct subject *s, const struct paired_cases *p)
{
    struct text out = {0};

    if (results_table_has_interval(&s->results)) {
        results_table_explain_interval(&s->results, &out);
        text_add(&out, ". ");
    }
    if (p->compared > 0)
        text_add(&out, "Tied: its difference from the best may be chance. ");
    if (is_common(s, RESULT_ROUNDS) && is_common(s, RESULT_EPOCHS))
        text_addf(&out, "Every run has %.0f rounds, or %.4g epoch%s. ",
                  s->results.cases[0].numbers[RESULT_ROUNDS].mean,
                  s->results.cases[0].numbers[RESULT_EPOCHS].mean,
                  s->results.cases[0].numbers[RESULT_EPOCHS].mean == 1 ? "" : "s");
    if (has_speedup(s))
        text_add(&out, "Speed-up: against the case with the fewest workers. ");
    if (s->has_chosen_target)
        text_addf(&out,
                  "The target of %.4g %% was chosen for this page; --target sets another. It is "
                  "reached at an evaluation; (2 of 3) is the mean of those that reached it.",
                  100 * s->results.milestones.target);
    return out.length == 0 ? NULL : text_take(&out);
}

void answer_cases(const struct subject *s, struct table *t)
{
    struct results_keys keys = find_keys(s);
    struct paired_cases p;

    paired_cases_init(&p, &s->results);
    *t = (struct table){.id = "cases"};
    add_columns(s, &keys, &p, t);
    for (int64_t i = 0; i < s->results.case_count; i++) {
        table_row(t, mark_of(&p, i));
        add_case(s, &keys, &p, i, t);
    }
    t->note = cases_note(s, &p);
    paired_cases_release(&p);
    mem_free(keys.names);
}

/* --- comparison with the best --- */

static char *points(const struct paired_cases *p, double value)
{
    struct text out = {0};

    if (isnan(value))
        return NULL;
    if (value > 0)
        text_add(&out, "+");
    results_table_value(&out, p->number, value);
    return text_take(&out);
}

static char *interval(const struct paired_cases *p, const struct paired_case *c)
{
    char *low = points(p, c->low), *high = points(p, c->high);
    char *text = low == NULL ? NULL : text_format("%s to %s", low, high);

    mem_free(low);
    mem_free(high);
    return text;
}

static char *probability(double p)
{
    return isnan(p) ? NULL : p < 1e-4 ? mem_text("< 0.0001") : text_format("%.4f", p);
}

static char *verdict(const struct paired_case *c)
{
    if (!c->is_compared)
        return mem_text("too few in common");
    if (c->is_distinguishable)
        return mem_text(c->difference == 0 ? "equal" : "differs");
    return c->more_seeds < 0
               ? mem_text("not distinguishable")
               : text_format("not distinguishable; %" PRId64 " more seed%s would decide",
                             c->more_seeds, c->more_seeds == 1 ? "" : "s");
}

/* With n seeds a permutation test gives 2 / 2^n at least, which of few seeds says nothing. */
static bool has_permutations(const struct paired_cases *p)
{
    bool found = false;

    for (int64_t i = 0; i < p->count; i++)
        found = found || (p->items[i].is_compared && p->items[i].seeds >= 6);
    return found;
}

static void add_comparison(const struct subject *s, const struct paired_cases *p, int64_t at,
                           struct table *t)
{
    const struct paired_case *c = &p->items[at];

    table_row(t, TABLE_PLAIN);
    table_put(t, mem_text(s->cases[c->index].name));
    table_put_number(t, text_format("%" PRId64, c->seeds), (double)c->seeds);
    table_put_number(t, points(p, c->difference), c->difference);
    table_put_number(t, interval(p, c), c->low);
    table_put_number(t, probability(c->p_holm), c->p_holm);
    table_put_number(t, probability(c->p), c->p);
    if (has_permutations(p))
        table_put_number(t, probability(c->p_permutation), c->p_permutation);
    table_put(t, verdict(c));
}

static const char *best_name(const struct subject *s, const struct paired_cases *p)
{
    for (int64_t i = 0; i < p->count; i++)
        if (p->items[i].is_best)
            return s->cases[p->items[i].index].name;
    return NULL;
}

void answer_comparisons(const struct subject *s, struct table *t)
{
    struct paired_cases p;

    *t = (struct table){.id = "comparisons"};
    paired_cases_init(&p, &s->results);
    const char *what = p.number == RESULT_ACCURACY          ? "points of accuracy"
                       : p.number == RESULT_VALIDATION_LOSS ? "validation loss"
                                                            : "loss";
    const char *best = best_name(s, &p);
    table_column(t, mem_text("case"), false);
    table_column(t, text_format("common %s", repetitions(&s->results)), true);
    table_column(t, text_format("difference (%s)", what), true);
    table_column(t, mem_text("95 % interval"), true);
    table_column(t, mem_text("p, corrected"), true);
    table_column(t, mem_text("p"), true);
    if (has_permutations(&p))
        table_column(t, mem_text("p by permutation"), true);
    table_column(t, mem_text("result"), false);
    for (int64_t i = 0; i < p.count && p.compared > 0; i++)
        if (!p.items[i].is_best)
            add_comparison(s, &p, i, t);
    if (best != NULL)
        t->note = text_format(
            "Each case minus the best one, %s, over the %s that both have. p: two-sided "
            "paired t test; of two or three equal differences, a permutation test. Corrected: for "
            "the number of comparisons, by Holm's method. A case whose corrected p is below 0.05 "
            "differs. The "
            "number of seeds that would decide holds if difference and spread stay as they are.",
            best, repetitions(&s->results));
    paired_cases_release(&p);
}

/* --- published --- */

static char *claim_range(const struct results_claim *c)
{
    if (isnan(c->low))
        return mem_text(c->number == NULL ? "-" : c->number);
    return c->low == c->high ? text_format("%.6g", c->low)
                             : text_format("%.6g - %.6g", c->low, c->high);
}

void answer_published(const struct subject *s, struct table *t)
{
    *t = (struct table){.id = "published"};
    table_column(t, mem_text("case"), false);
    table_column(t, mem_text("number"), false);
    table_column(t, mem_text("published"), true);
    table_column(t, mem_text("here"), true);
    table_column(t, mem_text("verdict"), false);
    for (int64_t i = 0; i < s->results.claim_count; i++) {
        const struct results_claim *c = &s->results.claims[i];

        table_row(t, TABLE_PLAIN);
        table_put(t, c->run == NULL ? NULL : mem_text(c->run));
        table_put(t, c->number == NULL ? NULL : mem_text(c->number));
        table_put_number(t, claim_range(c), c->low);
        table_put_number(t, isnan(c->measured) ? NULL : text_format("%.6g", c->measured),
                         c->measured);
        table_put(t, c->verdict == NULL ? NULL : mem_text(c->verdict));
    }
}

/* --- in words --- */

static void add_best(const struct subject *s, struct text *out)
{
    struct paired_cases p;
    int64_t tied = 0;

    paired_cases_init(&p, &s->results);
    const char *best = best_name(s, &p);
    for (int64_t i = 0; i < p.count; i++)
        tied += p.items[i].is_tied ? 1 : 0;
    if (p.compared > 0 && best != NULL) {
        char *number = results_table_cell(&s->results.cases[p.items[0].index], p.number);
        const bool is_accuracy = p.number == RESULT_ACCURACY;

        text_addf(out, " Best test %s: %s, %s%s.", is_accuracy ? "accuracy" : "loss", best, number,
                  is_accuracy ? " %" : "");
        if (tied > 0)
            text_addf(out, " %" PRId64 " other case%s tied with it.", tied,
                      tied == 1 ? " is" : "s are");
        mem_free(number);
    }
    paired_cases_release(&p);
}

void answer_summary(const struct subject *s, struct text *out)
{
    const int64_t cases = s->results.case_count, runs = s->results.run_count;

    if (runs == 1) {
        text_addf(out, "One run: %s.", s->results.runs[0].status);
        return;
    }
    text_addf(out, "%" PRId64 " runs of %" PRId64 " case%s.", runs, cases, cases == 1 ? "" : "s");
    add_best(s, out);
}
