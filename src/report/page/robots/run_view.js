/*
 * run_view.js - one run of the player: the plan with robots and links, and the maps.
 */
const ROBOT_COLOURS = 8;

function robotClass(robot) {
    return "robot-" + robot % ROBOT_COLOURS;
}

/* The last item whose round is not after this one; null before the first. */
function lastUntil(items, round) {
    let low = 0, high = items.length;

    while (low < high) {
        const middle = (low + high) >> 1;

        if (items[middle].round <= round)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? items[low - 1] : null;
}

function loadPicture(text) {
    return new Promise((resolve, reject) => {
        const image = new Image();

        image.addEventListener("load", () => resolve(image));
        image.addEventListener("error", reject);
        image.src = "data:image/png;base64," + text;
    });
}

class RunView {
    constructor(box, run) {
        this.run = run;
        this.note = element("p", { class: "note robots-round" });
        box.append(element("section", { class: "robots-run" }, element("h2", {}, run.name), this.note,
            this.buildWorld(), this.buildMaps()));
    }

    async load() {
        for (const frame of this.run.frames)
            frame.picture = await loadPicture(frame.maps);
    }

    /* --- elements --- */

    buildWorld() {
        const { width, height, plan, graphs } = this.run;
        const robots = graphs.length > 0 ? graphs[0].positions.length / 2 : 0;
        const each = (make) => Array.from({ length: robots }, (_, i) => make(i));

        this.radius = Math.max(width, height) / 60;
        this.paths = each((i) => svgElement("path", { class: "robots-path " + robotClass(i) }));
        this.links = svgElement("path", { class: "robots-links" });
        this.dots = each((i) => svgElement("circle", { class: "robots-dot " + robotClass(i), r: this.radius },
            svgElement("title", {}, "robot " + i)));
        return svgElement("svg", { class: "robots-world", viewBox: `0 0 ${width} ${height}`, role: "img",
            "aria-label": `Floor plan with ${robots} robots` },
            svgElement("image", { href: "data:image/png;base64," + plan, width, height }),
            ...this.paths, this.links, ...this.dots);
    }

    buildMaps() {
        const { width, height, robots, shown } = this.run;
        const names = robots === 1 ? ["map"] : ["mean", ...Array.from({ length: shown }, (_, i) => "robot " + i)];
        const box = element("div", { class: "robots-maps" });

        this.canvases = names.map((name, i) => {
            const canvas = element("canvas", { width, height, role: "img", "aria-label": name });

            box.append(element("figure", {}, canvas, element("figcaption", {},
                i > 0 ? element("span", { class: `swatch swatch-${(i - 1) % ROBOT_COLOURS}` }) : "", name)));
            return canvas;
        });
        if (shown < robots)
            box.append(element("p", { class: "note" }, `Maps of ${shown} of ${robots} robots; the mean is of all.`));
        return box;
    }

    /* --- drawing --- */

    show(round) {
        const frame = lastUntil(this.run.frames, round) || this.run.frames[0];

        if (frame)
            this.drawMaps(frame);
        this.drawRobots(round);
        setText(this.note, frame ? `maps of round ${frame.round}, epoch ${Number(frame.epoch.toFixed(2))}` : "no maps");
    }

    /* The pictures say where walls are; the colour is that of the page. */
    drawMaps(frame) {
        const { width, height } = this.run;
        const colour = getComputedStyle(document.documentElement).getPropertyValue("--heat").trim();

        this.canvases.forEach((canvas, i) => {
            const context = canvas.getContext("2d");

            context.globalCompositeOperation = "copy";
            context.drawImage(frame.picture, 0, i * height, width, height, 0, 0, width, height);
            context.globalCompositeOperation = "source-in";
            context.fillStyle = colour;
            context.fillRect(0, 0, width, height);
        });
    }

    drawRobots(round) {
        const graph = lastUntil(this.run.graphs, round);
        const at = (g, i) => `${g.positions[2 * i]} ${g.positions[2 * i + 1]}`;
        const links = [];

        if (!graph)
            return;
        for (let k = 0; k < graph.links.length; k += 2)
            links.push(`M${at(graph, graph.links[k])}L${at(graph, graph.links[k + 1])}`);
        this.links.setAttribute("d", links.join(""));
        const past = this.run.graphs.filter((g) => g.round <= round);
        this.dots.forEach((dot, i) => {
            setAttributes(dot, { cx: graph.positions[2 * i], cy: graph.positions[2 * i + 1] });
            this.paths[i].setAttribute("d", past.map((g, k) => (k === 0 ? "M" : "L") + at(g, i)).join(""));
        });
    }
}
