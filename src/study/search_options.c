/*
 * search_options.c - reading and writing the section `search`.
 */
#include "study/search_options.h"

#include "study/halving.h"

const struct field search_fields[] = {
    FIELD_INT(struct search_options, random, 0, 0, STUDY_RUNS_MAX,
              "number of cases to try, chosen at random; 0: every combination of the lists"),
    FIELD_INT(struct search_options, halving, 0, 0, HALVING_FACTOR_MAX,
              "successive halving: after each stage the best 1/N of the cases train N times as "
              "long; 0: all cases train all epochs"),
    FIELD_LAST,
};

enum status search_options_read(struct search_options *o, const struct node *section)
{
    const struct fields_place place = {.owner = "search", .path = "search"};

    fields_default(search_fields, o);
    if (node_is_null(section))
        return STATUS_OK;
    if (section->kind != NODE_MAP)
        return node_fail(section, "search: expected a map, such as {random: 20}");
    TRY(fields_read(search_fields, o, section, &place));
    if (o->halving == 1)
        return node_fail_key(node_find(section, "halving"), "search", "halving",
                             "1 would keep all cases; use 2 or more, or 0 for no halving");
    return STATUS_OK;
}

struct node *search_options_section(const struct search_options *o)
{
    struct node *section = node_new(NODE_MAP, "search", 0, 0);

    fields_dump(search_fields, o, section);
    return section;
}
