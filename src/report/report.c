/*
 * report.c - reports in their formats.
 */
#include "report/report.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "report/answer.h"
#include "report/curve_csv.h"
#include "report/page.h"
#include "report/picture_files.h"
#include "report/robots_page.h"

typedef enum status report_writer(const struct subject *s, const char *out, char **written);

static enum status with_subject(const struct report_request *q, report_writer *write,
                                char **written)
{
    struct subject s;
    const struct subject_choice choice = {.only = q->only, .milestones = q->milestones};
    enum status status = subject_open(&s, q->paths, q->count, &choice);

    *written = NULL;
    if (status == STATUS_OK)
        status = write(&s, q->out, written);
    if (status != STATUS_OK) {
        mem_free(*written);
        *written = NULL;
    }
    subject_release(&s);
    return status;
}

/* --- HTML --- */

/* The landscape of the study, or of the run in its own folder, from the folder of the report;
 * mem_free. NULL: there is none. */
static char *find_landscape(const struct subject *s)
{
    static const char name[] = "landscape.html";
    const char *dir = s->results.run_count == 1 ? s->runs[0].dir : NULL;
    const size_t length = strlen(s->folder);

    if (file_exists_in(s->folder, name))
        return mem_text(name);
    if (dir == NULL || strncmp(dir, s->folder, length) != 0 || dir[length] != '/' ||
        !file_exists_in(dir, name))
        return NULL;
    return file_join(dir + length + 1, name);
}

/* robots.html next to the report, if there is something to show. */
static enum status write_robots(const struct subject *s, const char **link)
{
    if (!robots_page_has(s))
        return STATUS_OK;
    *link = "robots.html";
    char *path = file_join(s->folder, *link);
    const enum status status = robots_page_write(s, path);
    mem_free(path);
    return status;
}

static enum status write_html(const struct subject *s, const char *out, char **written)
{
    struct text page = {0};

    *written = out != NULL ? mem_text(out) : file_join(s->folder, "report.html");
    char *landscape = out == NULL ? find_landscape(s) : NULL;
    struct page_links links = {.landscape = landscape};
    enum status status = out == NULL ? write_robots(s, &links.robots) : STATUS_OK;
    page_write(s, &links, &page);
    mem_free(landscape);
    if (status == STATUS_OK)
        status = file_write_text(*written, text_get(&page));
    text_release(&page);
    return status;
}

enum status report_write_html(const struct report_request *q, char **written)
{
    return with_subject(q, write_html, written);
}

/* --- Markdown --- */

static void add_table(struct text *out, const char *title, struct table *t)
{
    if (t->rows > 0) {
        text_addf(out, "\n## %s\n\n", title);
        table_markdown(t, out);
    }
    table_release(t);
}

static void add_top(const struct subject *s, struct text *out)
{
    struct text summary = {0};

    answer_summary(s, &summary);
    text_add(out, "# ");
    table_markdown_text(out, s->title);
    text_add(out, "\n\n");
    table_markdown_text(out, text_get(&summary));
    text_add(out, "\n");
    text_release(&summary);
}

static enum status write_md(const struct subject *s, const char *out, char **written)
{
    struct text page = {0};
    struct table t;

    *written = out != NULL ? mem_text(out) : file_join(s->folder, "report.md");
    add_top(s, &page);
    answer_cases(s, &t);
    add_table(&page, "Results", &t);
    answer_comparisons(s, &t);
    add_table(&page, "Comparison with the best case", &t);
    answer_published(s, &t);
    add_table(&page, "Published results", &t);
    const enum status status = file_write_text(*written, text_get(&page));
    text_release(&page);
    return status;
}

enum status report_write_md(const struct report_request *q, char **written)
{
    return with_subject(q, write_md, written);
}

/* --- CSV --- */

static enum status write_cases_csv(const struct subject *s, const char *folder)
{
    struct text out = {0};

    results_add_csv(&s->results, &out);
    const enum status status = file_write_in(folder, "report.csv", text_get(&out));
    text_release(&out);
    return status;
}

static enum status write_csv(const struct subject *s, const char *out, char **written)
{
    *written = mem_text(out != NULL ? out : s->folder);
    TRY(file_make_folders(*written));
    TRY(write_cases_csv(s, *written));
    return curve_csv_write(s, *written);
}

enum status report_write_csv(const struct report_request *q, char **written)
{
    return with_subject(q, write_csv, written);
}

/* --- SVG --- */

enum status report_write_svg(const struct report_request *q, char **written)
{
    return with_subject(q, picture_files_write, written);
}
