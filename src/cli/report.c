/*
 * report.c - `muster report RUN|STUDY...`: what was measured, as a page or as files for a paper.
 */
#include "report/report.h"

#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/list.h"
#include "cli/milestone_flags.h"

static const struct flag report_flags[] = {
    {"format", NULL, "FORMAT",
     "html (a page, the default), md (tables in Markdown), csv (report.csv and curves.csv) or svg "
     "(a picture per file)",                                                                       "What"},
    {"only",   NULL, "NAME,...", "show only these runs or entries of a study; * matches any text",
     NULL                                                                                                },
    MILESTONE_FLAGS,
    {"out",    NULL, "PATH",
     "file to write; with csv and svg, a folder (default: in the folder of the run or study; of "
     "several, or with --only, here)",                                                             "How" },
    {"quiet",  NULL, NULL,       "no progress, only warnings, errors and the path",                NULL  },
    FLAG_LAST,
};

static const struct flags_spec report_spec = {
    .command = "report",
    .usage = "muster report [RUN|STUDY...] [flags]",
    .intro = "Writes a report about runs or studies: results with 95 % intervals over seeds, "
             "comparison with the best case, curves, pictures of workers, graph, data and classes, "
             "and all settings. The page report.html needs no network; open it in a browser. Runs "
             "that were started one by one are grouped by the settings that differ. Runs that are "
             "still running, or were killed, are shown as far as they went. Without RUN it uses "
             "runs/latest, the newest one.",
    .examples = "muster report runs/<experiment>\n"
                "muster report runs/<run> runs/<run> --out both.html\n"
                "muster report runs/<experiment> --format svg --out figures",
    .flags = report_flags,
    .positional_max = -1,
};

typedef enum status report_writer(const struct report_request *q, char **written);

static enum status find_writer(const char *name, report_writer **writer)
{
#define ENTRY(name, what) {#name, report_write_##name},
    static const struct {
        const char *name;
        report_writer *write;
    } formats[] = {REPORT_FORMAT_LIST(ENTRY)};
#undef ENTRY

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(name, formats[i].name) == 0) {
            *writer = formats[i].write;
            return STATUS_OK;
        }
    return FAIL(STATUS_BAD_INPUT, "--format: '%s' is not html, md, csv or svg", name);
}

static enum status write_report(const struct flags *f, char *const *paths, int count)
{
    const char *format = flags_value(f, "format");
    struct report_request q = {.paths = paths,
                               .count = count,
                               .out = flags_value(f, "out"),
                               .only = flags_value(f, "only")};
    report_writer *writer = NULL;
    char *written = NULL;

    TRY(find_writer(format == NULL ? "html" : format, &writer));
    TRY(milestone_flags_read(f, &q.milestones));
    TRY(writer(&q, &written));
    char *line = text_format("%s\n", written);
    command_print(line);
    mem_free(line);
    mem_free(written);
    return STATUS_OK;
}

static enum status report_parsed(const struct flags *f)
{
    char *latest = NULL;

    if (flags_has(f, "quiet"))
        log_set_level(LOG_WARNING);
    if (f->positional_count > 0)
        return write_report(f, f->positional, f->positional_count);
    TRY(command_run_folder(f, NULL, &latest));
    const enum status s = write_report(f, &latest, 1);
    mem_free(latest);
    return s;
}

static enum status report_run(int argc, char **argv)
{
    return command_run(&report_spec, argc, argv, report_parsed);
}

const struct command report_command = {
    .name = "report",
    .summary = "show runs and studies as one page, or as files for a paper",
    .flags = &report_spec,
    .run = report_run,
};
