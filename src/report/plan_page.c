/*
 * plan_page.c - see plan_page.h. As in the report, a content security policy allows the page's own
 * script alone, and no network.
 */
#include "report/plan_page.h"

#include "base/file.h"
#include "base/json.h"
#include "base/sha256.h"
#include "report/assets.h"
#include "report/html.h"

static void add_data(const struct plan_page *p, struct text *out)
{
    struct text picture = {0};
    struct json j;

    text_add_base64(&picture, p->picture, p->picture_bytes);
    json_init(&j, out);
    json_open_map(&j, NULL);
    json_int(&j, "version", 1);
    json_text(&j, "name", p->name);
    json_int(&j, "width", p->width);
    json_int(&j, "height", p->height);
    json_open_list(&j, "waypoints");
    for (int64_t i = 0; i < p->waypoint_count; i++) {
        json_open_list(&j, NULL);
        json_number(&j, NULL, p->waypoints[2 * i]);
        json_number(&j, NULL, p->waypoints[2 * i + 1]);
        json_close_list(&j);
    }
    json_close_list(&j);
    json_text(&j, "picture", text_get(&picture));
    json_close_map(&j);
    text_release(&picture);
}

static const struct asset *const scripts[] = {&asset_plan_script, NULL};

static void add_page(const struct plan_page *p, const struct text *data, struct text *out)
{
    html_head(out, p->title, scripts);
    text_add(out,
             "<p class=\"note\">Drag way-points to move them. Click on the line to insert one, "
             "and double-click elsewhere to add one after the selected one. Delete removes the "
             "selected one; arrow keys move it by a pixel, with Shift by ten. The wheel zooms, "
             "and dragging the plan moves it.</p>\n</header>\n<main>\n"
             "<div id=\"editor\"></div>\n</main>\n");
    html_end(out, data, scripts);
}

enum status plan_page_write(const struct plan_page *p, const char *path)
{
    struct text data = {0}, out = {0};

    add_data(p, &data);
    add_page(p, &data, &out);
    const enum status s = file_write_text(path, text_get(&out));
    text_release(&data);
    text_release(&out);
    return s;
}
