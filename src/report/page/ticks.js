/*
 * ticks.js - where an axis has ticks, on the screen and in a saved picture.
 */
function niceStep(span, count) {
    const raw = span / Math.max(count, 1);
    const power = 10 ** Math.floor(Math.log10(raw));

    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= raw * (1 - 1e-9));
}

function linearTicks(low, high, count, name) {
    const step = niceStep(high - low, count), ticks = [];

    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++)
        ticks.push({ v: i * step, label: tickLabel(name, i * step, step) });
    return ticks;
}

/* Powers of ten; with few of them also 2 and 5 times; with many every second, third, ... */
function logTicks(low, high, count, name) {
    const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
    const decades = Math.log10(high / low);
    const every = Math.max(1, Math.ceil(decades / count));
    const factors = decades * 3 <= count + 1 ? [1, 2, 5] : [1];
    const ticks = [];

    for (let power = first; power <= last; power += every) {
        for (const factor of factors) {
            const value = Number(factor + "e" + power);

            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
                ticks.push({ v: value, label: tickLabel(name, value, value) });
        }
    }
    return ticks;
}

function axisTicks(low, high, count, isLog, name) {
    if (!(high > low) || !Number.isFinite(high - low))
        return [];
    if (isLog && low > 0) {
        const ticks = logTicks(low, high, count, name);

        if (ticks.length > 1)
            return ticks;
    }
    return linearTicks(low, high, count, name);
}
