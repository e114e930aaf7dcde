/*
 * transport_module.c - finding and opening a transport's module.
 */
#include "comm/transport_module.h"

#include <dlfcn.h>
#include <string.h>

#include "base/check.h"
#include "base/file.h"
#include "base/mem.h"
#include "comm/build_id.h"

/* To be freed by mem_free; NULL when there is none. */
static char *module_path(const char *file)
{
    char *program = file_program_folder(), *installed = file_join(program, MUSTER_MODULE_FOLDER);
    char *path = file_join(program, file);

    if (!file_exists(path)) {
        mem_free(path);
        path = file_join(installed, file);
    }
    if (!file_exists(path)) {
        mem_free(path);
        path = NULL;
    }
    mem_free(installed);
    mem_free(program);
    return path;
}

bool transport_is_available(const struct transport_entry *entry)
{
    if (entry->module == NULL)
        return true;

    char *path = module_path(entry->module);
    const bool exists = path != NULL;

    mem_free(path);
    return exists;
}

static enum status load_module(const struct transport_entry *entry, const char *path,
                               const struct transport_module **module)
{
    void *handle = dlopen(path, RTLD_LOCAL | RTLD_NOW | RTLD_NODELETE);

    if (handle == NULL)
        return FAIL(STATUS_BAD_INPUT, "transport %s: its module cannot be opened: %s",
                    entry->entry.name, dlerror());
    *module = dlsym(handle, TRANSPORT_MODULE_SYMBOL);
    if (*module == NULL || strcmp((*module)->build_id, MUSTER_BUILD_ID) != 0)
        return FAIL(STATUS_BAD_INPUT,
                    "transport %s: %s is of another build (%s) than this program (%s); build or "
                    "install both together",
                    entry->entry.name, path, *module == NULL ? "unknown" : (*module)->build_id,
                    MUSTER_BUILD_ID);
    return STATUS_OK;
}

enum status transport_module_open(const struct transport_entry *entry,
                                  const struct transport_module **module)
{
    char *path = module_path(entry->module);

    if (path == NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "transport %s is not in this build: install %s, and build again (%s is neither "
                    "in the folder of the program nor in %s from there)",
                    entry->entry.name, entry->packages, entry->module, MUSTER_MODULE_FOLDER);

    const enum status s = load_module(entry, path, module);

    mem_free(path);
    return s;
}
