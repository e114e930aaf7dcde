/*
 * resample.js - curves of groups, and the grid of x values that all lines of a chart share.
 */
const GRID_POINTS = 500;   /* of a chart with many values */
const GRID_VALUES = 50000; /* points times lines that are drawn quickly */
const GROUP_POINTS = 2000; /* of a mean before it is drawn */

/* y at position, on the straight line between neighbours; null outside. */
function interpolate(x, y, position) {
    let low = 0, high = x.length - 1;

    if (x.length === 0 || position < x[0] || position > x[high])
        return null;
    while (high - low > 1) {
        const middle = (low + high) >> 1;

        if (x[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    if (position === x[low])
        return y[low];
    if (position === x[high])
        return y[high];
    return y[low] + (y[high] - y[low]) * (position - x[low]) / (x[high] - x[low]);
}

/* The same for ascending positions, in one walk. NaN outside. */
function interpolateAll(curve, positions) {
    const { x, y } = curve, out = new Float64Array(positions.length).fill(NaN);
    let at = 0;

    for (let i = 0; i < positions.length; i++) {
        const position = positions[i];

        while (at < x.length && x[at] < position)
            at++;
        if (at === x.length)
            break;
        if (x[at] === position)
            out[i] = y[at];
        else if (at > 0)
            out[i] = y[at - 1] + (y[at] - y[at - 1]) * (position - x[at - 1]) / (x[at] - x[at - 1]);
    }
    return out;
}

function isSameX(a, b) {
    return a.length === b.length && a.every((value, i) => value === b[i]);
}

/* All x of the curves once, ascending. */
function unionOfX(curves) {
    const first = curves[0].x;

    if (curves.every((curve) => curve.x === first || isSameX(curve.x, first)))
        return first;
    const all = new Float64Array(curves.reduce((sum, curve) => sum + curve.x.length, 0));
    let at = 0;

    for (const curve of curves) {
        all.set(curve.x, at);
        at += curve.x.length;
    }
    return all.sort().filter((value, i) => i === 0 || value !== all[i - 1]);
}

/* At most limit values, evenly chosen, with the first and the last. */
function chooseEvenly(values, limit) {
    if (values.length <= limit)
        return values;
    return Float64Array.from({ length: limit }, (_, i) => values[Math.round(i * (values.length - 1) / (limit - 1))]);
}

/* Mean and band of the values at one x; NaN is a member without a value there. Where half of the
 * members or more have none there is no band: that of two values is some ten times too wide to read. */
function summarize(values, band) {
    const present = values.filter((value) => !Number.isNaN(value));
    const count = present.length;
    const mean = present.reduce((sum, value) => sum + value, 0) / count;

    if (count < 2 || 2 * count <= values.length || band === "none")
        return { mean, low: null, high: null, count };
    if (band === "range")
        return { mean, low: Math.min(...present), high: Math.max(...present), count };
    const half = intervalHalf(present.reduce((sum, value) => sum + (value - mean) ** 2, 0), count);

    return { mean, low: mean - half, high: mean + half, count };
}

/* The mean over members at all their x where each of them has a value: a mean over some of them
 * would jump where one begins or ends. Between its points a member is a straight line. Where no x is
 * common to all, the mean is over those that are there. */
function groupCurve(curves, band) {
    if (curves.length === 1) {
        const { x, y } = curves[0], none = new Array(x.length).fill(null);

        return { x, y, low: none, high: none, count: new Array(x.length).fill(1) };
    }
    const x = chooseEvenly(unionOfX(curves), GROUP_POINTS);
    const columns = curves.map((curve) => interpolateAll(curve, x));
    const points = Array.from(x, (_, i) => summarize(columns.map((column) => column[i]), band));
    const hasCommon = points.some((point) => point.count === curves.length);
    const out = { x: [], y: [], low: [], high: [], count: [] };

    for (let i = 0; i < x.length; i++) {
        const point = points[i];

        if (hasCommon && point.count < curves.length)
            continue;
        out.x.push(x[i]);
        out.y.push(point.mean);
        out.low.push(point.low);
        out.high.push(point.high);
        out.count.push(point.count);
    }
    return out;
}

/* The first and last index of x to draw for a window: one point more on either side. */
function windowIndices(x, window) {
    let first = 0, last = x.length - 1;

    if (!window)
        return [first, last];
    while (first < last && x[first + 1] < window[0])
        first++;
    while (last > first && x[last - 1] > window[1])
        last--;
    return [first, last];
}

function cutCurve(curve, window) {
    const [first, last] = windowIndices(curve.x, window);

    return { x: curve.x.slice(first, last + 1), first };
}

/* The index of a line's point at each x of the grid; -1 where it has none. */
function exactIndices(part, grid) {
    const indices = new Int32Array(grid.length).fill(-1);
    let at = 0;

    for (let i = 0; i < grid.length && at < part.x.length; i++) {
        if (part.x[at] === grid[i])
            indices[i] = part.first + at++;
    }
    return indices;
}

/* Intervals of equal width, on a log axis of equal ratio; each has two x of the grid. */
function intervalGrid(low, high, isLogX) {
    const from = isLogX ? Math.log(low) : low, to = isLogX ? Math.log(high) : high;
    const grid = Float64Array.from({ length: GRID_POINTS }, (_, i) => {
        const position = from + (to - from) * (i + 0.5) / GRID_POINTS;

        return isLogX ? Math.exp(position) : position;
    });

    grid[0] = low;
    grid[GRID_POINTS - 1] = high;
    return { grid, intervalOf: (x) => {
        const share = ((isLogX ? Math.log(x) : x) - from) / (to - from);

        return Math.min(Math.floor(share * GRID_POINTS / 2), GRID_POINTS / 2 - 1);
    } };
}

/* In each interval a line keeps its smallest and its largest value, in their order. */
function extremeIndices(curve, part, intervalOf) {
    const indices = new Int32Array(GRID_POINTS).fill(-1);

    for (let i = 0; i < part.x.length; i++) {
        const index = part.first + i, slot = 2 * intervalOf(part.x[i]);
        const a = indices[slot], b = indices[slot + 1];

        if (a < 0) {
            indices[slot] = index;
        } else if (b < 0) {
            indices[slot + 1] = index;
        } else {
            const { y } = curve;
            let [low, high] = y[a] < y[b] ? [a, b] : [b, a];

            low = y[index] < y[low] ? index : low;
            high = y[index] > y[high] ? index : high;
            indices[slot] = Math.min(low, high);
            indices[slot + 1] = Math.max(low, high);
        }
    }
    return indices;
}

/* The grid of the lines' curves within the window, and for each line the indices of its points. */
function shareGrid(curves, isLogX, window) {
    const parts = curves.map((curve) => cutCurve(curve, window));
    const union = unionOfX(parts);

    if (union.length <= GRID_POINTS || union.length * curves.length <= GRID_VALUES)
        return { x: union, indices: parts.map((part) => exactIndices(part, union)), isThinned: false };
    const { grid, intervalOf } = intervalGrid(union[0], union[union.length - 1], isLogX);

    return { x: grid, indices: curves.map((curve, i) => extremeIndices(curve, parts[i], intervalOf)), isThinned: true };
}
