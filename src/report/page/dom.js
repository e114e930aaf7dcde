/*
 * dom.js - makes elements. Names of runs and cases come from users: they become text nodes or
 * attributes here, never HTML.
 */
const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/* An attribute that is null or false is left out; a function listens to the event "name". */
function setAttributes(node, attributes) {
    for (const [name, value] of Object.entries(attributes || {})) {
        if (typeof value === "function")
            node.addEventListener(name, value);
        else if (value !== null && value !== undefined && value !== false)
            node.setAttribute(name, value === true ? "" : String(value));
    }
}

function element(tag, attributes, ...children) {
    const node = document.createElement(tag);

    setAttributes(node, attributes);
    node.append(...children);
    return node;
}

function svgElement(tag, attributes, ...children) {
    const node = document.createElementNS(SVG_NAMESPACE, tag);

    setAttributes(node, attributes);
    node.append(...children);
    return node;
}

function button(text, attributes) {
    return element("button", { type: "button", ...attributes }, text);
}

/* Replaces the children only where the text differs: setting it again costs a layout. */
function setText(node, text) {
    if (node.textContent !== text)
        node.textContent = text;
}
