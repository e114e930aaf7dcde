/*
 * spline.js - the cubic spline through way-points, over their numbers 0, 1, 2, ... At the second and
 * the last but one of them the third derivative is continuous ("not-a-knot"), as robots drive.
 */
const SPLINE_POINTS_MIN = 4;

/* The second derivatives of a spline at its values; not-a-knot makes that at 1 the difference there. */
function secondDerivatives(values) {
    const last = values.length - 1, m = new Array(values.length);
    const difference = (i) => values[i - 1] - 2 * values[i] + values[i + 1];

    m[1] = difference(1);
    m[last - 1] = difference(last - 1);
    solveBetween(m, 2, last - 2, difference);
    m[0] = 2 * m[1] - m[2];
    m[last] = 2 * m[last - 1] - m[last - 2];
    return m;
}

/* m[i - 1] + 4 m[i] + m[i + 1] = 6 difference(i) for from <= i <= to; m is known on both sides. */
function solveBetween(m, from, to, difference) {
    const factors = [], right = [];

    for (let i = from; i <= to; i++) {
        const isFirst = i === from, known = (isFirst ? m[from - 1] : 0) + (i === to ? m[to + 1] : 0);
        const pivot = 4 - (isFirst ? 0 : factors[i - 1]);

        factors[i] = 1 / pivot;
        right[i] = (6 * difference(i) - known - (isFirst ? 0 : right[i - 1])) / pivot;
    }
    for (let i = to; i >= from; i--)
        m[i] = right[i] - (i === to ? 0 : factors[i] * m[i + 1]);
}

/* The inner control points of each cubic between neighbours, for one coordinate. */
function bezierControls(values) {
    const m = values.length < SPLINE_POINTS_MIN ? values.map(() => 0) : secondDerivatives(values);

    return values.slice(0, -1).map((value, i) => {
        const step = values[i + 1] - value;

        return [value + (step - (2 * m[i] + m[i + 1]) / 6) / 3, values[i + 1] - (step + (m[i] + 2 * m[i + 1]) / 6) / 3];
    });
}

/* The pieces of the path through points {x, y}: {start, first, second, end}. Below four points they are straight. */
function splinePieces(points) {
    const x = bezierControls(points.map((p) => p.x)), y = bezierControls(points.map((p) => p.y));

    return x.map((_, i) => ({
        start: points[i],
        first: { x: x[i][0], y: y[i][0] },
        second: { x: x[i][1], y: y[i][1] },
        end: points[i + 1],
    }));
}

function pieceAt(piece, t) {
    const u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
    const mix = (name) => a * piece.start[name] + b * piece.first[name] + c * piece.second[name] + d * piece.end[name];

    return { x: mix("x"), y: mix("y") };
}
