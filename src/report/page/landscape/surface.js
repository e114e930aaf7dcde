/*
 * surface.js - the losses as a surface that can be rotated and zoomed. Painter's algorithm: cells and
 * pieces of paths are drawn from the farthest to the nearest.
 */
const HEIGHT = 0.9; /* of the surface, whose sides are from -1 to 1 */

class Surface {
    constructor(box, data) {
        this.data = data;
        this.canvas = element("canvas", { class: "surface", tabindex: 0, role: "img",
            "aria-label": "Surface of the loss. Drag or use the arrow keys to rotate, scroll or use + and - to zoom." });
        box.append(this.canvas, this.controls());
        this.listen();
        new ResizeObserver(() => this.draw()).observe(this.canvas);
    }

    controls() {
        return element("div", { class: "controls" },
            button("zoom in", { class: "small", click: () => this.zoomBy(1.25) }),
            button("zoom out", { class: "small", click: () => this.zoomBy(1 / 1.25) }),
            button("from above", { class: "small", click: () => this.rotate(0, Math.PI) }),
            button("reset", { class: "small", click: () => this.reset() }),
            element("span", { class: "note" }, "Drag to rotate, scroll to zoom, double-click to reset; "
                + "or use the arrow keys, + and -."));
    }

    listen() {
        const { canvas } = this;
        let last = null;

        canvas.addEventListener("pointerdown", (event) => {
            last = event;
            canvas.setPointerCapture(event.pointerId);
        });
        canvas.addEventListener("pointermove", (event) => {
            if (last)
                this.rotate((event.clientX - last.clientX) / 150, (event.clientY - last.clientY) / 150);
            last = last && event;
        });
        for (const name of ["pointerup", "pointercancel"])
            canvas.addEventListener(name, () => { last = null; });
        canvas.addEventListener("wheel", (event) => {
            event.preventDefault();
            this.zoomBy(Math.exp(-event.deltaY / 500));
        }, { passive: false });
        canvas.addEventListener("dblclick", () => this.reset());
        canvas.addEventListener("keydown", (event) => this.press(event));
    }

    press(event) {
        const actions = {
            ArrowLeft: () => this.rotate(-0.1, 0), ArrowRight: () => this.rotate(0.1, 0),
            ArrowUp: () => this.rotate(0, -0.1), ArrowDown: () => this.rotate(0, 0.1),
            "+": () => this.zoomBy(1.2), "-": () => this.zoomBy(1 / 1.2),
        };

        if (actions[event.key]) {
            event.preventDefault();
            actions[event.key]();
        }
    }

    rotate(yaw, pitch) {
        this.view.yaw += yaw;
        this.view.pitch = Math.min(Math.max(this.view.pitch + pitch, 0), Math.PI / 2);
        this.draw();
    }

    zoomBy(factor) {
        this.view.zoom = Math.min(Math.max(this.view.zoom * factor, 0.3), 10);
        this.draw();
    }

    reset() {
        this.view = this.startView();
        this.draw();
    }

    /* The highest side is at the back, where it hides nothing. */
    startView() {
        const { x, losses } = this.data.grid, n = x.length;
        const shares = losses.map((loss) => (isLoss(loss) ? this.scale.share(loss) : 1));
        const sum = (weight) => shares.reduce((total, share, i) => total + share * weight(i), 0);
        const middle = (n - 1) / 2;

        return { yaw: Math.atan2(sum((i) => i % n - middle), sum((i) => Math.floor(i / n) - middle)) + 0.5, pitch: 0.85,
            zoom: 1 };
    }

    /* From x, y and loss to the place on the canvas, and how near it is. */
    project(x, y, loss) {
        const { grid } = this.data;
        const unit = (value, axis) => 2 * (value - axis[0]) / (axis[axis.length - 1] - axis[0]) - 1;

        return this.place(unit(x, grid.x), unit(y, grid.y), Math.min(Math.max(this.scale.share(loss), 0), 1));
    }

    /* The same from places in the box around the surface: a and b from -1 to 1, share from 0 to 1. */
    place(a, b, share) {
        const { yaw, pitch } = this.view, height = HEIGHT * (share - 0.5);
        const across = a * Math.cos(yaw) - b * Math.sin(yaw), along = a * Math.sin(yaw) + b * Math.cos(yaw);

        return {
            x: this.middle.x + this.size * across,
            y: this.middle.y + this.size * (along * -Math.sin(pitch) - height * Math.cos(pitch)),
            near: -along * Math.cos(pitch) + height * Math.sin(pitch),
        };
    }

    draw() {
        const ratio = devicePixelRatio || 1, { canvas } = this;
        const width = canvas.clientWidth, height = canvas.clientHeight;
        const context = canvas.getContext("2d");

        if (width === 0 || !this.scale)
            return;
        this.view = this.view || this.startView();
        canvas.width = width * ratio;
        canvas.height = height * ratio;
        context.scale(ratio, ratio);
        this.middle = { x: width / 2, y: height / 2 };
        this.size = Math.min(width / 3.3, height / 2.5) * this.view.zoom; /* corners and labels fit */
        const palette = readPalette(canvas);
        const cells = this.cells(palette), others = [...this.paths(palette), ...this.minimum(palette)];
        const items = [...cells, ...others].sort((a, b) => a.near - b.near);

        paintBox(this, context, palette);
        for (const item of items)
            item.paint(context);
        paintAxisNames(this, context, palette);
        canvas.dataset.cells = cells.length;
        canvas.dataset.others = others.length;
        canvas.dataset.view = JSON.stringify(this.view);
    }

