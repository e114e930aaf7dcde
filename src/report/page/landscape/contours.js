/*
 * contours.js - lines of equal loss by marching squares, with the paths of the runs.
 */
const LEVELS = 14, MAP_WIDTH_MAX = 760, MAP_MARGIN = { left: 60, right: 84, top: 12, bottom: 44 };

/*
 * Where the line of `level` crosses the cells of values[n][n]: pairs of points in units of cells. A
 * saddle is cut by the value of its middle. Cells with a value that is missing have no line.
 */
function contourSegments(values, n, level) {
    const segments = [];

    for (let j = 0; j + 1 < n; j++) {
        for (let i = 0; i + 1 < n; i++) {
            const corners = [values[j * n + i], values[j * n + i + 1], values[(j + 1) * n + i + 1], values[(j + 1) * n + i]];

            if (corners.every(isLoss))
                segments.push(...cellSegments(corners, level).map((pair) =>
                    pair.map(([x, y]) => [x + i, y + j])));
        }
    }
    return segments;
}

/* Corners and edges go round the cell from the origin: edge k is between corner k and the next. */
function cellSegments(corners, level) {
    const places = [[0, 0], [1, 0], [1, 1], [0, 1]];
    const crossed = [0, 1, 2, 3].filter((k) => (corners[k] > level) !== (corners[(k + 1) % 4] > level));
    const at = (k) => {
        const a = corners[k], b = corners[(k + 1) % 4], t = (level - a) / (b - a);
        const from = places[k], to = places[(k + 1) % 4];

        return [from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])];
    };

    if (crossed.length < 4)
        return crossed.length === 2 ? [[at(crossed[0]), at(crossed[1])]] : [];
    const middle = (corners[0] + corners[1] + corners[2] + corners[3]) / 4;
    const joins = (middle > level) === (corners[0] > level) ? [[0, 1], [2, 3]] : [[3, 0], [1, 2]];

    return joins.map(([a, b]) => [at(a), at(b)]);
}

class ContourMap {
    constructor(box, data) {
        this.data = data;
        this.box = element("div", { class: "scroll" });
        box.append(this.box);
        redrawWithWidth(this);
    }

    draw() {
        if (!this.scale)
            return;
        const { grid, runs } = this.data, palette = readPalette(this.box);
        const plane = this.plane(grid);
        const svg = svgElement("svg", { class: "contours", width: plane.width, height: plane.height,
            role: "img", "aria-label": "Contours of the loss with the paths of the runs" });

        svg.append(this.cells(grid, plane), ...this.lines(grid, plane, palette), ...axisMarks(plane, grid, palette),
            colourBar(this.scale, palette, plane.width - MAP_MARGIN.right + 20, MAP_MARGIN.top, plane.inner));
        runs.forEach((run, r) => svg.append(pathGroup(run, plane, palette.fills[(r + 1) % COLOURS], palette)));
        if (grid.minimum)
            svg.append(minimumMark(grid.minimum, plane, palette));
        this.box.replaceChildren(svg);
    }

    plane(grid) {
        const m = MAP_MARGIN, last = grid.x.length - 1, width = widthOf(this.box, MAP_WIDTH_MAX);
        const inner = width - m.left - m.right;
        const place = (value, axis) => (value - axis[0]) / (axis[last] - axis[0]);

        return {
            width, height: inner + m.top + m.bottom, inner,
            x: (value) => m.left + inner * place(value, grid.x),
            y: (value) => m.top + inner * (1 - place(value, grid.y)),
            cellX: (i) => m.left + inner * i / last,
            cellY: (j) => m.top + inner * (1 - j / last),
        };
    }

    /* Each cell in the colour of its mean; one with a loss that is not finite stays empty. */
    cells(grid, plane) {
        const n = grid.x.length, group = svgElement("g", { "shape-rendering": "crispEdges" });
        const size = plane.inner / (n - 1);

        for (let j = 0; j + 1 < n; j++) {
            for (let i = 0; i + 1 < n; i++) {
                const losses = [j * n + i, j * n + i + 1, (j + 1) * n + i, (j + 1) * n + i + 1].map((k) => grid.losses[k]);

                if (losses.every(isLoss))
                    group.append(svgElement("rect", { x: plane.cellX(i), y: plane.cellY(j + 1), width: size, height: size,
                        fill: heatColour(losses.reduce((sum, loss) => sum + this.scale.share(loss), 0) / 4) }));
            }
        }
        return group;
    }

