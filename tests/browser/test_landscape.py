#!/usr/bin/env python3
"""test_landscape.py - the page of a loss landscape, in a browser. $MUSTER is the program.

MUSTER_SCREENSHOTS=FOLDER saves pictures of the page to look at.
"""

import json
import math
import os
import subprocess

import browser as browsers
from selenium.webdriver.common.keys import Keys

MUSTER = os.environ["MUSTER"]
SMALL = ["--dataset", "figures", "--figures.train-count", "640", "--figures.test-count", "128", "--batch-size", "32",
         "--model", "lenet5", "--lr", "0.05", "--epochs", "4", "--saves-per-epoch", "3", "--quiet", "--no-report"]
STUDY = """
name: sharp <b>minima</b>
seed: [1, 2]
data: {name: figures, train_count: 640, test_count: 128}
model: mnist_conv
optimizer: {name: sgd, lr: 0.02, momentum: [0.5, 0.9]}
train: {epochs: 4, batch_size: 16, saves_per_epoch: 2}
landscape: {grid: 5, samples: 64, sharpness: true}
"""
HOSTILE = "<img src=x onerror=alert(1)>"
GRID = 21


def muster(folder, *arguments):
    subprocess.run([MUSTER, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def prepare(folder):
    """Two runs with different momentum; and a page with losses that are not finite and a hostile name."""
    muster(folder, "train", *SMALL, "--momentum", "0.9", "--evaluate-train", "--name", "heavy", "--out", "heavy")
    muster(folder, "train", *SMALL, "--momentum", "0.5", "--name", "light", "--out", "light")
    muster(folder, "landscape", "heavy", "light", "--grid", str(GRID), "--sharpness", "--quiet", "--out", "both")
    muster(folder, "landscape", "light", "--grid", "5", "--directions", "filter", "--quiet", "--out", "filter")
    (folder / "study.yaml").write_text(STUDY)
    muster(folder, "run", "study.yaml", "--quiet", "--out", "study")
    page = (folder / "both/landscape.html").read_text()
    (folder / "holes").mkdir()
    (folder / "holes/landscape.html").write_text(with_holes(page, json.loads((folder / "both/landscape.json").read_text())))
    return folder


def with_holes(page, data):
    """The page with losses that are not finite, as of a grid that reaches too far, and a hostile name."""
    data["runs"][0]["name"] = HOSTILE
    for i in range(GRID):
        data["grid"]["losses"][i] = None
    begin = page.index('id="data">') + len('id="data">')
    return page[:begin] + json.dumps(data).replace("<", "\\u003c") + page[page.index("</script>", begin):]


def open_page(browser, folder, name, **options):
    browser.open(folder / name / "landscape.html", **options)
    browser.settle()
    return browser.find("canvas.surface")


def pixels(browser):
    return browser.script("return document.querySelector('canvas.surface').toDataURL()")


def view(browser):
    return json.loads(browser.find("canvas.surface").get_attribute("data-view"))


def test_pages_open_without_a_message_and_without_a_request(browser, folder):
    for name in ("both", "filter", "holes"):
        open_page(browser, folder, name)
        assert browser.messages() == [], browser.messages()
        others = [url for url in browser.requests() if not url.startswith(("file:", "data:", "blob:"))]
        assert others == [], others


def test_the_surface_has_every_cell_and_every_point(browser, folder):
    canvas = open_page(browser, folder, "both")
    points = 2 * 13
    assert int(canvas.get_attribute("data-cells")) == (GRID - 1) ** 2
    pieces = int(canvas.get_attribute("data-others")) - points - 1  # the others are points and the minimum
    assert pieces > points - 2, pieces  # paths follow the surface between snapshots
    canvas = open_page(browser, folder, "holes")
    assert int(canvas.get_attribute("data-cells")) == (GRID - 1) * (GRID - 2)


def test_the_surface_rotates_and_zooms(browser, folder):
    canvas = open_page(browser, folder, "both")
    start, before = view(browser), pixels(browser)
    browser.drag(canvas, (-0.2, 0), (0.2, 0.1))
    turned = view(browser)
    assert turned["yaw"] > start["yaw"] + 0.5 and turned["pitch"] > start["pitch"], turned
    assert pixels(browser) != before
    browser.script("""arguments[0].dispatchEvent(new WheelEvent("wheel", { deltaY: -300, cancelable: true }))""", canvas)
    assert view(browser)["zoom"] > 1.5
    canvas.send_keys("-", Keys.ARROW_LEFT)
    assert view(browser)["yaw"] < turned["yaw"]
    browser.actions().double_click(canvas).perform()
    browser.settle()
    assert view(browser) == start
    assert pixels(browser) == before


def test_buttons_zoom_and_look_from_above(browser, folder):
    open_page(browser, folder, "both")
    start, before = view(browser), pixels(browser)
    for number in (1, 1, 2):
        browser.click(f"#surface-view button:nth-of-type({number})")
    assert abs(view(browser)["zoom"] - 1.25) < 1e-9, view(browser)
    browser.click("#surface-view button:nth-of-type(3)")
    assert abs(view(browser)["pitch"] - 1.5708) < 1e-4 and view(browser)["yaw"] == start["yaw"], view(browser)
    browser.click("#surface-view button:nth-of-type(4)")
    assert view(browser) == start and pixels(browser) == before


def test_the_highest_side_is_at_the_back(browser, folder):
    """From there, the higher half of the grid is farther away on average than the lower one."""
    open_page(browser, folder, "both")
    grid, yaw = json.loads((folder / "both/landscape.json").read_text())["grid"], view(browser)["yaw"]
    order = sorted(range(GRID * GRID), key=lambda i: grid["losses"][i])
    away = [(i % GRID - GRID / 2) * math.sin(yaw) + (i // GRID - GRID / 2) * math.cos(yaw) for i in order]
    half = len(away) // 2
    assert sum(away[half:]) / (len(away) - half) > sum(away[:half]) / half


def test_the_colour_bar_has_the_losses_of_the_grid(browser, folder):
    open_page(browser, folder, "both")
    losses = json.loads((folder / "both/landscape.json").read_text())["grid"]["losses"]
    for title in ("loss, log", "loss"):
        texts = [text.text for text in browser.find_all("svg.contours .colour-bar text")]
        assert texts[-1] == title, texts
        values = [float(text.replace("k", "e3").replace("M", "e6")) for text in texts[:-1]]
        assert len(values) >= 2 and values == sorted(values), values
        assert min(losses) <= values[0] and values[-1] <= max(losses), values
        browser.click("#log-scale")


def test_contours_are_where_the_loss_is(browser, folder):
    """On every line of a level, the loss between the corners of the grid is that level."""
    open_page(browser, folder, "both")
    data = json.loads((folder / "both/landscape.json").read_text())
    losses = data["grid"]["losses"]
    levels = browser.script("""
        return [...document.querySelectorAll("path.level")].map((path) => [Number(path.dataset.loss), path.getAttribute("d")])""")
    assert len(levels) >= 8, len(levels)
    box = browser.script("""
        const rect = document.querySelector("svg.contours rect.frame");
        return ["x", "y", "width", "height"].map((name) => Number(rect.getAttribute(name)))""")
    checked = 0
    for level, path in levels:
        for piece in path.split("M")[1:]:
            x, y = (float(v) for v in piece.split("L")[0].split())
            i, j = (x - box[0]) / box[2] * (GRID - 1), (box[1] + box[3] - y) / box[3] * (GRID - 1)
            near = [losses[b * GRID + a] for a in (int(i - 0.05), min(int(i + 1.05), GRID - 1))
                    for b in (int(j - 0.05), min(int(j + 1.05), GRID - 1))]
            assert min(near) <= level * 1.001 and max(near) >= level * 0.999, (level, near)
            checked += 1
    assert checked > 100


def test_paths_have_starts_ends_and_the_minimum(browser, folder):
    open_page(browser, folder, "both")
    data = json.loads((folder / "both/landscape.json").read_text())
    groups = browser.find_all("svg.contours g.path")
    assert len(groups) == 2
    for group, run in zip(groups, data["runs"]):
        radii = [float(c.get_attribute("r")) for c in browser.find_all("circle", group)]
        assert len(radii) == len(run["points"]) == 13
        assert radii[0] == 5 and radii[-1] == 6 and set(radii[1:-1]) == {2}
    assert len(browser.find_all("svg.contours .minimum")) == 1
    titles = browser.script("return document.querySelector('svg.contours .minimum title').textContent")
    assert titles == "lowest loss of the grid: " + str(float(f"{data['grid']['minimum']['loss']:.4g}")), titles


def test_both_losses_are_drawn_along_the_paths(browser, folder):
    open_page(browser, folder, "both")
    for name in ("loss", "plane_loss"):
        lines = browser.find_all(f"svg.losses polyline.{name}")
        assert [len(line.get_attribute("points").split()) for line in lines] == [13, 13]


def test_the_page_says_what_the_plane_explains(browser, folder):
    open_page(browser, folder, "both")
    data = json.loads((folder / "both/landscape.json").read_text())
    assert f"{100 * sum(data['explained']):.2f} %" in browser.find("#about").text
    open_page(browser, folder, "filter")
    assert "two random directions" in browser.find("#about").text


def test_the_table_compares_the_runs(browser, folder):
    open_page(browser, folder, "both")
    data = json.loads((folder / "both/landscape.json").read_text())
    table = browser.find("#landscape-runs")
    assert [cell.text for cell in browser.find_all("th", table)] == [
        "run", "momentum", "train accuracy, %", "test accuracy, %", "gap, points", "train loss", "test loss", "rise",
        "largest eigenvalue"]
    rows = [[cell.text for cell in browser.find_all("td", row)] for row in browser.find_all("tbody tr", table)]
    assert [row[:2] for row in rows] == [["heavy", "0.9"], ["light", "0.5"]], rows
    for row, run in zip(rows, data["runs"]):
        result = json.loads((folder / run["name"] / run["name"] / "result.json").read_text())
        sharpness = json.loads((folder / run["name"] / run["name"] / "sharpness.json").read_text())
        assert row[3] == f"{100 * result['test_accuracy']:.2f}", row
        assert float(row[8]) == float(f"{sharpness['eigenvalue']:.3g}"), row
    assert "-" not in rows[0] and rows[1][2] == rows[1][4] == "-", rows


def test_rows_have_the_colours_of_the_paths_and_can_be_sorted(browser, folder):
    open_page(browser, folder, "both")
    colours = browser.script("""
        const colour = (node, name) => getComputedStyle(node)[name];
        return [...document.querySelectorAll("#landscape-runs tbody .swatch")].map((node) => colour(node, "backgroundColor"))
            .concat([...document.querySelectorAll("svg.contours g.path polyline:nth-of-type(2)")].map((node) => colour(node, "stroke")))""")
    assert len(colours) == 4 and colours[:2] == colours[2:] and colours[0] != colours[1], colours
    browser.click("#landscape-runs th:nth-child(2) button")
    names = [cell.text for cell in browser.find_all("#landscape-runs tbody td:first-child")]
    assert names == ["light", "heavy"], names


def test_the_report_of_a_study_leads_to_its_landscape(browser, folder):
    browser.open(folder / "study/report.html")
    browser.click("a#landscape")
    browsers.wait_for(lambda: browser.find_all("canvas.surface"), "the landscape opens")
    assert browser.messages() == []
    assert browser.find("h1").text == "Loss landscape of sharp <b>minima</b>"
    rows = [[cell.text for cell in browser.find_all("td", row)] for row in browser.find_all("#landscape-runs tbody tr")]
    assert [row[0] for row in rows] == ["momentum 0.5", "momentum 0.9"], rows
    assert all("±" in row[-1] for row in rows), rows
    assert len(browser.find_all("svg.contours g.path")) == 2


def test_hostile_names_are_text(browser, folder):
    open_page(browser, folder, "holes")
    assert HOSTILE in browser.find("#legend").text
    assert browser.find_all("img") == []


def test_the_linear_scale_and_the_dark_theme_redraw(browser, folder):
    open_page(browser, folder, "both")
    before = pixels(browser)
    browser.click("#log-scale")
    linear = pixels(browser)
    assert linear != before
    browser.click("button.theme")
    assert pixels(browser) != linear
    assert browser.messages() == []


def width_of(browser, selector):
    """In one step: a picture that is drawn again is another element."""
    return browser.script(f"return document.querySelector('{selector}').getBoundingClientRect().width")


def test_the_page_fits_a_phone(browser, folder):
    open_page(browser, folder, "both", width=390, height=800)
    browsers.wait_for(lambda: browser.script("return document.documentElement.scrollWidth") <= 390, "the page shrinks to the window")
    for picture in ("canvas.surface", "svg.contours", "svg.losses"):
        browsers.wait_for(lambda: 250 < width_of(browser, picture) <= 390, f"{picture} fits the window")
    browser.resize(1280, 900)
    browsers.wait_for(lambda: width_of(browser, "svg.contours") > 600, "the contours grow with the window")


def test_screenshots(browser, folder):
    where = browsers.screenshot_folder()
    if where is None:
        return
    for name, dark in (("light", False), ("dark", True)):
        open_page(browser, folder, "both", height=2300, dark=dark)
        browser.screenshot(where / f"landscape-{name}.png")


if __name__ == "__main__":
    browsers.run([value for name, value in list(globals().items()) if name.startswith("test_")], prepare)
