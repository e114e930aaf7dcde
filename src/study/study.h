/*
 * study.h - an experiment of many runs, from its file to the table that compares them.
 */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include "conf/node.h"

/*
 * Reads an experiment file to the canonical tree: the schema of train/experiment.h. `given` gets
 * the file's text as it stands, for the copy in the output folder; text_release. A file in another
 * layout is translated here, its positions kept, so that whoever calls this knows one layout only.
 */
enum status study_read(const char *path, struct text *given, struct node **root);

#endif
