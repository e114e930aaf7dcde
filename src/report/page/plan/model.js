/*
 * model.js - the way-points of one path, with undo. Coordinates are those of files: (-1, -1) is the
 * top left corner of the plan, (1, 1) the bottom right one.
 */
const DECIMALS = 5; /* a hundredth of a pixel in the largest plans */

function limited(value) {
    return Number(Math.min(1, Math.max(-1, value)).toFixed(DECIMALS));
}

class PathModel {
    constructor(rows) {
        this.past = [];
        this.future = [];
        this.load(rows);
    }

    load(rows) {
        const last = rows[rows.length - 1];

        this.isClosed = rows.length === 0 || (rows.length > 1 && rows[0][0] === last[0] && rows[0][1] === last[1]);
        this.points = (this.isClosed ? rows.slice(0, -1) : rows).map(([x, y]) => ({ x, y }));
        this.selected = this.points.length - 1;
    }

    /* As they are in a file. */
    rows() {
        const points = this.isClosed && this.points.length > 0 ? [...this.points, this.points[0]] : this.points;

        return points.map((p) => [p.x, p.y]);
    }

    state() {
        return { points: this.points.map((p) => ({ ...p })), selected: this.selected, isClosed: this.isClosed };
    }

    /* Called before each change. */
    remember() {
        this.past.push(this.state());
        this.future = [];
    }

    undo() {
        if (this.past.length > 0) {
            this.future.push(this.state());
            Object.assign(this, this.past.pop());
        }
    }

    redo() {
        if (this.future.length > 0) {
            this.past.push(this.state());
            Object.assign(this, this.future.pop());
        }
    }

    move(index, x, y) {
        this.points[index] = { x: limited(x), y: limited(y) };
    }

    insert(index, x, y) {
        this.remember();
        this.points.splice(index, 0, { x: limited(x), y: limited(y) });
        this.selected = index;
    }

    remove(index) {
        if (index < 0 || index >= this.points.length)
            return;
        this.remember();
        this.points.splice(index, 1);
        this.selected = Math.min(index, this.points.length - 1);
    }

    replace(rows) {
        this.remember();
        this.load(rows);
    }

    setClosed(isClosed) {
        this.remember();
        this.isClosed = isClosed;
    }
}
