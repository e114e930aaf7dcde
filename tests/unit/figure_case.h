/*
 * figure_case.h - draws a figure of a record, and checks what every figure owes: well-formed XML
 * without NaN or scripts, a bounded size, a caption and numbers.
 */
#ifndef TESTS_FIGURE_CASE_H
#define TESTS_FIGURE_CASE_H

#include <math.h>

#include "record_case.h"
#include "report/figure.h"
#include "test.h"
#include "xml_case.h"

#define HOSTILE "<script>alert(1)</script>\"'&\x01\xff"

enum { SIZE_MAX_BYTES = 200000 };

static inline const struct run_figure *figure_case_find(const char *name)
{
    for (const struct run_figure *const *it = run_figure_all(); *it != NULL; it++)
        if (strcmp((*it)->name, name) == 0)
            return *it;
    EXPECT(!"there is such a figure");
    return NULL;
}

static inline const char *cell(const struct figure *f, int64_t row, int64_t column)
{
    return f->numbers.cells[row * f->numbers.columns + column];
}

/* What every figure owes. */
static inline void expect_sound(const struct figure *f)
{
    const char *svg = text_get(&f->svg);

    EXPECT(xml_elements(svg) > 3);
    EXPECT(strstr(svg, "nan") == NULL && strstr(svg, "\"inf") == NULL);
    EXPECT(strstr(svg, "<script") == NULL);
    EXPECT(f->svg.length < SIZE_MAX_BYTES);
    EXPECT(f->name != NULL && f->title != NULL && f->caption != NULL && f->caption[0] != '\0');
    EXPECT(f->numbers.rows > 1 && f->numbers.columns > 1);
}

static inline bool draw(const char *name, const struct record *r, struct figure *f)
{
    const bool is_drawn = run_figure_draw(figure_case_find(name), r, f);

    if (is_drawn)
        expect_sound(f);
    return is_drawn;
}

/* Draws, judges and drops. */
static inline void expect_drawn(const char *name, const struct record *r)
{
    struct figure f;

    if (!draw(name, r, &f)) {
        printf("# %s\n", name);
        EXPECT(!"the figure is drawn");
    }
    figure_release(&f);
}

static inline void expect_nothing(const char *name, const struct record *r)
{
    struct figure f;

    EXPECT(!draw(name, r, &f));
    EXPECT(f.caption == NULL && f.svg.data == NULL && f.numbers.cells == NULL);
    figure_release(&f);
}

static inline void expect_cell(const char *name, const struct record *r, int64_t row,
                               int64_t column, const char *expected)
{
    struct figure f;

    if (draw(name, r, &f) && row < f.numbers.rows && column < f.numbers.columns)
        EXPECT_TEXT(cell(&f, row, column), expected);
    else
        EXPECT(!"the figure has such a cell");
    figure_release(&f);
}

#endif
