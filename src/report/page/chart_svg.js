/*
 * chart_svg.js - a chart as a picture of its own: SVG with title, axes and legend, in light colours.
 */
const PICTURE = { width: 760, height: 430, left: 64, right: 20, top: 44, bottom: 46 };
const LEGEND_LINES = 60, LEGEND_HEIGHT = 18, LETTER_WIDTH = 6.6;
const PICTURE_FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif";

/* Positions of values on the picture; an axis is linear or logarithmic. */
function scaleOf([low, high], isLog, from, to) {
    const position = isLog ? Math.log : (value) => value;
    const first = position(low), span = position(high) - first;

    return (value) => from + (to - from) * (position(value) - first) / span;
}

function pictureScales(drawing, ranges) {
    const { width, height, left, right, top, bottom } = PICTURE, { choice } = drawing;

    return { x: scaleOf(ranges.x, choice.isLogX, left, width - right),
        y: scaleOf(ranges.y, choice.isLogY, height - bottom, top) };
}

function coordinate(value) {
    return String(Math.round(value * 100) / 100);
}

/* The rows of a line that can be drawn. */
function drawnRows(drawing, line) {
    const isDrawn = (value) => value !== null && (!drawing.choice.isLogY || value > 0);

    return Array.from(drawing.x.keys()).filter((row) => isDrawn(line.y[row]));
}

function pathOf(points) {
    return points.map(([x, y], i) => (i === 0 ? "M" : "L") + coordinate(x) + " " + coordinate(y)).join("");
}

/* A line, with dots where it has few points. */
function lineNodes(drawing, line, scales, palette) {
    const points = drawnRows(drawing, line).map((row) => [scales.x(drawing.x[row]), scales.y(line.y[row])]);
    const colour = palette.fills[line.group.colour];
    const path = svgElement("path", { d: pathOf(points), fill: "none", stroke: colour, "stroke-width": line.width,
        "stroke-linejoin": "round", "stroke-dasharray": line.isSeed ? null : line.group.dash.join(" ") || null });
    const dots = !line.hasDots ? [] : points.map(([x, y]) =>
        svgElement("circle", { cx: coordinate(x), cy: coordinate(y), r: DOT_SIZE, fill: colour }));

    return [path, ...dots];
}

function bandPath(drawing, line, scales, palette) {
    const floor = drawing.choice.isLogY ? logFloor(drawing) : null;
    const points = drawnRows(drawing, line).map((row) => [drawing.x[row], bandPoint(line, row, floor)]);
    const upper = points.map(([x, [, , high]]) => [scales.x(x), scales.y(high)]);
    const lower = points.map(([x, [low]]) => [scales.x(x), scales.y(low)]).reverse();

    return svgElement("path", { d: pathOf([...upper, ...lower]) + "Z", stroke: "none",
        fill: palette.fills[line.group.colour], "fill-opacity": BAND_OPACITY });
}

function pictureText(text, attributes, palette) {
    return svgElement("text", { fill: palette.ink, "font-size": 12, ...attributes }, text);
}

function xAxisNodes(choice, range, scale, palette) {
    const { width, height, left, right, top, bottom } = PICTURE, base = height - bottom;
    const nodes = axisTicks(...range, (width - left - right) / 80, choice.isLogX, choice.axis).flatMap(({ v, label }) => [
        svgElement("line", { x1: coordinate(scale(v)), x2: coordinate(scale(v)), y1: top, y2: base, stroke: palette.line,
            "stroke-width": 0.5 }),
        pictureText(label, { x: coordinate(scale(v)), y: base + 16, "text-anchor": "middle" }, palette),
    ]);
    const title = quantityTitle(choice.axis, choice.isVirtualTime);

    return [...nodes, pictureText(title, { x: width - right, y: height - 10, "text-anchor": "end" }, palette)];
}

