/*
 * path.js - the loss along the paths: of the snapshots (solid) and of their projections (dashed).
 */
const CHART = { width: 760, height: 320, left: 60, right: 16, top: 12, bottom: 40 };

class PathChart {
    constructor(box, data) {
        this.data = data;
        this.box = element("div", { class: "scroll" });
        box.append(this.box, element("p", { class: "note" }, "Solid: loss of the snapshots. Dashed: loss of their "
            + "projections on the plane. The nearer the lines, the more the surface says about the run."));
    }

    draw() {
        const { runs } = this.data, palette = readPalette(this.box);
        const points = runs.flatMap((run) => run.points);
        const scale = makeScale(points.flatMap((point) => [point.loss, point.plane_loss]), this.wantsLog);
        const last = Math.max(...points.map((point) => point.epoch), 1e-9);
        const place = {
            x: (epoch) => CHART.left + (CHART.width - CHART.left - CHART.right) * epoch / last,
            y: (loss) => CHART.top + (CHART.height - CHART.top - CHART.bottom) * (1 - scale.share(loss)),
        };
        const svg = svgElement("svg", { class: "losses", viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img",
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
    const text = (x, y, anchor, value) => svgElement("text", { x, y, fill: palette.faint, "font-size": 12,
        "text-anchor": anchor }, value);
    const marks = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => {
        const loss = scale.loss(share), y = place.y(loss);

        return [svgElement("line", { x1: CHART.left, x2: CHART.width - CHART.right, y1: y, y2: y, stroke: palette.line }),
            text(CHART.left - 8, y + 4, "end", formatLoss(loss))];
    });

    for (const share of [0, 0.5, 1])
        marks.push(text(place.x(share * last), CHART.height - 22, "middle", String(Number((share * last).toPrecision(3)))));
    marks.push(text((CHART.left + CHART.width) / 2, CHART.height - 4, "middle", "epoch"));
    return marks;
}
