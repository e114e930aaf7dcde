/*
 * run_facts.c - settings, machine, commands, starts and warnings of a run, as HTML.
 */
#include "report/run_facts.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "report/html.h"

enum { FILE_LIMIT = 1 << 20, LOG_LIMIT = 1 << 26, WARNINGS_MAX = 50 };

/* --- lists of a word and its meaning --- */

static void add_fact(struct text *out, const char *name, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return;
    text_add(out, "<dt>");
    html_text(out, name);
    text_add(out, "</dt><dd>");
    html_text(out, value);
    text_add(out, "</dd>\n");
}

static void add_count(struct text *out, const char *name, int64_t value)
{
    char *number = text_format("%lld", (long long)value);

    if (value > 0)
        add_fact(out, name, number);
    mem_free(number);
}

/* As a shell takes it. */
static void add_argument(struct text *command, const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:=,+@%";
    const bool is_plain = argument[0] != '\0' && argument[strspn(argument, plain)] == '\0';

    if (command->length > 0)
        text_add(command, " ");
    if (is_plain) {
        text_add(command, argument);
        return;
    }
    text_add(command, "'");
    for (const char *c = argument; *c != '\0'; c++)
        if (*c == '\'')
            text_add(command, "'\\''");
        else
            text_add_n(command, c, 1);
    text_add(command, "'");
}

static void add_commands(struct text *out, const struct record *r)
{
    struct text command = {0};

    if (r->environment.command_line.count > 0)
        add_argument(&command, "muster");
    for (int64_t i = 0; i < r->environment.command_line.count; i++)
        add_argument(&command, r->environment.command_line.items[i]);
    if (command.length > 0) {
        text_add(out, "<p>It was started by</p><pre>");
        html_text(out, text_get(&command));
        text_add(out, "</pre>\n");
    }
    text_clear(&command);
    if (record_has(r, RECORD_CONFIG)) {
        char *path = file_join(r->top_dir, "effective.yaml");

        add_argument(&command, path);
        text_add(out, "<p>This repeats it, with every setting as it was:</p><pre>muster run ");
        html_text(out, text_get(&command));
        text_add(out, "</pre>\n");
        mem_free(path);
    }
    text_release(&command);
}

static void add_machine(struct text *out, const struct rundir_facts *f)
{
    text_add(out, "<dl class=\"facts\">\n");
    add_fact(out, "program", f->version);
    add_fact(out, "date", f->date);
    add_fact(out, "host", f->host);
    add_fact(out, "processor", f->cpu);
    add_count(out, "cores", f->cores);
    add_fact(out, "instruction set", f->isa);
    add_fact(out, "transport", f->transport);
    add_count(out, "workers", f->workers);
    add_count(out, "threads of each", f->threads);
    text_add(out, "</dl>\n");
}

/* --- starts --- */

static void add_cell(struct text *out, const char *value)
{
    text_add(out, "<td>");
    html_text(out, value == NULL ? "-" : value);
    text_add(out, "</td>");
}

static void add_attempts(struct text *out, const struct attempts *a)
{
    if (a->count == 0)
        return;
    text_add(out, "<div class=\"scroll\"><table class=\"table\"><thead><tr><th>start</th>"
                  "<th>end</th><th>how it ended</th><th>host</th><th>from round</th>"
                  "<th>to round</th><th>message</th></tr></thead><tbody>\n");
    for (int64_t i = 0; i < a->count; i++) {
        const struct attempt *t = &a->items[i];

        text_add(out, "<tr>");
        add_cell(out, t->start);
        add_cell(out, t->end);
        add_cell(out, t->reason);
        add_cell(out, t->host);
        text_addf(out, "<td class=\"number\">%lld</td>", (long long)t->from_round);
        if (t->to_round >= 0)
            text_addf(out, "<td class=\"number\">%lld</td>", (long long)t->to_round);
        else
            add_cell(out, NULL);
        add_cell(out, t->message);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</tbody></table></div>\n");
}

/* --- files --- */

void run_facts_file(const char *folder, const char *name, const char *title, struct text *out)
{
    char *path = file_join(folder, name);
    struct text content = {0};

    const enum status s = file_exists(path) ? file_read(path, FILE_LIMIT, &content) : STATUS_OK;
    if (s != STATUS_OK) {
        log_warning("%s; the report is without it", status_message());
    } else if (content.length > 0) {
        text_add(out, "<details><summary>");
        html_text(out, title);
        text_add(out, "</summary><pre>");
        html_text(out, text_get(&content));
        text_add(out, "</pre></details>\n");
    }
    text_release(&content);
    mem_free(path);
}

void run_facts_warnings(const char *folder, struct text *out)
{
    static const char word[] = "warning: ";
    char *path = file_join(folder, "log.txt");
    struct text content = {0};
    int64_t count = 0;

    if (file_exists(path) && file_read(path, LOG_LIMIT, &content) != STATUS_OK)
        log_warning("%s; the report is without it", status_message());
    else
        for (const char *line = text_get(&content); *line != '\0';) {
            const size_t length = strcspn(line, "\n");
            const char *at = strstr(line, word);

            if (at != NULL && at < line + length && count++ < WARNINGS_MAX) {
                text_add_n(out, at + sizeof word - 1,
                           length - (size_t)(at - line) - sizeof word + 1);
                text_add(out, "\n");
            }
            line += length + (line[length] == '\n' ? 1 : 0);
        }
    if (count > WARNINGS_MAX)
        text_addf(out, "and %lld more, in log.txt\n", (long long)(count - WARNINGS_MAX));
    text_release(&content);
    mem_free(path);
}

static void add_damage(struct text *out, const struct record *r)
{
    for (int i = 0; i < RECORD_FILES; i++)
        if (r->files[i].state == RECORD_DAMAGED) {
            text_add(out, "<p class=\"warning\">");
            html_textf(out, "%s cannot be read as a whole: %s", r->files[i].name,
                       r->files[i].message == NULL ? "damaged" : r->files[i].message);
            text_add(out, "</p>\n");
        }
}

static void add_replaced(struct text *out, const struct run_result *r)
{
    if (!(r->replaced > 0) && r->broken.count == 0)
        return;
    text_add(out, "<p class=\"warning\">");
    html_textf(out,
               "Samples that could not be read were replaced by others of their class: %.0f in "
               "batches of training",
               isnan(r->replaced) ? 0 : r->replaced);
    for (int64_t i = 0; i < r->broken.count; i++)
        html_textf(out, "%s%s", i == 0 ? ". Files: " : ", ", r->broken.items[i]);
    text_add(out, "</p>\n");
}

void run_facts_html(const struct record *r, struct text *out)
{
    struct text warnings = {0};

    add_damage(out, r);
    add_replaced(out, &r->result);
    run_facts_warnings(r->top_dir, &warnings);
    if (warnings.length > 0) {
        text_add(out, "<pre class=\"warning\">");
        html_text(out, text_get(&warnings));
        text_add(out, "</pre>\n");
    }
    text_release(&warnings);
    text_add(out, "<details><summary>Machine, commands and starts</summary>\n");
    add_machine(out, &r->environment);
    add_commands(out, r);
    add_attempts(out, &r->attempts);
    text_add(out, "</details>\n");
    run_facts_file(r->top_dir, "effective.yaml", "All settings", out);
}
