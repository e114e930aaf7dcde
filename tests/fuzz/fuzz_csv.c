/*
 * fuzz_csv.c - libFuzzer target: any bytes as a table.
 *
 * The first byte chooses the separator. Every row has the same number of cells, cells are where the
 * reader says, and all can be read as numbers or are rejected.
 */
#include "base/check.h"
#include "format/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_cell(const struct csv *c, const struct csv_cell *cell)
{
    volatile char last = 0;

    CHECK(cell->line >= 1 && cell->line <= c->line && cell->column >= 1);
    for (size_t i = 0; i < cell->length; i++)
        last = cell->text[i];
    (void)last;
}

static void check_row(const struct csv *c)
{
    CHECK(c->count == c->columns);
    for (int64_t i = 0; i < c->columns; i++) {
        double value;

        check_cell(c, &c->cells[i]);
        if (csv_number(c, i, &value) == STATUS_OK)
            CHECK(value == value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char separators[] = {0, ',', ';', '\t'};
    struct csv c;
    bool has_row = false;

    if (size == 0 || csv_open(&c, "fuzz", data + 1, size - 1, separators[data[0] % 4]) != STATUS_OK)
        return 0;
    (void)csv_find(&c, "x");
    while (csv_next(&c, &has_row) == STATUS_OK && has_row)
        check_row(&c);
    csv_close(&c);
    return 0;
}
