/*
 * evaluation_series_csv.c - the series as a long table: a line per number. Of matrices, which are
 * symmetric, those with node < other; what was not measured has no line.
 */
#include <math.h>

#include "base/file.h"
#include "base/text.h"
#include "record/evaluation_series.h"

/* One evaluation of one series; the first series are the rounds. */
static void add_lines(struct text *out, const struct evaluation_series *r,
                      const struct named_series *s, int64_t evaluation)
{
    for (int64_t i = 0; i < s->size; i++) {
        const double value = s->values[evaluation * s->size + i];
        const int64_t node = i / s->dims[1], other = i % s->dims[1];

        if (isnan(value) || (s->is_symmetric && other <= node))
            continue;
        text_addf(out, "%lld,%.0f,%s,", (long long)evaluation, r->series[0].values[evaluation],
                  s->name);
        if (s->rank > 0)
            text_addf(out, "%lld", (long long)node);
        text_add(out, ",");
        if (s->rank > 1)
            text_addf(out, "%lld", (long long)other);
        text_add(out, ",");
        text_add_double(out, value);
        text_add(out, "\n");
    }
}

static enum status write_lines(struct file_writer *w, const struct evaluation_series *r)
{
    struct text out = {0};
    enum status status = STATUS_OK;

    text_add(&out, "evaluation,round,metric,node,other,value\n");
    for (int64_t e = 0; e < r->evaluations && status == STATUS_OK; e++) {
        for (int i = 1; i < r->series_count; i++)
            add_lines(&out, r, &r->series[i], e);
        status = file_writer_put(w, text_get(&out), out.length);
        text_clear(&out);
    }
    text_release(&out);
    return status;
}

enum status evaluation_series_write_csv(const struct evaluation_series *r, const char *path)
{
    struct file_writer w;

    TRY(file_writer_open(&w, path));
    return file_writer_close(&w, write_lines(&w, r));
}
