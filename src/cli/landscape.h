/*
 * landscape.h - the parts of `muster landscape`.
 */
#ifndef CLI_LANDSCAPE_H
#define CLI_LANDSCAPE_H

#include "conf/flags.h"
#include "study/landscape.h"

/* `--between`: measures, writes between.html and prints the barriers. */
enum status landscape_between_print(const struct flags *f, const struct landscape_request *q);

/* `--sharpness`: prints how sharp the minimum is that each run ended in. */
enum status landscape_sharpness_print(const struct flags *f, const struct landscape_request *q);

#endif
