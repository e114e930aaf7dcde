/*
 * data_get.c - `muster data get NAME` and `muster data verify NAME`.
 *
 * Not here: the download (data/dataset_get.h), and that of a run (train/data_download.h).
 */
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "cli/command.h"
#include "cli/data.h"
#include "data/dataset_get.h"

static const struct flag get_flags[] = {
    {"dir",     NULL, "DIR",
     "data directory to download to (default: $MUSTER_DATA, or else "
     "the user's data folder); later commands take it as --data-dir",                               "Where"},
    {"from",    NULL, "URL", "address of a folder with the same files, in place of the usual ones",
     NULL                                                                                                  },
    {"timeout", NULL, "S",   "seconds without any byte after which a connection has failed (60)",
     "How"                                                                                                 },
    {"quiet",   NULL, NULL,  "print warnings and errors only",                                      NULL   },
    FLAG_LAST,
};

static const struct flags_spec get_spec = {
    .command = "data get",
    .usage = "muster data get NAME [options]",
    .intro = "Downloads a data set, checks its size and SHA-256, unpacks it, and puts it where "
             "Muster finds it. A download that was stopped is resumed by the same command.",
    .examples = "muster data get mnist\n"
                "muster data get cifar10 --dir ~/data\n"
                "muster data get fashion_mnist --from http://mirror.example/fashion",
    .flags = get_flags,
    .positional_max = 1,
};

static const struct flag verify_flags[] = {
    {"data-dir", NULL, "DIR", "where to look for data sets", "Where"},
    FLAG_LAST,
};

static const struct flags_spec verify_spec = {
    .command = "data verify",
    .usage = "muster data verify NAME [options]",
    .intro = "Compares the files of a data set with the published sizes and SHA-256, and prints a "
             "line for each. The exit code is 3 if one is missing or wrong.",
    .examples = "muster data verify fashion_mnist\n"
                "muster data verify cifar10 --data-dir ~/data",
    .flags = verify_flags,
    .positional_max = 1,
};

static enum status find_set(const struct flags *f, const char *command,
                            const struct dataset_ops **ops)
{
    const struct entry *entry = NULL;

    if (f->positional_count == 0)
        return FAIL(STATUS_BAD_INPUT,
                    "muster %s needs the name of a data set; muster data list prints them",
                    command);
    TRY(registry_get(&dataset_registry, f->positional[0], NULL, &entry));
    *ops = (const struct dataset_ops *)(const void *)entry; /* its first member */
    return STATUS_OK;
}

static enum status get_set(const struct flags *f, struct text *out)
{
    struct dataset_get request = {
        .dir = flags_value(f, "dir"),
        .from = flags_value(f, "from"),
        .patience = DATASET_PATIENCE_DEFAULT,
    };
    const struct dataset_ops *ops = NULL;
    char *folder = NULL;

    TRY(find_set(f, get_spec.command, &ops));
    TRY(command_read_int(f, "timeout", 1, DATASET_PATIENCE_MAX, &request.patience));
    if (flags_has(f, "quiet"))
        log_set_level(LOG_WARNING);
    signals_catch(false);
    TRY(dataset_get(ops, &request, &folder));
    text_addf(out, "%s is in %s\n", ops->entry.name, folder);
    mem_free(folder);
    return STATUS_OK;
}

static enum status verify_folder(const struct dataset_ops *ops, const char *folder)
{
    struct text report = {0};
    int64_t wrong = 0, count = 0;

    while (ops->source->files[count].name != NULL)
        count++;
    text_addf(&report, "%s in %s\n", ops->entry.name, folder);
    dataset_verify(ops->source, folder, &report, &wrong);
    command_print(text_get(&report)); /* also where the command fails */
    text_release(&report);
    if (wrong == 0)
        return STATUS_OK;
    return FAIL(STATUS_IO,
                "%s: %lld of %lld files of %s %s missing or wrong; muster data get %s --dir DIR "
                "downloads them",
                folder, (long long)wrong, (long long)count, ops->entry.name,
                wrong == 1 ? "is" : "are", ops->entry.name);
}

static enum status verify_set(const struct flags *f)
{
    const struct dataset_ops *ops = NULL;
    char *folder = NULL;

    TRY(find_set(f, verify_spec.command, &ops));
    if (ops->source == NULL)
        return FAIL(STATUS_BAD_INPUT, "data set %s has no published files to compare with",
                    ops->entry.name);
    TRY(dataset_find_folder(ops, flags_value(f, "data-dir"), &folder));
    const enum status s = verify_folder(ops, folder);
    mem_free(folder);
    return s;
}

enum status data_get(int argc, char **argv)
{
    return command_run_printing(&get_spec, argc, argv, get_set);
}

enum status data_verify(int argc, char **argv)
{
    return command_run(&verify_spec, argc, argv, verify_set);
}