    /* A cell is drawn if all its corners have a loss. */
    cells(palette) {
        const { grid } = this.data, n = grid.x.length, items = [];
        const corner = (i, j) => this.project(grid.x[i], grid.y[j], grid.losses[j * n + i]);

        for (let j = 0; j + 1 < n; j++) {
            for (let i = 0; i + 1 < n; i++) {
                const losses = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(([a, b]) => grid.losses[b * n + a]);

                if (!losses.every(isLoss))
                    continue;
                const corners = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
                const share = losses.reduce((sum, loss) => sum + this.scale.share(loss), 0) / 4;

                items.push({ near: corners.reduce((sum, c) => sum + c.near, 0) / 4,
                    paint: (context) => paintCell(context, corners, heatColour(share), palette.paper) });
            }
        }
        return items;
    }

    /* Paths are painted after the cells around them: about one cell nearer. */
    lift() {
        return 2 / (this.data.grid.x.length - 1);
    }

    minimum(palette) {
        const { minimum } = this.data.grid;

        if (!minimum)
            return [];
        const point = this.project(minimum.x, minimum.y, minimum.loss);

        return [{ near: point.near + 2 * this.lift(), paint: (context) => paintCross(context, point, palette) }];
    }

    /* Snapshots are at the loss of their projection; between them, paths follow the surface. */
    paths(palette) {
        const items = [];

        this.data.runs.forEach((run, r) => {
            const shown = run.points.filter((point) => isLoss(point.plane_loss));
            const colour = palette.fills[(r + 1) % COLOURS];
            const line = shown.flatMap((point, i) => (i === 0 ? [point] : [...this.between(shown[i - 1], point), point]))
                .map((point) => this.project(point.x, point.y, point.plane_loss));

            for (let i = 1; i < line.length; i++)
                items.push({ near: Math.max(line[i - 1].near, line[i].near) + this.lift(),
                    paint: (context) => paintLine(context, line[i - 1], line[i], colour, palette.paper) });
            shown.forEach((snapshot, i) => {
                const point = this.project(snapshot.x, snapshot.y, snapshot.plane_loss);

                items.push({ near: point.near + 2 * this.lift(),
                    paint: (context) => paintMark(context, point, markOf(i, shown.length), colour, palette.paper) });
            });
        });
        return items;
    }

    /* Points of the surface on the line between two snapshots, about two per cell. */
    between(from, to) {
        const { x, y } = this.data.grid, points = [];
        const pieces = Math.ceil(2 * Math.max(Math.abs((to.x - from.x) / (x[1] - x[0])), Math.abs((to.y - from.y) / (y[1] - y[0]))));

        for (let i = 1; i < pieces; i++) {
            const at = { x: from.x + (to.x - from.x) * i / pieces, y: from.y + (to.y - from.y) * i / pieces };

            at.plane_loss = this.lossAt(at.x, at.y);
            if (isLoss(at.plane_loss))
                points.push(at);
        }
        return points;
    }

    /* By bilinear interpolation of the grid; null where it has no loss. */
    lossAt(x, y) {
        const { grid } = this.data, n = grid.x.length;
        const cell = (value, axis) => {
            const at = (value - axis[0]) / (axis[1] - axis[0]), first = Math.min(Math.max(Math.floor(at), 0), n - 2);

            return { first, share: Math.min(Math.max(at - first, 0), 1) };
        };
        const a = cell(x, grid.x), b = cell(y, grid.y);
        const corners = [0, 1, n, n + 1].map((offset) => grid.losses[b.first * n + a.first + offset]);

        if (!corners.every(isLoss))
            return null;
        const mix = (low, high, share) => low + (high - low) * share;

        return mix(mix(corners[0], corners[1], a.share), mix(corners[2], corners[3], a.share), b.share);
    }
}

/* What a point of a path is: its size, and whether it is filled. */
function markOf(i, count) {
    if (i === 0)
        return { radius: 5, isFilled: false };
    return i === count - 1 ? { radius: 6, isFilled: true } : { radius: 2, isFilled: true };
}

function paintCell(context, corners, colour, edge) {
    context.beginPath();
    corners.forEach((corner, i) => (i === 0 ? context.moveTo(corner.x, corner.y) : context.lineTo(corner.x, corner.y)));
    context.closePath();
    context.fillStyle = colour;
    context.fill();
    context.strokeStyle = edge;
    context.lineWidth = 0.25;
    context.stroke();
}

function paintLine(context, from, to, colour, halo) {
    for (const [style, width] of [[halo, 5], [colour, 2.5]]) {
        context.beginPath();
        context.moveTo(from.x, from.y);
        context.lineTo(to.x, to.y);
        context.strokeStyle = style;
        context.lineWidth = width;
        context.stroke();
    }
}

function paintCross(context, point, palette) {
    const corners = [[-6, -6], [6, 6], [-6, 6], [6, -6]].map(([x, y]) => ({ x: point.x + x, y: point.y + y }));

    paintLine(context, corners[0], corners[1], palette.ink, palette.paper);
    paintLine(context, corners[2], corners[3], palette.ink, palette.paper);
}

function paintMark(context, point, mark, colour, paper) {
    context.beginPath();
    context.arc(point.x, point.y, mark.radius, 0, 2 * Math.PI);
    context.fillStyle = mark.isFilled ? colour : paper;
    context.fill();
    context.strokeStyle = mark.isFilled ? paper : colour;
    context.lineWidth = mark.isFilled ? 1 : 2.5;
    context.stroke();
}
