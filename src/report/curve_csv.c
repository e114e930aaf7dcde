/*
 * curve_csv.c - writes curves.csv, run by run.
 */
#include "report/curve_csv.h"

#include <inttypes.h>
#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/metric_table.h"

/* case, run and seed: how each row of a run begins. */
static void add_names(const struct subject *s, int64_t run, struct text *out)
{
    const struct results_run *r = &s->results.runs[run];

    text_add_csv(out, s->cases[s->runs[run].case_number].name);
    text_add(out, ",");
    text_add_csv(out, r->name);
    text_add(out, ",");
    text_add_csv(out, r->seed == NULL ? "" : r->seed);
}

static void add_row(const struct metric_table *t, const struct metric_series *m, int64_t at,
                    struct text *out)
{
    const int64_t row = m->rows[at];

    text_addf(out, ",%" PRId64 ",%" PRId64 ",", m->worker, t->round[row]);
    text_add_double(out, t->epoch[row]);
    text_addf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", t->samples[row], t->gradients[row],
              t->bytes[row]);
    text_add_double(out, t->seconds[row]);
    text_add(out, ",");
    text_add_csv(out, m->name);
    text_add(out, ",");
    if (!isnan(m->values[at]))
        text_add_double(out, m->values[at]);
    text_add(out, "\n");
}

static enum status add_run(const struct subject *s, int64_t run, struct file_writer *file)
{
    struct metric_table t;
    struct text names = {0}, out = {0};
    enum status status = STATUS_OK;

    if (metric_table_read(s->runs[run].dir, &t) != STATUS_OK) /* what reads of it counts */
        damage_warn(s->damage, status_message());
    metric_table_cut(&t, s->results.runs[run].as_of_round);
    add_names(s, run, &names);
    for (int64_t i = 0; i < t.series_count && status == STATUS_OK; i++) {
        text_clear(&out);
        for (int64_t k = 0; k < t.series[i].count; k++) {
            text_add_n(&out, text_get(&names), names.length);
            add_row(&t, &t.series[i], k, &out);
        }
        status = file_writer_put(file, text_get(&out), out.length);
    }
    text_release(&names);
    text_release(&out);
    metric_table_release(&t);
    return status;
}

static enum status add_runs(const struct subject *s, struct file_writer *file)
{
    static const char heading[] = "case,run,seed,worker,round,epoch,samples,gradients,bytes,"
                                  "seconds,metric,value\n";

    TRY(file_writer_put(file, heading, sizeof heading - 1));
    for (int64_t i = 0; i < s->results.run_count; i++)
        if (s->runs[i].dir != NULL)
            TRY(add_run(s, i, file));
    return STATUS_OK;
}

enum status curve_csv_write(const struct subject *s, const char *folder)
{
    char *path = file_join(folder, "curves.csv");
    struct file_writer file;
    enum status status = file_writer_open(&file, path);

    if (status == STATUS_OK)
        status = file_writer_close(&file, add_runs(s, &file));
    mem_free(path);
    return status;
}
