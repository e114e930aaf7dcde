/*
 * tensorboard_hparams.c - the records by which TensorBoard's tab HPARAMS compares runs: one with
 * the columns of its table, one with the settings at the start, one at the end.
 *
 *     HParamsPluginData { version = 1, experiment = 2, session_start_info = 3, session_end_info = 4
 * } Experiment { hparam_infos = 4 { name = 1, type = 4 }, metric_infos = 5 { name = 1 { tag = 2 } }
 * } SessionStartInfo { hparams = 1 (map of name to google.protobuf.Value), start_time_secs = 5 }
 *     SessionEndInfo { status = 1, end_time_secs = 2 }
 *
 * Each is the content of a summary's metadata; the value itself is zero and is not read.
 */
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "format/protobuf.h"
#include "record/tensorboard.h"

enum { PART_EXPERIMENT = 2, PART_START = 3, PART_END = 4 };
enum { SESSION_SUCCESS = 1, SESSION_FAILURE = 2 };
enum { TYPE_TEXT = 1, TYPE_BOOL = 2, TYPE_NUMBER = 3 };

static void add_zero(struct text *value)
{
    enum { DTYPE_FLOAT = 1 };
    struct text tensor = {0};

    tensorboard_start_tensor(&tensor, DTYPE_FLOAT);
    protobuf_float(&tensor, 5, 0);
    protobuf_message(value, 8, &tensor);
    text_release(&tensor);
}

static enum status write_part(struct tensorboard *t, const char *tag, int part,
                              const struct text *message)
{
    struct text value = {0}, content = {0};

    protobuf_int(&content, 1, 0); /* the version */
    protobuf_message(&content, part, message);
    protobuf_text(&value, 1, tag);
    add_zero(&value);
    tensorboard_add_plugin(&value, "hparams", &content);
    const enum status s = tensorboard_value(t, 0, &value);
    text_release(&value);
    text_release(&content);
    return s;
}

/* --- settings --- */

static bool is_bool(const char *text)
{
    return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
}

static int type_of(const char *text)
{
    double number;

    return is_bool(text) ? TYPE_BOOL : text_to_double(text, &number) ? TYPE_NUMBER : TYPE_TEXT;
}

/* google.protobuf.Value { number_value = 2, string_value = 3, bool_value = 4 } */
static void add_setting(struct text *start, const char *name, const char *setting)
{
    struct text entry = {0}, value = {0};
    double number = 0;

    switch (type_of(setting)) {
    case TYPE_BOOL:
        protobuf_int(&value, 4, strcmp(setting, "true") == 0);
        break;
    case TYPE_NUMBER:
        (void)text_to_double(setting, &number);
        protobuf_double(&value, 2, number);
        break;
    default:
        protobuf_text(&value, 3, setting);
        break;
    }
    protobuf_text(&entry, 1, name);
    protobuf_message(&entry, 2, &value);
    protobuf_message(start, 1, &entry);
    text_release(&entry);
    text_release(&value);
}

static enum status write_settings(struct tensorboard *t, const struct node *settings)
{
    struct text start = {0};

    for (int64_t i = 0; i < settings->count; i++)
        add_setting(&start, settings->keys[i], settings->children[i]->text);
    protobuf_double(&start, 5, clock_unix());
    const enum status s = write_part(t, "_hparams_/session_start_info", PART_START, &start);
    text_release(&start);
    return s;
}

/* --- columns --- */

static void add_column(struct text *experiment, const char *name, const char *setting)
{
    struct text info = {0};

    protobuf_text(&info, 1, name);
    protobuf_int(&info, 4, type_of(setting));
    protobuf_message(experiment, 4, &info);
    text_release(&info);
}

static void add_metric(struct text *experiment, const char *tag)
{
    struct text name = {0}, info = {0};

    protobuf_text(&name, 2, tag);
    protobuf_message(&info, 1, &name);
    protobuf_message(experiment, 5, &info);
    text_release(&name);
    text_release(&info);
}

static enum status write_columns(struct tensorboard *t, const struct node *settings,
                                 const char *const *metrics)
{
    struct text experiment = {0};

    for (int64_t i = 0; i < settings->count; i++)
        add_column(&experiment, settings->keys[i], settings->children[i]->text);
    for (; *metrics != NULL; metrics++)
        add_metric(&experiment, *metrics);
    const enum status s = write_part(t, "_hparams_/experiment", PART_EXPERIMENT, &experiment);
    text_release(&experiment);
    return s;
}

enum status tensorboard_start_session(struct tensorboard *t, const struct node *settings,
                                      const char *const *metrics)
{
    TRY(write_columns(t, settings, metrics));
    return write_settings(t, settings);
}

enum status tensorboard_end_session(struct tensorboard *t, bool is_success)
{
    struct text end = {0};

    protobuf_int(&end, 1, is_success ? SESSION_SUCCESS : SESSION_FAILURE);
    protobuf_double(&end, 2, clock_unix());
    const enum status s = write_part(t, "_hparams_/session_end_info", PART_END, &end);
    text_release(&end);
    return s;
}
