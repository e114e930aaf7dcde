/*
 * legend.js - the list of groups next to a chart: sample of the line, name, value. A click switches
 * a group.
 */
const FILTER_FROM = 30; /* groups */

function lineSample(group) {
    const line = svgElement("line", { x1: 1, y1: 5, x2: 27, y2: 5, "stroke-width": 2.5,
        "stroke-dasharray": group.dash.join(" ") || null });

    line.style.stroke = `var(--fill-${group.colour})`;
    return svgElement("svg", { class: "legend-sample", width: 28, height: 10, "aria-hidden": "true" }, line);
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
            pointerleave: () => this.events.emphasize(null) }, name,
        element("span", { class: "legend-right" }, seeds, value, only));

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
        const lines = drawing.lines.filter((line) => !line.isSeed);
        const totals = new Set(lines.map((line) => line.total));
        const usual = totals.size === 1 ? [...totals][0] : null;
        const found = new Map(lines.map((line) => [line.group, line]));

        setText(this.head, headText(drawing.choice, row === null ? null : drawing.x[row], this.hasSeeds, usual));
        this.head.dataset.x = row === null ? "" : drawing.x[row];
        for (const group of this.groups) {
            const line = found.get(group);
            const point = line && (row === null ? lastValue(drawing, line) : valueAt(drawing, line, row));

            this.showValue(group, drawing.choice, line, point);
            if (this.hasSeeds)
                setText(this.items.get(group).seeds, line ? seedsText(line.total, point && point.count, usual) : "");
        }
    }

    showValue(group, choice, line, point) {
        const { value } = this.items.get(group);

        if (!line)
            setText(value, this.hidden.has(group) ? "" : "no values");
        else
            setText(value, point ? pointText(choice, point) : "–");
        value.dataset.value = point && point.isExact ? point.y : "";
    }
}

/* "test accuracy at round 500, mean of 5 seeds ± 95 % interval" */
function headText(choice, x, hasSeeds, usualSeeds) {
    const at = x === null ? " at the end" : " at " + formatPosition(choice.axis, x);
    const bands = { interval: " ± 95\u00a0% interval", range: " (min – max)", none: "" };
    const seeds = usualSeeds === null ? "seeds" : plural(usualSeeds, "seed");

    return quantityTitle(choice.quantity, choice.isVirtualTime) + at
        + (hasSeeds ? ", mean of " + seeds + bands[choice.band] : "");
}

/* How many seeds a value is the mean of, where that is not what the head says. */
function seedsText(total, count, usual) {
    if (count && count !== total)
        return count + " of " + plural(total, "seed");
    return total === usual ? "" : plural(total, "seed");
}

/* ≈: between the points of a line. */
function pointText(choice, point) {
    return (point.isExact ? "" : "≈ ") + numbersText(choice, point);
}

function numbersText(choice, point) {
    if (point.low === null || point.low === undefined)
        return formatValue(choice.quantity, point.y);
    if (choice.band === "range")
        return formatWithRange(choice.quantity, point.y, point.low, point.high);
    return formatPlusMinus(choice.quantity, point.y, (point.high - point.low) / 2);
}
