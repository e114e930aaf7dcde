/*
 * main.js - builds the page of a landscape. The last of the files.
 */
function buildLegend(box, data) {
    const list = element("ul", { class: "landscape-legend" });

    data.runs.forEach((run, r) => list.append(element("li", {}, swatch(r), run.name)));
    box.append(list, element("p", { class: "note" },
        "\u25cb start and \u25cf end of a path; \u2715 lowest loss of the grid."));
}

function swatch(r) {
    return element("span", { class: "swatch swatch-" + ((r + 1) % COLOURS), "aria-hidden": "true" });
}

/* A row of the table that is named like a path gets its colour. */
function markRows(table, runs) {
    for (const row of table.tBodies[0].rows) {
        const r = runs.findIndex((run) => run.name === row.cells[0].textContent);

        if (r >= 0)
            row.cells[0].prepend(swatch(r));
    }
}

function buildScaleSwitch(box, isLog, use) {
    const input = element("input", { type: "checkbox", id: "log-scale", change: () => use(input.checked) });

    input.checked = isLog;
    box.append(element("label", {}, input, " logarithmic loss"));
}

function buildLandscape() {
    const data = JSON.parse(document.getElementById("data").textContent);
    const box = (name) => document.getElementById(name);
    const views = [new Surface(box("surface-view"), data), new ContourMap(box("contour-view"), data),
        new PathChart(box("path-view"), data)];
    const redraw = () => views.forEach((view) => view.draw());
    const setScale = (wantsLog) => {
        const scale = makeScale(data.grid.losses, wantsLog);

        for (const view of views)
            Object.assign(view, { scale, wantsLog });
        return scale;
    };

    markRows(box("landscape-runs"), data.runs);
    makeSortable(box("landscape-runs"));
    buildLegend(box("legend"), data);
    buildScaleSwitch(box("legend"), setScale(true).isLog, (wantsLog) => {
        setScale(wantsLog);
        redraw();
    });
    addThemeButton(document.querySelector("header"), redraw);
    document.documentElement.dataset.ready = "1";
}

buildLandscape();