    lines(grid, plane, palette) {
        const shares = grid.losses.map((loss) => (isLoss(loss) ? this.scale.share(loss) : null));
        const lines = [];

        for (let k = 0; k < LEVELS; k++) {
            const level = (k + 0.5) / LEVELS, segments = contourSegments(shares, grid.x.length, level);
            const d = segments.map(([a, b]) => `M${plane.cellX(a[0]).toFixed(1)} ${plane.cellY(a[1]).toFixed(1)}`
                + `L${plane.cellX(b[0]).toFixed(1)} ${plane.cellY(b[1]).toFixed(1)}`).join("");

            if (d !== "")
                lines.push(svgElement("path", { class: "level", d, fill: "none", stroke: palette.paper,
                    "stroke-width": 1, "stroke-opacity": 0.6, "data-loss": this.scale.loss(level) },
                svgElement("title", {}, "loss " + formatLoss(this.scale.loss(level)))));
        }
        return lines;
    }
}

function axisMarks(plane, grid, palette) {
    const last = grid.x.length - 1, m = MAP_MARGIN, bottom = m.top + plane.inner;
    const text = (attributes, value) => svgElement("text", { fill: palette.faint, "font-size": 12, ...attributes }, value);
    const tick = (x1, y1, x2, y2) => svgElement("line", { x1, y1, x2, y2, stroke: palette.faint });
    const marks = [svgElement("rect", { class: "frame", x: m.left, y: m.top, width: plane.inner, height: plane.inner,
        fill: "none", stroke: palette.line })];

    for (const { v, label } of linearTicks(grid.x[0], grid.x[last], 6, "x"))
        marks.push(tick(plane.x(v), bottom, plane.x(v), bottom + 4),
            text({ x: plane.x(v), y: bottom + 18, "text-anchor": "middle" }, label));
    for (const { v, label } of linearTicks(grid.y[0], grid.y[last], 6, "y"))
        marks.push(tick(m.left - 4, plane.y(v), m.left, plane.y(v)),
            text({ x: m.left - 8, y: plane.y(v) + 4, "text-anchor": "end" }, label));
    marks.push(text({ x: m.left + plane.inner / 2, y: bottom + 38, "text-anchor": "middle" }, "along the first direction"),
        text({ transform: `translate(14 ${m.top + plane.inner / 2}) rotate(-90)`, "text-anchor": "middle" },
            "along the second direction"));
    return marks;
}

function pathGroup(run, plane, colour, palette) {
    const group = svgElement("g", { class: "path" }, svgElement("title", {}, run.name));
    const points = run.points.map((point) => `${plane.x(point.x).toFixed(1)},${plane.y(point.y).toFixed(1)}`);

    for (const [stroke, width] of [[palette.paper, 4.5], [colour, 2.2]])
        group.append(svgElement("polyline", { points: points.join(" "), fill: "none", stroke, "stroke-width": width }));
    run.points.forEach((point, i) => {
        const mark = markOf(i, run.points.length);

        group.append(svgElement("circle", { cx: plane.x(point.x), cy: plane.y(point.y), r: mark.radius,
            fill: mark.isFilled ? colour : palette.paper, stroke: mark.isFilled ? palette.paper : colour,
            "stroke-width": mark.isFilled ? 1 : 2 },
        svgElement("title", {}, `${run.name}, round ${point.round}: loss ${formatLoss(point.loss)}, `
            + `in the plane ${formatLoss(point.plane_loss)}`)));
    });
    return group;
}

function minimumMark(minimum, plane, palette) {
    const x = plane.x(minimum.x), y = plane.y(minimum.y);

    const d = `M${x - 6} ${y - 6}L${x + 6} ${y + 6}M${x - 6} ${y + 6}L${x + 6} ${y - 6}`;

    return svgElement("g", { class: "minimum" },
        svgElement("title", {}, "lowest loss of the grid: " + formatLoss(minimum.loss)),
        svgElement("path", { d, stroke: palette.paper, "stroke-width": 5 }),
        svgElement("path", { d, stroke: palette.ink, "stroke-width": 2.5 }));
}
