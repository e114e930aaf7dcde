/*
 * main.js - builds the page. The last of the files.
 */
function buildCurves(data) {
    const box = document.getElementById("curves-view");
    const groups = caseGroups(data);
    const quantity = metricNames(groups)[0] || axisNames(groups)[0];

    if (!box)
        return null;
    if (!quantity) {
        box.append(element("p", { class: "note" },
            groups.length > 0 ? "The runs have no measurements yet." : "There are no runs to draw."));
        return null;
    }
    return new View(box, groups, { title: data.title, isVirtualTime: data.virtual_time, quantities: [quantity],
        axis: "round" });
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
