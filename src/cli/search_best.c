/*
 * search_best.c - what a search ends with: a line, a file, and an entry of results.json.
 */
#include "cli/search_best.h"

#include "base/file.h"
#include "base/mem.h"
#include "cli/settings_command.h"
#include "record/results_table.h"
#include "study/best_case.h"
#include "study/case_names.h"

static const char BEST_FILE[] = "best.yaml";

static enum status write_settings(const struct node *settings, const char *folder)
{
    struct text yaml = {0};

    node_write(settings, &yaml);
    const enum status s = file_write_in(folder, BEST_FILE, text_get(&yaml));
    text_release(&yaml);
    return s;
}

/* NULL: a file's settings are in no file. */
static const char *command_of(const struct study_call *call, const struct node *settings,
                              struct results *r)
{
    struct text command = {0};

    if (call->is_from_flags)
        settings_command(settings, &command);
    else if (r->folder != NULL)
        text_addf(&command, "muster run %s/%s", r->folder, BEST_FILE);
    const char *kept = command.length > 0 ? results_keep(r, text_get(&command)) : NULL;
    text_release(&command);
    return kept;
}

enum status search_best_find(const struct study_call *call, const struct comparison *t,
                             struct results *r)
{
    const int64_t best = best_case_find(r);
    enum status s = STATUS_OK;

    r->best = (struct results_best){.is_wanted = true};
    if (best < 0)
        return STATUS_OK;
    struct node *settings = best_case_settings(&t->rows[best]);
    r->best.of = &r->cases[best];
    r->best.command = command_of(call, settings, r);
    if (r->folder != NULL)
        s = write_settings(settings, r->folder);
    node_free(settings);
    return s;
}

void search_best_text(const struct results *r, struct text *out)
{
    if (r->best.of == NULL) {
        text_add(out,
                 "best: unknown; no case with all its folds is better than a constant guess\n");
        return;
    }

    char *name = case_names_text(r, r->best.of - r->cases);
    char *loss = results_table_cell(r->best.of, RESULT_VALIDATION_LOSS);

    text_addf(out, "best: %s%s(validation loss %s)", name, name[0] == '\0' ? "" : " ", loss);
    if (r->best.command != NULL)
        text_addf(out, ": %s", r->best.command);
    text_add(out, "\n");
    mem_free(name);
    mem_free(loss);
}
