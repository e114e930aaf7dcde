/*
 * theme.js - light and dark. The page follows the system until the button is pressed.
 */
function systemTheme() {
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function currentTheme() {
    return document.documentElement.dataset.theme || systemTheme();
}

function setTheme(theme) {
    if (theme)
        document.documentElement.dataset.theme = theme;
    else
        delete document.documentElement.dataset.theme;
}

/* redraw: canvases do not follow the style. */
function addThemeButton(header, redraw) {
    const toggle = button("", { class: "theme", click: () => {
        setTheme(currentTheme() === "dark" ? "light" : "dark");
        update();
    } });
    const update = () => {
        setText(toggle, currentTheme() === "dark" ? "light" : "dark");
        toggle.setAttribute("aria-label", "Switch to " + toggle.textContent + " colours");
        redraw();
    };

    header.append(toggle);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);
    update();
}
