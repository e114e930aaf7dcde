/*
 * check.h - mistakes of the programmer: wrong rank, NULL, shapes that do not match.
 *
 * CHECK is always on and belongs at interfaces; inner loops use assert().
 */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#define CHECK(condition)                                            \
    do {                                                            \
        if (!(condition))                                           \
            check_failed(__FILE__, __LINE__, __func__, #condition); \
    } while (0)

/* For the place that cannot be reached. */
#define BUG(text) check_failed(__FILE__, __LINE__, __func__, (text))

/* Prints where and what to stderr, then abort(). */
void check_failed(const char *file, int line, const char *function, const char *what)
    __attribute__((noreturn));

#endif
