/*
 * figure.c - the list of figures, and the numbers of one.
 */
#include "report/figure.h"

#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "report/figures/list.h"

#define FIGURE_ENTRY(symbol) &symbol,
static const struct run_figure *const figures[] = {FIGURE_LIST(FIGURE_ENTRY) NULL};

const struct run_figure *const *run_figure_all(void)
{
    return figures;
}

bool run_figure_draw(const struct run_figure *what, const struct record *r, struct figure *f)
{
    *f = (struct figure){.name = what->name, .title = what->title};
    return what->draw(r, f);
}

void figure_release(struct figure *f)
{
    mem_free(f->caption);
    text_release(&f->svg);
    text_table_free(&f->numbers);
    *f = (struct figure){0};
}

void figure_start_numbers(struct figure *f, const char *const *titles, int64_t rows)
{
    int64_t columns = 0;

    while (titles[columns] != NULL)
        columns++;
    f->numbers = text_table_new(rows + 1, columns);
    for (int64_t c = 0; c < columns; c++)
        text_table_put(&f->numbers, 0, c, mem_text(titles[c]));
}

void figure_put_int(struct figure *f, int64_t row, int64_t column, int64_t value)
{
    text_table_put(&f->numbers, row + 1, column, text_format("%" PRId64, value));
}

void figure_put_number(struct figure *f, int64_t row, int64_t column, double value)
{
    struct text number = {0};

    if (isnan(value))
        return;
    text_add_double(&number, value);
    text_table_put(&f->numbers, row + 1, column, text_take(&number));
}

void figure_put_text(struct figure *f, int64_t row, int64_t column, const char *value)
{
    text_table_put(&f->numbers, row + 1, column, mem_text(value));
}
