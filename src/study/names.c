/*
 * names.c - the names of runs, and the selection of runs by their names.
 */
#include "study/names.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "record/rundir.h"

/* "-" and 48 bits; and at most "fold=1000000_seed=9000000000000000" */
enum { HASH_DIGITS = 12, HASH_LENGTH = 1 + HASH_DIGITS, REPETITION_LENGTH = 40 };

/* --- full names --- */

static void add_part(struct text *name, const char *key, const char *value)
{
    text_addf(name, "%s%s%s%s", name->length == 0 ? "" : "_", key, key[0] == '\0' ? "" : "=",
              value);
}

/* Two options of the same key are distinguished by their sections. */
static void name_keys(struct study_run *c)
{
    struct study_value *v = c->values.items;

    for (int64_t i = 0; i < c->values.count; i++) {
        bool is_alone = true;

        for (int64_t k = i + 1; k < c->values.count; k++)
            if (strcmp(v[k].key, v[i].key) == 0) {
                mem_free(v[k].key);
                v[k].key = mem_text(v[k].path);
                is_alone = false;
            }
        if (!is_alone) {
            mem_free(v[i].key);
            v[i].key = mem_text(v[i].path);
        }
    }
}

/* The name of the run's case; "" when nothing varies but the seed. mem_free. */
static char *case_name_of(const struct study_run *c)
{
    struct text name = {0};

    if (c->entry != NULL)
        add_part(&name, "", c->entry);
    for (int64_t i = 0; i < c->values.count; i++)
        add_part(&name, c->values.items[i].key, c->values.items[i].text);
    return name.length == 0 ? mem_text("") : text_take(&name);
}

/* What tells the runs of a case apart: "fold=2_seed=1"; "" where it has one. mem_free. */
static char *repetition_of(const struct study_run *c)
{
    struct text name = {0};

    if (c->fold != NULL)
        add_part(&name, "fold", c->fold);
    if (c->seed != NULL)
        add_part(&name, "seed", c->seed);
    return name.length == 0 ? mem_text("") : text_take(&name);
}

char *names_case(const struct study_run *c)
{
    char *name = case_name_of(c);

    if (name[0] != '\0')
        return name;
    mem_free(name);
    return mem_text("run");
}

static char *full_name_of(const struct study_run *c)
{
    char *case_name = case_name_of(c), *repetition = repetition_of(c);
    struct text name = {0};

    text_add(&name, case_name);
    if (repetition[0] != '\0')
        add_part(&name, "", repetition);
    if (name.length == 0)
        text_add(&name, "run");
    mem_free(case_name);
    mem_free(repetition);
    return text_take(&name);
}

/* --- names of folders --- */

/* The beginning and the hash of the case's name, so that fold and seed stay readable and the runs
 * of a case stay together. */
static char *hashed_name(const struct study_run *c)
{
    char *case_name = case_name_of(c), *repetition = repetition_of(c);
    char *safe =
        repetition[0] == '\0' ? mem_text("") : rundir_safe_text(repetition, REPETITION_LENGTH);
    const char *separator = safe[0] == '\0' ? "" : "_";
    const size_t taken = HASH_LENGTH + strlen(separator) + strlen(safe);
    char *beginning = rundir_safe_text(case_name, RUNDIR_NAME_MAX - taken);
    const uint64_t hash = text_hash(case_name) >> (64 - 4 * HASH_DIGITS);
    char *name = text_format("%s-%0*" PRIx64 "%s%s", beginning, HASH_DIGITS, hash, separator, safe);

    mem_free(beginning);
    mem_free(safe);
    mem_free(repetition);
    mem_free(case_name);
    return name;
}

/* The files that a study has next to the folders of its runs (runner.c). */
static bool is_file_of_study(const char *name)
{
    static const char *const files[] = {"results.json",   "results.csv", "experiment.yaml",
                                        "effective.yaml", "best.yaml",   "tune"};

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strcmp(name, files[i]) == 0)
            return true;
    return false;
}

static void name_run(struct study_run *c)
{
    c->full_name = full_name_of(c);
    c->name = rundir_safe_text(c->full_name, RUNDIR_NAME_MAX + 1);
    if (strlen(c->name) > RUNDIR_NAME_MAX || is_file_of_study(c->name)) {
        mem_free(c->name);
        c->name = hashed_name(c);
    }
}

