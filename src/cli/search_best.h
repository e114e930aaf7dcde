/*
 * search_best.h - the best case of a search, with the command that trains with its settings.
 */
#ifndef CLI_SEARCH_BEST_H
#define CLI_SEARCH_BEST_H

#include "cli/study_command.h"
#include "study/comparison.h"

/*
 * Notes the best case in the results and writes its settings to best.yaml in their folder, if they
 * have one; without a best case there is no such file. Settings of flags become a `muster train`
 * command, those of a file `muster run` with best.yaml.
 */
enum status search_best_find(const struct study_call *call, const struct comparison *t,
                             struct results *r);

/* "best: lr=0.02 (validation loss 1.65 ± 0.2): muster train --lr 0.02", and a line about each case
 * with a lower loss that cannot be the best. */
void search_best_text(const struct results *r, struct text *out);

#endif
