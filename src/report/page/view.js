/*
 * view.js - charts of groups with their controls and one legend: the curves of cases, or those of
 * the workers of a run.
 */
const BANDS = [["interval", "95 % interval"], ["range", "min – max"], ["none", "none"]];

/* One chart of a view: which quantity it shows, and how far it is zoomed. */
class Panel {
    constructor(view, quantity) {
        this.view = view;
        this.quantity = quantity;
        this.zoom = null;
        this.drawing = null;
        this.chartBox = element("div", { class: "chart", role: "img" });
        this.note = element("p", { class: "note" });
        this.resetButton = button("reset zoom", { class: "small", hidden: true, click: () => this.setZoom(null) });
        this.xTitle = element("span", { class: "x-title" });
        this.yTitle = element("span", { class: "y-title" });
        this.select = quantitySelect(view.metrics, view.axes, quantity, view.isVirtualTime, (name) => {
            this.quantity = name;
            this.setZoom(null);
        });
        this.box = element("div", { class: "panel" }, this.makeHead(), this.chartBox,
            element("div", { class: "panel-foot" }, this.xTitle), this.note);
        this.chart = new Chart(this.chartBox, {
            hover: (row) => this.showValues(row),
            zoom: (zoom) => requestAnimationFrame(() => this.setZoom(zoom)),
        });
    }

    makeHead() {
        const { view } = this, hasLines = () => this.drawing.lines.length > 0;

        return element("div", { class: "panel-head" }, view.isSingle ? this.yTitle : this.select, this.resetButton, saveButtons({
            svg: () => hasLines() && chartSvg(this.drawing, this.chart.ranges(), view.title),
            csv: () => hasLines() && chartCsv(this.drawing, view.hasSeeds),
            name: () => this.fileName(),
        }));
    }

    fileName() {
        const { choice } = this.drawing;

        return safeFileName(this.view.title, choice.quantity, choice.axis,
            choice.smoothing > 0 ? "smoothed-" + choice.smoothing : "");
    }

    setZoom(zoom) {
        this.zoom = zoom;
        this.draw();
        this.showValues(null);
    }

    draw() {
        const { view } = this;
        const choice = { ...view.choice, quantity: this.quantity, window: this.zoom && this.zoom.x };

        this.drawing = makeDrawing(view.legend.visibleGroups(), choice);
        this.resetButton.hidden = this.zoom === null;
        setText(this.yTitle, titleWithUnit(choice.quantity, view.isVirtualTime));
        setText(this.xTitle, quantityTitle(choice.axis, view.isVirtualTime));
        setText(this.note, this.noteText());
        this.chartBox.hidden = this.drawing.lines.length === 0;
        this.chartBox.setAttribute("aria-label", this.yTitle.textContent + " against " + this.xTitle.textContent
            + "; the legend has the values");
        this.chart.draw(this.drawing, this.zoom && this.zoom.y);
    }

    noteText() {
        const { choice, lines, marks, isThinned } = this.drawing, notes = [];

        if (lines.length === 0)
            return this.emptyText();
        if (marks.length > 0)
            notes.push("◆ lowest validation loss" + (this.view.hasSeeds ? " (mean position over seeds)." : "."));
        if (choice.smoothing > 0)
            notes.push("Smoothed: exponential moving average of each run with weight " + choice.smoothing.toFixed(2) + ".");
        if (isThinned)
            notes.push("Many points: in each of 250 intervals of the axis, a line keeps its smallest and its largest value."
                + " Zoom in to see all.");
        return notes.join(" ");
    }

    emptyText() {
        const { choice } = this.drawing;

        if (this.view.legend.visibleGroups().length === 0)
            return "All lines are switched off.";
        return "There are no values of " + quantityTitle(choice.quantity) + " against " + quantityTitle(choice.axis) + ".";
    }

    showValues(row) {
        this.view.legend.showValues(this.drawing, row);
    }
}

class View {
    /* options: title, isVirtualTime, quantities (one chart each), axis (the first choice). */
    constructor(box, groups, options) {
        assignStyles(groups);
        this.title = options.title;
        this.isVirtualTime = options.isVirtualTime;
        this.metrics = metricNames(groups);
        this.axes = axisNames(groups);
        this.hasSeeds = groups.some((group) => group.members.length > 1);
        this.choice = {
            axis: this.axes.includes(options.axis) ? options.axis : this.axes[0],
            isLogX: false, isLogY: false, smoothing: 0, band: this.hasSeeds ? "interval" : "none",
            hasSeedLines: false, isVirtualTime: options.isVirtualTime,
        };
        this.legend = new Legend(groups, this.hasSeeds, {
            change: () => this.schedule(),
            emphasize: (group) => this.panels.forEach((panel) => panel.chart.emphasize(group)),
        });
        this.isSingle = options.quantities.length === 1;
        this.panels = options.quantities.map((quantity) => new Panel(this, quantity));
        box.classList.add("view");
        box.classList.toggle("view-many", !this.isSingle);
        box.append(this.makeControls(), element("div", { class: "view-body" },
            element("div", { class: "panels" }, ...this.panels.map((panel) => panel.box)), this.legend.box));
        this.draw();
    }

    makeControls() {
        const controls = element("div", { class: "controls" },
            selectControl("against", this.axes.map((name) => [name, quantityTitle(name, this.isVirtualTime)]),
                this.choice.axis, (axis) => this.change({ axis }, true)),
            checkControl("log x", false, (isLogX) => this.change({ isLogX }, true)),
            checkControl("log y", false, (isLogY) => this.change({ isLogY }, true)),
            sliderControl("smoothing", (smoothing) => this.change({ smoothing }, false)));

        if (this.isSingle)
            controls.prepend(this.panels[0].select);
        if (this.hasSeeds) {
            controls.append(
                selectControl("band", BANDS, this.choice.band, (band) => this.change({ band }, false)),
                checkControl("each seed", false, (hasSeedLines) => this.change({ hasSeedLines }, false)));
        }
        return controls;
    }

    /* A zoom of one axis means nothing on another. */
    change(values, resetsZoom) {
        Object.assign(this.choice, values);
        if (resetsZoom)
            for (const panel of this.panels)
                panel.zoom = null;
        this.schedule();
    }

    /* Several changes before the next frame are drawn once. */
    schedule() {
        if (this.isScheduled)
            return;
        this.isScheduled = true;
        requestAnimationFrame(() => {
            this.isScheduled = false;
            this.draw();
        });
    }

    draw() {
        for (const panel of this.panels)
            panel.draw();
        this.panels[0].showValues(null);
    }
}
