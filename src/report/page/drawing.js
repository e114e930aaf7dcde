/*
 * drawing.js - what a chart shows: lines on one grid, bands and marks. The chart on the screen, the
 * saved picture and the CSV file are all made of it.
 */
const MEAN_WIDTH = 2, SEED_WIDTH = 0.7, DOT_SIZE = 2.4;
const MANY_LINES = 40, FEW_POINTS = 30;

/* The curves of a group: its mean, and those of its members. Null if no member has values. */
function curvesOf(group, choice) {
    const found = [];

    for (const member of group.members) {
        const curve = memberCurve(member, choice.quantity, choice.axis, choice.isLogX, choice.smoothing);

        if (curve)
            found.push({ member, curve });
    }
    if (found.length === 0)
        return null;
    const finished = found.filter((item) => item.member.state === "finished");
    const counted = finished.length > 0 ? finished : found;

    return { group, members: found, counted, mean: groupCurve(counted.map((item) => item.curve), choice.band) };
}

function meanLine(item, isMany) {
    return { group: item.group, name: item.group.name, curve: item.mean, isSeed: false, total: item.counted.length,
        width: isMany ? 1 : MEAN_WIDTH, hasDots: !isMany && item.mean.x.length <= FEW_POINTS,
        ends: item.counted.map(({ curve }) => curve.y[curve.y.length - 1]) };
}

function seedLines(item) {
    if (item.members.length < 2)
        return [];
    return item.members.map(({ member, curve }) => ({
        group: item.group, name: item.group.name + ", " + member.repetition, curve, isSeed: true, total: 1,
        width: SEED_WIDTH, hasDots: false,
    }));
}

function pick(values, indices) {
    return Array.from(indices, (index) => (index < 0 ? null : values[index]));
}

/* Gives each line its values on the shared grid. */
function alignLines(lines, choice) {
    const shared = shareGrid(lines.map((line) => line.curve), choice.isLogX, choice.window);

    lines.forEach((line, i) => {
        const { curve } = line, indices = shared.indices[i];

        line.y = pick(curve.y, indices);
        line.low = curve.low ? pick(curve.low, indices) : null;
        line.high = curve.high ? pick(curve.high, indices) : null;
        line.count = curve.count ? pick(curve.count, indices) : null;
    });
    return shared;
}

/* Best validation: of each member on its line, or of the group at the mean of their positions. */
function marksOf(item, choice) {
    const places = item.members.map(({ member, curve }) =>
        ({ curve, x: bestPosition(member, choice.quantity, choice.axis) })).filter((place) => place.x !== null);
    const marks = [];

    if (places.length === 0)
        return marks;
    const x = places.reduce((sum, place) => sum + place.x, 0) / places.length;

    marks.push({ group: item.group, x, y: interpolate(item.mean.x, item.mean.y, x), size: 5 });
    if (choice.hasSeedLines && item.members.length > 1)
        for (const place of places)
            marks.push({ group: item.group, x: place.x, y: interpolate(place.curve.x, place.curve.y, place.x), size: 3 });
    return marks.filter((mark) => mark.y !== null && (mark.y > 0 || !choice.isLogY)
        && (mark.x > 0 || !choice.isLogX));
}

/* choice: quantity, axis, isLogX, isLogY, smoothing, band, hasSeedLines, window, isVirtualTime. */
function makeDrawing(groups, choice) {
    const items = groups.map((group) => curvesOf(group, choice)).filter(Boolean);
    const isMany = items.length > MANY_LINES;
    const means = items.map((item) => meanLine(item, isMany));
    const seeds = choice.hasSeedLines ? items.flatMap(seedLines) : [];
    const lines = [...seeds, ...means];

    if (lines.length === 0)
        return { choice, lines, x: [], marks: [], isThinned: false };
    const shared = alignLines(lines, choice);

    return { choice, lines, x: shared.x, isThinned: shared.isThinned,
        marks: isMany ? [] : items.flatMap((item) => marksOf(item, choice)) };
}

/* Where bands end on a log axis: they may reach zero and below. Lines have at least twice of it. */
function logFloor(drawing) {
    let smallest = Infinity;

    for (const line of drawing.lines)
        for (const value of line.y)
            if (value !== null && value > 0 && value < smallest)
                smallest = value;
    return smallest / 2;
}

/* A line's value at row of the grid, between its points on their straight line. */
function valueAt(drawing, line, row) {
    if (line.y[row] !== null) {
        return { y: line.y[row], low: line.low && line.low[row], high: line.high && line.high[row],
            count: line.count ? line.count[row] : 1, isExact: true };
    }
    const { curve } = line, x = drawing.x[row];
    const between = (values) => (values && hasBand(curve, x) ? interpolate(curve.x, values, x) : null);
    const y = interpolate(curve.x, curve.y, x);

    return y === null ? null : { y, low: between(curve.low), high: between(curve.high), count: null, isExact: false };
}

/* Whether both neighbours of x have a band. */
function hasBand(curve, x) {
    const right = Array.prototype.findIndex.call(curve.x, (value) => value >= x);

    return curve.low[right] !== null && curve.low[Math.max(right - 1, 0)] !== null;
}

/* The mean of the members' last values, wherever each of them ends. */
function lastValue(drawing, line) {
    const { mean, low, high, count } = summarize(line.ends, drawing.choice.band);

    return { y: mean, low, high, count, isExact: true };
}
