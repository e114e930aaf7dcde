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
            this.buildWorld(), this.buildMaps(), ...this.buildCertainty()));
    }

    async load() {
        for (const frame of this.run.frames) {
            frame.picture = await loadPicture(frame.maps);
            if (frame.certainty)
                frame.certaintyPicture = await loadPicture(frame.certainty);
        }
    }

    /* --- elements --- */

    buildWorld() {
        const { width, height, plan, graphs, scans } = this.run;

        /* Runs of earlier versions have no scans; there the graph may say where robots are. */
        this.places = scans.length > 0 ? scans : graphs.filter((g) => g.positions);
        const robots = this.places.length > 0 ? this.places[0].positions.length / 2 : 0;
        const each = (make) => Array.from({ length: robots }, (_, i) => make(i));

        this.radius = Math.max(width, height) / 60;
        this.beams = each((i) => svgElement("path", { class: "robots-beams " + robotClass(i) }));
        this.paths = each((i) => svgElement("path", { class: "robots-path " + robotClass(i) }));
        this.links = svgElement("path", { class: "robots-links" });
        this.dots = each((i) => svgElement("circle", { class: "robots-dot " + robotClass(i), r: this.radius },
            svgElement("title", {}, "robot " + i)));
        return svgElement("svg", { class: "robots-world", viewBox: `0 0 ${width} ${height}`, role: "img",
            "aria-label": `Floor plan with ${robots} robots` },
            svgElement("image", { href: "data:image/png;base64," + plan, width, height }),
            ...this.beams, ...this.paths, this.links, ...this.dots);
    }

    /* A canvas for what all robots have together, and one for each that is shown. */
    buildCanvases(box, together, label) {
        const { width, height, robots, shown } = this.run;
        const names = [together, ...Array.from({ length: robots === 1 ? 0 : shown }, (_, i) => "robot " + i)];

        return names.map((name, i) => {
            const canvas = element("canvas", { width, height, role: "img", "aria-label": label + name });

            box.append(element("figure", {}, canvas, element("figcaption", {},
                i > 0 ? element("span", { class: `swatch swatch-${(i - 1) % ROBOT_COLOURS}` }) : "", name)));
            return canvas;
        });
    }

    buildMaps() {
        const { robots, shown } = this.run, box = element("div", { class: "robots-maps" });

        this.canvases = this.buildCanvases(box, robots === 1 ? "map" : "mean", "");
        if (shown < robots)
            box.append(element("p", { class: "note" }, `Maps of ${shown} of ${robots} robots; the mean is of all.`));
        return box;
    }

    /* Only some algorithms count what robots have seen. */
    buildCertainty() {
        const { robots, sum_most: sum, robot_most: most } = this.run;
        const box = element("div", { class: "robots-maps robots-certainty" });

        this.certainty = [];
        if (sum === undefined)
            return [];
        this.certainty = this.buildCanvases(box, robots === 1 ? "certainty" : "sum", "certainty: ");
        return [element("h3", {}, "Certainty"), element("p", { class: "note" },
            `Steps of training that had samples at a place. The strongest colour is ${Math.round(most)} for a robot` +
            (robots === 1 ? "." : `, and ${Math.round(sum)} for the sum.`)), box];
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
        this.drawPictures(this.canvases, frame.picture, "--heat");
        if (frame.certaintyPicture)
            this.drawPictures(this.certainty, frame.certaintyPicture, "--fill-2");
    }

    drawPictures(canvases, picture, variable) {
        const { width, height } = this.run;
        const colour = getComputedStyle(document.documentElement).getPropertyValue(variable).trim();

        canvases.forEach((canvas, i) => {
            const context = canvas.getContext("2d");

            context.globalCompositeOperation = "copy";
            context.drawImage(picture, 0, i * height, width, height, 0, 0, width, height);
            context.globalCompositeOperation = "source-in";
            context.fillStyle = colour;
            context.fillRect(0, 0, width, height);
        });
    }

    drawRobots(round) {
        const place = lastUntil(this.places, round), graph = lastUntil(this.run.graphs, round);
        const at = (p, i) => `${p.positions[2 * i]} ${p.positions[2 * i + 1]}`;
        const links = [];

        if (!place)
            return;
        for (let k = 0; graph && k < graph.links.length; k += 2)
            links.push(`M${at(place, graph.links[k])}L${at(place, graph.links[k + 1])}`);
        this.links.setAttribute("d", links.join(""));
        const past = this.places.filter((p) => p.round <= round);
        this.dots.forEach((dot, i) => {
            setAttributes(dot, { cx: place.positions[2 * i], cy: place.positions[2 * i + 1] });
            this.paths[i].setAttribute("d", past.map((p, k) => (k === 0 ? "M" : "L") + at(p, i)).join(""));
            this.beams[i].setAttribute("d", this.beamsOf(place, i));
        });
    }

    /* Of the scan where the robot is; only the first robots have some. */
    beamsOf(place, robot) {
        const ends = (place.ends || [])[robot] || [], from = place.positions.slice(2 * robot, 2 * robot + 2).join(" ");
        const lines = [];

        for (let k = 0; k < ends.length; k += 2)
            lines.push(`M${from}L${ends[k]} ${ends[k + 1]}`);
        return lines.join("");
    }
}
