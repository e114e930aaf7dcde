/*
 * groups.c - worker i has all samples of group i, such as what robot i has seen.
 *
 * There are as many workers as groups. One worker alone has all of them, as with every partition.
 */
#include "data/partition_list.h"

static enum status check_groups(const struct partition_request *q)
{
    if (q->groups == NULL)
        return FAIL(STATUS_BAD_INPUT, "partition: groups needs data that come from several "
                                      "places, but this data set has no groups; use split");
    if (q->workers != 1 && q->workers != q->group_count)
        return FAIL(STATUS_BAD_INPUT,
                    "partition: groups needs a worker for every group, but there are %d workers "
                    "and %lld groups; use %lld workers, or 1 that has all groups",
                    q->workers, (long long)q->group_count, (long long)q->group_count);
    return STATUS_OK;
}

static enum status groups_assign(const void *options, const struct partition_request *q,
                                 struct assignment *d)
{
    (void)options;
    TRY(check_groups(q));
    for (int64_t i = 0; i < q->count; i++)
        d->owners[q->samples[i]] = q->workers == 1 ? 0 : q->groups[q->samples[i]];
    return STATUS_OK;
}

const struct partition_ops groups_partition = {
    .entry = {.name = "groups",
              .summary = "each worker has one group of samples, such as a robot's"},
    .needs_groups = true,
    .assign = groups_assign,
};
