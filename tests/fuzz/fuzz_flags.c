/*
 * fuzz_flags.c - libFuzzer target: any command line of train's options is refused, or describes an
 * experiment whose dump reads back as the same experiment.
 *
 * A line of the input is a word of the command line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "conf/yaml.h"
#include "train/run_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS_MAX = 64 };

static const struct flag flags[] = {
    {"seed",      "seed", "N", NULL, "Fuzz"},
    {"dataset",        "data.name", "NAME", "the data set", NULL},
    {"model",     "model.name", "NAME", "the network", NULL},
    {"optimizer",   "optimizer.name", "NAME", "the optimiser", NULL},
    {"schedule",     "schedule.name", "NAME", "the schedule", NULL},
    {"lr",       "optimizer.lr", "X", "step size", NULL},
    {"normalize",     "data.normalize", "HOW", NULL, NULL},
    {"epochs",     "train.epochs", "N", NULL, NULL},
    {"quiet",       NULL, NULL, "say less", NULL},
    {0},
};

static const struct flags_spec spec = {
    .command = "fuzz",
    .usage = "fuzz [flags]",
    .intro = "Fuzzed.",
    .examples = "fuzz --lr 1",
    .flags = flags,
    .tables = run_config_tables,
    .registries = run_config_registries,
    .positional_max = 2,
};

/* Cuts the text at its ends of lines; answers the number of words. */
static int split(char *text, char **words)
{
    int count = 0;

    while (text != NULL && count < WORDS_MAX) {
        char *end = strchr(text, '\n');

        words[count++] = text;
        if (end != NULL)
            *end++ = '\0';
        text = end;
    }
    return count;
}

static char *dump_of(const struct run_config *e)
{
    struct node *root = run_config_dump(e);
    struct text yaml = {0};
    char *copy;

    node_write(root, &yaml);
    copy = mem_text(text_get(&yaml));
    text_release(&yaml);
    node_free(root);
    return copy;
}

static void check_dump(const struct run_config *e)
{
    char *first = dump_of(e), *second;
    struct node *root = NULL;
    struct run_config back;

    if (yaml_parse(first, strlen(first), "dump", &root) != STATUS_OK ||
        run_config_read(&back, root) != STATUS_OK)
        abort();
    second = dump_of(&back);
    if (strcmp(first, second) != 0)
        abort();
    run_config_release(&back);
    node_free(root);
    mem_free(first);
    mem_free(second);
}

static void check_flags(struct flags *f)
{
    struct run_config e;

    if (flags_has(f, "quiet"))
        return; /* the command's own, not the experiment's */
    if (run_config_read(&e, f->tree) == STATUS_OK) {
        check_dump(&e);
        run_config_release(&e);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = MEM_NEW_N(char, (int64_t)size + 1);
    char *words[WORDS_MAX + 2] = {text + size}; /* the program has no name */
    struct flags f = {0};
    int count;

    if (size > 0)
        memcpy(text, data, size);
    count = split(text, words + 1);
    if (flags_parse(&f, &spec, count + 1, words) == STATUS_OK && !f.help)
        check_flags(&f);
    flags_release(&f);
    mem_free(text);
    return 0;
}
