/*
 * settings_command.c - every value becomes the flag that sets it.
 */
#include "cli/settings_command.h"

#include <string.h>

#include "base/mem.h"
#include "cli/train_flags.h"

static const struct flag train_flags[] = {
    TRAIN_FLAGS,
    FLAG_LAST,
};

static const struct flag *find_flag(const char *path)
{
    for (const struct flag *f = train_flags; f->name != NULL; f++)
        if (f->path != NULL && strcmp(f->path, path) == 0)
            return f;
    return NULL;
}

void settings_command_word(struct text *out, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_-+./:,=@%";

    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        text_add(out, word);
        return;
    }
    text_add(out, "'");
    for (; *word != '\0'; word++)
        if (*word == '\'')
            text_add(out, "'\\''");
        else
            text_add_n(out, word, 1);
    text_add(out, "'");
}

/* "8,16" */
static char *list_text(const struct node *list)
{
    struct text out = {0};

    for (int64_t i = 0; i < list->count; i++)
        text_addf(&out, "%s%s", i == 0 ? "" : ",", list->children[i]->text);
    return text_take(&out);
}

/* Flags are written with dashes, and keys with underscores. */
static void add_flag_name(struct text *out, const char *name)
{
    for (; *name != '\0'; name++)
        text_add_n(out, *name == '_' ? "-" : name, 1);
}

static void add_value(struct text *out, const char *path, const struct node *value)
{
    const struct flag *f = find_flag(path);
    char *text = value->kind == NODE_LIST ? list_text(value) : mem_text(value->text);

    text_add(out, " --");
    add_flag_name(out, f != NULL ? f->name : path);
    if (f == NULL || f->value != NULL) {
        text_add(out, text[0] == '-' ? "=" : " "); /* a value with a dash looks like a flag */
        settings_command_word(out, text);
    } else if (strcmp(text, "true") != 0) {
        text_addf(out, "=%s", text); /* a switch */
    }
    mem_free(text);
}

static void add_map(struct text *out, const char *section, const struct node *map)
{
    for (int64_t i = 0; i < map->count; i++) {
        const struct node *child = map->children[i];
        char *path =
            section == NULL ? mem_text(map->keys[i]) : text_format("%s.%s", section, map->keys[i]);

        if (child->kind == NODE_MAP)
            add_map(out, path, child);
        else if (!node_is_null(child))
            add_value(out, path, child);
        mem_free(path);
    }
}

void settings_command(const struct node *settings, struct text *out)
{
    text_add(out, "muster train");
    add_map(out, NULL, settings);
}
