/*
 * subject_select.c - a part of the runs: --only.
 */
#include <fnmatch.h>
#include <string.h>

#include "base/mem.h"
#include "report/subject.h"

static bool mark(const struct subject *s, const char *pattern, bool *is_kept)
{
    bool found = false;

    for (int64_t i = 0; i < s->results.run_count; i++) {
        const struct results_run *run = &s->results.runs[i];

        if (fnmatch(pattern, run->name, 0) == 0 ||
            (run->run != NULL && fnmatch(pattern, run->run, 0) == 0))
            found = is_kept[i] = true;
    }
    return found;
}

static enum status mark_all(const struct subject *s, const char *only, bool *is_kept)
{
    for (;;) {
        const size_t length = strcspn(only, ",");
        char *pattern = mem_text_n(only, length);
        const bool found = mark(s, pattern, is_kept);

        mem_free(pattern);
        if (!found)
            return FAIL(STATUS_BAD_INPUT, "--only: no run is called %.*s; the first is %s",
                        (int)length, only,
                        s->results.run_count > 0 ? s->results.runs[0].name : "(none)");
        if (only[length] == '\0')
            return STATUS_OK;
        only += length + 1;
    }
}

static void keep_runs(struct subject *s, const bool *is_kept)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < s->results.run_count; i++) {
        if (is_kept[i]) {
            s->results.runs[kept] = s->results.runs[i];
            s->runs[kept++] = s->runs[i];
        } else {
            mem_free(s->results.runs[i].values.items);
            mem_free(s->runs[i].dir);
        }
    }
    s->results.run_count = kept;
}

static bool has_runs(const struct results *r, const struct results_case *c)
{
    bool found = false;

    for (int64_t i = 0; i < r->run_count && !found; i++)
        found = results_belongs(&r->runs[i], c);
    return found;
}

static void keep_cases(struct results *r)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < r->case_count; i++) {
        if (has_runs(r, &r->cases[i]))
            r->cases[kept++] = r->cases[i];
        else
            mem_free(r->cases[i].values.items);
    }
    r->case_count = kept;
}

enum status subject_select(struct subject *s, const char *only)
{
    bool *is_kept = MEM_NEW_N(bool, s->results.run_count);
    const enum status status = mark_all(s, only, is_kept);

    if (status == STATUS_OK) {
        keep_runs(s, is_kept);
        keep_cases(&s->results);
        mem_free(s->folder);
        s->folder = mem_text(".");  /* beside, not instead of, the report of the whole */
        s->results.claim_count = 0; /* claims are about cases by name; a part is not judged */
    }
    mem_free(is_kept);
    return status;
}
