/*
 * launch_hosts.c - the hosts of `muster launch`, from the command line or from a file.
 */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/launch.h"

enum { FILE_MAX = 1 << 20, SLOTS_MAX = 100000 };

/* Where a host was read, for messages: the flag, or "FILE:LINE". */
static enum status add_host(struct launch_hosts *h, char *name, const char *slots,
                            const char *where)
{
    int64_t count = 1;

    if (slots != NULL && (!text_to_int(slots, &count) || count < 1 || count > SLOTS_MAX))
        return FAIL(STATUS_BAD_INPUT, "%s: \"%s\" is not a number of slots in [1, %d]", where,
                    slots, SLOTS_MAX);
    if (name[0] == '\0' || name[0] == '-' || strpbrk(name, ",;'\"$`\\ \t") != NULL)
        return FAIL(STATUS_BAD_INPUT, "%s: \"%s\" is not the name of a host", where, name);
    for (int64_t i = 0; i < h->count; i++)
        if (strcmp(h->items[i].name, name) == 0)
            return FAIL(STATUS_BAD_INPUT, "%s: host %s comes twice; give it slots: %s:2", where,
                        name, name);
    h->items = mem_grow(h->items, h->count + 1, sizeof *h->items);
    h->items[h->count++] = (struct launch_host){.name = mem_text(name), .slots = count};
    return STATUS_OK;
}

/* "b", "b:2" or "b slots=2"; `text` is changed. */
static enum status add_text(struct launch_hosts *h, char *text, const char *where)
{
    char *rest = text + strcspn(text, " \t"), *colon;
    const char *slots = NULL;

    if (*rest != '\0') {
        *rest++ = '\0';
        rest += strspn(rest, " \t");
        rest[strcspn(rest, " \t")] = '\0';
    }
    if (*rest != '\0') {
        if (strncmp(rest, "slots=", 6) != 0)
            return FAIL(STATUS_BAD_INPUT, "%s: \"%s\" is not slots=N", where, rest);
        slots = rest + 6;
    }
    colon = strrchr(text, ':');
    if (colon != NULL && slots == NULL) {
        *colon = '\0';
        slots = colon + 1;
    }
    return add_host(h, text, slots, where);
}

static enum status read_file(struct launch_hosts *h, const char *path)
{
    struct text content = {0};
    enum status s = file_read(path, FILE_MAX, &content);
    char *line = content.data;

    for (int64_t number = 1; s == STATUS_OK && line != NULL && *line != '\0'; number++) {
        char *end = line + strcspn(line, "\n"), *next = *end == '\n' ? end + 1 : end;
        char *where = text_format("%s:%lld", path, (long long)number);

        *end = '\0';
        line[strcspn(line, "#\r")] = '\0';
        line += strspn(line, " \t");
        if (*line != '\0')
            s = add_text(h, line, where);
        mem_free(where);
        line = next;
    }
    text_release(&content);
    if (s == STATUS_OK && h->count == 0)
        s = FAIL(STATUS_BAD_INPUT, "--hosts: %s: has no hosts", path);
    return s;
}

static enum status read_list(struct launch_hosts *h, const char *given)
{
    char *copy = mem_text(given), *at = copy;
    enum status s = STATUS_OK;

    while (s == STATUS_OK && at != NULL) {
        char *comma = strchr(at, ',');

        if (comma != NULL)
            *comma++ = '\0';
        s = add_text(h, at, "--hosts");
        at = comma;
    }
    mem_free(copy);
    return s;
}

enum status launch_hosts_read(struct launch_hosts *h, const char *given)
{
    const bool is_file = strchr(given, '/') != NULL || file_is_regular(given);

    *h = (struct launch_hosts){0};
    const enum status s = is_file ? read_file(h, given) : read_list(h, given);
    if (s != STATUS_OK)
        launch_hosts_release(h);
    return s;
}

void launch_hosts_release(struct launch_hosts *h)
{
    for (int64_t i = 0; i < h->count; i++)
        mem_free(h->items[i].name);
    mem_free(h->items);
    *h = (struct launch_hosts){0};
}

int64_t launch_hosts_slots(const struct launch_hosts *h)
{
    int64_t slots = 0;

    for (int64_t i = 0; i < h->count; i++)
        slots += h->items[i].slots;
    return slots;
}
