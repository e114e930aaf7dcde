/*
 * status.h - how a failure of the world travels: a code that is returned, and one message.
 *
 * The message is made where the failure is known (FAIL) and passed on by TRY. Mistakes of the
 * programmer are not statuses: see check.h. Lack of memory is neither: see mem.h.
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <stdarg.h>

/* code, exit code of the program, text */
#define STATUS_LIST(X)                                                               \
    X(STATUS_OK, 0, "success")                                                       \
    X(STATUS_BAD_INPUT, 2, "the experiment, data or command line is not acceptable") \
    X(STATUS_IO, 3, "a file could not be read or written")                           \
    X(STATUS_PEER, 4, "another worker failed or went away")                          \
    X(STATUS_DIVERGED, 5, "training produced infinity or NaN")                       \
    X(STATUS_INTERRUPTED, 75, "stopped on request; a checkpoint was written")

#define STATUS_ENUM(code, exit_code, text) code,
enum status { STATUS_LIST(STATUS_ENUM) STATUS_COUNT };
#undef STATUS_ENUM

/* Room for one message. Each thread has one; a transport may install a worker's own. */
struct status_slot {
    enum status status;
    char text[2048];
};

/* Records a message and returns `status`, so that `return FAIL(STATUS_IO, "...")` reads well. */
#define FAIL(status, ...) status_fail((status), __VA_ARGS__)

#define TRY(call)                               \
    do {                                        \
        const enum status try_status_ = (call); \
        if (try_status_ != STATUS_OK)           \
            return try_status_;                 \
    } while (0)

enum status status_fail(enum status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum status status_fail_v(enum status status, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* The text of the last failure on this thread (or in the installed slot). */
const char *status_message(void);

/* What a code means, and the exit code of a program that ends with it. */
const char *status_text(enum status status);
int status_exit_code(enum status status);

/* Makes `slot` this thread's slot, NULL brings the thread's own back. Returns the previous one. */
struct status_slot *status_slot_use(struct status_slot *slot);

#endif
