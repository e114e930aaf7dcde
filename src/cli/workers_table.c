/*
 * workers_table.c - the columns of the table of workers, and its rows.
 */
#include "cli/workers_table.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { ROWS_MAX = 32, LABEL_WIDTH = 7, GAP = 2, WIDTH_MIN = 6 };

/* --- columns: NaN is "nothing to say" --- */

static double samples_of(const struct run_report *r, int w)
{
    return r->per_worker[w].counters.samples;
}

static double updates_of(const struct run_report *r, int w)
{
    return r->per_worker[w].counters.rounds;
}

static double loss_of(const struct run_report *r, int w)
{
    const struct client *c = &r->per_worker[w].client;
    const struct counters *t = &r->per_worker[w].counters;

    if (r->is_server_based)
        return c->samples > 0 ? c->loss_sum / (double)c->samples : (double)NAN;
    return t->epoch_samples > 0 ? t->epoch_loss / t->epoch_samples : (double)NAN;
}

static double staleness_of(const struct run_report *r, int w)
{
    const struct client *c = &r->per_worker[w].client;

    return r->is_server_based && c->updates > 0 ? (double)c->staleness_sum / (double)c->updates
                                                : (double)NAN;
}

static double staleness_max_of(const struct run_report *r, int w)
{
    const struct client *c = &r->per_worker[w].client;

    return r->is_server_based && c->updates > 0 ? (double)c->staleness_max : (double)NAN;
}

static double computing_of(const struct run_report *r, int w)
{
    return r->per_worker[w].counters.computing;
}

static double waiting_of(const struct run_report *r, int w)
{
    return r->per_worker[w].counters.waiting;
}

static double transferring_of(const struct run_report *r, int w)
{
    return r->per_worker[w].counters.transferring;
}

static double sleeping_of(const struct run_report *r, int w)
{
    return r->per_worker[w].counters.sleeping;
}

static double megabytes_of(const struct run_report *r, int w)
{
    return (r->per_worker[w].counters.bytes) / 1e6;
}

static double own_test_of(const struct run_report *r, int w)
{
    return isnan(r->per_worker[w].test_loss) ? (double)NAN : 100.0 * r->per_worker[w].test_accuracy;
}

struct column {
    const char *name;
    int digits; /* behind the point */
    double (*value)(const struct run_report *r, int w);
};

static const struct column columns[] = {
    {"samples",    0, samples_of      },
    {"updates",    0, updates_of      },
    {"loss",       4, loss_of         },
    {"stale",      2, staleness_of    },
    {"at most",    0, staleness_max_of},
    {"computing",  2, computing_of    },
    {"waiting",    2, waiting_of      },
    {"transfer",   2, transferring_of },
    {"sleeping",   2, sleeping_of     },
    {"MB sent",    1, megabytes_of    },
    {"own test %", 2, own_test_of     },
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static bool is_shown(const struct run_report *r, const struct column *c)
{
    for (int w = 0; w < r->workers; w++)
        if (!isnan(c->value(r, w)))
            return true;
    return false;
}

/* --- rows --- */

static int width_of(const struct column *c)
{
    const int name = (int)strlen(c->name);

    return GAP + (name > WIDTH_MIN ? name : WIDTH_MIN);
}

static void add_cell(struct text *out, const struct column *c, double value)
{
    struct text shown = {0};

    if (isnan(value))
        text_add(&shown, "-");
    else
        text_add_fixed(&shown, value, c->digits);
    text_addf(out, "%*s", width_of(c), text_get(&shown));
    text_release(&shown);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The share (0 least, 1/2 median, 1 most) of a column over the workers that have a value. */
static double quantile(const struct run_report *r, const struct column *c, double share)
{
    double *values = MEM_NEW_N(double, r->workers);
    int count = 0;

    for (int w = 0; w < r->workers; w++)
        if (!isnan(c->value(r, w)))
            values[count++] = c->value(r, w);
    if (count > 1)
        qsort(values, (size_t)count, sizeof *values, compare_doubles);
    const double found = count > 0 ? values[(int)(share * (count - 1))] : (double)NAN;
    mem_free(values);
    return found;
}

static void add_summary_row(const struct run_report *r, const char *label, double share,
                            struct text *out)
{
    text_addf(out, "%-*s", LABEL_WIDTH, label);
    for (int i = 0; i < COLUMNS; i++)
        if (is_shown(r, &columns[i]))
            add_cell(out, &columns[i], quantile(r, &columns[i], share));
    text_add(out, "\n");
}

static void add_worker_row(const struct run_report *r, int w, struct text *out)
{
    text_addf(out, "%-*d", LABEL_WIDTH, w);
    for (int i = 0; i < COLUMNS; i++)
        if (is_shown(r, &columns[i]))
            add_cell(out, &columns[i], columns[i].value(r, w));
    text_add(out, "\n");
}

void workers_table(const struct run_report *r, struct text *out)
{
    text_addf(out, "\n%-*s", LABEL_WIDTH, "worker");
    for (int i = 0; i < COLUMNS; i++)
        if (is_shown(r, &columns[i]))
            text_addf(out, "%*s", width_of(&columns[i]), columns[i].name);
    text_add(out, "\n");
    if (r->workers > ROWS_MAX) {
        add_summary_row(r, "least", 0, out);
        add_summary_row(r, "median", 0.5, out);
        add_summary_row(r, "most", 1, out);
    } else {
        for (int w = 0; w < r->workers; w++)
            add_worker_row(r, w, out);
    }
    text_add(out, "times in seconds");
    if (is_shown(r, &columns[COLUMNS - 1]) && !isnan(r->test_accuracy))
        text_addf(out, "; test accuracy of the average: %.2f %%", 100.0 * r->test_accuracy);
    text_add(out, "\n\n");
}
