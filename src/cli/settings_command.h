/*
 * settings_command.h - settings of a run as a `muster train` command line.
 */
#ifndef CLI_SETTINGS_COMMAND_H
#define CLI_SETTINGS_COMMAND_H

#include "conf/node.h"

/* "muster train --lr 0.01 --figures.train-count 600", to paste into a shell. The settings are maps
 * of scalars and of lists of numbers, as flags make them. */
void settings_command(const struct node *settings, struct text *out);

/* Adds a word of a shell's command, in quotes where it needs them. */
void settings_command_word(struct text *out, const char *word);

#endif
