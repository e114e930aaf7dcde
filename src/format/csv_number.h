/*
 * csv_number.h - cells of tables as numbers: decimal points whatever the locale is, and the ways in
 * which tables say that a value is missing.
 *
 * Private to the reader of tables (csv.h).
 */
#ifndef FORMAT_CSV_NUMBER_H
#define FORMAT_CSV_NUMBER_H

#include <stddef.h>

enum csv_number_kind { CSV_NUMBER, CSV_MISSING, CSV_NOT_A_NUMBER };

/* Takes away blanks at both ends. */
void csv_number_trim(const char **text, size_t *length);

/* Sets the value if the cell is a number, with or without blanks around it. */
enum csv_number_kind csv_number_parse(const char *text, size_t length, double *value);

#endif
