/*
 * help_config.c - `muster help config`: every key of an experiment file, as Markdown.
 * docs/reference/config.md is its output; a test holds the two together.
 */
#include "cli/help_config.h"

#include "base/mem.h"
#include "cli/help_transports.h"
#include "study/landscape_options.h"
#include "study/output.h"
#include "study/search_options.h"
#include "train/run_config.h"

static const char table_head[] = "| key | default | allowed | meaning |\n|---|---|---|---|\n";

static void add_table(const struct flag_table *t, struct text *out)
{
    char *prefix = t->section[0] == '\0' ? mem_text("") : text_format("%s.", t->section);

    if (t->section[0] == '\0')
        text_add(out, "\n## The top\n\n");
    else
        text_addf(out, "\n## %s\n\n", t->section);
    text_add(out, table_head);
    fields_markdown(t->fields, prefix, out);
    mem_free(prefix);
}

static void add_entry(const struct registry *r, const struct entry *e, struct text *out)
{
    char *prefix = text_format("%s.", r->section);

    text_addf(out, "\n### %s: %s\n\n%s.\n", r->section, e->name, e->summary);
    if (e->fields != NULL && e->fields->kind != FIELD_KIND_LAST) {
        text_addf(out, "\n%s", table_head);
        fields_markdown(e->fields, prefix, out);
    }
    mem_free(prefix);
}

static void add_registry(const struct registry *r, struct text *out)
{
    text_addf(out, "\n## %s.name\n\nDefault: `%s`.\n", r->section, run_config_fallback(r));
    for (const struct entry *const *e = r->entries; *e != NULL; e++)
        add_entry(r, *e, out);
}

static void add_transport(const struct transport_entry *t, struct text *out)
{
    struct text facts = {0};

    add_entry(&transport_registry, &t->entry, out);
    help_transport_facts(t, &facts);
    if (facts.length > 0)
        text_addf(out, "\n%s\n", text_get(&facts));
    text_release(&facts);
}

static void add_transports(struct text *out)
{
    text_addf(out, "\n## transport.name\n\nDefault: `%s` under a launcher, else `%s`.\n",
              transport_usual(true)->entry.name, transport_usual(false)->entry.name);
    for (const struct entry *const *e = transport_registry.entries; *e != NULL; e++)
        add_transport((const struct transport_entry *)*e, out);
}

void help_config(struct text *out)
{
    text_add(out,
             "# The experiment file\n\n"
             "Made by `muster help config`. Every key of an experiment file (`muster run "
             "FILE.yaml`, and what a run directory's effective.yaml holds). On the command line "
             "each is a flag: `--SECTION.key`, and the common ones have shorter names "
             "(`muster train --help`). A section may be just a name: `optimizer: adam`.\n\n"
             "    seed: 1\n"
             "    data: {name: fashion_mnist, validation: 0.1}\n"
             "    model: lenet5\n"
             "    optimizer: {name: sgd, lr: 0.005, momentum: 0.9}\n"
             "    train: {epochs: 6, batch_size: 32}\n");
    text_add(
        out,
        "\nAn [experiment of many runs](experiments.md) has lists of values at some of these "
        "keys, named cases under `runs`, and also `baselines`, `quick`, `output`, `landscape` and "
        "`search`. `tune` has [lists to choose from](experiments.md#tune-each-case) by "
        "validation: `tune: {optimizer.lr: [0.01, 0.1], folds: 3}`.\n");
    for (const struct flag_table *t = run_config_tables; t->section != NULL; t++)
        add_table(t, out);
    for (const struct registry *const *r = run_config_registries; *r != NULL; r++)
        add_registry(*r, out);
    add_transports(out);
    text_add(out, "\n## output of an experiment of many runs\n\n");
    text_add(out, table_head);
    fields_markdown(output_fields, "output.", out);
    text_add(out,
             "\n## landscape of an experiment\n\n"
             "With this section, also an empty one (`landscape: {}`), the experiment ends with "
             "[landscape.html](../howto/landscape.md) of its runs. They need "
             "`train.saves_per_epoch`; `--no-save` leaves it out.\n\n");
    text_add(out, table_head);
    fields_markdown(landscape_fields, "landscape.", out);
    text_add(out, "\n## search of an experiment of many runs\n\n");
    text_add(out, table_head);
    fields_markdown(search_fields, "search.", out);
}
