/*
 * svg.c - writes the elements of a drawing.
 *
 * A colour is written twice: as an attribute, for programs that do not know CSS variables, and as a
 * style, which the others prefer.
 */
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/sha256.h"

#define FONT "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

#define COLOUR_ROW(constant, variable, light, dark) \
    [SVG_##constant] = {(variable), (light), (dark)},
static const struct {
    const char *variable, *light, *dark;
} colours[SVG_COLOURS] = {SVG_COLOUR_LIST(COLOUR_ROW)};

enum svg_colour svg_fill(int64_t series)
{
    return (enum svg_colour)(SVG_FILL_0 + (int)(series % SVG_FILLS));
}

uint32_t svg_rgb(enum svg_colour colour)
{
    uint32_t rgb = 0;

    CHECK(colour > SVG_NONE && colour < SVG_COLOURS);
    for (const char *digit = colours[colour].light + 1; *digit != '\0'; digit++)
        rgb = 16 * rgb + (uint32_t)(*digit <= '9' ? *digit - '0' : *digit - 'a' + 10);
    return rgb;
}

/* --- text --- */

/* The bytes of a character that XML may have, else 0. */
static size_t character_step(const char *at)
{
    const size_t step = text_utf8_step(at, strlen(at));
    const uint8_t *bytes = (const uint8_t *)at;

    if (step == 1 &&
        ((bytes[0] < 0x20 && bytes[0] != '\t' && bytes[0] != '\n') || bytes[0] == 0x7f))
        return 0;
    if (step == 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0) /* U+0080 to U+009F */
        return 0;
    if (step == 3 && bytes[0] == 0xef && bytes[1] == 0xbf && bytes[2] >= 0xbe) /* U+FFFE, U+FFFF */
        return 0;
    return step;
}

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void svg_escape(struct text *out, const char *string)
{
    while (*string != '\0') {
        const size_t step = character_step(string);
        const char *entity = entity_of(*string);

        if (step == 0)
            text_add(out, "\xef\xbf\xbd");
        else if (entity != NULL)
            text_add(out, entity);
        else
            text_add_n(out, string, step);
        string += step == 0 ? 1 : step;
    }
}

/* Of a letter, as a share of the size of the font. */
static double letter_width(char c)
{
    if (strchr("iljtfI.,:;'|![]() ", c) != NULL)
        return 0.36;
    if (strchr("mwMW%@", c) != NULL)
        return 0.92;
    return c >= 'A' && c <= 'Z' ? 0.7 : 0.62;
}

double svg_text_width(const char *string, double size)
{
    double width = 0;

    for (; *string != '\0'; string++)
        if (((uint8_t)*string & 0xc0) != 0x80)
            width += (uint8_t)*string < 0x80 ? letter_width(*string) : 0.7;
    return width * size;
}

double svg_widest(const char *const *strings, int64_t count, double size)
{
    double widest = 0;

    for (int64_t i = 0; i < count; i++)
        widest = fmax(widest, svg_text_width(strings[i], size));
    return widest;
}

/* As many bytes from the beginning as fit into a width. */
static size_t fitting_bytes(const char *string, double size, double width)
{
    size_t end = 0;

    for (double used = 0; string[end] != '\0';) {
        const size_t step = text_utf8_step(string + end, strlen(string + end));
        const size_t taken = step == 0 ? 1 : step;

        used += size * (taken == 1 ? letter_width(string[end]) : 0.7);
        if (used > width)
            break;
        end += taken;
    }
    return end;
}

/* --- attributes --- */

void svg_add_number(struct text *out, double value)
{
    const double bounded = isfinite(value) ? fmin(fmax(value, -1e6), 1e6) : 0;
    const double rounded = round(bounded * 100) / 100;

    if (rounded == round(rounded))
        text_addf(out, "%.0f", rounded == 0 ? 0.0 : rounded);
    else if (rounded * 10 == round(rounded * 10))
        text_addf(out, "%.1f", rounded);
    else
        text_addf(out, "%.2f", rounded);
}

static void add_number(struct text *out, const char *name, double value)
{
    text_addf(out, " %s=\"", name);
    svg_add_number(out, value);
    text_add(out, "\"");
}

static void add_colours(struct text *out, const struct svg_look *k)
{
    const enum svg_colour both[2] = {k->fill, k->stroke};
    static const char *const names[2] = {"fill", "stroke"};
    bool has_style = false;

    for (int i = 0; i < 2; i++)
        if (both[i] != SVG_INHERIT)
            text_addf(out, " %s=\"%s\"", names[i],
                      both[i] == SVG_NONE ? "none" : colours[both[i]].light);
    for (int i = 0; i < 2; i++) {
        if (both[i] <= SVG_NONE)
            continue;
        text_addf(out, "%s%s:var(--%s,%s)", has_style ? ";" : " style=\"", names[i],
                  colours[both[i]].variable, colours[both[i]].light);
        has_style = true;
    }
    text_add(out, has_style ? "\"" : "");
}

static void add_look(struct text *out, const struct svg_look *k)
{
    if (k == NULL)
        return;
    if (k->name != NULL)
        text_addf(out, " class=\"%s\"", k->name);
    add_colours(out, k);
    if (k->stroke_width > 0)
        add_number(out, "stroke-width", k->stroke_width);
    if (k->opacity > 0 && k->opacity < 1)
        add_number(out, "opacity", k->opacity);
    if (k->dash != NULL)
        text_addf(out, " stroke-dasharray=\"%s\"", k->dash);
    if (k->is_crisp)
        text_add(out, " shape-rendering=\"crispEdges\"");
}

/* The end of an element, with a tooltip where there is one. */
static void end_element(struct text *out, const char *name, const char *tooltip)
{
    if (tooltip == NULL) {
        text_add(out, "/>\n");
        return;
    }
    text_add(out, "><title>");
    svg_escape(out, tooltip);
    text_addf(out, "</title></%s>\n", name);
}

/* --- the drawing --- */

static void add_variables(struct text *out, bool is_dark)
{
    for (int i = SVG_NONE + 1; i < SVG_COLOURS; i++)
        text_addf(out, "%s--%s:%s", i == SVG_NONE + 1 ? "" : ";", colours[i].variable,
                  is_dark ? colours[i].dark : colours[i].light);
}

static void add_schemes(struct text *out)
{
    text_add(out, "<style>\nsvg{color-scheme:light dark;");
    add_variables(out, false);
    text_add(out, "}\n@media (prefers-color-scheme: dark){svg{");
    add_variables(out, true);
    text_add(out, "}}\n</style>\n");
}

void svg_open(struct svg *s, struct text *out, const struct svg_frame *frame)
{
    s->out = out;
    text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ");
    svg_add_number(out, frame->width);
    text_add(out, " ");
    svg_add_number(out, frame->height);
    text_add(out, "\"");
    add_number(out, "width", frame->width);
    add_number(out, "height", frame->height);
    text_addf(out, " role=\"img\" font-family=\"%s\" font-size=\"%g\">\n<title>", FONT, SVG_TEXT);
    svg_escape(out, frame->title);
    text_add(out, "</title>\n");
    if (frame->scheme == SVG_FOLLOW)
        add_schemes(out);
    else
        svg_rect(s, (struct svg_box){0, 0, frame->width, frame->height},
                 &(struct svg_look){.fill = SVG_PAPER});
}

void svg_close(struct svg *s)
{
    text_add(s->out, "</svg>\n");
}

void svg_group(struct svg *s, const struct svg_look *look)
{
    text_add(s->out, "<g");
    add_look(s->out, look);
    text_add(s->out, ">\n");
}

void svg_group_end(struct svg *s)
{
    text_add(s->out, "</g>\n");
}

void svg_rect_about(struct svg *s, struct svg_box box, const struct svg_look *look,
                    const char *tooltip)
{
    text_add(s->out, "<rect");
    add_number(s->out, "x", box.x);
    add_number(s->out, "y", box.y);
    add_number(s->out, "width", fmax(box.width, 0));
    add_number(s->out, "height", fmax(box.height, 0));
    add_look(s->out, look);
    end_element(s->out, "rect", tooltip);
}

void svg_rect(struct svg *s, struct svg_box box, const struct svg_look *look)
{
    svg_rect_about(s, box, look, NULL);
}

void svg_circle_about(struct svg *s, struct svg_point centre, double radius,
                      const struct svg_look *look, const char *tooltip)
{
    text_add(s->out, "<circle");
    add_number(s->out, "cx", centre.x);
    add_number(s->out, "cy", centre.y);
    add_number(s->out, "r", fmax(radius, 0));
    add_look(s->out, look);
    end_element(s->out, "circle", tooltip);
}

void svg_circle(struct svg *s, struct svg_point centre, double radius, const struct svg_look *look)
{
    svg_circle_about(s, centre, radius, look, NULL);
}

void svg_line(struct svg *s, struct svg_point a, struct svg_point b, const struct svg_look *look)
{
    text_add(s->out, "<line");
    add_number(s->out, "x1", a.x);
    add_number(s->out, "y1", a.y);
    add_number(s->out, "x2", b.x);
    add_number(s->out, "y2", b.y);
    add_look(s->out, look);
    text_add(s->out, "/>\n");
}

void svg_picture(struct svg *s, struct svg_box box, const void *png, size_t bytes)
{
    text_add(s->out, "<image");
    add_number(s->out, "x", box.x);
    add_number(s->out, "y", box.y);
    add_number(s->out, "width", box.width);
    add_number(s->out, "height", box.height);
    text_add(s->out, " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
                     "href=\"data:image/png;base64,");
    text_add_base64(s->out, png, bytes);
    text_add(s->out, "\"/>\n");
}

/* --- paths --- */

void svg_path(struct svg *s, const char *commands, const struct svg_look *look)
{
    text_addf(s->out, "<path d=\"%s\"", commands);
    add_look(s->out, look);
    text_add(s->out, "/>\n");
}

void svg_path_to(struct text *commands, char command, struct svg_point p)
{
    text_add_n(commands, &command, 1);
    svg_add_number(commands, p.x);
    text_add(commands, " ");
    svg_add_number(commands, p.y);
}

void svg_path_by(struct text *commands, char command, double value)
{
    text_add_n(commands, &command, 1);
    svg_add_number(commands, value);
}

void svg_path_rect(struct text *commands, struct svg_box box)
{
    svg_path_to(commands, 'M', (struct svg_point){box.x, box.y});
    svg_path_by(commands, 'h', box.width);
    svg_path_by(commands, 'v', box.height);
    svg_path_by(commands, 'h', -box.width);
    text_add(commands, "z");
}

/* --- labels --- */

static void add_label_attributes(struct text *out, const struct svg_label *l)
{
    static const char *const anchors[] = {NULL, "middle", "end"};

    add_number(out, "x", l->x);
    add_number(out, "y", l->y);
    if (l->size > 0 && l->size != SVG_TEXT)
        add_number(out, "font-size", l->size);
    if (l->anchor != SVG_START)
        text_addf(out, " text-anchor=\"%s\"", anchors[l->anchor]);
    if (l->is_bold)
        text_add(out, " font-weight=\"600\"");
    if (l->rotation != 0) {
        text_add(out, " transform=\"rotate(");
        svg_add_number(out, l->rotation);
        text_add(out, " ");
        svg_add_number(out, l->x);
        text_add(out, " ");
        svg_add_number(out, l->y);
        text_add(out, ")\"");
    }
    add_colours(out, &(struct svg_look){.fill = l->colour == SVG_INHERIT ? SVG_INK : l->colour});
}

void svg_text(struct svg *s, const struct svg_label *label, const char *string)
{
    const double size = label->size > 0 ? label->size : SVG_TEXT;
    const bool is_long = label->width_max > 0 && svg_text_width(string, size) > label->width_max;

    text_add(s->out, "<text");
    add_label_attributes(s->out, label);
    text_add(s->out, ">");
    if (is_long) {
        char *part = mem_text_n(string, fitting_bytes(string, size, label->width_max - 0.7 * size));

        text_add(s->out, "<title>");
        svg_escape(s->out, string);
        text_add(s->out, "</title>");
        svg_escape(s->out, part);
        text_add(s->out, "\xe2\x80\xa6"); /* an ellipsis */
        mem_free(part);
    } else {
        svg_escape(s->out, string);
    }
    text_add(s->out, "</text>\n");
}
