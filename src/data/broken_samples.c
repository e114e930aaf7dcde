/*
 * broken_samples.c - see broken_samples.h.
 */
#include "data/broken_samples.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

struct broken_sample {
    const struct sample_source *source;
    int64_t number;
};

struct broken_samples {
    int64_t limit;
    pthread_mutex_t mutex; /* guards what follows */
    struct broken_sample *samples;
    int64_t count;
};

struct broken_samples *broken_samples_new(int64_t limit)
{
    struct broken_samples *b = MEM_NEW(struct broken_samples);

    b->limit = limit;
    pthread_mutex_init(&b->mutex, NULL);
    return b;
}

void broken_samples_free(struct broken_samples *b)
{
    if (b == NULL)
        return;
    pthread_mutex_destroy(&b->mutex);
    mem_free(b->samples);
    mem_free(b);
}

/* With the mutex. */
static bool is_known(const struct broken_samples *b, const struct sample_source *source,
                     int64_t number)
{
    for (int64_t i = 0; i < b->count; i++)
        if (b->samples[i].source == source && b->samples[i].number == number)
            return true;
    return false;
}

/* With the mutex. */
static enum status add(struct broken_samples *b, struct broken_sample sample, enum status status)
{
    b->count++;
    b->samples = mem_grow(b->samples, b->count, sizeof *b->samples);
    b->samples[b->count - 1] = sample;
    if (b->count > b->limit) {
        char *message = mem_text(status_message());

        status = FAIL(status, "%s (broken samples so far: %lld; data.broken allows %lld)", message,
                      (long long)b->count, (long long)b->limit);
        mem_free(message);
        return status;
    }
    log_warning("%s; another sample of its class takes its place (%lld of at most %lld)",
                status_message(), (long long)b->count, (long long)b->limit);
    return STATUS_OK;
}

enum status broken_samples_note(struct broken_samples *b, const struct sample_source *source,
                                int64_t number, enum status status)
{
    enum status s = STATUS_OK;

    pthread_mutex_lock(&b->mutex);
    if (!is_known(b, source, number))
        s = add(b, (struct broken_sample){source, number}, status);
    pthread_mutex_unlock(&b->mutex);
    return s;
}

int64_t broken_samples_count(struct broken_samples *b)
{
    pthread_mutex_lock(&b->mutex);
    const int64_t count = b->count;
    pthread_mutex_unlock(&b->mutex);
    return count;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int64_t broken_samples_paths(struct broken_samples *b, char **paths, int64_t most)
{
    int64_t count = 0;

    pthread_mutex_lock(&b->mutex);
    char **all = MEM_NEW_N(char *, b->count);
    for (int64_t i = 0; i < b->count; i++)
        all[i] = sample_source_path(b->samples[i].source, b->samples[i].number);
    qsort(all, (size_t)b->count, sizeof *all, compare_paths);
    for (int64_t i = 0; i < b->count; i++)
        if (count < most && (count == 0 || strcmp(all[i], paths[count - 1]) != 0))
            paths[count++] = all[i];
        else
            mem_free(all[i]);
    pthread_mutex_unlock(&b->mutex);
    mem_free(all);
    return count;
}

enum status broken_samples_parse(const char *text, int64_t *limit)
{
    *limit = -1;
    if (strcmp(text, "error") == 0)
        return STATUS_OK;
    if (strncmp(text, "skip:", 5) == 0 && text_to_int(text + 5, limit) && *limit >= 0)
        return STATUS_OK;
    return FAIL(
        STATUS_BAD_INPUT,
        "\"%s\" is not error or skip:N, where N is the number of samples that may be broken", text);
}
