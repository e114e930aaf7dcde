/*
 * supervised_windows.c - data that come in windows: which samples a worker has at each draw, and
 * where it is then.
 */
#include <string.h>

#include "base/mem.h"
#include "problem/supervised_plan.h"

/* A window is a range of scans, and has all their samples. */
static enum status check_setting(const struct supervised_plan *p, const struct problem_setting *s)
{
    const struct data_options *o = s->data;

    if (!p->is_by_group)
        return FAIL(STATUS_BAD_INPUT,
                    "partition: online data need a worker for each robot; use partition groups "
                    "and %lld workers, not %s and %d",
                    (long long)p->dataset->groups, s->partition->entry->name, s->workers);
    if (p->base.part_counts[PART_TRAIN] != p->dataset->train.count)
        return FAIL(STATUS_BAD_INPUT, "data.%s: online data are used as they come; leave it out",
                    o->folds > 0        ? "folds"
                    : o->validation > 0 ? "validation"
                                        : "train_fraction");
    return STATUS_OK;
}

enum status supervised_plan_windows(struct supervised_plan *p, const struct problem_setting *s)
{
    const struct dataset *d = p->dataset;

    p->is_by_group = strcmp(s->partition->entry->name, "groups") == 0 && s->workers == d->groups;
    if (d->window == 0)
        return STATUS_OK;
    TRY(check_setting(p, s));
    p->windows = MEM_NEW_N(struct lidar_windows, d->groups);
    for (int64_t g = 0; g < d->groups; g++)
        lidar_windows_init(&p->windows[g], d->paths[g].first_row, d->paths[g].scans, d->window,
                           p->base.batch);
    return STATUS_OK;
}

void supervised_windows_free(struct supervised_plan *p)
{
    for (int w = 0; p->windows != NULL && w < p->base.workers; w++)
        lidar_windows_release(&p->windows[w]);
    mem_free(p->windows);
    p->windows = NULL;
}

/* Whose scans are made along a path. */
static bool has_places(const struct supervised_plan *p)
{
    return p->is_by_group && p->dataset->paths != NULL;
}

/* Who has all scans from the start is where its path begins. */
static int64_t scan_at(const struct supervised_plan *p, int worker, int64_t draw)
{
    return p->windows == NULL ? 0 : lidar_windows_draw(&p->windows[worker], draw).position;
}

bool supervised_position(const struct problem_plan *p, int worker, int64_t draw, double *xy)
{
    const struct supervised_plan *own = (const struct supervised_plan *)p;

    if (!has_places(own))
        return false;

    const int64_t scan = scan_at(own, worker, draw);
    const double *places = own->dataset->paths[worker].places;

    xy[0] = places[2 * scan];
    xy[1] = places[2 * scan + 1];
    return true;
}

bool supervised_scan(const struct problem_plan *p, int worker, int64_t draw,
                     struct problem_scan *scan)
{
    const struct supervised_plan *own = (const struct supervised_plan *)p;

    if (!has_places(own) || own->dataset->paths[worker].ends == NULL)
        return false;

    const struct scan_path *path = &own->dataset->paths[worker];
    const int64_t number = scan_at(own, worker, draw);

    *scan = (struct problem_scan){
        .number = number,
        .x = path->places[2 * number],
        .y = path->places[2 * number + 1],
        .beams = path->beams,
        .ends = path->ends + 2 * number * path->beams,
    };
    return true;
}
