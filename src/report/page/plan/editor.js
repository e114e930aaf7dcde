/*
 * editor.js - what mouse, fingers and keys do on the plan.
 */
const LINE_REACH = 8; /* pixels of the screen at which a click means the line */
const CLICK_REACH = 4; /* a longer way is no click */
const WHEEL_STEP = 300;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

class PathEditor {
    /* changed: called with length and hits of the path after every change. */
    constructor(map, model, changed) {
        Object.assign(this, { map, model, changed, drag: null });
        const listen = (name, use, options) => map.svg.addEventListener(name, use.bind(this), options);

        listen("pointerdown", this.start);
        listen("pointermove", this.continue);
        listen("pointerup", this.end);
        listen("pointercancel", this.end);
        listen("dblclick", this.addFree);
        listen("wheel", this.wheel, { passive: false });
        listen("keydown", this.key);
        listen("focusin", (event) => this.focus(event));
        document.addEventListener("keydown", (event) => this.undoKey(event));
        this.draw();
    }

    draw() {
        this.changed(this.map.draw(this.model));
    }

    /* --- pointer: a point is moved, the line gets a point, else the plan is moved --- */

    start(event) {
        if (event.button !== 0)
            return;
        const dot = event.target.dataset.index, place = this.map.place(event);

        this.map.svg.setPointerCapture(event.pointerId);
        this.drag = { start: event, last: event, isMoved: false, index: dot === undefined ? -1 : Number(dot), place };
        if (this.drag.index >= 0)
            this.select(this.drag.index);
    }

    continue(event) {
        const drag = this.drag;

        if (!drag)
            return;
        const far = Math.hypot(event.clientX - drag.start.clientX, event.clientY - drag.start.clientY);

        if (!drag.isMoved && far > CLICK_REACH)
            this.begin(drag);
        if (drag.isMoved && drag.index >= 0)
            this.moveTo(drag.index, this.map.place(event));
        else if (drag.isMoved)
            this.map.pan((event.clientX - drag.last.clientX) * this.map.unitsPerPixel(),
                (event.clientY - drag.last.clientY) * this.map.unitsPerPixel());
        drag.last = event;
    }

    begin(drag) {
        drag.isMoved = true;
        if (drag.index >= 0)
            this.model.remember();
    }

    end() {
        const drag = this.drag;

        this.drag = null;
        if (drag && !drag.isMoved && drag.index < 0)
            this.addOnLine(drag.place);
    }

    moveTo(index, place) {
        const point = this.map.toWaypoint(place);

        this.model.move(index, point.x, point.y);
        this.draw();
    }

    addOnLine(place) {
        const { index, distance } = this.map.nearestPiece(place);

        if (distance <= LINE_REACH * this.map.unitsPerPixel())
            this.add(index + 1, place);
    }

    /* After the selected point. The first click of a double click may have put a point there already. */
    addFree(event) {
        const place = this.map.place(event);

        if (event.target.dataset.index === undefined &&
            this.map.nearestPiece(place).distance > LINE_REACH * this.map.unitsPerPixel())
            this.add(this.model.selected + 1, place);
    }

    add(index, place) {
        const point = this.map.toWaypoint(place);

        this.model.insert(index, point.x, point.y);
        this.draw();
    }

    wheel(event) {
        event.preventDefault();
        this.map.zoom(Math.exp(-event.deltaY / WHEEL_STEP), this.map.place(event));
    }

    /* --- keys --- */

    select(index) {
        this.model.selected = index;
        this.draw();
    }

    focus(event) {
        if (event.target.dataset.index !== undefined && !this.drag)
            this.select(Number(event.target.dataset.index));
    }

    key(event) {
        const arrow = ARROWS[event.key], index = this.model.selected;

        if ((event.key === "Delete" || event.key === "Backspace") && index >= 0)
            this.removeSelected();
        else if (arrow && index >= 0)
            this.nudge(index, arrow, event.shiftKey ? 10 : 1);
        else
            return;
        event.preventDefault();
    }

    nudge(index, [dx, dy], pixels) {
        const place = this.map.toPixels(this.model.points[index]);

        this.model.remember();
        this.moveTo(index, { x: place.x + dx * pixels, y: place.y + dy * pixels });
    }

    undoKey(event) {
        if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z")
            return;
        event.preventDefault();
        this.apply(event.shiftKey ? "redo" : "undo");
    }

    /* --- buttons --- */

    removeSelected() {
        this.model.remove(this.model.selected);
        this.draw();
    }

    /* Calls a function of the model: undo, redo, replace, setClosed. */
    apply(name, ...values) {
        this.model[name](...values);
        this.draw();
    }
}
