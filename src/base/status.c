/*
 * status.c - the slot of the last failure, one per thread unless another is installed.
 */
#include "base/status.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"

static _Thread_local struct status_slot own_slot;
static _Thread_local struct status_slot *installed_slot;

static struct status_slot *current_slot(void)
{
    return installed_slot == NULL ? &own_slot : installed_slot;
}

enum status status_fail_v(enum status status, const char *format, va_list arguments)
{
    char text[sizeof own_slot.text];
    struct status_slot *slot = current_slot();

    CHECK(status > STATUS_OK && status < STATUS_COUNT);
    /* Not straight into the slot: the old message may be one of the arguments. */
    vsnprintf(text, sizeof text, format, arguments);
    memcpy(slot->text, text, strlen(text) + 1);
    slot->status = status;
    return status;
}

enum status status_fail(enum status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    status_fail_v(status, format, arguments);
    va_end(arguments);
    return status;
}

const char *status_message(void)
{
    return current_slot()->text;
}

#define STATUS_TEXT(code, exit_code, text) text,
#define STATUS_EXIT(code, exit_code, text) exit_code,

const char *status_text(enum status status)
{
    static const char *const texts[] = {STATUS_LIST(STATUS_TEXT)};

    CHECK(status >= STATUS_OK && status < STATUS_COUNT);
    return texts[status];
}

int status_exit_code(enum status status)
{
    static const int codes[] = {STATUS_LIST(STATUS_EXIT)};

    CHECK(status >= STATUS_OK && status < STATUS_COUNT);
    return codes[status];
}

struct status_slot *status_slot_use(struct status_slot *slot)
{
    struct status_slot *previous = installed_slot;

    installed_slot = slot;
    return previous;
}
