/*
 * save.js - saves pictures and numbers as files.
 */
const PNG_SCALE = 2;

/* What a figure takes from the style of the page, and must have in a file of its own. */
const SAVED_PROPERTIES = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray",
    "opacity", "font-family", "font-size", "font-weight", "font-style", "text-anchor", "dominant-baseline", "display",
    "visibility"];

function svgText(svg) {
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(svg) + "\n";
}

function svgBlob(svg) {
    return new Blob([svgText(svg)], { type: "image/svg+xml" });
}

function savePng(svg, name) {
    const url = URL.createObjectURL(svgBlob(svg)), image = new Image();

    image.addEventListener("load", () => {
        const canvas = element("canvas", { width: PNG_SCALE * image.width, height: PNG_SCALE * image.height });

        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        URL.revokeObjectURL(url);
        canvas.toBlob((blob) => blob && saveBlob(blob, name), "image/png");
    });
    image.src = url;
}

/* Buttons for what can be saved: source has svg() and csv(), either may be absent or give nothing. */
function saveButtons(source) {
    const save = (kind, make, write) => make && button(kind, { class: "small", title: "Save as " + kind, click: () => {
        const made = make();

        if (made)
            write(made, source.name() + "." + kind.toLowerCase());
    } });

    return element("span", { class: "save", role: "group", "aria-label": "Save" }, ...[
        save("SVG", source.svg, (svg, name) => saveBlob(svgBlob(svg), name)),
        save("PNG", source.svg, savePng),
        save("CSV", source.csv, (text, name) => saveBlob(new Blob([text], { type: "text/csv" }), name)),
    ].filter(Boolean));
}

function copyStyle(from, to) {
    const style = getComputedStyle(from);

    if (from instanceof SVGTitleElement)
        return;
    to.removeAttribute("class");
    to.removeAttribute("style");
    for (const name of SAVED_PROPERTIES)
        to.setAttribute(name, style.getPropertyValue(name));
}

function pictureSize(svg) {
    const view = svg.viewBox.baseVal;

    if (view && view.width > 0)
        return { x: view.x, y: view.y, width: view.width, height: view.height };
    const box = svg.getBoundingClientRect();

    return { x: 0, y: 0, width: box.width, height: box.height };
}

/* A figure that stands alone: light colours, no style sheet, a background. */
function figureSvg(original) {
    return withLightBox((box) => {
        const shown = original.cloneNode(true);

        box.append(shown);
        const saved = shown.cloneNode(true), size = pictureSize(original);
        const from = [shown, ...shown.querySelectorAll("*")], to = [saved, ...saved.querySelectorAll("*")];

        from.forEach((node, i) => copyStyle(node, to[i]));
        saved.setAttribute("width", size.width);
        saved.setAttribute("height", size.height);
        saved.setAttribute("viewBox", `${size.x} ${size.y} ${size.width} ${size.height}`);
        saved.prepend(svgElement("rect", { ...size, fill: readPalette(box).paper }));
        return saved;
    });
}

function addFigureButtons(figure, title) {
    const svg = figure.querySelector("svg"), table = figure.querySelector("table.numbers");
    const article = figure.closest("article.run");
    const run = article ? article.dataset.run : "";

    figure.append(saveButtons({
        svg: svg && (() => figureSvg(svg)),
        csv: table && (() => tableCsv(table)),
        name: () => safeFileName(title, run && "run-" + run, figure.dataset.name || figure.id),
    }));
}
