/*
 * surface_axes.js - the box around the surface: its floor, the scale of the loss, names of the axes.
 */
const FLOOR = [[-1, -1], [1, -1], [1, 1], [-1, 1]];

/* Before the surface. From above, the scale of the loss is a point and is left out. */
function paintBox(surface, context, palette) {
    const corners = FLOOR.map(([a, b]) => surface.place(a, b, 0));

    corners.forEach((corner, k) => paintThin(context, corner, corners[(k + 1) % 4], palette.line));
    if (Math.cos(surface.view.pitch) > 0.25)
        paintLossScale(surface, context, palette, FLOOR[leftmost(corners)]);
}

function leftmost(corners) {
    return corners.reduce((best, corner, k) => (corner.x < corners[best].x ? k : best), 0);
}

function paintLossScale(surface, context, palette, [a, b]) {
    paintThin(context, surface.place(a, b, 0), surface.place(a, b, 1), palette.faint);
    for (const tick of surface.scale.ticks(5)) {
        const at = surface.place(a, b, surface.scale.share(tick.v));

        paintThin(context, at, { x: at.x - 5, y: at.y }, palette.faint);
        paintText(context, tick.label, at.x - 9, at.y, "right", palette.faint);
    }
    const top = surface.place(a, b, 1);

    paintText(context, surface.scale.isLog ? "loss, log" : "loss", top.x, top.y - 14, "center", palette.faint);
}

/* After the surface, along the two nearer edges of the floor. */
function paintAxisNames(surface, context, palette) {
    for (const [name, edges] of [["first direction", [[0, -1], [0, 1]]], ["second direction", [[-1, 0], [1, 0]]]]) {
        const places = edges.map(([a, b]) => surface.place(1.14 * a, 1.14 * b, 0));
        const at = places[0].near > places[1].near ? places[0] : places[1];

        paintText(context, name, at.x, at.y, "center", palette.faint);
    }
}

function paintThin(context, from, to, colour) {
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.stroke();
}

function paintText(context, text, x, y, align, colour) {
    context.font = "12px system-ui, sans-serif";
    context.textAlign = align;
    context.textBaseline = "middle";
    context.fillStyle = colour;
    context.fillText(text, x, y);
}
