/*
 * path.js - the loss along the paths: of the snapshots (solid) and of their projections (dashed).
 */
const CHART = { widthMax: 880, height: 320, left: 60, right: 16, top: 12, bottom: 40 };

class PathChart {
    constructor(box, data) {
        this.data = data;
        this.box = element("div", { class: "scroll" });
        box.append(this.box, element("p", { class: "note" }, "Solid: loss of the snapshots. Dashed: loss of their "
            + "projections on the plane. The nearer the lines, the more the surface says about the run."));
        redrawWithWidth(this);
    }

    draw() {
        if (!this.scale)
            return;
        const { runs } = this.data, palette = readPalette(this.box);
        const points = runs.flatMap((run) => run.points);
        const scale = makeScale(points.flatMap((point) => [point.loss, point.plane_loss]), this.wantsLog);
        const last = Math.max(...points.map((point) => point.epoch), 1e-9);
        const width = widthOf(this.box, CHART.widthMax);
        const place = {
            right: width - CHART.right,
            x: (epoch) => CHART.left + (width - CHART.left - CHART.right) * epoch / last,
            y: (loss) => CHART.top + (CHART.height - CHART.top - CHART.bottom) * (1 - scale.share(loss)),
        };
        const svg = svgElement("svg", { class: "losses", width, height: CHART.height, role: "img",
            "aria-label": "Loss of the snapshots and of their projections" });

        svg.append(...chartMarks(place, scale, last, palette));
        runs.forEach((run, r) => {
            for (const [key, dash] of [["loss", null], ["plane_loss", "5 4"]])
                svg.append(lossLine(run, key, place, palette.fills[(r + 1) % COLOURS], dash));
        });
        this.box.replaceChildren(svg);
    }
}

function lossLine(run, key, place, colour, dash) {
    const points = run.points.filter((point) => isLoss(point[key]))
        .map((point) => `${place.x(point.epoch).toFixed(1)},${place.y(point[key]).toFixed(1)}`);

    return svgElement("polyline", { class: key, points: points.join(" "), fill: "none", stroke: colour,
        "stroke-width": 2, "stroke-dasharray": dash }, svgElement("title", {}, run.name));
}

function chartMarks(place, scale, last, palette) {
    const text = (attributes, value) => svgElement("text", { fill: palette.faint, "font-size": 12, ...attributes }, value);
    const bottom = CHART.height - CHART.bottom, marks = [];

    for (const { v, label } of scale.ticks(6))
        marks.push(svgElement("line", { x1: CHART.left, x2: place.right, y1: place.y(v), y2: place.y(v),
            stroke: palette.line }), text({ x: CHART.left - 8, y: place.y(v) + 4, "text-anchor": "end" }, label));
    for (const { v, label } of linearTicks(0, last, 8, "epoch"))
        marks.push(text({ x: place.x(v), y: bottom + 18, "text-anchor": "middle" }, label));
    marks.push(svgElement("line", { x1: CHART.left, x2: place.right, y1: bottom, y2: bottom, stroke: palette.faint }),
        text({ x: (CHART.left + place.right) / 2, y: CHART.height - 4, "text-anchor": "middle" }, "epoch"),
        text({ transform: `translate(14 ${(CHART.top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" },
            scale.isLog ? "loss, log" : "loss"));
    return marks;
}
