/*
 * flags.h - the command line of one command, from a table: parsing, suggestions and --help.
 *
 * A flag either sets a value in the run config's tree at its path (as a YAML key would) or, without
 * a path, is kept under its own name at the tree's top for the command itself. '-' and '_' are the
 * same. "--lr 0.1" and "--lr=0.1" both work; a switch takes no value ("--quiet", "--quiet=false").
 *
 * Dotted flags reach the options of a registry's chosen entry: "--optimizer.beta1 0.95" and
 * "--schedule.gamma 0.5" name the section; "--adam.beta1 0.95" names the entry, and is an error
 * unless that entry is the chosen one (checked by flags_check_entries once the choice is known).
 * An option that is itself a choice has dotted flags of its own: "--local-sgd.outer.lr 0.7".
 */
#ifndef CONF_FLAGS_H
#define CONF_FLAGS_H

#include "conf/node.h"
#include "conf/registry.h"

struct flag {
    const char *name;  /* "batch-size", without dashes */
    const char *path;  /* "train.batch_size"; NULL: the command's own, stored under its name */
    const char *value; /* what help shows: "N"; "[=FILE]": only as --flag=FILE, or without; "[RUN]":
                          as --flag RUN, or without; NULL: a switch */
    const char *help;  /* NULL: what the field at `path` says (flags_spec.tables) */
    const char *group; /* heading in help; NULL: that of the flag before */
};

/* clang-format off */
#define FLAG_LAST {0} /* the end of a list of flags */
/* clang-format on */

/* What other programs call a flag, without dashes, and what to use here: "use --lr". */
struct flag_other_name {
    const char *name, *remedy;
};

/* A flag that is set often, and one line about it for the short help. */
struct flag_brief {
    const char *name, *text;
};

/* The field table of a section, whose rows explain the flags that set them. */
struct flag_table {
    const char *section; /* "train"; "": the top */
    const struct field *fields;
};

struct flags_spec {
    const char *command;             /* "train" */
    const char *usage;               /* "muster train [options]" */
    const char *intro;               /* a paragraph */
    const char *examples;            /* lines to paste */
    const struct flag *flags;        /* ends with FLAG_LAST */
    const struct flag_table *tables; /* for flags without help; ends with a zero row; may be NULL */
    const struct registry *const *registries;  /* for dotted flags; ends with NULL; may be NULL */
    const struct flag_other_name *other_names; /* ends with a zero row; may be NULL */
    const struct flag_brief *briefs;           /* ends with a zero row; may be NULL */
    int positional_max;                        /* operands accepted; -1: any number */
    bool ends_with_command; /* what follows the first operand is the command line of something else
                             */
    const char *repeated;   /* a flag of the command's own that may come again: a list; or NULL */
};

struct flags {
    struct node *tree; /* what the flags set; nodes carry the flag as origin */
    int argc;          /* all that was given, with the name of the command */
    char **argv;       /* borrowed */
    char **positional; /* borrowed from argv */
    int positional_count;
    bool help;                /* --help or -h was given: print flags_help and stop */
    struct node *entry_flags; /* list of {entry, section, flag} for flags_check_entries */
};

enum status flags_parse(struct flags *f, const struct flags_spec *spec, int argc, char **argv);

/* An "--adam.x" flag while section "optimizer" chose something else is an error that says so. */
enum status flags_check_entries(const struct flags *f, const struct registry *r,
                                const char *chosen);

/* Whether a flag without a path was given (a switch: and is not false), and its value or NULL. */
bool flags_has(const struct flags *f, const char *name);
const char *flags_value(const struct flags *f, const char *name);
void flags_release(struct flags *f);

/*
 * What --help prints. The short form has the command's own flags and those of `briefs`, or all
 * where there are no briefs, and leaves out the options of what is chosen by name.
 */
enum flags_help_form { FLAGS_HELP_SHORT, FLAGS_HELP_ALL };
void flags_help(const struct flags_spec *spec, enum flags_help_form form, struct text *out);

#endif
