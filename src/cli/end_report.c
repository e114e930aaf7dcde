/*
 * end_report.c - writes the report of what has just run. A failure costs no results.
 */
#include "cli/end_report.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/status.h"
#include "report/report.h"

char *end_report(const struct flags *f, const char *folder)
{
    struct status_slot mine = {0};
    char *path = mem_text(folder), *written = NULL;
    const struct report_request q = {.paths = &path, .count = 1};

    if (!flags_has(f, "no-report") && !flags_has(f, "no-save")) {
        struct status_slot *const usual = status_slot_use(&mine); /* keeps the run's message */
        const enum status s = report_write_html(&q, &written);

        (void)status_slot_use(usual);
        if (s != STATUS_OK)
            log_warning("the report could not be written: %s", mine.text);
    }
    mem_free(path);
    return written;
}
