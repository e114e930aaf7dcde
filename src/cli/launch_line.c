/*
 * launch_line.c - the command line of mpirun that starts a run, with what Open MPI needs.
 *
 * --bind-to none: else two processes may share a core, or a worker have one core for its threads.
 * --quiet: the processes say themselves what went wrong.
 * mpi_yield_when_idle: processes that share a core let each other work.
 * btl self,vader: inside a host no network is searched for.
 */
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/team.h"
#include "cli/launch.h"

/* The line gets the memory. */
static void add_own(struct launch_line *l, char *word)
{
    l->words = mem_resize(l->words, l->count == 0 ? 0 : l->count + 1, l->count + 2,
                          sizeof *l->words); /* with a NULL at the end */
    l->words[l->count++] = word;
}

static void add(struct launch_line *l, const char *word)
{
    add_own(l, mem_text(word));
}

static void add_parameter(struct launch_line *l, const char *name, const char *value)
{
    add(l, "--mca");
    add(l, name);
    add(l, value);
}

static void add_hosts(struct launch_line *l, const struct launch_setup *s)
{
    struct text list = {0};

    for (int64_t i = 0; i < s->hosts->count; i++)
        text_addf(&list, "%s%s:%lld", i == 0 ? "" : ",", s->hosts->items[i].name,
                  (long long)s->hosts->items[i].slots);
    add(l, "--host");
    add_own(l, text_take(&list));
    if (s->interface == NULL)
        return;
    add_parameter(l, "oob_tcp_if_include", s->interface);
    add_parameter(l, "btl_tcp_if_include", s->interface);
}

void launch_line_init(struct launch_line *l, const struct launch_setup *s)
{
    const bool is_here = s->hosts->count == 0;
    const int64_t slots = is_here ? team_cores() : launch_hosts_slots(s->hosts);
    char *folder = file_program_folder();

    *l = (struct launch_line){0};
    add(l, "mpirun");
    add(l, "--quiet");
    if (geteuid() == 0)
        add(l, "--allow-run-as-root");
    add(l, "-n");
    add_own(l, text_format("%lld", (long long)s->processes));
    add(l, "--bind-to");
    add(l, "none");
    if (s->processes > slots) {
        add(l, "--oversubscribe");
        add_parameter(l, "mpi_yield_when_idle", "1");
    }
    if (is_here)
        add_parameter(l, "btl", "self,vader");
    else
        add_hosts(l, s);
    add_own(l, file_join(folder, "muster"));
    for (int i = 0; i < s->command_count; i++)
        add(l, s->command[i]);
    mem_free(folder);
}

void launch_line_release(struct launch_line *l)
{
    for (int64_t i = 0; i < l->count; i++)
        mem_free(l->words[i]);
    mem_free(l->words);
    *l = (struct launch_line){0};
}

/* In quotes where the shell would take it for more than a word. */
static void show_word(const char *word, struct text *out)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";

    if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
        text_add(out, word);
        return;
    }
    text_add(out, "'");
    for (const char *at = word; *at != '\0'; at++) {
        if (*at == '\'')
            text_add(out, "'\\''");
        else
            text_add_n(out, at, 1);
    }
    text_add(out, "'");
}

void launch_line_show(const struct launch_line *l, struct text *out)
{
    for (int64_t i = 0; i < l->count; i++) {
        if (i > 0)
            text_add(out, " ");
        show_word(l->words[i], out);
    }
}
