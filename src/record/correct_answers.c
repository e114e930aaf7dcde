/*
 * correct_answers.c - see correct_answers.h. A row has a bit for each sample, as hexadecimal
 * digits: the first sample is the highest bit of the first digit.
 */
#include "record/correct_answers.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "record/metrics_reader.h"

enum { BITS = 4 }; /* of a digit */

static const char digits[] = "0123456789abcdef";

enum status correct_log_open(struct correct_log *l, const char *run_dir, int64_t keep_round)
{
    char *path = file_join(run_dir, "correct.jsonl");

    *l = (struct correct_log){.rows = {.descriptor = -1}};
    enum status s =
        keep_round < 0 ? file_write_text(path, "") : metrics_reader_truncate(path, keep_round);
    if (s == STATUS_OK)
        s = file_log_open(&l->rows, path);
    mem_free(path);
    return s;
}

enum status correct_log_add(struct correct_log *l, const struct correct_row *row)
{
    struct text line = {0};

    text_addf(&line, "{\"round\":%lld,\"worker\":%lld,\"samples\":%lld,\"correct\":\"",
              (long long)row->round, (long long)row->worker, (long long)row->count);
    for (int64_t first = 0; first < row->count; first += BITS) {
        int digit = 0;

        for (int64_t i = first; i < first + BITS; i++)
            digit = 2 * digit + (i < row->count && row->correct[i] != 0);
        text_add_n(&line, &digits[digit], 1);
    }
    text_add(&line, "\"}");
    const enum status s = file_log_line(&l->rows, text_get(&line));
    text_release(&line);
    return s;
}

void correct_log_close(struct correct_log *l)
{
    if (l->rows.path != NULL)
        file_log_close(&l->rows);
    *l = (struct correct_log){.rows = {.descriptor = -1}};
}

bool correct_row_unpack(const char *text, uint8_t *correct, int64_t count)
{
    if ((int64_t)strlen(text) != (count + BITS - 1) / BITS)
        return false;
    for (int64_t i = 0; i < count; i++) {
        const char *found = strchr(digits, text[i / BITS]);

        if (found == NULL)
            return false;
        correct[i] = (uint8_t)((found - digits) >> (BITS - 1 - i % BITS) & 1);
    }
    return true;
}
