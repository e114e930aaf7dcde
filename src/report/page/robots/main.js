/*
 * main.js - builds the page of robots. The last of the files.
 */
function changingRounds(runs) {
    const rounds = new Set(runs.flatMap((run) => [...run.frames, ...run.graphs, ...run.scans].map((item) => item.round)));

    return [...rounds].sort((a, b) => a - b);
}

async function buildRobots() {
    const data = JSON.parse(document.getElementById("data").textContent), box = document.getElementById("player");
    const grid = element("div", { class: "robots-runs" }), rounds = changingRounds(data.runs);
    const views = data.runs.map((run) => new RunView(grid, run));

    box.append(grid);
    await Promise.all(views.map((view) => view.load()));
    if (rounds.length > 0) {
        const player = new Player(box, views, rounds);

        addThemeButton(document.querySelector("header"), () => player.redraw());
    } else {
        box.append(element("p", {}, "No maps have been recorded yet."));
    }
    document.documentElement.dataset.ready = "1";
}

buildRobots();
