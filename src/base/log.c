/*
 * log.c - the sink of all talk: stderr and, while a run is on, its log file.
 *
 * The sink belongs to the process as stderr does; a lock keeps lines of different threads whole.
 */
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/file.h"
#include "base/text.h"

static const double progress_every_s = 10;

/* Invariant: is_half_way only while the last thing on the terminal is an unfinished line. */
static struct {
    pthread_mutex_t mutex;
    enum log_level level;
    bool is_half_way;
    bool has_file, has_progress;
    double last_progress; /* clock_seconds of the last plain progress line, if has_progress */
    struct file_log file;
    log_prefix *prefix; /* of progress lines; NULL: none */
    const void *prefix_context;
} sink = {.mutex = PTHREAD_MUTEX_INITIALIZER, .level = LOG_INFO};

static _Thread_local int own_worker;

void log_set_worker(int worker)
{
    own_worker = worker;
}

void log_set_level(enum log_level level)
{
    pthread_mutex_lock(&sink.mutex);
    sink.level = level;
    pthread_mutex_unlock(&sink.mutex);
}

static bool is_terminal(void)
{
    const char *term = env_find("TERM");

    return isatty(STDERR_FILENO) && !(term != NULL && strcmp(term, "dumb") == 0);
}

bool log_has_colour(void)
{
    const char *forced = env_find("CLICOLOR_FORCE");

    if (env_find("NO_COLOR") != NULL)
        return false;
    return (forced != NULL && strcmp(forced, "0") != 0) || is_terminal();
}

/* There is nobody to tell when stderr itself fails. */
static void write_stderr(const struct text *t)
{
    const char *bytes = text_get(t);
    size_t left = t->length;

    while (left > 0) {
        const ssize_t n = write(STDERR_FILENO, bytes, left);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        bytes += n;
        left -= (size_t)n;
    }
}

/* Every line of a message gets its own time and worker. A file that fails is given up, aloud. */
static void write_file(const char *message)
{
    char stamp[32];
    struct text line = {0};
    struct status_slot failure = {0}; /* the caller's message must survive a full disk */
    struct status_slot *previous = status_slot_use(&failure);

    clock_stamp(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S");
    while (sink.has_file) {
        const size_t n = strcspn(message, "\n");

        text_clear(&line);
        text_addf(&line, "%s [%d] ", stamp, own_worker);
        text_add_n(&line, message, n);
        if (file_log_line(&sink.file, text_get(&line)) != STATUS_OK) {
            text_clear(&line);
            text_addf(&line, "warning: %s; the log ends here\n", failure.text);
            write_stderr(&line);
            file_log_close(&sink.file);
            sink.has_file = false;
        }
        if (message[n] == '\0' || message[n + 1] == '\0')
            break;
        message += n + 1;
    }
    status_slot_use(previous);
    text_release(&line);
}

static const char *level_prefix(enum log_level level)
{
    switch (level) {
    case LOG_DETAIL:
    case LOG_INFO:
        return "";
    case LOG_WARNING:
        return "warning: ";
    case LOG_ERROR:
        return "error: ";
    }
    BUG("log level out of range");
}

static void add_prefix(struct text *t, enum log_level level, bool coloured)
{
    const char *colour = level == LOG_ERROR ? "\033[1;31m" : "\033[1;33m";
    const bool has_colour = coloured && level >= LOG_WARNING;

    text_add(t, has_colour ? colour : "");
    text_add(t, level_prefix(level));
    text_add(t, has_colour ? "\033[0m" : "");
}

void log_say(enum log_level level, const char *format, ...)
{
    struct text message = {0}, shown = {0};
    va_list arguments;

    va_start(arguments, format);
    text_addv(&message, format, arguments);
    va_end(arguments);

    pthread_mutex_lock(&sink.mutex);
    if (level >= sink.level) {
        text_add(&shown, sink.is_half_way ? "\n" : "");
        sink.is_half_way = false;
        add_prefix(&shown, level, log_has_colour());
        text_addf(&shown, "%s\n", text_get(&message));
        write_stderr(&shown);
    }
    if (sink.has_file) {
        text_clear(&shown);
        add_prefix(&shown, level, false);
        text_add(&shown, text_get(&message));
        write_file(text_get(&shown));
    }
    pthread_mutex_unlock(&sink.mutex);
    text_release(&message);
    text_release(&shown);
}

static int64_t terminal_columns(void)
{
    const char *given = env_find("COLUMNS");
    struct winsize size;
    int64_t columns = 0;

    if (given != NULL && text_to_int(given, &columns) && columns > 1)
        return columns;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        return size.ws_col;
    return 80;
}

/* At most this many characters, counting one column for each. */
static void add_clipped(struct text *t, const char *line, int64_t columns)
{
    size_t used = 0, left = strlen(line);

    for (; columns > 0 && left > 0; columns--) {
        const size_t n = text_utf8_step(line + used, left);

        used += n == 0 ? 1 : n;
        left -= n == 0 ? 1 : n;
    }
    text_add_n(t, line, used);
}

static void show_progress(const char *line, bool final, bool due)
{
    struct text shown = {0};

    if (is_terminal()) {
        /* One column stays free: in the last one the cursor would go to the next line. A line
         * that stays is not cut. */
        text_add(&shown, "\r");
        add_clipped(&shown, line, final ? INT64_MAX : terminal_columns() - 1);
        text_add(&shown, final ? "\033[K\n" : "\033[K");
        sink.is_half_way = !final;
    } else if (due) {
        text_addf(&shown, "%s\n", line);
    }
    write_stderr(&shown);
    text_release(&shown);
}

void log_set_progress_prefix(log_prefix *prefix, const void *context)
{
    pthread_mutex_lock(&sink.mutex);
    sink.prefix = prefix;
    sink.prefix_context = context;
    pthread_mutex_unlock(&sink.mutex);
}

static void show_with_prefix(const char *line, bool final, bool due)
{
    struct text whole = {0};

    if (sink.prefix != NULL)
        sink.prefix(sink.prefix_context, &whole);
    text_add(&whole, line);
    show_progress(text_get(&whole), final, due);
    text_release(&whole);
}

void log_progress(const char *line, bool final)
{
    const double now = clock_seconds();

    CHECK(line != NULL);
    pthread_mutex_lock(&sink.mutex);

    const bool due = final || !sink.has_progress || now - sink.last_progress >= progress_every_s;

    if (due) {
        sink.has_progress = true;
        sink.last_progress = now;
        write_file(line);
    }
    if (sink.level <= LOG_INFO)
        show_with_prefix(line, final, due);
    pthread_mutex_unlock(&sink.mutex);
}

enum status log_open_file(const char *path)
{
    struct file_log file;

    TRY(file_log_open(&file, path));
    log_close_file();
    pthread_mutex_lock(&sink.mutex);
    sink.file = file;
    sink.has_file = true;
    pthread_mutex_unlock(&sink.mutex);
    return STATUS_OK;
}

void log_close_file(void)
{
    pthread_mutex_lock(&sink.mutex);
    if (sink.has_file)
        file_log_close(&sink.file);
    sink.has_file = false;
    pthread_mutex_unlock(&sink.mutex);
}
