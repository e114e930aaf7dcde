/*
 * stop_rule.c - reads train.stop, and applies it to the evaluations of a run.
 */
#include "train/stop_rule.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const char FORMS[] = "use accuracy:0.97, loss:0.1 or plateau:loss,PATIENCE,DELTA";

enum { PATIENCE_MAX = 1000000 };

const char *stop_metric_name(enum stop_metric metric)
{
    return metric == STOP_LOSS ? "loss" : "accuracy";
}

static bool read_metric(const char *text, enum stop_metric *metric)
{
    *metric = strcmp(text, "accuracy") == 0 ? STOP_ACCURACY : STOP_LOSS;
    return strcmp(text, stop_metric_name(*metric)) == 0;
}

/* 0.97, or 97%. Changes the text. */
static bool read_target(char *text, enum stop_metric metric, double *target)
{
    const size_t length = strlen(text);
    const bool is_percent = metric == STOP_ACCURACY && length > 0 && text[length - 1] == '%';

    if (is_percent)
        text[length - 1] = '\0';
    if (!text_to_double(text, target))
        return false;
    *target /= is_percent ? 100 : 1;
    return *target > 0 && (metric == STOP_LOSS ? isfinite(*target) : *target <= 1);
}

static enum status read_reached(const char *name, char *value, struct stop_rule *rule)
{
    rule->kind = STOP_REACHED;
    if (!read_metric(name, &rule->metric))
        return FAIL(STATUS_BAD_INPUT, "train.stop: unknown rule %s; %s", name, FORMS);
    if (!read_target(value, rule->metric, &rule->target))
        return FAIL(STATUS_BAD_INPUT, "train.stop: %s must be a number %s", name,
                    rule->metric == STOP_LOSS ? "above 0" : "in (0, 1], or 97%");
    return STATUS_OK;
}

/* The text up to the next comma, which is cut off; *rest is what follows it, or NULL. */
static char *take_part(char *text, char **rest)
{
    char *comma = strchr(text, ',');

    *rest = comma == NULL ? NULL : comma + 1;
    if (comma != NULL)
        *comma = '\0';
    return text;
}

static enum status read_plateau(char *text, struct stop_rule *rule)
{
    char *rest = NULL;

    rule->kind = STOP_PLATEAU;
    if (!read_metric(take_part(text, &rest), &rule->metric))
        return FAIL(STATUS_BAD_INPUT, "train.stop: a plateau is of loss or of accuracy, not of %s",
                    text);
    if (rest == NULL)
        return FAIL(STATUS_BAD_INPUT, "train.stop: the plateau has no patience; %s", FORMS);
    text = take_part(rest, &rest);
    if (!text_to_int(text, &rule->patience) || rule->patience < 1 || rule->patience > PATIENCE_MAX)
        return FAIL(STATUS_BAD_INPUT,
                    "train.stop: the patience must be a number of evaluations, 1 to %d, not %s",
                    (int)PATIENCE_MAX, text);
    if (rest != NULL &&
        (!text_to_double(rest, &rule->delta) || !(rule->delta >= 0) || !isfinite(rule->delta)))
        return FAIL(STATUS_BAD_INPUT,
                    "train.stop: the least improvement must be a number from 0 on, not %s", rest);
    return STATUS_OK;
}

enum status stop_rule_read(const char *text, struct stop_rule *rule)
{
    *rule = (struct stop_rule){0};
    if (text == NULL)
        return STATUS_OK;

    char *copy = mem_text(text), *colon = strchr(copy, ':');
    enum status s;

    if (colon == NULL) {
        s = FAIL(STATUS_BAD_INPUT, "train.stop: %s has no colon; %s", text, FORMS);
    } else {
        *colon = '\0';
        s = strcmp(copy, "plateau") == 0 ? read_plateau(colon + 1, rule)
                                         : read_reached(copy, colon + 1, rule);
    }
    mem_free(copy);
    return s;
}

/* More is better. */
static double quality(const struct stop_rule *rule, double value)
{
    return rule->metric == STOP_LOSS ? -value : value;
}

bool stop_rule_add(const struct stop_rule *rule, struct stop_memory *m, double value)
{
    const double now = quality(rule, value);

    if (rule->kind == STOP_REACHED) {
        m->is_met = m->is_met || now >= quality(rule, rule->target);
    } else if (rule->kind == STOP_PLATEAU) {
        const bool is_better = m->count == 0 || now > m->best + rule->delta;

        m->best = is_better ? now : m->best;
        m->since_best = is_better ? 0 : m->since_best + 1;
        m->is_met = m->is_met || m->since_best >= rule->patience;
    }
    m->count++;
    return m->is_met;
}
