/*
 * search_best.c - what a search ends with: a line, a file, and an entry of results.json.
 */
#include "cli/search_best.h"

#include <math.h>

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

static void add_run_command(const char *folder, struct text *out)
{
    char *path = file_join(folder, BEST_FILE);

    text_add(out, "muster run ");
    settings_command_word(out, path);
    mem_free(path);
}

/* NULL: a file's settings are in no file. */
static const char *command_of(const struct study_call *call, const struct node *settings,
                              struct results *r)
{
    struct text command = {0};

    if (call->is_from_flags)
        settings_command(settings, &command);
    else if (r->folder != NULL)
        add_run_command(r->folder, &command);
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
    if (best < 0) /* an earlier call may have found one */
        return r->folder == NULL ? STATUS_OK : file_remove_in(r->folder, BEST_FILE);
    struct node *settings = best_case_settings(t, best);
    r->best.of = &r->cases[best];
    r->best.command = command_of(call, settings, r);
    if (r->folder != NULL)
        s = write_settings(settings, r->folder);
    node_free(settings);
    return s;
}

/* Cases whose loss is lower than that of the best. */
static void add_not_chosen(const struct results *r, struct text *out)
{
    const struct results_case *best = r->best.of;

    for (int64_t i = 0; i < r->case_count; i++) {
        const struct results_case *c = &r->cases[i];
        const double loss = c->numbers[RESULT_VALIDATION_LOSS].mean;

        if (isnan(loss) || (best != NULL && !(loss < best->numbers[RESULT_VALIDATION_LOSS].mean)))
            continue;
        char *name = case_names_text(r, i), *why = best_case_trouble(r, c);
        char *shown = results_table_cell(c, RESULT_VALIDATION_LOSS);

        text_addf(out, "not chosen: %s%s(validation loss %s), because %s\n", name,
                  name[0] == '\0' ? "" : " ", shown, why);
        mem_free(shown);
        mem_free(why);
        mem_free(name);
    }
}

static void add_unknown(const struct results *r, struct text *out)
{
    char *why = best_case_why_unknown(r);

    text_addf(out, "best: unknown; %s\n", why);
    mem_free(why);
}

static void add_best(const struct results *r, struct text *out)
{
    char *name = case_names_text(r, r->best.of - r->cases);
    char *loss = results_table_cell(r->best.of, RESULT_VALIDATION_LOSS);

    text_addf(out, "best: %s%s(validation loss %s)", name, name[0] == '\0' ? "" : " ", loss);
    if (r->best.command != NULL)
        text_addf(out, ": %s", r->best.command);
    text_add(out, "\n");
    mem_free(name);
    mem_free(loss);
}

void search_best_text(const struct results *r, struct text *out)
{
    if (r->best.of == NULL)
        add_unknown(r, out);
    else
        add_best(r, out);
    add_not_chosen(r, out);
}
