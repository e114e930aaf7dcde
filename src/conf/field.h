/*
 * field.h - an option exists in one place: a row in its module's table.
 *
 * From the row come the default, the check of type and range, the flag, --help,
 * docs/reference/config.md and the dump in the run directory. A table describes the members of one
 * options struct and ends with FIELD_LAST. The macros refuse at compile time a member of another
 * type.
 *
 * A member may itself be a choice by name with options of its own (FIELD_SECTION): in YAML
 * "outer: {name: sgd, lr: 0.7}" or "outer: sgd", as flags "--local-sgd.outer sgd
 * --local-sgd.outer.lr 0.7".
 */
#ifndef CONF_FIELD_H
#define CONF_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "conf/node.h"

enum field_kind {
    FIELD_KIND_LAST,
    FIELD_KIND_INT,     /* int64_t */
    FIELD_KIND_REAL,    /* double */
    FIELD_KIND_BOOL,    /* bool */
    FIELD_KIND_TEXT,    /* char *, owned by the options struct; may be NULL: "not given" */
    FIELD_KIND_CHOICE,  /* int, the position in `choices` */
    FIELD_KIND_INTS,    /* struct field_ints */
    FIELD_KIND_SECTION, /* struct choice (registry.h), of `registry`; owned by the options struct */
};

struct registry; /* registry.h */

enum { FIELD_INTS_MAX = 32 };

struct field_ints {
    int64_t count;
    int64_t values[FIELD_INTS_MAX];
};

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;
    double default_number;
    const char *default_text;        /* TEXT, CHOICE: the word; INTS: "16,16"; NULL text: not given.
                                        SECTION: the entry; NULL: nothing is chosen, which is `none` */
    double min, max;                 /* INT, REAL, INTS (each value) */
    const char *const *choices;      /* CHOICE: ends with NULL */
    const struct registry *registry; /* SECTION: what is chosen from */
    bool is_path;                    /* TEXT: a file or folder, relative to the current folder */
    const char *help;                /* one line, lower case, no full stop, with the unit */
};

#define FIELD_AT(owner, member, ctype) \
    _Generic(((owner *)0)->member, ctype : offsetof(owner, member))

#define FIELD_INT(owner, member, value, low, high, text)                                     \
    {                                                                                        \
        .name = #member, .kind = FIELD_KIND_INT, .offset = FIELD_AT(owner, member, int64_t), \
        .default_number = (double)(value), .min = (double)(low), .max = (double)(high),      \
        .help = (text)                                                                       \
    }
#define FIELD_REAL(owner, member, value, low, high, text)                                    \
    {                                                                                        \
        .name = #member, .kind = FIELD_KIND_REAL, .offset = FIELD_AT(owner, member, double), \
        .default_number = (value), .min = (low), .max = (high), .help = (text)               \
    }
#define FIELD_BOOL(owner, member, value, text)                                             \
    {                                                                                      \
        .name = #member, .kind = FIELD_KIND_BOOL, .offset = FIELD_AT(owner, member, bool), \
        .default_number = (value) ? 1 : 0, .help = (text)                                  \
    }
#define FIELD_TEXT(owner, member, value, text)                                               \
    {                                                                                        \
        .name = #member, .kind = FIELD_KIND_TEXT, .offset = FIELD_AT(owner, member, char *), \
        .default_text = (value), .help = (text)                                              \
    }
#define FIELD_PATH(owner, member, value, text)                                               \
    {                                                                                        \
        .name = #member, .kind = FIELD_KIND_TEXT, .offset = FIELD_AT(owner, member, char *), \
        .default_text = (value), .is_path = true, .help = (text)                             \
    }
#define FIELD_CHOICE(owner, member, value, names, text)                                     \
    {                                                                                       \
        .name = #member, .kind = FIELD_KIND_CHOICE, .offset = FIELD_AT(owner, member, int), \
        .default_text = (value), .choices = (names), .help = (text)                         \
    }
#define FIELD_INTS(owner, member, value, low, high, text)                              \
    {                                                                                  \
        .name = #member, .kind = FIELD_KIND_INTS,                                      \
        .offset = FIELD_AT(owner, member, struct field_ints), .default_text = (value), \
        .min = (double)(low), .max = (double)(high), .help = (text)                    \
    }
#define FIELD_SECTION(owner, member, value, choose_from, text)                     \
    {                                                                              \
        .name = #member, .kind = FIELD_KIND_SECTION,                               \
        .offset = FIELD_AT(owner, member, struct choice), .default_text = (value), \
        .registry = (choose_from), .help = (text)                                  \
    }
#define FIELD_LAST              \
    {                           \
        .kind = FIELD_KIND_LAST \
    }

/* Fills an options struct with the defaults. */
void fields_default(const struct field *fields, void *options);

/* Frees the texts and sections of an options struct and zeroes them; may be called twice. */
void fields_release(const struct field *fields, void *options);

/*
 * Reads a map into an options struct that holds the defaults (or earlier values). Keys in `skip`
 * (ends with NULL, may be NULL) belong to somebody else; any other key that is not in the table is
 * an error with a suggestion: "net.yaml:3:5: optimizer.betta1: adam has no such option; did you
 * mean beta1?" `owner` names the table in messages ("optimizer adam"), `path` the map
 * ("optimizer").
 */
struct fields_place {
    const char *owner, *path;
    const char *const *skip;
};
enum status fields_read(const struct field *fields, void *options, const struct node *map,
                        const struct fields_place *place);

/* Writes every value into a map (created nodes; origin "effective"). A NULL text is left out. */
void fields_dump(const struct field *fields, const void *options, struct node *map);

/* The value of one field as text, as fields_dump writes it. */
void field_value_text(const struct field *f, const void *options, struct text *out);

/* NULL when the table has no such name ('-' and '_' the same). */
const struct field *fields_find(const struct field *fields, const char *name);

/*
 * The same for a path through sections: "outer.lr" is an option that some entry of the section's
 * registry has, "outer" and "outer.name" are the section itself. Adds to `found` (may be NULL) the
 * path as the tables write it, that of a section with ".name".
 */
const struct field *fields_find_path(const struct field *fields, const char *path,
                                     struct text *found);

/* "did you mean NEAR?", or, when no name is near, `lead` and all the names ("it has lr, beta1"). */
void field_suggest(const char *word, const char *const *names, const char *lead, struct text *out);

/* The same for the names of a table and those in `more` (ends with NULL, may be NULL). A word with
 * a dot is looked for in the section before the dot. */
void fields_suggest(const char *word, const struct field *fields, const char *const *more,
                    struct text *out);

/* true, yes, on or false, no, off, in any case; answers false when it is none of them. */
bool field_to_bool(const char *text, bool *value);

/* What a row means and allows: "help (default 0.9; 0 to 1)". */
void field_meaning(const struct field *f, struct text *out);

/* Two columns of help, the right one wrapped at column 96. */
void fields_help_row(const char *left, const char *right, struct text *out);

/* One paragraph, wrapped at column 96. */
void fields_help_paragraph(const char *paragraph, struct text *out);

/* Rows of help: "  --PREFIXname VALUE   help (default; range or choices)". prefix e.g. "adam.". */
void fields_help(const struct field *fields, const char *prefix, struct text *out);

/* The same as a Markdown table body: | key | default | allowed | meaning | */
void fields_markdown(const struct field *fields, const char *prefix, struct text *out);

#endif
