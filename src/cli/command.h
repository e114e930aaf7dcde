/*
 * command.h - one command of the program. Adding one: its file, and its line in list.h.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/status.h"
#include "conf/flags.h"

struct command {
    const char *name;
    const char *summary;
    const struct flags_spec *flags;
    enum status (*run)(int argc, char **argv); /* argv[0] is the command's name */
    bool is_for_all; /* all processes of a launcher run it together; else the first one alone */
};

/* What the run of a command consists of: parses, prints the help with --help, otherwise calls
 * `body`. */
typedef enum status command_body(const struct flags *f);
enum status command_run(const struct flags_spec *spec, int argc, char **argv, command_body *body);

/* The same of a command that only prints; nothing if `compose` fails. */
typedef enum status command_compose(const struct flags *f, struct text *out);
enum status command_run_printing(const struct flags_spec *spec, int argc, char **argv,
                                 command_compose *compose);

/* Whether the file that a flag names can be written: called before there is work to lose. */
enum status command_check_file(const struct flags *f, const char *name);

/*
 * The same for a file that is replaced. One that is there must be of the same kind, which begins
 * with these bytes (NULL: such files have none in common), or be empty: a mistyped name does not
 * cost a model. --force replaces any.
 */
enum status command_check_replaced(const struct flags *f, const char *name, const char *beginning);

/* The same for a file that an operand names. */
enum status command_check_target(const struct flags *f, const char *path, const char *beginning);

/*
 * Whether the files that these flags name are different from each other and from the operands,
 * which are read. --force does not help: the picture itself is never what a user wants to lose.
 */
enum status command_check_different(const struct flags *f, const char *const *names, int count);

/* The whole number that a flag gives; *value stays without the flag. */
enum status command_read_int(const struct flags *f, const char *name, int64_t least, int64_t most,
                             int64_t *value);
/* The same of a size in pixels, "800x600". */
enum status command_read_size(const struct flags *f, const char *name, int64_t least, int64_t most,
                              int64_t *width, int64_t *height);

/* What the flags set in the run config: their tree without the command's own flags. */
struct node *command_settings(const struct flags *f, const struct flags_spec *spec);

/* The folder that a user names, or without one (NULL or "") the newest run in runs/, which is
 * printed; mem_free. */
enum status command_run_folder(const struct flags *f, const char *given, char **folder);

/* Results, to stdout. */
void command_print(const char *text);

/* The value of a flag [=FILE]: "" prints. */
enum status command_print_or_write(const char *text, const char *path);

#endif
