/*
 * controls.js - labelled selects, checkboxes and sliders.
 */
function labelled(text, control) {
    return element("label", { class: "control" }, element("span", {}, text), control);
}

function option(value, text, chosen) {
    return element("option", { value, selected: value === chosen }, text);
}

function selectControl(text, options, chosen, onChange) {
    const select = element("select", { change: () => onChange(select.value) },
        ...options.map(([value, title]) => option(value, title, chosen)));

    return labelled(text, select);
}

/* The metrics, and below them the counters. */
function quantitySelect(metrics, axes, chosen, isVirtualTime, onChange) {
    const options = (names) => names.map((name) => option(name, titleWithUnit(name, isVirtualTime), chosen));
    const select = element("select", { class: "quantity", change: () => onChange(select.value), "aria-label": "Quantity of the y axis" });

    if (metrics.length > 0)
        select.append(element("optgroup", { label: "metrics" }, ...options(metrics)));
    select.append(element("optgroup", { label: "counters" }, ...options(axes)));
    return select;
}

function checkControl(text, isChecked, onChange) {
    const input = element("input", { type: "checkbox", checked: isChecked, change: () => onChange(input.checked) });

    return element("label", { class: "control check" }, input, element("span", {}, text));
}

function sliderControl(text, onInput) {
    const shown = element("output", {}, "off");
    const input = element("input", { type: "range", min: 0, max: 0.99, step: 0.01, value: 0, input: () => {
        const value = Number(input.value);

        setText(shown, value === 0 ? "off" : value.toFixed(2));
        onInput(value);
    } });

    return element("label", { class: "control slider",
        title: "Exponential moving average over the points of each run; 0 = off" },
    element("span", {}, text), input, shown);
}
