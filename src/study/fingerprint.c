/*
 * fingerprint.c - hashes of a run's settings.
 */
#include "study/fingerprint.h"

#include "base/mem.h"
#include "study/settings.h"
#include "train/resume.h"

static bool decides_nothing(const char *path)
{
    return resume_is_place(path) || (resume_may_change(path) && !settings_is_length(path));
}

static void remove_from(struct node *section, const char *name, bool (*test)(const char *path))
{
    for (int64_t i = section->count - 1; i >= 0; i--) {
        char *path = text_format("%s.%s", name, section->keys[i]);

        if (test(path))
            node_remove(section, section->keys[i]);
        mem_free(path);
    }
}

/* A section without values is none: older programs did not know it. */
static void remove_all(struct node *root, bool (*test)(const char *path))
{
    for (int64_t i = root->count - 1; i >= 0; i--) {
        struct node *section = root->children[i];

        if (section->kind != NODE_MAP)
            continue;
        remove_from(section, root->keys[i], test);
        if (section->count == 0)
            node_remove(root, root->keys[i]);
    }
}

static uint64_t hash_of(const struct node *root)
{
    struct text yaml = {0};

    node_write(root, &yaml);
    const uint64_t hash = text_hash(text_get(&yaml));
    text_release(&yaml);
    return hash;
}

static struct fingerprint fingerprint_of(struct node *root)
{
    struct fingerprint p = {.all = hash_of(root)};

    remove_all(root, decides_nothing);
    p.computed = hash_of(root);
    remove_all(root, settings_is_length);
    p.endless = hash_of(root);
    return p;
}

enum status fingerprint_of_run(const struct study_run *c, struct fingerprint *p)
{
    struct node *root = NULL;

    TRY(settings_unnamed(c, &root));
    *p = fingerprint_of(root);
    node_free(root);
    return STATUS_OK;
}

enum status fingerprint_of_folder(const char *folder, struct fingerprint *p)
{
    struct node *root = NULL;
    const enum status s = settings_of_folder(folder, &root);

    if (s == STATUS_OK)
        *p = fingerprint_of(root);
    node_free(root);
    return s;
}
