/*
 * results_table.c - headings and cells of the table of a study.
 */
#include "record/results_table.h"

#include <inttypes.h>
#include <math.h>

#include "base/mem.h"

static bool is_target(int number)
{
    return number >= RESULT_TARGET_ROUNDS && number <= RESULT_TARGET_BYTES;
}

static bool is_validation(int number)
{
    return number == RESULT_VALIDATION_ACCURACY || number == RESULT_VALIDATION_LOSS;
}

/* A target that no run reaches is shown, too. */
bool results_table_shows(const struct results *t, int number)
{
    bool found = results_have(t, number) && (is_target(number) || number == RESULT_AT_USED);

    if ((number == RESULT_AT_LOSS && results_table_shows(t, RESULT_AT_ACCURACY)) ||
        (number == RESULT_FINAL_TRAIN_LOSS && results_table_shows(t, RESULT_FINAL_TRAIN_ACCURACY)))
        return false;
    if (result_numbers[number].heading == NULL ||
        (is_validation(number) && !results_use_validation(t)))
        return false;
    for (int64_t i = 0; i < t->case_count; i++)
        found = found || !isnan(t->cases[i].numbers[number].mean);
    return found;
}

/* 1500000 as 1.5M. */
static void add_short(struct text *out, double value)
{
    static const struct {
        double from;
        const char *suffix;
    } suffixes[] = {
        {1e9, "G"},
        {1e6, "M"},
        {1e4, "k"},
    };

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (value >= suffixes[i].from) {
            const double unit = suffixes[i].from == 1e4 ? 1e3 : suffixes[i].from;

            text_addf(out, "%.4g%s", value / unit, suffixes[i].suffix);
            return;
        }
    text_addf(out, "%.4g", value);
}

/* "% at bytes:1.5M", "rounds to 90 %"; mem_free. */
char *results_table_heading(const struct results *t, int number)
{
    const char *what = result_numbers[number].heading;
    const struct milestones *m = &t->milestones;
    struct text out = {0};

    text_add(&out, what);
    if (number == RESULT_AT_ACCURACY || number == RESULT_AT_LOSS) {
        text_addf(&out, " at %s:", amount_unit_name(m->at.unit));
        add_short(&out, m->at.value);
    } else if (is_target(number) && m->target_kind == TARGET_ACCURACY) {
        text_addf(&out, " to %.4g %%", 100 * m->target);
    } else if (is_target(number)) {
        text_addf(&out, " to loss %.4g", m->target);
    }
    return text_take(&out);
}

void results_table_value(struct text *out, int number, double value)
{
    const struct result_number_name *n = &result_numbers[number];

    if (number == RESULT_AT_USED)
        add_short(out, value);
    else if (n->digits < 0)
        text_addf(out, "%.*g", -n->digits, n->scale * value);
    else
        text_add_fixed(out, n->scale * value, n->digits);
}

/* What only some of the seeds came to is the mean of these. */
char *results_table_cell(const struct results_case *c, int number)
{
    const struct mean_deviation *m = &c->numbers[number];
    struct text out = {0};

    if (isnan(m->mean))
        return mem_text(is_target(number) && c->seeds > 0 ? "not reached" : "-");
    results_table_value(&out, number, m->mean);
    if (m->half_width > 0) {
        text_add(&out, " \xC2\xB1 ");
        results_table_value(&out, number, m->half_width);
    }
    if (number >= RESULT_AT_ACCURACY && number <= RESULT_TARGET_BYTES && m->count < c->seeds)
        text_addf(&out, " (%" PRId64 " of %" PRId64 ")", m->count, c->seeds);
    return text_take(&out);
}

/* "failed: killed by signal 9 (perhaps out of memory)", "1 of 3 failed: ..." */
static char *failed_remark(const struct results_case *c, int64_t all)
{
    struct text out = {0};

    if (all > 1)
        text_addf(&out, "%" PRId64 " of %" PRId64 " ", c->failed, all);
    text_addf(&out, "failed%s%s", c->reason == NULL ? "" : ": ",
              c->reason == NULL ? "" : c->reason);
    return text_take(&out);
}

char *results_table_remark(const struct results_case *c)
{
    const int64_t all = c->seeds + c->failed + c->not_run;

    if (c->failed > 0)
        return failed_remark(c, all);
    return c->not_run == all ? mem_text("not run") : NULL;
}

bool results_table_has_interval(const struct results *r)
{
    bool found = false;

    for (int n = 0; n < RESULT_NUMBERS; n++) {
        if (!results_table_shows(r, n))
            continue;
        for (int64_t i = 0; i < r->case_count; i++)
            found = found || r->cases[i].numbers[n].half_width > 0;
    }
    return found;
}

void results_table_explain_interval(const struct results *r, struct text *out)
{
    const char *runs = results_repetitions(r);

    text_addf(out, "\xC2\xB1: 95 %% confidence interval of the mean over %s",
              runs == NULL ? "runs" : runs);
}