/* Marks the runs whose names others have, too. */
static void mark_same(const struct study *s, bool *is_same)
{
    uint64_t *hashes = MEM_NEW_N(uint64_t, s->count);

    for (int64_t i = 0; i < s->count; i++)
        hashes[i] = text_hash(s->runs[i].name);
    for (int64_t i = 0; i < s->count; i++)
        for (int64_t k = 0; k < i; k++)
            if (hashes[i] == hashes[k])
                is_same[i] = is_same[k] = true;
    mem_free(hashes);
}

void names_assign(struct study *s)
{
    bool *is_same = MEM_NEW_N(bool, s->count);

    for (int64_t i = 0; i < s->count; i++) {
        name_keys(&s->runs[i]);
        name_run(&s->runs[i]);
    }
    mark_same(s, is_same);
    for (int64_t i = 0; i < s->count; i++) {
        struct study_run *c = &s->runs[i];

        if (is_same[i]) {
            mem_free(c->name);
            c->name = hashed_name(c);
        }
        node_put(c->root, "name", node_new_scalar(c->name, "study", 0, 0));
    }
    mem_free(is_same);
}

static void list_names(const struct study *s, const char *folder, struct text *out)
{
    for (int64_t i = 0; i < s->count; i++) {
        const struct study_run *c = &s->runs[i];
        const bool is_full = c->full_name == NULL || strcmp(c->full_name, c->name) == 0;

        if (!c->is_left_out)
            text_addf(out, "%s%s%s%s\n", folder, c->name, is_full ? "" : "  ",
                      is_full ? "" : c->full_name);
    }
}

void names_list(const struct study *s, struct text *out)
{
    if (s->tuning != NULL)
        list_names(s->tuning, "tune/", out);
    list_names(s, "", out);
}

/* --- a selection of the runs --- */

static bool name_fits(const char *pattern, const char *name, const struct study_run *c)
{
    char *repetition = repetition_of(c);
    const size_t taken = strlen(repetition) + 1, length = strlen(name);

    mem_free(repetition);
    if (fnmatch(pattern, name, 0) == 0)
        return true;
    if (taken == 1 || length <= taken)
        return false;
    char *case_name = mem_text_n(name, length - taken);
    const bool found = fnmatch(pattern, case_name, 0) == 0;
    mem_free(case_name);
    return found;
}

static bool run_fits(const struct study_run *c, const char *pattern)
{
    return (c->entry != NULL && fnmatch(pattern, c->entry, 0) == 0) ||
           name_fits(pattern, c->name, c) ||
           (c->full_name != NULL && name_fits(pattern, c->full_name, c));
}

static bool mark_matching(const struct study *s, const char *pattern, bool *is_kept)
{
    bool found = false;

    for (int64_t i = 0; i < s->count; i++)
        if (run_fits(&s->runs[i], pattern))
            found = is_kept[i] = true;
    return found;
}

/* The end of the piece that ends before `end`: at the comma before, or the beginning. */
static const char *comma_before(const char *begin, const char *end)
{
    while (end > begin && *--end != ',')
        ;
    return end;
}

/* Marks what the longest piece at the beginning asks for, and answers its end; NULL: nothing. */
static const char *mark_longest(const struct study *s, const char *names, bool *is_kept)
{
    for (const char *end = names + strlen(names); end > names; end = comma_before(names, end)) {
        char *pattern = mem_text_n(names, (size_t)(end - names));
        const bool found = mark_matching(s, pattern, is_kept);

        mem_free(pattern);
        if (found)
            return end;
    }
    return NULL;
}

static enum status mark_all(const struct study *s, const char *names, bool *is_kept)
{
    for (const char *at = names;; at++) {
        const char *end = mark_longest(s, at, is_kept);

        if (end == NULL)
            return FAIL(STATUS_BAD_INPUT,
                        "--only: unknown run %.*s; --list shows the names, the first is %s",
                        (int)strcspn(at, ","), at, s->runs[0].name);
        at = end;
        if (*at == '\0')
            return STATUS_OK;
    }
}

enum status names_select(struct study *s, const char *names)
{
    bool *is_kept = MEM_NEW_N(bool, s->count);
    const enum status status = mark_all(s, names, is_kept);

    for (int64_t i = 0; status == STATUS_OK && i < s->count; i++)
        s->runs[i].is_left_out = !is_kept[i];
    mem_free(is_kept);
    return status;
}
