/*
 * names.h - what the cells of a study are called.
 *
 * The full name says all that varies: <run>_key=value..._seed=N. The name is that of the cell's
 * folder: the full one where a file may be called so. Where it would be too long, or that of a file
 * of the study, or two full names would come to the same, the cells' own hash stands in it. So a
 * name depends on what the cell is, not on the cells beside it, except that a cell with a rare
 * letter in a value gets its hash only once another cell has the same name without.
 */
#ifndef STUDY_NAMES_H
#define STUDY_NAMES_H

#include "study/study.h"

/* Names all cells, and puts the names into their experiments. */
void study_name_cells(struct study *s);

#endif
