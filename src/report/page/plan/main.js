/*
 * main.js - builds the editor of way-points. The last of the files.
 */
const ROWS_MIN = 4; /* a spline needs so many */

function statusText(model, { length, hits }) {
    const rows = model.rows().length;

    if (rows < ROWS_MIN)
        return `${model.points.length} way-points. A path needs ${model.isClosed ? ROWS_MIN - 1 : ROWS_MIN}.`;
    return `${model.points.length} way-points, ${Math.round(length)} pixels` +
        (hits > 0 ? `. ${hits} of ${SAMPLES * (rows - 1)} points are in walls or outside.` : ". No point is in a wall.");
}

function buildControls(box) {
    const controls = {
        closed: element("input", { type: "checkbox", id: "closed" }),
        undo: button("Undo", { class: "small" }),
        redo: button("Redo", { class: "small" }),
        remove: button("Delete way-point", { class: "small" }),
        fit: button("Whole plan", { class: "small" }),
        text: button("Save as text", { class: "small save-text" }),
        npy: button("Save for NumPy", { class: "small save-npy" }),
        file: element("input", { type: "file", id: "open", accept: ".txt,.csv,.npy" }),
        status: element("p", { id: "status", role: "status" }),
    };

    box.append(element("div", { class: "controls" }, controls.undo, controls.redo, controls.remove, controls.fit,
        element("label", {}, controls.closed, " closed path"), controls.text, controls.npy,
        element("label", {}, "Open ", controls.file)), controls.status);
    return controls;
}

function connectControls(controls, editor, data) {
    const { model, map } = editor;
    const save = (content, ending) => saveBlob(new Blob([content]), data.name + ending);

    controls.undo.addEventListener("click", () => editor.apply("undo"));
    controls.redo.addEventListener("click", () => editor.apply("redo"));
    controls.remove.addEventListener("click", () => editor.removeSelected());
    controls.fit.addEventListener("click", () => map.show({ x: 0, y: 0, width: data.width }));
    controls.closed.addEventListener("change", () => editor.apply("setClosed", controls.closed.checked));
    controls.text.addEventListener("click", () => save(waypointText(model.rows()), ".txt"));
    controls.npy.addEventListener("click", () => save(waypointNpy(model.rows()), ".npy"));
    controls.file.addEventListener("change", async () => {
        try {
            editor.apply("replace", readWaypoints(await controls.file.files[0].arrayBuffer()));
        } catch (error) {
            setText(controls.status, `${controls.file.files[0].name}: ${error.message}`);
        }
        controls.file.value = "";
    });
}

function updateControls(controls, model, facts) {
    const isShort = model.rows().length < ROWS_MIN;

    setText(controls.status, statusText(model, facts));
    controls.status.classList.toggle("warning", facts.hits > 0);
    controls.closed.checked = model.isClosed;
    controls.undo.disabled = model.past.length === 0;
    controls.redo.disabled = model.future.length === 0;
    controls.remove.disabled = model.points.length === 0;
    controls.text.disabled = controls.npy.disabled = isShort;
}

function buildEditor(data, image) {
    const box = document.getElementById("editor"), model = new PathModel(data.waypoints);
    const controls = buildControls(box), map = new PlanMap(box, data, image);
    const editor = new PathEditor(map, model, (facts) => updateControls(controls, model, facts));

    connectControls(controls, editor, data);
    addThemeButton(document.querySelector("header"), () => {});
    document.documentElement.dataset.ready = "1";
}

function startEditor() {
    const data = JSON.parse(document.getElementById("data").textContent);
    const image = element("img", { src: "data:image/png;base64," + data.picture });

    image.addEventListener("load", () => buildEditor(data, image));
}

startEditor();
