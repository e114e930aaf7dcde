/*
 * initial_weights.c - see initial_weights.h.
 */
#include "train/initial_weights.h"

#include <string.h>

#include "base/crc.h"
#include "base/file.h"
#include "base/mem.h"
#include "problem/problem.h"
#include "train/model_file.h"

static const size_t file_limit = (size_t)1 << 40;

/* The checksum of a file, as eight digits; mem_free. */
static enum status file_crc(const char *path, char **digits)
{
    struct text file = {0};
    const enum status s = file_read(path, file_limit, &file);

    if (s != STATUS_OK)
        return FAIL(s, "train.init: %s", status_message());
    *digits = text_format("%08x", (unsigned)crc32c(0, file.data, file.length));
    text_release(&file);
    return STATUS_OK;
}

enum status initial_weights_identify(struct run_config *config)
{
    struct train_options *o = &config->train;

    if (o->init == NULL && o->init_prefix == NULL && o->init_crc == NULL)
        return STATUS_OK;
    if (o->init == NULL)
        return FAIL(STATUS_BAD_INPUT, "train.%s: has no effect without train.init; leave it out",
                    o->init_prefix != NULL ? "init_prefix" : "init_crc");
    if (!((const struct problem_ops *)config->problem.entry)->has_data)
        return FAIL(STATUS_BAD_INPUT,
                    "train.init: problem %s has no network whose weights could be read; leave it "
                    "out",
                    config->problem.entry->name);
    return o->init_crc != NULL ? STATUS_OK : file_crc(o->init, &o->init_crc);
}

static enum status check_crc(const struct train_options *o)
{
    char *crc = NULL;
    enum status s = file_crc(o->init, &crc);

    if (s == STATUS_OK && strcmp(crc, o->init_crc) != 0)
        s = FAIL(STATUS_BAD_INPUT,
                 "train.init: %s has changed: its checksum is %s, but train.init_crc is %s; "
                 "restore the file, or leave out train.init_crc",
                 o->init, crc, o->init_crc);
    mem_free(crc);
    return s;
}

static enum status load_into(const struct build *b, struct initial_weights *w)
{
    const struct train_options *o = &b->config->train;

    TRY(check_crc(o));
    w->state = MEM_NEW_N(float, b->layout.state_count);
    w->batches_tracked = MEM_NEW_N(int64_t, b->layout.tracked_count);

    const struct model_values values = {
        .layout = &b->layout, .state = w->state, .batches_tracked = w->batches_tracked};
    const enum status s = model_file_load(&values, &(struct model_file_request){
                                                       .path = o->init,
                                                       .network = b->plan->name,
                                                       .prefix = o->init_prefix,
                                                   });
    return s == STATUS_OK ? s : FAIL(s, "train.init: %s", status_message());
}

enum status initial_weights_load(struct build *b)
{
    return b->config->train.init == NULL ? STATUS_OK : load_into(b, &b->initial);
}

enum status initial_weights_check(const struct build *b)
{
    struct initial_weights w = {0};

    if (b->config->train.init == NULL)
        return STATUS_OK;
    const enum status s = load_into(b, &w);
    mem_free(w.state);
    mem_free(w.batches_tracked);
    return s;
}

void initial_weights_copy(const struct build *b, float *state, int64_t *batches_tracked)
{
    const struct initial_weights *w = &b->initial;

    if (w->state == NULL) {
        problem_initialize(b->evaluator, state, (uint64_t)b->config->top.seed);
        return;
    }
    memcpy(state, w->state, (size_t)b->layout.state_count * sizeof *state);
    if (b->layout.tracked_count > 0)
        memcpy(batches_tracked, w->batches_tracked,
               (size_t)b->layout.tracked_count * sizeof *batches_tracked);
}
