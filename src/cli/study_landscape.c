/*
 * study_landscape.c - see study_landscape.h.
 */
#include "cli/study_landscape.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/record.h"
#include "report/landscape_page.h"
#include "report/landscape_table.h"
#include "study/comparison.h"
#include "study/sharpness.h"

/* A study that has run, and its folder as a reader sees it. */
struct finished_study {
    const struct study *study;
    const struct runner_outcome *outcome;
    struct subject subject;
};

/* Runs of a study, borrowed from its subject. */
struct chosen_runs {
    char **paths; /* [runs of the study] */
    char **names; /* of their cases */
    int64_t count;
};

static struct chosen_runs chosen_new(const struct subject *s)
{
    return (struct chosen_runs){
        .paths = MEM_NEW_N(char *, s->results.run_count),
        .names = MEM_NEW_N(char *, s->results.run_count),
    };
}

static void chosen_add(struct chosen_runs *c, const struct subject *s, int64_t run)
{
    c->paths[c->count] = s->runs[run].dir;
    c->names[c->count++] = s->cases[s->runs[run].case_number].name;
}

static void chosen_release(struct chosen_runs *c)
{
    mem_free(c->paths);
    mem_free(c->names);
}

static bool is_finished(const struct subject *s, int64_t run)
{
    return s->runs[run].dir != NULL &&
           text_equal(s->results.runs[run].status, record_state_names[RECORD_FINISHED]);
}

static bool came_to_nothing(const struct finished_study *f, const char *run)
{
    bool found = false;

    for (int64_t i = 0; i < f->study->count && !found; i++)
        found = text_equal(f->study->runs[i].name, run) &&
                compared_run_diverges(&f->outcome->results[i], comparison_judged_by(f->study));
    return found;
}

/*
 * The first finished run of each case. The weights of one that came to nothing may be so far away
 * that nothing of the others would be seen: with_all takes these, too. One that finished before
 * snapshots were asked for has none.
 */
static void choose_paths(const struct finished_study *f, bool with_all, struct chosen_runs *c)
{
    const struct subject *s = &f->subject;
    int64_t last_case = -1;

    for (int64_t i = 0; i < s->results.run_count; i++) {
        const char *name = s->results.runs[i].name;

        if (s->runs[i].case_number == last_case || !is_finished(s, i))
            continue;
        last_case = s->runs[i].case_number;
        if (!snapshot_file_exists(s->runs[i].dir))
            log_warning("landscape: %s has no snapshots; remove its folder to run it again", name);
        else if (with_all || !came_to_nothing(f, name))
            chosen_add(c, s, i);
    }
}

static void choose_finished(const struct subject *s, struct chosen_runs *c)
{
    for (int64_t i = 0; i < s->results.run_count; i++)
        if (is_finished(s, i))
            chosen_add(c, s, i);
}

/* --- measuring and writing --- */

static enum status measure_sharpness(const struct subject *s, struct landscape_request q,
                                     struct sharpness_list *list)
{
    struct chosen_runs finished = chosen_new(s);
    struct rundir_list runs;

    choose_finished(s, &finished);
    runs = (struct rundir_list){.paths = finished.paths, .count = finished.count};
    q.runs = &runs;
    const enum status status = sharpness_measure(&q, list);
    chosen_release(&finished);
    return status;
}

static enum status write_page(const struct landscape_request *q, const struct table *t, char **page)
{
    struct landscape l;
    bool reused = false;

    TRY(landscape_make(q, &l, &reused));
    if (reused)
        log_info("landscape: the losses in %s are used", q->folder);
    *page = file_join(q->folder, "landscape.html");
    const enum status s = landscape_page_write(&l, t, *page);
    landscape_release(&l);
    return s;
}

static enum status measure_and_write(const struct subject *s, const struct landscape_request *q,
                                     bool has_sharpness, char **page)
{
    struct sharpness_list sharpness = {0};
    struct table t;

    if (has_sharpness)
        TRY(measure_sharpness(s, *q, &sharpness));
    landscape_table_cases(s, has_sharpness ? &sharpness : NULL, &t);
    const enum status status = write_page(q, &t, page);
    table_release(&t);
    sharpness_list_release(&sharpness);
    return status;
}

static enum status draw(const struct finished_study *f, char **page)
{
    const struct landscape_options *o = &f->study->landscape;
    struct chosen_runs drawn = chosen_new(&f->subject);
    struct node *over = node_new(NODE_MAP, "study", 0, 0); /* nothing: as the runs were */

    choose_paths(f, false, &drawn);
    if (drawn.count == 0)
        choose_paths(f, true, &drawn);
    const struct rundir_list runs = {.paths = drawn.paths, .count = drawn.count};
    const struct landscape_request q = {
        .runs = &runs,
        .names = drawn.names,
        .subject = f->study->name,
        .over = over,
        .folder = f->outcome->folder,
        .directions = (enum landscape_directions)o->directions,
        .grid = o->grid,
        .samples = o->samples,
        .seed = (uint64_t)o->seed,
    };
    const enum status s = drawn.count == 0
                              ? FAIL(STATUS_BAD_INPUT, "no run has finished with snapshots")
                              : measure_and_write(&f->subject, &q, o->sharpness, page);
    chosen_release(&drawn);
    node_free(over);
    return s;
}

enum status study_landscape(const struct study *s, const struct runner_outcome *o, char **page)
{
    struct finished_study f = {.study = s, .outcome = o};
    enum status status = subject_open(&f.subject, &o->folder, 1, &(struct subject_choice){0});

    *page = NULL;
    if (status == STATUS_OK)
        status = draw(&f, page);
    if (status != STATUS_OK) {
        mem_free(*page);
        *page = NULL;
    }
    subject_release(&f.subject);
    return status;
}
