/*
 * map_robots.h - the robots of a run on its floor plan: where they have been, which links they have
 * and what they see from where they are, as of the end of the run.
 */
#ifndef REPORT_FIGURES_MAP_ROBOTS_H
#define REPORT_FIGURES_MAP_ROBOTS_H

#include "record/maps.h"
#include "record/record.h"
#include "report/svg.h"

/* Draws them on a plan of this mesh that fills the box; nothing where places are not known. */
void map_robots_draw(struct svg *s, const struct map_mesh *mesh, struct svg_box box,
                     const struct record *r);

/* Adds what a caption says of it. */
void map_robots_add_caption(const struct record *r, struct text *caption);

#endif
