/*
 * format.js - numbers and names as a reader sees them.
 */
const AXES = ["round", "epoch", "samples", "gradients", "bytes", "seconds"];

const AXIS_TITLES = {
    round: "round",
    epoch: "epoch",
    samples: "samples",
    gradients: "gradient evaluations",
    bytes: "bytes sent",
    seconds: "seconds",
};

const METRIC_TITLES = {
    lr: "learning rate",
    batch_accuracy5: "batch top-5 accuracy",
    train_accuracy5: "train top-5 accuracy",
    test_accuracy5: "test top-5 accuracy",
    validation_accuracy5: "validation top-5 accuracy",
    train_loss_moving: "train loss, moving average",
    staleness: "staleness, mean so far",
};

function quantityTitle(name, isVirtualTime) {
    if (name === "seconds" && isVirtualTime)
        return "seconds (virtual)";
    return AXIS_TITLES[name] || METRIC_TITLES[name] || name.replaceAll("_", " ");
}

/* Accuracies are fractions in the data and percent on the page. */
function isPercent(name) {
    return /(^|_)accuracy/.test(name);
}

function unitOf(name) {
    if (isPercent(name))
        return "%";
    return name === "seconds" ? "s" : "";
}

function titleWithUnit(name, isVirtualTime) {
    const title = quantityTitle(name, isVirtualTime);

    return isPercent(name) ? title + ", %" : title;
}

const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

function prefixFor(size) {
    return PREFIXES.find(([factor]) => size >= factor) || [1, ""];
}

/* Digits after the point that a multiple of step needs. */
function decimalsOf(step) {
    const digits = -Math.floor(Math.log10(step) + 1e-9);

    return Math.min(Math.max(digits, 0), 12);
}

function plainNumber(value, digits) {
    const size = Math.abs(value);

    if (size !== 0 && (size < 1e-4 || size >= 1e15))
        return value.toExponential(digits - 1);
    if (Number.isInteger(value) || size >= 10 ** digits)
        return Math.round(value).toLocaleString("en").replaceAll(",", "\u202f");
    return value.toFixed(Math.min(Math.max(digits - 1 - Math.floor(Math.log10(size)), 0), 12));
}

function bytesNumber(value) {
    const [factor, prefix] = prefixFor(Math.abs(value));

    return plainNumber(value / factor, 4) + "\u00a0" + prefix + "B";
}

/* A value with its unit: "97.53 %", "1.25 MB", "0.4936". */
function formatValue(name, value) {
    if (name === "bytes")
        return bytesNumber(value);
    const unit = unitOf(name);
    const number = isPercent(name) ? (100 * value).toFixed(2) : plainNumber(value, 4);

    return unit ? number + "\u00a0" + unit : number;
}

/* A place on an axis: "round 700", "6.25 s". */
function formatPosition(name, value) {
    const text = formatValue(name, value);

    return name === "seconds" || name === "bytes" ? text : AXIS_TITLES[name] + " " + text;
}

/* "97.53 ± 0.21 %": the half-width with as many digits after the point as the value. */
function formatPlusMinus(name, value, half) {
    if (name === "bytes")
        return bytesNumber(value) + " ± " + bytesNumber(half);
    if (isPercent(name))
        return (100 * value).toFixed(2) + " ± " + (100 * half).toFixed(2) + "\u00a0%";
    return plainNumber(value, 4) + " ± " + plainNumber(half, 2);
}

/* "97.53 (97.1 – 97.9) %" */
function formatWithRange(name, value, low, high) {
    const percent = (share) => (100 * share).toFixed(2);

    if (isPercent(name))
        return percent(value) + " (" + percent(low) + " – " + percent(high) + ")\u00a0%";
    return formatValue(name, value) + " (" + formatValue(name, low) + " – " + formatValue(name, high) + ")";
}

/* The label of a tick of an axis; step is the distance of ticks (of a log axis: the value). */
function tickLabel(name, value, step) {
    if (isPercent(name))
        return (100 * value).toFixed(decimalsOf(100 * step));
    const size = Math.abs(value);

    if (size !== 0 && size < 1e-3 && step < 1e-3)
        return value.toExponential(decimalsOf(step / 10 ** Math.floor(Math.log10(size))));
    const [factor, prefix] = size >= 1e4 || name === "bytes" ? prefixFor(size) : [1, ""];
    const number = (value / factor).toFixed(decimalsOf(step / factor));

    return name === "bytes" ? number + "\u00a0" + prefix + "B" : number + prefix;
}

function plural(count, noun) {
    return count + "\u00a0" + noun + (count === 1 ? "" : "s");
}

/* A name for a file on any system. */
function safeFileName(...parts) {
    const name = parts.filter(Boolean).join("-").normalize("NFKD");

    return name.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/-+/g, "-").replace(/^[-.]+|[-.]+$/g, "")
        .slice(0, 100) || "report";
}
