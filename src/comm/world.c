/*
 * world.c - from a request to a world: which transport, and whether it agrees with the launcher.
 */
#include "comm/world.h"

#include <stddef.h>
#include <time.h>

#include "base/check.h"
#include "base/env.h"
#include "base/signals.h"
#include "base/text.h"
#include "comm/transport_module.h"
#include "comm/world_ops.h"

/* --- the launcher --- */

bool world_is_launched(void)
{
    return env_find("OMPI_COMM_WORLD_SIZE") != NULL || env_find("PMIX_RANK") != NULL;
}

/* The first of two variables that holds a number, else `otherwise`. */
static int64_t launcher_number(const char *name, const char *second, int64_t otherwise)
{
    int64_t value = 0;
    const char *text = env_find(name);

    if (text == NULL || !text_to_int(text, &value))
        text = env_find(second);
    return text != NULL && text_to_int(text, &value) ? value : otherwise;
}

int world_launched_processes(void)
{
    if (!world_is_launched())
        return 1;
    return (int)launcher_number("OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", 0);
}

/* Tasks that srun, or the launcher of another MPI, started together without PMIx: they cannot find
 * each other. 1: this one is alone, or they can. */
static int64_t separate_tasks(void)
{
    return world_is_launched() ? 1 : launcher_number("SLURM_STEP_NUM_TASKS", "PMI_SIZE", 1);
}

bool world_reports(void)
{
    if (separate_tasks() > 1)
        return launcher_number("SLURM_PROCID", "PMI_RANK", 0) == 0;
    return !world_is_launched() || launcher_number("OMPI_COMM_WORLD_RANK", "PMIX_RANK", 0) == 0;
}

/* Open MPI's mpirun ends all processes when the first one fails; other launchers may not. So a
 * process that fails in silence first gives the reporting one time to print its message. */
static bool give_time_to_report(void)
{
    const struct timespec grace = {.tv_sec = 2};

    if (env_find("OMPI_COMM_WORLD_RANK") == NULL)
        return false;
    nanosleep(&grace, NULL);
    return true;
}

bool world_reports_late(void)
{
    return give_time_to_report() && !signals_stop_requested(); /* caught, where a run had begun */
}

static enum status report_once(enum status s)
{
    if (s == STATUS_OK || world_reports())
        return s;
    (void)give_time_to_report();
    return FAIL(s, "%s", "");
}

/* --- opening --- */

static enum status get_entry(const char *name, const struct transport_entry **entry)
{
    const struct entry *found = NULL;

    if (name == NULL) {
        *entry = transport_usual(world_is_launched());
        return STATUS_OK;
    }
    TRY(registry_get(&transport_registry, name, NULL, &found));
    *entry = (const struct transport_entry *)found;
    return STATUS_OK;
}

static enum status check_alone(const struct transport_entry *entry)
{
    if (world_launched_processes() == 1)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "transport %s would make a separate training in each of the launched processes; "
                "leave the transport out, or start without the launcher",
                entry->entry.name);
}

static enum status check_launched(const struct transport_entry *entry,
                                  const struct world_request *request)
{
    const int own = request->server == WORLD_SERVER_OWN ? 1 : 0;

    if (world_is_launched())
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT, "transport %s needs a launcher: %s %d", entry->entry.name,
                entry->launcher, request->workers == 0 ? 2 : request->workers + own);
}

static enum status check_launcher(const struct transport_entry *entry,
                                  const struct world_request *request)
{
    if (separate_tasks() > 1)
        return FAIL(STATUS_BAD_INPUT,
                    "the %lld tasks that were started together cannot find each other, and each "
                    "would train alone; start them by srun --mpi=pmix, or by mpirun of Open MPI",
                    (long long)separate_tasks());
    return entry->needs_launcher ? check_launched(entry, request) : check_alone(entry);
}

/* A process has one worker or more, or the server alone. */
static enum status check_processes(const struct world_request *request, int *workers)
{
    const int own = request->server == WORLD_SERVER_OWN ? 1 : 0;
    const int processes = world_launched_processes();

    if (processes > 0 && request->workers == 0)
        *workers = processes - own;
    if (processes > 0 && *workers + own < processes)
        return FAIL(STATUS_BAD_INPUT,
                    "%d worker%s%s: too few for the %d processes that the launcher started; every "
                    "process needs one",
                    *workers, *workers == 1 ? "" : "s", own ? " and a server of its own" : "",
                    processes);
    return STATUS_OK;
}

enum status world_check(const struct world_request *request, int *workers)
{
    const struct transport_entry *entry = NULL;

    *workers = request->workers;
    TRY(get_entry(request->transport, &entry));
    TRY(check_launcher(entry, request));
    if (entry->needs_launcher)
        return check_processes(request, workers);
    *workers = request->workers == 0 ? 1 : request->workers;
    return STATUS_OK;
}

static enum status open_by_name(const struct world_request *request, struct world **world)
{
    const struct transport_entry *entry = NULL;
    const struct transport_module *module = NULL;

    TRY(get_entry(request->transport, &entry));
    if (entry->module != NULL)
        TRY(transport_module_open(entry, &module));
    TRY(check_launcher(entry, request));
    TRY(module != NULL ? module->open(request, world) : entry->open(request, world));
    CHECK(*world != NULL);
    (*world)->transport = entry;
    return STATUS_OK;
}

enum status world_open(const struct world_request *request, struct world **world)
{
    CHECK(request->workers >= 0 && request->slots >= 0);
    *world = NULL;
    return report_once(open_by_name(request, world));
}

enum status world_run(struct world *w, world_body *body, void *context)
{
    CHECK(w != NULL && body != NULL);
    return w->ops->run(w, body, context);
}

enum status world_share(struct world *w, size_t bytes, void **memory)
{
    CHECK(w != NULL && bytes <= (size_t)INT64_MAX - WORLD_SHARE_ALIGNMENT);
    *memory = NULL;
    TRY(w->ops->share(w, bytes, memory));
    CHECK(*memory != NULL && (uintptr_t)*memory % WORLD_SHARE_ALIGNMENT == 0);
    return STATUS_OK;
}

enum status world_agree(struct world *w, int64_t mine, int64_t *lowest)
{
    CHECK(w != NULL && lowest != NULL);
    return w->ops->agree(w, mine, lowest);
}

/* --- who is where --- */

int world_process_of(const struct world *w, int endpoint)
{
    CHECK(endpoint >= 0 && endpoint < w->size);
    return w->ops->process_of == NULL ? 0 : w->ops->process_of(w, endpoint);
}

int world_first_endpoint(const struct world *w, int process)
{
    for (int i = 0; i < w->size; i++)
        if (world_process_of(w, i) == process)
            return i;
    BUG("a process without an endpoint");
}

int world_own_workers(const struct world *w)
{
    int count = 0;

    for (int i = 0; i < w->workers; i++)
        count += world_process_of(w, i) == w->process;
    return count;
}

int world_leader(const struct world *w)
{
    const bool has_server = w->server == WORLD_SERVER_THREAD || w->server == WORLD_SERVER_OWN;

    return has_server ? w->workers : 0;
}

bool world_is_lead(const struct world *w)
{
    return world_process_of(w, world_leader(w)) == w->process;
}

void world_close(struct world *w)
{
    if (w != NULL)
        w->ops->close(w);
}
