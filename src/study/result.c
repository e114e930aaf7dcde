/*
 * result.c - reading result.json.
 */
#include "study/result.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

enum { RESULT_LIMIT = 1 << 24, FORM = JSON_REAL_PRECISION(17) };

const struct study_number_name study_numbers[STUDY_NUMBERS] = {
    [STUDY_TEST_ACCURACY] = {"test_accuracy",              "test %",    100,  2},
    [STUDY_NODE_ACCURACY] = {"test_accuracy_mean",         "nodes %",   100,  2},
    [STUDY_NODE_ACCURACY_MIN] = {"test_accuracy_min",          "least",     100,  2},
    [STUDY_NODE_ACCURACY_MAX] = {"test_accuracy_max",          "most",      100,  2},
    [STUDY_TEST_LOSS] = {"test_loss",                  "test loss", 1,    4},
    [STUDY_VALIDATION_ACCURACY] = {"validation_accuracy",        NULL,        1,    4},
    [STUDY_VALIDATION_LOSS] = {"validation_loss",            NULL,        1,    4},
    [STUDY_TRAIN_LOSS] = {"train_loss",                 NULL,        1,    4},
    [STUDY_CONSENSUS] = {"consensus_error_normalized", "consensus", 1,    4},
    [STUDY_SECONDS] = {"train_seconds",              "seconds",   1,    2},
    [STUDY_SAMPLES_PER_S] = {"samples_per_s",              "samples/s", 1,    0},
    [STUDY_ROUNDS] = {"rounds",                     "rounds",    1,    0},
    [STUDY_EPOCHS] = {"epochs",                     "epochs",    1,    1},
    [STUDY_BATCHES] = {"batches",                    NULL,        1,    0},
    [STUDY_BYTES] = {"bytes_sent",                 "MB sent",   1e-6, 2},
};

const char *const study_state_names[STUDY_STATES] = {
    [STUDY_NOT_RUN] = "not run",
    [STUDY_FINISHED] = "finished",
    [STUDY_FAILED] = "failed",
};

void study_result_clear(struct study_result *r)
{
    *r = (struct study_result){.chance = (double)NAN, .test_samples = (double)NAN};
    for (int i = 0; i < STUDY_NUMBERS; i++)
        r->numbers[i] = (double)NAN;
}

bool study_result_diverges(const struct study_result *r)
{
    const double nodes = r->numbers[STUDY_NODE_ACCURACY];
    const double accuracy = isnan(nodes) ? r->numbers[STUDY_TEST_ACCURACY] : nodes;
    const double noise = sqrt(r->chance * (1 - r->chance) / r->test_samples);

    if (r->state != STUDY_FINISHED)
        return r->state == STUDY_FAILED && r->diverged;
    return accuracy <= r->chance + 3 * noise;
}

/* An interrupted run has not come to its end: it is one that has yet to run. */
static enum study_state state_of(const char *word)
{
    if (word == NULL || strcmp(word, "interrupted") == 0)
        return STUDY_NOT_RUN;
    return strcmp(word, "finished") == 0 ? STUDY_FINISHED : STUDY_FAILED;
}

static double number_of(const json_t *root, const char *key)
{
    const json_t *value = json_object_get(root, key);

    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static enum status parse(const char *content, const char *path, struct study_result *r)
{
    json_error_t error;
    json_t *root = json_loads(content, 0, &error);

    if (root == NULL || !json_is_object(root)) {
        json_decref(root);
        return FAIL(STATUS_BAD_INPUT, "%s:%d: is not the result of a run", path,
                    root == NULL ? error.line : 1);
    }
    const char *status = json_string_value(json_object_get(root, "status"));
    r->state = state_of(status);
    r->diverged = status != NULL && strcmp(status, "diverged") == 0;
    for (int i = 0; i < STUDY_NUMBERS; i++)
        r->numbers[i] = number_of(root, study_numbers[i].key);
    r->chance = number_of(root, "chance_accuracy");
    r->test_samples = number_of(root, "test_samples");
    json_decref(root);
    return STATUS_OK;
}

enum status study_result_read(const char *folder, struct study_result *r)
{
    char *path = file_join(folder, "result.json");
    struct text content = {0};
    enum status s = STATUS_OK;

    study_result_clear(r);
    if (file_exists(path)) {
        s = file_read(path, RESULT_LIMIT, &content);
        if (s == STATUS_OK)
            s = parse(text_get(&content), path, r);
    }
    text_release(&content);
    mem_free(path);
    return s;
}

static enum status rename_in(const char *path, const char *name, const char *run_dir)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);

    if (!json_is_object(root)) {
        json_decref(root);
        return FAIL(STATUS_BAD_INPUT, "%s: is not the result of a run", path);
    }
    (void)json_object_set_new(root, "name", json_string(name));
    (void)json_object_set_new(root, "run_dir", json_string(run_dir));
    const size_t length = json_dumpb(root, NULL, 0, FORM);
    char *content = MEM_NEW_N(char, (int64_t)length + 1);
    (void)json_dumpb(root, content, length, FORM);
    const enum status s = file_write_text(path, content);
    json_decref(root);
    mem_free(content);
    return s;
}

enum status study_result_rename(const char *folder, const char *name, const char *run_dir)
{
    char *path = file_join(folder, "result.json");
    const enum status s = file_exists(path) ? rename_in(path, name, run_dir) : STATUS_OK;

    mem_free(path);
    return s;
}
