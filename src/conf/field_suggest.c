/*
 * field_suggest.c - for messages about a wrong name: the nearest of those that exist, or all of
 * them.
 */
#include <string.h>

#include "base/mem.h"
#include "conf/registry.h"

static bool is_row(const struct field *f)
{
    return f != NULL && f->kind != FIELD_KIND_LAST;
}

/* Several tables may know the same name. */
static bool was_before(const char *const *names, int64_t at)
{
    for (int64_t i = 0; i < at; i++)
        if (strcmp(names[i], names[at]) == 0)
            return true;
    return false;
}

void field_suggest(const char *word, const char *const *names, const char *lead, struct text *out)
{
    const char *near = word == NULL ? NULL : text_nearest(word, names);

    if (near != NULL) {
        text_addf(out, "did you mean %s?", near);
        return;
    }
    text_addf(out, "%s ", lead);
    for (int64_t i = 0; names[i] != NULL; i++)
        if (!was_before(names, i))
            text_addf(out, "%s%s", i > 0 ? ", " : "", names[i]);
    if (names[0] == NULL)
        text_add(out, "none");
}

/* Paths of all options that a section's entries have, in `paths` with room for `most`. */
static int64_t section_paths(const struct field *section, char **paths, int64_t most)
{
    int64_t count = 0;

    for (const struct entry *const *e = section->registry->entries; *e != NULL; e++)
        for (const struct field *f = (*e)->fields; is_row(f) && count < most; f++)
            paths[count++] = text_format("%s.%s", section->name, f->name);
    return count;
}

/* For "outer.lrr". False: the word is not of that form. */
static bool suggest_in_section(const char *word, const struct field *fields, struct text *out)
{
    enum { MOST = 255 };
    const char *dot = word == NULL ? NULL : strchr(word, '.');
    char *paths[MOST + 1] = {NULL};

    if (dot == NULL)
        return false;
    char *head = mem_text_n(word, (size_t)(dot - word));
    const struct field *section = fields_find(fields, head);

    mem_free(head);
    if (section == NULL || section->kind != FIELD_KIND_SECTION)
        return false;
    const int64_t count = section_paths(section, paths, MOST);
    field_suggest(word, (const char *const *)paths, "it has", out);
    for (int64_t i = 0; i < count; i++)
        mem_free(paths[i]);
    return true;
}

void fields_suggest(const char *word, const struct field *fields, const char *const *more,
                    struct text *out)
{
    int64_t count = 0;

    if (suggest_in_section(word, fields, out))
        return;
    for (const struct field *f = fields; is_row(f); f++)
        count++;
    for (const char *const *m = more; m != NULL && *m != NULL; m++)
        count++;
    const char **names = MEM_NEW_N(const char *, count + 1);
    count = 0;
    for (const struct field *f = fields; is_row(f); f++)
        names[count++] = f->name;
    for (const char *const *m = more; m != NULL && *m != NULL; m++)
        names[count++] = *m;
    field_suggest(word, names, "it has", out);
    mem_free(names);
}
