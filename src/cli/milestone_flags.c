/*
 * milestone_flags.c - reads --at, --target and --target-loss.
 */
#include "cli/milestone_flags.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* 0.9 or 90%. */
static enum status read_accuracy(const char *given, double *accuracy)
{
    const size_t length = strlen(given);
    const bool is_percent = length > 1 && given[length - 1] == '%';
    char *number = mem_text_n(given, is_percent ? length - 1 : length);
    const bool is_number = text_to_double(number, accuracy);

    mem_free(number);
    *accuracy /= is_percent ? 100 : 1;
    if (!is_number || !(*accuracy > 0 && *accuracy <= 1))
        return FAIL(STATUS_BAD_INPUT, "--target: \"%s\" is not an accuracy, such as 0.9 or 90%%",
                    given);
    return STATUS_OK;
}

enum status milestone_flags_read(const struct flags *f, struct milestones *m)
{
    const char *at = flags_value(f, "at"), *accuracy = flags_value(f, "target");
    const char *loss = flags_value(f, "target-loss");

    if (accuracy != NULL && loss != NULL)
        return FAIL(STATUS_BAD_INPUT, "--target conflicts with --target-loss; give one of them");
    if (at != NULL && amount_read(at, &m->at) != STATUS_OK) {
        char *message = mem_text(status_message());
        const enum status s = FAIL(STATUS_BAD_INPUT, "--at: %s", message);

        mem_free(message);
        return s;
    }
    if (loss != NULL && (!text_to_double(loss, &m->target) || isinf(m->target)))
        return FAIL(STATUS_BAD_INPUT, "--target-loss: \"%s\" is not a number", loss);
    if (accuracy != NULL)
        TRY(read_accuracy(accuracy, &m->target));
    if (loss != NULL || accuracy != NULL)
        m->target_kind = loss != NULL ? TARGET_LOSS : TARGET_ACCURACY;
    return STATUS_OK;
}
