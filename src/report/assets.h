/*
 * assets.h - style and scripts of the page, which the build embeds in the program: our own from
 * page/, and dygraphs from Debian's package libjs-dygraphs.
 */
#ifndef REPORT_ASSETS_H
#define REPORT_ASSETS_H

#include <stddef.h>

struct asset {
    const unsigned char *bytes; /* text, with a zero behind it */
    size_t size;
};

extern const struct asset asset_style, asset_chart_script, asset_page_script,
    asset_landscape_script, asset_plan_script, asset_robots_script;

#endif
