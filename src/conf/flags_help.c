/*
 * flags_help.c - what --help prints for a command: usage, examples, flags by group, and in the
 * long form the options of everything that can be chosen by name.
 */
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "conf/flags.h"

/* The field that a flag sets, or NULL: "train.batch_size" in the table of section "train". */
static const struct field *field_of(const struct flags_spec *spec, const struct flag *f)
{
    const char *dot = f->path == NULL ? NULL : strchr(f->path, '.');
    const size_t length = dot == NULL ? 0 : (size_t)(dot - f->path);

    for (const struct flag_table *t = spec->tables; f->path != NULL && t != NULL && t->section; t++)
        if (strlen(t->section) == length && strncmp(t->section, f->path, length) == 0)
            return fields_find(t->fields, dot == NULL ? f->path : dot + 1);
    return NULL;
}

static void add_meaning(const struct flags_spec *spec, const struct flag *f, struct text *out)
{
    const struct field *field = f->help == NULL ? field_of(spec, f) : NULL;

    CHECK(f->help != NULL || field != NULL);
    if (field != NULL)
        field_meaning(field, out);
    else
        text_add(out, f->help);
}

static const char *brief_of(const struct flags_spec *spec, const struct flag *f)
{
    for (const struct flag_brief *b = spec->briefs; b->name != NULL; b++)
        if (strcmp(b->name, f->name) == 0)
            return b->text;
    return NULL;
}

static void add_flag(const struct flags_spec *spec, const struct flag *f, const char *brief,
                     struct text *out)
{
    struct text left = {0}, right = {0};

    text_addf(&left, "--%s%s%s", f->name,
              f->value == NULL || strncmp(f->value, "[=", 2) == 0 ? "" : " ",
              f->value != NULL ? f->value : "");
    if (brief != NULL)
        text_add(&right, brief);
    else
        add_meaning(spec, f, &right);
    fields_help_row(text_get(&left), text_get(&right), out);
    text_release(&left);
    text_release(&right);
}

static void add_flags(const struct flags_spec *spec, enum flags_help_form form, struct text *out)
{
    const bool is_short = form == FLAGS_HELP_SHORT && spec->briefs != NULL;
    const char *group = "Options", *shown = NULL;

    for (const struct flag *f = spec->flags; f->name != NULL; f++) {
        const char *brief = is_short ? brief_of(spec, f) : NULL;

        group = f->group != NULL ? f->group : group;
        if (is_short && brief == NULL && f->path != NULL)
            continue;
        if (group != shown)
            text_addf(out, "\n%s:\n", group);
        shown = group;
        add_flag(spec, f, brief, out);
    }
    if (shown == NULL)
        text_add(out, "\nOptions:\n");
    fields_help_row("-h, --help", "show this text", out);
}

static void add_registry(const struct registry *r, struct text *out)
{
    for (const struct entry *const *e = r->entries; *e != NULL; e++) {
        if ((*e)->fields == NULL || (*e)->fields->kind == FIELD_KIND_LAST)
            continue;
        char *prefix = text_format("%s.", (*e)->name);
        text_addf(out, "\nOptions of %s %s (also as --%s.*):\n", r->what, (*e)->name, r->section);
        fields_help((*e)->fields, prefix, out);
        mem_free(prefix);
    }
}

/* The lines of a text, each indented. */
static void add_lines(const char *lines, struct text *out)
{
    for (const char *s = lines; *s != '\0'; s += *s == '\n') {
        const size_t length = strcspn(s, "\n");

        text_add(out, s[0] == ' ' || length == 0 ? "" : "  ");
        text_add_n(out, s, length);
        text_add(out, "\n");
        s += length;
    }
}

static void add_registries(const struct flags_spec *spec, enum flags_help_form form,
                           struct text *out)
{
    if (spec->registries == NULL)
        return;
    for (int64_t i = 0; form == FLAGS_HELP_ALL && spec->registries[i] != NULL; i++)
        add_registry(spec->registries[i], out);
    if (form == FLAGS_HELP_SHORT)
        text_addf(out,
                  "\nAll flags, with the options of everything that is chosen by name: muster %s "
                  "--help --all\n",
                  spec->command);
}

void flags_help(const struct flags_spec *spec, enum flags_help_form form, struct text *out)
{
    text_addf(out, "Usage: %s\n", spec->usage);
    if (spec->intro != NULL) {
        text_add(out, "\n");
        fields_help_paragraph(spec->intro, out);
    }
    if (spec->examples != NULL) {
        text_add(out, "\nExamples:\n");
        add_lines(spec->examples, out);
    }
    add_flags(spec, form, out);
    add_registries(spec, form, out);
}
