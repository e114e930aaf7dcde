/*
 * consensus_row.c - finds the last row of consensus.jsonl from its end: the file may be long, and a
 * row may have megabytes.
 */
#include "record/consensus_row.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/json_read.h"

enum { FIRST_TAIL = 1 << 16 };

void consensus_row_release(struct consensus_row *row)
{
    mem_free(row->from_mean);
    mem_free(row->from_mean_normalized);
    mem_free(row->raw);
    mem_free(row->normalized);
    *row = (struct consensus_row){0};
}

/* --- from JSON --- */

static double number_at(const json_t *list, int64_t i)
{
    const json_t *value = json_array_get(list, (size_t)i);

    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static double *read_vector(const json_t *map, const char *key, int64_t n)
{
    const json_t *list = json_object_get(map, key);

    if ((int64_t)json_array_size(list) != n)
        return NULL;
    double *values = MEM_NEW_N(double, n);
    for (int64_t i = 0; i < n; i++)
        values[i] = number_at(list, i);
    return values;
}

/* The pairs i < j as a matrix. */
static double *read_pairs(const json_t *map, const char *key, int64_t n)
{
    const json_t *list = json_object_get(map, key);
    int64_t k = 0;

    if (list == NULL || (int64_t)json_array_size(list) != n * (n - 1) / 2)
        return NULL;
    double *values = MEM_NEW_N(double, n *n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++)
            values[i * n + j] = values[j * n + i] = number_at(list, k++);
    return values;
}

static bool read_row(const json_t *map, struct consensus_row *row)
{
    const int64_t n = (int64_t)json_array_size(json_object_get(map, "from_mean"));

    if (n == 0)
        return false;
    *row = (struct consensus_row){
        .round = json_read_int(map, "round", 0),
        .nodes = n,
        .from_mean = read_vector(map, "from_mean", n),
        .from_mean_normalized = read_vector(map, "from_mean_normalized", n),
        .raw = read_pairs(map, "raw", n),
        .normalized = read_pairs(map, "normalized", n),
    };
    return true;
}

/* --- from the file --- */

/* The last line that is a row, of those that begin in the text. */
static bool find_row(char *text, size_t length, bool is_whole, struct consensus_row *row)
{
    size_t end = length;

    while (end > 0) {
        size_t begin = end;

        while (begin > 0 && text[begin - 1] != '\n')
            begin--;
        if (begin == 0 && !is_whole)
            return false;
        json_t *map = json_loadb(text + begin, end - begin, 0, NULL);
        const bool is_row = read_row(map, row);
        json_decref(map);
        if (is_row)
            return true;
        end = begin == 0 ? 0 : begin - 1;
    }
    return false;
}

static enum status read_tail(FILE *file, const char *path, struct consensus_row *row)
{
    const int64_t bytes = file_size(path);
    bool is_found = false;

    for (int64_t tail = FIRST_TAIL; !is_found; tail *= 8) {
        const int64_t count = tail < bytes ? tail : bytes;
        char *text = MEM_NEW_N(char, count + 1);
        const bool is_read = fseeko(file, bytes - count, SEEK_SET) == 0 &&
                             fread(text, 1, (size_t)count, file) == (size_t)count;

        if (is_read)
            is_found = find_row(text, (size_t)count, count == bytes, row);
        mem_free(text);
        if (!is_read)
            return FAIL(STATUS_IO, "%s: cannot read the file", path);
        if (count == bytes)
            break;
    }
    return STATUS_OK;
}

enum status consensus_row_read_last(const char *run_dir, struct consensus_row *row)
{
    char *path = file_join(run_dir, "consensus.jsonl");
    FILE *file = fopen(path, "rb");
    enum status s = STATUS_OK;

    *row = (struct consensus_row){0};
    if (file == NULL)
        s = FAIL(STATUS_IO, "%s: cannot open the file: %s", path, strerror(errno));
    else
        s = read_tail(file, path, row);
    if (file != NULL)
        (void)fclose(file);
    mem_free(path);
    return s;
}