function yAxisNodes(choice, range, scale, palette) {
    const { width, height, left, right, top, bottom } = PICTURE;
    const nodes = axisTicks(...range, (height - top - bottom) / 40, choice.isLogY, choice.quantity)
        .flatMap(({ v, label }) => [
            svgElement("line", { x1: left, x2: width - right, y1: coordinate(scale(v)), y2: coordinate(scale(v)),
                stroke: palette.line, "stroke-width": 0.5 }),
            pictureText(label, { x: left - 8, y: coordinate(scale(v) + 4), "text-anchor": "end" }, palette),
        ]);
    const title = titleWithUnit(choice.quantity, choice.isVirtualTime);

    return [...nodes, pictureText(title, { x: left, y: top - 8 }, palette)];
}

function markNode(mark, scales, palette) {
    const x = scales.x(mark.x), y = scales.y(mark.y), { size } = mark;

    return svgElement("path", { d: pathOf([[x, y - size], [x + size, y], [x, y + size], [x - size, y]]) + "Z",
        fill: palette.fills[mark.group.colour], stroke: palette.paper, "stroke-width": 1.5 });
}

function legendColumns(lines) {
    const longest = Math.max(...lines.map((line) => line.name.length));
    const width = Math.min(longest * LETTER_WIDTH + 54, PICTURE.width - PICTURE.left);

    return { width, count: Math.max(1, Math.floor((PICTURE.width - PICTURE.left) / width)) };
}

/* The names under the picture, in columns; more than fit on a page are counted. */
function legendNodes(lines, palette) {
    const shown = lines.slice(0, LEGEND_LINES), columns = legendColumns(shown);
    const nodes = shown.map((line, i) => {
        const x = PICTURE.left + (i % columns.count) * columns.width;
        const y = PICTURE.height + 10 + Math.floor(i / columns.count) * LEGEND_HEIGHT;

        return svgElement("g", {},
            svgElement("line", { x1: x, x2: x + 30, y1: y, y2: y, stroke: palette.fills[line.group.colour],
                "stroke-width": 2.5, "stroke-dasharray": line.group.dash.join(" ") || null }),
            pictureText(line.name, { x: x + 38, y: y + 4 }, palette));
    });
    const rows = Math.ceil(shown.length / columns.count);

    if (lines.length > shown.length)
        nodes.push(pictureText("and " + (lines.length - shown.length) + " more",
            { x: PICTURE.left, y: PICTURE.height + 14 + rows * LEGEND_HEIGHT }, palette));
    return { nodes, height: (rows + (lines.length > shown.length ? 1 : 0)) * LEGEND_HEIGHT + 12 };
}

function plotNodes(drawing, scales, palette) {
    const clip = "plot-area", { width, height, left, right, top, bottom } = PICTURE;
    const area = svgElement("clipPath", { id: clip }, svgElement("rect", { x: left, y: top, width: width - left - right,
        height: height - top - bottom }));
    const lines = drawing.lines.filter((line) => drawnRows(drawing, line).length > 0);
    const bands = lines.filter((line) => line.low && line.low.some((value) => value !== null));

    return [area, svgElement("g", { "clip-path": `url(#${clip})` },
        ...bands.map((line) => bandPath(drawing, line, scales, palette)),
        ...lines.flatMap((line) => lineNodes(drawing, line, scales, palette)),
        ...drawing.marks.map((mark) => markNode(mark, scales, palette)))];
}

/* The picture as an element; ranges are those that the chart shows. */
function chartSvg(drawing, ranges, title) {
    const palette = withLightBox(readPalette), scales = pictureScales(drawing, ranges);
    const legend = legendNodes(drawing.lines.filter((line) => !line.isSeed), palette);
    const height = PICTURE.height + legend.height;

    return svgElement("svg", { width: PICTURE.width, height, viewBox: `0 0 ${PICTURE.width} ${height}`,
        "font-family": PICTURE_FONT },
    svgElement("rect", { width: PICTURE.width, height, fill: palette.paper }),
    pictureText(title, { x: PICTURE.left, y: 18, "font-size": 14, "font-weight": "bold" }, palette),
    ...xAxisNodes(drawing.choice, ranges.x, scales.x, palette),
    ...yAxisNodes(drawing.choice, ranges.y, scales.y, palette),
    ...plotNodes(drawing, scales, palette), ...legend.nodes);
}
