/*
 * colours.js - the colour of a line belongs to its algorithm, the dashes to its settings.
 */
const COLOURS = 8; /* --fill-0 to --fill-7 */
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3], [14, 5], [9, 3, 2, 3, 2, 3]];

function indicesOf(keys) {
    const seen = new Map();

    return keys.map((key) => {
        if (!seen.has(key))
            seen.set(key, seen.size);
        return seen.get(key);
    });
}

function settingsKey(group) {
    return JSON.stringify(Object.entries(group.settings).filter(([name]) => !name.startsWith("algorithm")).sort());
}

/* The number of each group among those of its algorithm. */
function indicesWithin(algorithms) {
    const counts = new Map();

    return algorithms.map((algorithm) => {
        const index = counts.get(algorithm) || 0;

        counts.set(algorithm, index + 1);
        return index;
    });
}

/* Gives every group its colour and dash. The same settings have the same dash in all algorithms as
 * long as there are enough dashes. With one algorithm, cases get colours first, then dashes. */
function assignStyles(groups) {
    const algorithms = indicesOf(groups.map((group) => group.algorithm));
    const settings = indicesOf(groups.map(settingsKey));
    const within = indicesWithin(algorithms);
    const isOne = Math.max(...algorithms) === 0;
    const isShared = Math.max(...settings) < DASHES.length && new Set(
        groups.map((_, i) => algorithms[i] + " " + settings[i])).size === groups.length;

    groups.forEach((group, i) => {
        const colour = isOne ? i : algorithms[i];
        const dash = isOne ? 0 : (isShared ? settings : within)[i];

        group.colour = colour % COLOURS;
        group.dash = DASHES[(dash + Math.floor(colour / COLOURS)) % DASHES.length];
    });
}

/* The colours of the style as they are for an element. */
function readPalette(node) {
    const style = getComputedStyle(node);
    const read = (name) => style.getPropertyValue(name).trim();

    return {
        paper: read("--paper"),
        ink: read("--ink"),
        faint: read("--faint"),
        line: read("--line"),
        fills: Array.from({ length: COLOURS }, (_, i) => read("--fill-" + i)),
    };
}

/* Calls use with an element that has the light colours, whatever the page shows. */
function withLightBox(use) {
    const box = element("div", { "data-theme": "light", class: "light-box", "aria-hidden": "true" });

    document.body.append(box);
    try {
        return use(box);
    } finally {
        box.remove();
    }
}
