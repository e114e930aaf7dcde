/*
 * command.c - what every command does first and last.
 */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "comm/world.h"
#include "record/latest_run.h"
#include "record/rundir.h"

void command_print(const char *text)
{
    fputs(text, stdout);
}

enum status command_print_or_write(const char *text, const char *path)
{
    if (path[0] != '\0')
        return file_write_text(path, text);
    command_print(text);
    return STATUS_OK;
}

/* --help --all, which asks for the long form whatever else is given. */
static bool asks_for_all(int argc, char **argv)
{
    bool help = false, all = false;

    for (int i = 1; i < argc; i++) {
        help = help || strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
        all = all || strcmp(argv[i], "--all") == 0;
    }
    return help && all;
}

static void print_help(const struct flags_spec *spec, enum flags_help_form form)
{
    struct text help = {0};

    flags_help(spec, form, &help);
    command_print(text_get(&help));
    text_release(&help);
}

/* With --help, prints the help and sets *done. */
static enum status parse(struct flags *f, const struct flags_spec *spec, int argc, char **argv,
                         bool *done)
{
    const bool is_all = asks_for_all(argc, argv);

    if (!is_all)
        TRY(flags_parse(f, spec, argc, argv));
    *done = is_all || f->help;
    if (*done && world_reports())
        print_help(spec, is_all ? FLAGS_HELP_ALL : FLAGS_HELP_SHORT);
    return STATUS_OK;
}

enum status command_run(const struct flags_spec *spec, int argc, char **argv, command_body *body)
{
    struct flags f = {0};
    bool done = false;
    enum status s = parse(&f, spec, argc, argv, &done);

    if (s == STATUS_OK && !done)
        s = body(&f);
    flags_release(&f);
    return s;
}

enum status command_run_printing(const struct flags_spec *spec, int argc, char **argv,
                                 command_compose *compose)
{
    struct flags f = {0};
    struct text out = {0};
    bool done = false;
    enum status s = parse(&f, spec, argc, argv, &done);

    if (s == STATUS_OK && !done)
        s = compose(&f, &out);
    if (s == STATUS_OK)
        command_print(text_get(&out));
    text_release(&out);
    flags_release(&f);
    return s;
}

enum status command_check_file(const struct flags *f, const char *name)
{
    const char *path = flags_value(f, name);

    if (path == NULL || path[0] == '\0')
        return STATUS_OK;
    const enum status s = file_check_writable(path);
    return s == STATUS_OK ? s : FAIL(s, "--%s: %s", name, status_message());
}

static bool begins_with(const char *path, const char *beginning)
{
    char bytes[64];
    FILE *file = fopen(path, "re");
    const size_t length = beginning == NULL ? 1 : strlen(beginning);

    CHECK(length <= sizeof bytes);
    if (file == NULL)
        return false; /* its kind is unknown */
    const size_t read = fread(bytes, 1, length, file);
    const bool is_empty = read == 0 && !ferror(file);
    (void)fclose(file);
    return is_empty ||
           (beginning != NULL && read == length && memcmp(bytes, beginning, length) == 0);
}

static bool may_be_replaced(const struct flags *f, const char *path, const char *beginning)
{
    return flags_has(f, "force") || !file_is_regular(path) || begins_with(path, beginning);
}

enum status command_check_replaced(const struct flags *f, const char *name, const char *beginning)
{
    const char *path = flags_value(f, name);

    TRY(command_check_file(f, name));
    if (path == NULL || path[0] == '\0' || may_be_replaced(f, path, beginning))
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "--%s: %s exists and is another kind of file; choose another name, or give --force "
                "to replace it",
                name, path);
}

enum status command_check_target(const struct flags *f, const char *path, const char *beginning)
{
    TRY(file_check_writable(path));
    if (may_be_replaced(f, path, beginning))
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "%s: exists and is another kind of file; choose another name, or give --force to "
                "replace it",
                path);
}

/* The same file, or the same name of one that is not there yet. */
static bool is_same_target(const char *a, const char *b)
{
    return strcmp(a, b) == 0 || (file_is_regular(a) && file_is_same(a, b));
}

static enum status check_not_operand(const struct flags *f, const char *name, const char *path)
{
    for (int i = 0; i < f->positional_count; i++)
        if (is_same_target(path, f->positional[i]))
            return FAIL(STATUS_BAD_INPUT, "--%s: %s is read by this command; choose another name",
                        name, path);
    return STATUS_OK;
}

enum status command_check_different(const struct flags *f, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        const char *path = flags_value(f, names[i]);

        if (path == NULL || path[0] == '\0')
            continue;
        TRY(check_not_operand(f, names[i], path));
        for (int k = 0; k < i; k++) {
            const char *other = flags_value(f, names[k]);

            if (other != NULL && other[0] != '\0' && is_same_target(path, other))
                return FAIL(STATUS_BAD_INPUT, "--%s and --%s name the same file, %s", names[k],
                            names[i], path);
        }
    }
    return STATUS_OK;
}

enum status command_read_int(const struct flags *f, const char *name, int64_t least, int64_t most,
                             int64_t *value)
{
    const char *given = flags_value(f, name);

    if (given != NULL && (!text_to_int(given, value) || *value < least || *value > most))
        return FAIL(STATUS_BAD_INPUT, "--%s: \"%s\" is not a whole number in [%lld, %lld]", name,
                    given, (long long)least, (long long)most);
    return STATUS_OK;
}

enum status command_read_size(const struct flags *f, const char *name, int64_t least, int64_t most,
                              int64_t *width, int64_t *height)
{
    const char *given = flags_value(f, name), *cross = given != NULL ? strchr(given, 'x') : NULL;
    char *first = mem_text_n(given, cross == NULL ? 0 : (size_t)(cross - given));
    const bool is_right = cross != NULL && text_to_int(first, width) &&
                          text_to_int(cross + 1, height) && *width >= least && *height >= least &&
                          *width <= most && *height <= most;

    mem_free(first);
    if (given == NULL || is_right)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "--%s: \"%s\" is not a width and a height such as 800x600, each in [%lld, %lld]",
                name, given, (long long)least, (long long)most);
}

enum status command_run_folder(const struct flags *f, const char *given, char **folder)
{
    if (given != NULL && given[0] != '\0') {
        *folder = mem_text(given);
        return STATUS_OK;
    }
    TRY(latest_run_find(RUNDIR_PARENT, folder));
    if (world_reports() && !flags_has(f, "quiet"))
        log_info("using %s, the newest in %s", *folder, RUNDIR_PARENT);
    return STATUS_OK;
}

struct node *command_settings(const struct flags *f, const struct flags_spec *spec)
{
    struct node *settings = node_copy(f->tree);

    for (const struct flag *flag = spec->flags; flag->name != NULL; flag++)
        if (flag->path == NULL)
            node_remove(settings, flag->name);
    for (int64_t i = 0; spec->registries != NULL && spec->registries[i] != NULL; i++) {
        struct node *section = node_find(settings, spec->registries[i]->section);

        if (section != NULL)
            registry_split_name(spec->registries[i], section);
    }
    return settings;
}
