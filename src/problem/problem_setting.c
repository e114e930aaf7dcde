/*
 * problem_setting.c - the options of data, and what problems ask of a setting.
 */
#include "problem/problem_setting.h"

#include <string.h>

#include "base/mem.h"
#include "nn/zoo.h"

const struct field data_fields[] = {
    FIELD_TEXT(struct data_options, dir, NULL,
               "folder of the data set; without it the usual places are searched"),
    FIELD_REAL(struct data_options, train_fraction, 1, 0, 1,
               "part of the training set that is used, chosen at random"),
    FIELD_REAL(struct data_options, validation, 0, 0, 0.99,
               "part of the used training set that is set aside to validate"),
    FIELD_INT(struct data_options, input_size, 0, 0, 4096,
              "resize images to this height and width, in pixels (0: as the model's study does)"),
    FIELD_TEXT(struct data_options, normalize, NULL,
               "none, set, channel, or MEAN,STD; without it, as the model's study does"),
    FIELD_LAST,
};

enum status problem_setting_net(const struct problem_setting *s, struct shape in, int64_t outputs,
                                struct net **net)
{
    if (s->layers != NULL)
        return net_read(s->layers, net);
    return zoo_build(s->model, in, outputs, net);
}

/* Whether a message begins with "data: ", "data.name: ", ... */
static bool begins_with_key(const char *message)
{
    static const char *const sections[] = {"data", "model", "partition", "problem"};
    const size_t length = strcspn(message, ": "), top = strcspn(message, ".: ");

    if (message[length] != ':' || message[length + 1] != ' ')
        return false;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (strlen(sections[i]) == top && strncmp(sections[i], message, top) == 0)
            return true;
    return false;
}

enum status problem_setting_name_key(const char *key, enum status s)
{
    if (begins_with_key(status_message()))
        return s;

    char *message = mem_text(status_message());
    s = FAIL(s, "%s: %s", key, message);
    mem_free(message);
    return s;
}
