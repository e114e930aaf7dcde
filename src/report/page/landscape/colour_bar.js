/*
 * colour_bar.js - which colour stands for which loss.
 */
const BAR = { width: 14, steps: 60, labels: 6 };

/* At x, from y down; the highest loss is at the top. */
function colourBar(scale, palette, x, y, height) {
    const group = svgElement("g", { class: "colour-bar" });
    const text = (at, y1, value) => svgElement("text", { x: at, y: y1, fill: palette.faint, "font-size": 12 }, value);

    for (let i = 0; i < BAR.steps; i++)
        group.append(svgElement("rect", { x, y: y + height * (1 - (i + 1) / BAR.steps), width: BAR.width,
            height: height / BAR.steps + 0.5, fill: heatColour((i + 0.5) / BAR.steps), "shape-rendering": "crispEdges" }));
    for (const tick of scale.ticks(BAR.labels)) {
        const at = y + height * (1 - scale.share(tick.v));

        group.append(svgElement("line", { x1: x + BAR.width, x2: x + BAR.width + 4, y1: at, y2: at, stroke: palette.faint }),
            text(x + BAR.width + 8, at + 4, tick.label));
    }
    group.append(text(x, y + height + 18, scale.isLog ? "loss, log" : "loss"));
    return group;
}
