/*
 * consensus_log.c - distances between nodes as rows of consensus.jsonl.
 *
 * Only the pairs i < j are written, and seven digits of each: 100 nodes take some 100 kB a row.
 * Where pairs were not measured, the row has the distances from the mean only.
 */
#include <math.h>

#include "base/log.h"
#include "base/mem.h"
#include "record/consensus_distance.h"
#include "record/metrics_reader.h"

enum status consensus_log_open(struct consensus_log *l, const char *run_dir, int64_t keep_round)
{
    char *path = file_join(run_dir, "consensus.jsonl");
    enum status s = STATUS_OK;

    *l = (struct consensus_log){.rows = {.descriptor = -1}};
    s = keep_round < 0 ? file_write_text(path, "") : metrics_reader_truncate(path, keep_round);
    if (s == STATUS_OK) {
        l->bytes = file_size(path);
        s = file_log_open(&l->rows, path);
    }
    mem_free(path);
    return s;
}

static void add_number(struct text *line, double value, bool is_first)
{
    text_add(line, is_first ? "" : ",");
    if (isfinite(value))
        text_addf(line, "%.7g", value);
    else
        text_add(line, "null");
}

static void add_list(struct text *line, const char *key, const double *values, int64_t count)
{
    text_addf(line, ",\"%s\":[", key);
    for (int64_t i = 0; i < count; i++)
        add_number(line, values[i], i == 0);
    text_add(line, "]");
}

static void add_pairs(struct text *line, const char *key, const double *matrix, int64_t n)
{
    text_addf(line, ",\"%s\":[", key);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++)
            add_number(line, matrix[i * n + j], i == 0 && j == 1);
    text_add(line, "]");
}

static enum status write_line(struct consensus_log *l, const struct text *line)
{
    if (l->is_full)
        return STATUS_OK;
    if (l->bytes + (int64_t)line->length > CONSENSUS_LOG_MAX) {
        l->is_full = true;
        log_warning("%s has reached %d MB: further evaluations leave out the distances between "
                    "nodes; metrics.jsonl still has those from the mean",
                    l->rows.path, CONSENSUS_LOG_MAX >> 20);
        return STATUS_OK;
    }
    l->bytes += (int64_t)line->length + 1;
    return file_log_line(&l->rows, text_get(line));
}

enum status consensus_log_add(struct consensus_log *l, int64_t round,
                              const struct consensus_distance *s)
{
    struct text line = {0};

    text_addf(&line, "{\"round\":%lld,\"nodes\":%d", (long long)round, s->nodes);
    add_list(&line, "from_mean", s->from_mean, s->nodes);
    add_list(&line, "from_mean_normalized", s->from_mean_normalized, s->nodes);
    if (s->raw != NULL) {
        add_pairs(&line, "raw", s->raw, s->nodes);
        add_pairs(&line, "normalized", s->normalized, s->nodes);
    }
    text_add(&line, "}");
    const enum status status = write_line(l, &line);
    text_release(&line);
    return status;
}

void consensus_log_close(struct consensus_log *l)
{
    if (l->rows.path != NULL)
        file_log_close(&l->rows);
    *l = (struct consensus_log){.rows = {.descriptor = -1}};
}
