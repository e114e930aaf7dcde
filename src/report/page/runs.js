/*
 * runs.js - shows one run of many at a time, and the charts of its workers once they are in sight.
 */
const WORKER_LOSSES = ["batch_loss", "train_loss", "train_loss_moving"];

function showArticle(articles, select, wanted) {
    for (const article of articles)
        article.hidden = article !== wanted;
    select.value = String(articles.indexOf(wanted));
}

/* A link to something in a run that is not shown shows the run. */
function followLinks(articles, select) {
    const follow = () => {
        const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
        const article = target && target.closest("article.run");

        if (article && articles.includes(article)) {
            showArticle(articles, select, article);
            target.scrollIntoView();
        }
    };

    addEventListener("hashchange", follow);
    follow();
}

function runTitle(data, article) {
    const run = data.runs[Number(article.dataset.run)];

    if (!run)
        return "run " + article.dataset.run;
    return run.name + (run.state && run.state !== "finished" ? " (" + run.state + ")" : "");
}

function addRunSelect(data) {
    const section = document.getElementById("runs");
    const articles = section ? Array.from(section.querySelectorAll("article.run")) : [];

    if (articles.length < 2)
        return;
    const select = element("select", { change: () => showArticle(articles, select, articles[Number(select.value)]) },
        ...articles.map((article, i) => element("option", { value: i }, runTitle(data, article))));

    section.querySelector("h2").after(element("div", { class: "controls" }, labelled("run", select)));
    showArticle(articles, select, articles[0]);
    followLinks(articles, select);
}

/* Gradients, loss and norm of the weights, as far as there are rows of them. */
function workerQuantities(groups) {
    const metrics = metricNames(groups), axes = axisNames(groups);
    const loss = WORKER_LOSSES.find((name) => metrics.includes(name));
    const found = [axes.includes("gradients") && "gradients", loss, metrics.includes("weight_norm") && "weight_norm"];

    return found.filter(Boolean).length > 0 ? found.filter(Boolean) : metrics.slice(0, 1);
}

function buildWorkerView(box, data) {
    const run = data.runs[Number(box.dataset.run)], groups = run ? workerGroups(run) : [];
    const quantities = workerQuantities(groups);

    if (quantities.length === 0) {
        box.append(element("p", { class: "note" }, "There are no measurements of single workers."));
        return null;
    }
    box.append(element("h4", {}, "Workers over time"));
    return new View(box, groups, { title: run.name + ", workers", isVirtualTime: data.virtual_time, quantities,
        axis: "seconds" });
}

/* onBuild gets each view when it is made. Returns a function that builds the first limit views of
 * those that are still to be built. */
function buildWorkerViewsWhenSeen(data, onBuild) {
    const waiting = new Set(document.querySelectorAll(".worker-view"));
    const observer = new IntersectionObserver((entries) =>
        entries.filter((entry) => entry.isIntersecting).forEach((entry) => buildOne(entry.target)),
    { rootMargin: "300px" });
    const buildOne = (box) => {
        observer.unobserve(box);
        if (waiting.delete(box))
            onBuild(buildWorkerView(box, data));
    };

    waiting.forEach((box) => observer.observe(box));
    return (limit) => [...waiting].slice(0, limit).forEach(buildOne);
}
