/*
 * output_style_list.h - the styles in which a run prints what it does (output.style). Adding one:
 * its file loop/style_<name>.c, and its line here.
 */
#ifndef TRAIN_OUTPUT_STYLE_LIST_H
#define TRAIN_OUTPUT_STYLE_LIST_H

#define OUTPUT_STYLE_LIST(X) \
    X(muster)                \
    X(s004)

#endif
