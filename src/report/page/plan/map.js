/*
 * map.js - the plan with the path on it, as SVG. Its units are pixels of the plan.
 */
const POINT_RADIUS = 6; /* on the screen */
const ZOOM_MAX = 40;
const SAMPLES = 30; /* of each piece of the path, as in the study */

/* Which pixels of the plan are wall: read from the picture, whose opacity is the plan. */
function readWalls(image, width, height) {
    const canvas = element("canvas", { width, height }), context = canvas.getContext("2d");

    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);

    return (x, y) => x < 0 || y < 0 || x >= width || y >= height ||
        data[4 * (Math.floor(y) * width + Math.floor(x)) + 3] >= 128;
}

class PlanMap {
    constructor(box, data, image) {
        this.data = data;
        this.isWall = readWalls(image, data.width, data.height);
        this.svg = svgElement("svg", { class: "plan-map", role: "group", "aria-label": "Floor plan with way-points" });
        this.line = svgElement("path", { class: "plan-line" });
        this.hits = svgElement("path", { class: "plan-hits" });
        this.dots = svgElement("g", {});
        this.svg.append(svgElement("rect", { class: "plan-ground", width: data.width, height: data.height }),
            svgElement("image", { href: image.src, width: data.width, height: data.height }),
            this.line, this.hits, this.dots);
        box.append(this.svg);
        this.show({ x: 0, y: 0, width: data.width });
        new ResizeObserver(() => this.sizeDots()).observe(this.svg);
    }

    /* --- the part that is seen --- */

    show({ x, y, width }) {
        const shape = this.data.height / this.data.width;
        const side = Math.min(this.data.width, Math.max(this.data.width / ZOOM_MAX, width));

        this.window = {
            x: Math.min(this.data.width - side, Math.max(0, x)),
            y: Math.min((this.data.width - side) * shape, Math.max(0, y)),
            width: side,
        };
        this.svg.setAttribute("viewBox", `${this.window.x} ${this.window.y} ${side} ${side * shape}`);
        this.sizeDots();
    }

    /* Around the place {x, y}, which stays where it is. */
    zoom(factor, place) {
        const { x, y, width } = this.window, side = Math.min(this.data.width, width / factor), share = side / width;

        this.show({ x: place.x - (place.x - x) * share, y: place.y - (place.y - y) * share, width: side });
    }

    pan(dx, dy) {
        this.show({ x: this.window.x - dx, y: this.window.y - dy, width: this.window.width });
    }

    unitsPerPixel() {
        const matrix = this.svg.getScreenCTM();

        return matrix && matrix.a > 0 ? 1 / matrix.a : 1;
    }

    sizeDots() {
        this.svg.style.setProperty("--plan-unit", this.unitsPerPixel());
        for (const dot of this.dots.children)
            dot.setAttribute("r", POINT_RADIUS * this.unitsPerPixel());
    }

    /* --- coordinates --- */

    /* Where an event is, in pixels of the plan. */
    place(event) {
        const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());

        return { x, y };
    }

    toPixels(point) {
        return { x: (point.x + 1) / 2 * (this.data.width - 1) + 0.5, y: (point.y + 1) / 2 * (this.data.height - 1) + 0.5 };
    }

    toWaypoint(place) {
        return { x: (place.x - 0.5) / (this.data.width - 1) * 2 - 1, y: (place.y - 0.5) / (this.data.height - 1) * 2 - 1 };
    }

    /* --- drawing --- */

    /* Returns the length of the path in pixels and the number of its points in walls. */
    draw(model) {
        this.pieces = splinePieces(model.rows().map(([x, y]) => this.toPixels({ x, y })));
        const text = (p) => `${p.x.toFixed(2)} ${p.y.toFixed(2)}`;

        this.line.setAttribute("d", this.pieces.map((p, i) =>
            `${i === 0 ? "M" + text(p.start) : ""}C${text(p.first)} ${text(p.second)} ${text(p.end)}`).join(""));
        this.drawDots(model);
        return this.drawHits();
    }

    drawDots(model) {
        const labels = model.points.map((p, i) => `way-point ${i + 1}: ${p.x}, ${p.y}`);

        while (this.dots.children.length > model.points.length)
            this.dots.lastChild.remove();
        while (this.dots.children.length < model.points.length)
            this.dots.append(svgElement("circle", { tabindex: 0, role: "button", "data-index": this.dots.children.length }));
        model.points.forEach((point, i) => {
            const { x, y } = this.toPixels(point), dot = this.dots.children[i];

            setAttributes(dot, { cx: x, cy: y, "aria-label": labels[i],
                class: "plan-dot" + (i === model.selected ? " selected" : "") + (i === 0 ? " start" : "") });
        });
        this.sizeDots();
    }

    drawHits() {
        let length = 0, hits = 0, commands = "";

        for (const piece of this.pieces) {
            let before = piece.start;

            for (let k = 1; k <= SAMPLES; k++) {
                const at = pieceAt(piece, k / SAMPLES);

                length += Math.hypot(at.x - before.x, at.y - before.y);
                if (this.isWall(at.x, at.y)) {
                    hits++;
                    commands += `M${before.x.toFixed(1)} ${before.y.toFixed(1)}L${at.x.toFixed(1)} ${at.y.toFixed(1)}`;
                }
                before = at;
            }
        }
        this.hits.setAttribute("d", commands);
        return { length, hits };
    }

    /* The piece of the path that is nearest to a place, and how far it is. */
    nearestPiece(place) {
        let best = { index: -1, distance: Infinity };

        this.pieces.forEach((piece, index) => {
            for (let k = 0; k <= SAMPLES; k++) {
                const at = pieceAt(piece, k / SAMPLES), distance = Math.hypot(at.x - place.x, at.y - place.y);

                if (distance < best.distance)
                    best = { index, distance };
            }
        });
        return best;
    }
}
