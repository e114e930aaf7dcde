/*
 * legend.js - the list of groups next to a chart: sample of the line, name, value. A click switches
 * a group.
 */
const FILTER_FROM = 30; /* groups */

function lineSample(group) {
    const line = svgElement("line", { x1: 1, y1: 5, x2: 31, y2: 5, "stroke-width": 2.5,
        "stroke-dasharray": group.dash.join(" ") || null });

    line.style.stroke = `var(--fill-${group.colour})`;
    return svgElement("svg", { class: "legend-sample", width: 32, height: 10, "aria-hidden": "true" }, line);
}

function memberTitle(group) {
    const names = group.members.slice(0, 12).map((member) =>
        member.name + (member.state && member.state !== "finished" ? " (" + member.state + ")" : ""));

    return names.join("\n") + (group.members.length > names.length ? "\n…" : "");
}

class Legend {
    /* events: change(), emphasize(group or null). */
    constructor(groups, hasSeeds, events) {
        this.groups = groups;
        this.hasSeeds = hasSeeds;
        this.events = events;
        this.hidden = new Set();
        this.items = new Map();
        this.head = element("p", { class: "legend-head", role: "status" });
        this.list = element("ul", { class: "legend-list" }, ...groups.map((group) => this.makeItem(group)));
        this.box = element("div", { class: "legend" }, this.head, this.makeTools(), this.list);
    }

    makeTools() {
        const tools = element("div", { class: "legend-tools" },
            button("all", { class: "small", click: () => this.show(() => true), title: "Show all lines" }),
            button("none", { class: "small", click: () => this.show(() => false), title: "Hide all lines" }));

        if (this.groups.length > FILTER_FROM) {
            tools.append(element("input", { type: "search", placeholder: "filter names",
                "aria-label": "Filter the names of the legend", input: (event) => this.filter(event.target.value) }));
        }
        tools.hidden = this.groups.length < 2;
        return tools;
    }

    makeItem(group) {
        const name = button("", { class: "legend-name", "aria-pressed": "true", title: memberTitle(group),
            click: () => this.toggle(group), dblclick: () => this.showOnly(group) });
        const value = element("span", { class: "legend-value" });
        const seeds = element("span", { class: "legend-seeds" });
        const only = button("only", { class: "small legend-only", "aria-label": "Show only " + group.name,
            click: () => this.showOnly(group) });
        const item = element("li", { pointerenter: () => this.events.emphasize(group),
            pointerleave: () => this.events.emphasize(null) }, name, seeds, value, only);

        name.append(lineSample(group), element("span", { class: "legend-text" }, group.name));
        only.hidden = this.groups.length < 2;
        this.items.set(group, { item, name, value, seeds });
        return item;
    }

    toggle(group) {
        this.show((other) => (other === group) === this.hidden.has(other));
    }

    showOnly(group) {
        this.show((other) => other === group);
    }

    show(isShown) {
        this.hidden = new Set(this.groups.filter((group) => !isShown(group)));
        for (const group of this.groups)
            this.items.get(group).name.setAttribute("aria-pressed", String(!this.hidden.has(group)));
        this.events.change();
    }

    filter(text) {
        const wanted = text.toLowerCase();

        for (const group of this.groups)
            this.items.get(group).item.hidden = !group.name.toLowerCase().includes(wanted);
    }

    visibleGroups() {
        return this.groups.filter((group) => !this.hidden.has(group));
    }

    /* The values at a row of the grid, or at the ends of the lines (row null). */
    showValues(drawing, row) {
        const { choice } = drawing;
        const at = row === null ? "at the end"
            : "at " + quantityTitle(choice.axis, choice.isVirtualTime) + " " + formatValue(choice.axis, drawing.x[row]);
        const values = new Map();

        for (const line of drawing.lines)
            if (!line.isSeed)
                values.set(line.group, { line, point: row === null ? lastValue(line) : valueAt(drawing, line, row) });
        setText(this.head, quantityTitle(choice.quantity, choice.isVirtualTime) + " " + at);
        for (const group of this.groups)
            this.showValue(group, choice, values.get(group));
    }

    showValue(group, choice, found) {
        const { value, seeds } = this.items.get(group);
        const point = found && found.point;

        setText(value, point ? pointText(choice, point) : "");
        value.dataset.value = point && point.isExact ? point.y : "";
        if (this.hasSeeds)
            setText(seeds, found ? seedsText(found.line.total, point && point.count) : "");
    }
}

function seedsText(total, count) {
    return count && count !== total ? count + " of " + plural(total, "seed") : plural(total, "seed");
}

function pointText(choice, point) {
    if (!point.isExact)
        return "≈ " + formatValue(choice.quantity, point.y);
    if (point.low === null || point.low === undefined)
        return formatValue(choice.quantity, point.y);
    if (choice.band === "range")
        return formatValue(choice.quantity, point.y) + " (" + formatRange(choice.quantity, point.low, point.high) + ")";
    return formatPlusMinus(choice.quantity, point.y, (point.high - point.low) / 2);
}
