/*
 * sweep_flags.h - lists on the command line, "sync,ps-async", to lists in a study's tree, which are
 * a sweep.
 */
#ifndef CLI_SWEEP_FLAGS_H
#define CLI_SWEEP_FLAGS_H

#include "conf/flags.h"
#include "conf/node.h"

/* A row for the flag table of a command; it is the repeated one. */
#define VARY_FLAG                                                                           \
    {                                                                                       \
        "vary", NULL, "KEY=V,V,...",                                                        \
            "vary this flag or key; repeat for several (KEY=V;V if values contain commas)", \
            "What varies"                                                                   \
    }

/*
 * Puts the values of a list where a flag of this name, or this dotted key, would put one. Commas
 * separate them, or semicolons where values have commas; always these where a value is a list.
 */
struct sweep_flag {
    const char *command; /* whose help lists the flags */
    const char *key, *values;
    const char *origin; /* its name in messages */
};
enum status sweep_flags_put(struct node *root, const struct sweep_flag *given);

/* The same for all --vary KEY=V,V,... of the command line. */
enum status sweep_flags_vary(const struct flags *f, const char *command, struct node *root);

#endif
