/*
 * svg.h - writes a drawing as SVG into a text.
 *
 * A drawing is complete by itself and may also stand inside an HTML page. Colours are CSS variables
 * of the page (--paper, --ink, ...), each with its light value for viewers that have no variables.
 * Text from outside is always escaped; coordinates that are not finite become 0.
 */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* clang-format off */
/* X(constant, variable, light, dark). The fills are told apart by colour-blind people, too (Okabe and Ito). */
#define SVG_COLOUR_LIST(X)                          \
    X(PAPER,  "paper",  "#ffffff", "#15181b")       \
    X(INK,    "ink",    "#1d2126", "#e6edf5")       \
    X(FAINT,  "faint",  "#646b73", "#a3b3c6")       \
    X(LINE,   "line",   "#d9dde1", "#38424e")       \
    X(ACCENT, "accent", "#0b62a8", "#6db1f2")       \
    X(WARN,   "warn",   "#a34700", "#f08a6c")       \
    X(HEAT,   "heat",   "#08519c", "#6bb2e8")       \
    X(FILL_0, "fill-0", "#0072b2", "#4a9fe3")       \
    X(FILL_1, "fill-1", "#d55e00", "#f0813f")       \
    X(FILL_2, "fill-2", "#00875f", "#2bbf95")       \
    X(FILL_3, "fill-3", "#b8578c", "#e296c2")       \
    X(FILL_4, "fill-4", "#b97b00", "#efb030")       \
    X(FILL_5, "fill-5", "#2f93d1", "#9bd5f7")       \
    X(FILL_6, "fill-6", "#5c5f63", "#b6bbc0")       \
    X(FILL_7, "fill-7", "#857f00", "#e8dd52")
/* clang-format on */

enum svg_colour {
    SVG_INHERIT, /* what the group around it has */
    SVG_NONE,
#define SVG_COLOUR_CONSTANT(constant, variable, light, dark) SVG_##constant,
    SVG_COLOUR_LIST(SVG_COLOUR_CONSTANT)
#undef SVG_COLOUR_CONSTANT
        SVG_COLOURS
};
enum { SVG_FILLS = 8 };

/* The fill of a series, counted from 0; they repeat. */
enum svg_colour svg_fill(int64_t series);

/* The light value as 0xRRGGBB, for pictures of pixels. */
uint32_t svg_rgb(enum svg_colour colour);

/* How something is painted; zero is inherited. */
struct svg_look {
    enum svg_colour fill, stroke;
    double stroke_width;
    double opacity;   /* of all; 0: 1 */
    const char *dash; /* stroke-dasharray; NULL: none */
    bool is_crisp;    /* edges on whole pixels, so that neighbours leave no seam */
    const char *name; /* class, for whoever reads the drawing by program; NULL: none */
};

struct svg_point {
    double x, y;
};

struct svg_box {
    double x, y, width, height;
};

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

/* A line of text whose base line is at y. */
struct svg_label {
    double x, y;
    double size; /* of the letters; 0: SVG_TEXT */
    enum svg_anchor anchor;
    enum svg_colour colour; /* SVG_INHERIT: ink */
    double rotation;        /* degrees around (x, y) */
    bool is_bold;
    double width_max; /* above it the text is shortened, and whole in a tooltip; 0: no limit */
};

/* Sizes of text in pixels: usual, small, title. */
#define SVG_TEXT  12.0
#define SVG_SMALL 11.0
#define SVG_TITLE 13.0

struct svg {
    struct text *out; /* borrowed */
};

enum svg_scheme {
    SVG_LIGHT, /* light, or the colours of the page around it, on a ground of paper */
    SVG_FOLLOW /* light or dark as the viewer prefers; the ground stays open */
};

struct svg_frame {
    double width, height;
    const char *title; /* for screen readers */
    enum svg_scheme scheme;
};

void svg_open(struct svg *s, struct text *out, const struct svg_frame *frame);
void svg_close(struct svg *s);

void svg_group(struct svg *s, const struct svg_look *look);
void svg_group_end(struct svg *s);

void svg_rect(struct svg *s, struct svg_box box, const struct svg_look *look);
void svg_line(struct svg *s, struct svg_point a, struct svg_point b, const struct svg_look *look);
void svg_circle(struct svg *s, struct svg_point centre, double radius, const struct svg_look *look);

/* The same with a tooltip. */
void svg_rect_about(struct svg *s, struct svg_box box, const struct svg_look *look,
                    const char *tooltip);
void svg_circle_about(struct svg *s, struct svg_point centre, double radius,
                      const struct svg_look *look, const char *tooltip);

/* A PNG file, stretched over the box; its pixels stay sharp. */
void svg_picture(struct svg *s, struct svg_box box, const void *png, size_t bytes);

/* `commands` as in SVG ("M0 0L3 4"), made by the functions below. */
void svg_path(struct svg *s, const char *commands, const struct svg_look *look);
void svg_path_to(struct text *commands, char command, struct svg_point p); /* M, L, m, l */
void svg_path_by(struct text *commands, char command, double value);       /* H, V, h, v */
void svg_path_rect(struct text *commands, struct svg_box box);

void svg_text(struct svg *s, const struct svg_label *label, const char *string);

/* About how wide a text is; never much less than in a wide font. */
double svg_text_width(const char *string, double size);

/* The widest of these texts. */
double svg_widest(const char *const *strings, int64_t count, double size);

/*
 * As text or attribute of XML and HTML. Bytes that are not UTF-8, control characters and others
 * that XML forbids become U+FFFD.
 */
void svg_escape(struct text *out, const char *string);

/* A coordinate with two digits after the point, as short as possible. */
void svg_add_number(struct text *out, double value);

#endif
