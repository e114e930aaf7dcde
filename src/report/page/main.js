/*
 * main.js - builds the page. The last of the files.
 */
/* A round of one algorithm is another amount of work than that of another. */
function firstAxis(groups) {
    const algorithms = new Set(groups.map((group) => group.algorithm));

    return algorithms.size > 1 && axisNames(groups).includes("epoch") ? "epoch" : "round";
}

/* The first metric that makes a curve: two evaluations at least. */
function firstQuantity(groups) {
    const names = metricNames(groups);
    const isCurve = (name) => groups.some((group) => group.members.some((member) => member.tables.some(
        (table) => table.metrics[name] && table.metrics[name].filter((value) => value !== null).length > 1)));

    return names.find(isCurve) || names[0] || axisNames(groups)[0];
}

function buildCurves(data) {
    const box = document.getElementById("curves-view");
    const groups = caseGroups(data);
    const quantity = firstQuantity(groups);

    if (!box)
        return null;
    if (!quantity) {
        box.append(element("p", { class: "note" },
            groups.length > 0 ? "The runs have no measurements yet." : "There are no runs to draw."));
        return null;
    }
    return new View(box, groups, { title: data.title, isVirtualTime: data.virtual_time, quantities: [quantity],
        axis: firstAxis(groups) });
}

function build() {
    const data = readData(), views = [];
    const redraw = () => views.forEach((view) => view.draw());
    const keep = (view) => view && views.push(view);

    for (const figure of document.querySelectorAll("figure.plot"))
        addFigureButtons(figure, data.title);
    document.querySelectorAll("table.table").forEach(makeSortable);
    addRunSelect(data);
    addThemeButton(document.querySelector("header"), redraw);
    keep(buildCurves(data));
    performance.mark("report-ready");
    document.documentElement.dataset.ready = "1";
    preparePrinting(redraw, buildWorkerViewsWhenSeen(data, keep));
}

build();
