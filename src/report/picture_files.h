/*
 * picture_files.h - the pictures of a report as SVG files, for papers.
 */
#ifndef REPORT_PICTURE_FILES_H
#define REPORT_PICTURE_FILES_H

#include "report/subject.h"

/* Into `out`, or figures/ in the folder of the subject: mem_free(*written). */
enum status picture_files_write(const struct subject *s, const char *out, char **written);

#endif
