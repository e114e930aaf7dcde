/*
 * broken_names.c - see broken_names.h. A message has the names one after the other, each with a
 * zero byte at its end.
 */
#include "train/loop/broken_names.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "comm/control_kinds.h"
#include "record/result.h"

enum { NAME_MAX_BYTES = 4096, MESSAGE_MAX = BROKEN_NAMES_MAX * NAME_MAX_BYTES };

/* Keeps the list sorted, and no longer than it may be; false: the name was there, or is too late.
 */
static bool add_name(struct rundir_names *names, const char *name)
{
    int64_t at = 0;

    while (at < names->count && strcmp(names->items[at], name) < 0)
        at++;
    if (at == BROKEN_NAMES_MAX || (at < names->count && strcmp(names->items[at], name) == 0))
        return false;
    rundir_names_add(names, name);
    char *added = names->items[names->count - 1];
    memmove(names->items + at + 1, names->items + at,
            (size_t)(names->count - 1 - at) * sizeof *names->items);
    names->items[at] = added;
    if (names->count > BROKEN_NAMES_MAX)
        mem_free(names->items[--names->count]);
    return true;
}

/* Their absolute paths (mem_free): a run may be resumed elsewhere. */
static int64_t find_own(struct broken_samples *own, char **paths)
{
    const int64_t count = own == NULL ? 0 : broken_samples_paths(own, paths, BROKEN_NAMES_MAX);

    for (int64_t i = 0; i < count; i++) {
        char *absolute = file_absolute(paths[i]);

        mem_free(paths[i]);
        paths[i] = absolute;
    }
    return count;
}

void broken_names_add_own(struct broken_samples *own, struct rundir_names *names)
{
    char *paths[BROKEN_NAMES_MAX];
    const int64_t count = find_own(own, paths);

    for (int64_t i = 0; i < count; i++) {
        (void)add_name(names, paths[i]);
        mem_free(paths[i]);
    }
}

static enum status send_own(struct transport *t, struct broken_samples *own, int lead)
{
    char *paths[BROKEN_NAMES_MAX];
    const int64_t count = find_own(own, paths);
    struct text message = {0};

    for (int64_t i = 0; i < count; i++) {
        if (message.length + strlen(paths[i]) < MESSAGE_MAX)
            text_add_n(&message, paths[i], strlen(paths[i]) + 1);
        mem_free(paths[i]);
    }
    const enum status s =
        transport_send(t, lead, CONTROL_BROKEN_NAMES, text_get(&message), message.length);
    text_release(&message);
    return s;
}

static enum status receive(struct transport *t, int from, char *room, struct rundir_names *names)
{
    struct envelope e;

    TRY(transport_recv(t, from, CONTROL_BROKEN_NAMES, &e, room, MESSAGE_MAX));
    for (const char *at = room; at < room + e.bytes; at += strlen(at) + 1)
        if (add_name(names, at))
            log_warning("%s: cannot be read; another sample of its class took its place", at);
    return STATUS_OK;
}

enum status broken_names_gather(struct transport *t, struct broken_samples *own, int lead,
                                struct rundir_names *names)
{
    if (t->rank != lead)
        return send_own(t, own, lead);

    char *room = MEM_NEW_N(char, MESSAGE_MAX);
    enum status s = STATUS_OK;
    for (int from = 0; from < t->size && s == STATUS_OK; from++)
        if (from != lead)
            s = receive(t, from, room, names);
    mem_free(room);
    return s;
}

void broken_names_add(struct rundir_names *names, const struct rundir_names *more)
{
    for (int64_t i = 0; i < more->count; i++)
        (void)add_name(names, more->items[i]);
}

void broken_names_read(const char *run_dir, struct rundir_names *names)
{
    struct run_result old;

    if (result_read(run_dir, &old) == STATUS_OK)
        broken_names_add(names, &old.broken);
    result_release(&old);
}
