/*
 * reproduce.c - `muster reproduce NAME`: a published result, run again and compared.
 *
 * A result is an experiment file, experiments/reproduce/NAME.yaml, that says in addition to its
 * settings what was published (study/published.h). Adding one: the file, and its name here.
 */
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/list.h"
#include "cli/other_flags.h"
#include "cli/study_command.h"
#include "comm/world.h"

enum { FILE_LIMIT = 1 << 20 };

static const char *const names[] = {"R1", "R2",  "R3",  "R4",  "R5",  "R6",  "R7", "R8",
                                    "R9", "R10", "R11", "R13", "R14", "R15", NULL};

static const struct flag reproduce_flags[] = {
    TRAIN_FLAGS,
    STUDY_FLAGS,
    {"quick",       NULL, NULL,  "a short trial of at most two minutes; its verdicts are not reliable",
      NULL                                                                                                   },
    {"experiments", NULL, "DIR", "folder of the experiment files (default: searched for)",              NULL},
    FLAG_LAST,
};

static const struct flags_spec reproduce_spec = {
    .command = "reproduce",
    .usage = "muster reproduce [NAME] [flags]",
    .intro = "Repeats a published result: runs its experiment and prints the published and the "
             "measured numbers with a verdict, which is reached (within 1 point of accuracy, or 10 "
             "% of another number), better, or WORSE. Without NAME: lists the results. The files "
             "are experiments/reproduce/NAME.yaml; muster run runs them too.",
    .examples = "muster reproduce\n"
                "muster reproduce R2 --quick\n"
                "muster reproduce R9 --data-dir ~/mnist",
    .flags = reproduce_flags,
    .other_names = other_flags,
    .briefs = train_flag_briefs,
    .tables = run_config_tables,
    .registries = run_config_registries,
    .positional_max = 1,
};

/* --- where the files are --- */

static char *folder_if_there(char *folder)
{
    char *reproduce = file_join(folder, "reproduce");
    const bool found = file_is_folder(reproduce);

    mem_free(folder);
    if (found)
        return reproduce;
    mem_free(reproduce);
    return NULL;
}

/* Where one works, beside the build folder of the program, or where it was installed. */
static enum status find_folder(const struct flags *f, char **folder)
{
    const char *given = flags_value(f, "experiments");
    char *program = file_program_folder();

    *folder = folder_if_there(mem_text(given != NULL ? given : "experiments"));
    if (*folder == NULL && given == NULL)
        *folder = folder_if_there(file_join(program, "../../experiments"));
    if (*folder == NULL && given == NULL)
        *folder = folder_if_there(file_join(program, MUSTER_EXPERIMENTS_FOLDER));
    mem_free(program);
    if (*folder != NULL)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "%s: has no folder reproduce; --experiments must name the folder experiments of "
                "Muster's sources or of its installation (share/muster/experiments)",
                given != NULL ? given : "experiments");
}

static char *path_of(const char *folder, const char *name)
{
    char *file = text_format("%s.yaml", name);
    char *path = file_join(folder, file);

    mem_free(file);
    return path;
}

/* --- the list --- */

/* The first line of the file is a comment: "# R1: what it is." */
static enum status add_summary(const char *folder, const char *name, struct text *out)
{
    char *path = path_of(folder, name);
    struct text content = {0};
    const enum status s = file_read(path, FILE_LIMIT, &content);

    if (s == STATUS_OK) {
        const char *line = text_get(&content);
        const char *colon = strstr(line, ": ");
        const size_t length = strcspn(line, "\n");
        const size_t skip = colon != NULL && colon < line + length ? (size_t)(colon - line) + 2 : 0;

        text_addf(out, "%-4s  %.*s\n", name, (int)(length - skip), line + skip);
    }
    text_release(&content);
    mem_free(path);
    return s;
}

static enum status list_results(const char *folder)
{
    struct text out = {0};
    enum status s = STATUS_OK;

    for (int i = 0; names[i] != NULL && s == STATUS_OK; i++)
        s = add_summary(folder, names[i], &out);
    if (s == STATUS_OK && world_reports())
        command_print(text_get(&out));
    text_release(&out);
    return s;
}

/* --- one of them --- */

/* In any case of letters. */
static enum status find_name(const char *name, const char **found)
{
    for (int i = 0; names[i] != NULL; i++)
        if (strcasecmp(names[i], name) == 0) {
            *found = names[i];
            return STATUS_OK;
        }
    const char *nearest = text_nearest(name, names);
    return FAIL(STATUS_BAD_INPUT, "unknown result %s%s%s; muster reproduce lists them", name,
                nearest == NULL ? "" : "; did you mean ", nearest == NULL ? "" : nearest);
}

static enum status reproduce(const struct flags *f, const char *folder, struct study_call *call)
{
    const char *name = NULL;

    TRY(find_name(f->positional[0], &name));
    char *path = path_of(folder, name);
    const enum status s = study_command_run_file(path, &reproduce_spec, call);
    mem_free(path);
    return s;
}

static enum status reproduce_parsed(const struct flags *f)
{
    struct study_call call = {.flags = f, .argc = f->argc, .argv = f->argv};
    char *folder = NULL;

    TRY(find_folder(f, &folder));
    const enum status s =
        f->positional_count == 0 ? list_results(folder) : reproduce(f, folder, &call);
    mem_free(folder);
    return s;
}

static enum status reproduce_run(int argc, char **argv)
{
    return command_run(&reproduce_spec, argc, argv, reproduce_parsed);
}

const struct command reproduce_command = {
    .name = "reproduce",
    .summary = "repeat a published result and compare",
    .flags = &reproduce_spec,
    .run = reproduce_run,
    .is_for_all = true,
};
