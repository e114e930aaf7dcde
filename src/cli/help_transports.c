/*
 * help_transports.c - `muster help transports`: what workers can be, and how each is started.
 */
#include "cli/help_transports.h"

#include "conf/field.h"

static void add_sentence(struct text *out, const char *before, const char *what, const char *after)
{
    text_addf(out, "%s%s%s%s.", out->length == 0 ? "" : " ", before, what, after);
}

void help_transport_facts(const struct transport_entry *t, struct text *out)
{
    struct text facts = {0};

    if (t->needs_launcher)
        add_sentence(&facts, "Start it with ", t->launcher, " N");
    if (t->is_virtual)
        add_sentence(&facts, "Its time is simulated", "", "");
    if (t->packages != NULL)
        add_sentence(&facts, "A build with it needs ", t->packages, "");
    text_add(out, text_get(&facts));
    text_release(&facts);
}

static void add_transport(const struct transport_entry *t, struct text *out)
{
    struct text right = {0};

    text_addf(&right, "%s. ", t->entry.summary);
    help_transport_facts(t, &right);
    if (!transport_is_available(t))
        text_add(&right, " It is not in this build.");
    fields_help_row(t->entry.name, text_get(&right), out);
    text_release(&right);
}

void help_transports(struct text *out)
{
    text_addf(out,
              "Transports (--transport NAME). Without it, %s under a launcher and else %s.\n\n",
              transport_usual(true)->entry.name, transport_usual(false)->entry.name);
    for (const struct entry *const *e = transport_registry.entries; *e != NULL; e++)
        add_transport((const struct transport_entry *)*e, out);
}
