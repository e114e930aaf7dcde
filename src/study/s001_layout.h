/*
 * s001_layout.h - experiment files in the layout of study S001, for MNIST and whatever else is
 * classified, and for robots with lidar: `experiment:` and `problem_configs:` at the top.
 *
 * They are translated node by node to the canonical schema with `runs`, every node keeping its
 * position in the file, so that all later steps know one layout only. docs/reference/s001-layout.md
 * has the keys.
 */
#ifndef STUDY_S001_LAYOUT_H
#define STUDY_S001_LAYOUT_H

#include "conf/node.h"

bool s001_is_layout(const struct node *root);

/*
 * The tree in the canonical schema. `ignored` gets the keys that are accepted and have no effect,
 * by commas; text_release it in any case. On failure *canonical is NULL.
 */
enum status s001_translate(const struct node *root, struct node **canonical, struct text *ignored);

#endif
