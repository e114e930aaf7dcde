/*
 * print.js - on paper the page is light, and shows all runs.
 */
const PRINTED_WORKER_VIEWS = 30;

/* redraw draws all charts again; buildViews(limit) builds those of workers that are still to be built. */
function preparePrinting(redraw, buildViews) {
    let theme, hidden;

    addEventListener("beforeprint", () => {
        theme = document.documentElement.dataset.theme;
        hidden = Array.from(document.querySelectorAll("article.run[hidden]"));
        setTheme("light");
        hidden.forEach((article) => { article.hidden = false; });
        buildViews(PRINTED_WORKER_VIEWS);
        redraw();
    });
    addEventListener("afterprint", () => {
        setTheme(theme);
        hidden.forEach((article) => { article.hidden = true; });
        redraw();
    });
}
