/*
 * scale.js - from losses to shares of the range between the lowest and the highest, for heights and
 * colours. Losses of a landscape differ by orders of magnitude: the scale is logarithmic if it can.
 */
const STOPS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]]; /* viridis */

function isLoss(value) {
    return value !== null && Number.isFinite(value);
}

function makeScale(losses, wantsLog) {
    const known = losses.filter(isLoss);
    const isLog = wantsLog && known.every((value) => value > 0);
    const raise = isLog ? Math.log10 : (value) => value;
    const low = raise(Math.min(...known)), high = raise(Math.max(...known));
    const width = high > low ? high - low : 1;

    return {
        isLog,
        share: (loss) => (raise(loss) - low) / width,
        loss: (share) => (isLog ? 10 ** (low + share * width) : low + share * width),
        ticks: (count) => axisTicks(isLog ? 10 ** low : low, isLog ? 10 ** high : high, count, isLog, "loss"),
    };
}

/* A picture is as wide as its box, and its text keeps its size. */
function widthOf(box, most) {
    return Math.max(Math.min(box.clientWidth, most), 280);
}

function redrawWithWidth(view) {
    let width = 0;

    new ResizeObserver(() => {
        if (view.box.clientWidth !== width)
            view.draw();
        width = view.box.clientWidth;
    }).observe(view.box);
}

/* Shares outside of the range have the colour of its end. */
function heatColour(share) {
    const at = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1);
    const i = Math.min(Math.floor(at), STOPS.length - 2);
    const mixed = STOPS[i].map((value, k) => Math.round(value + (at - i) * (STOPS[i + 1][k] - value)));

    return `rgb(${mixed.join(" ")})`;
}

function formatLoss(loss) {
    return isLoss(loss) ? String(Number(loss.toPrecision(4))) : "not finite";
}
