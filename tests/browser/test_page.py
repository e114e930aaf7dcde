#!/usr/bin/env python3
"""test_page.py [TEST...] - the script of the report page, in Debian's Chromium, on a page of made-up data.

MUSTER_SCREENSHOTS=FOLDER saves pictures of the page to look at.
"""

import csv
import io
import random
import re
import struct
import sys
import time
import xml.etree.ElementTree as ElementTree

import browser
import sample_page

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)> \"'&"
STUDENT_4 = 2.7764451051977987  # P(|T| <= t) = 0.95 with 4 degrees of freedom
SVG = "{http://www.w3.org/2000/svg}"
CURVES = "#curves-view "


def prepare(folder):
    """The pages of the tests, by name."""
    empty = {"version": 1, "title": "Nothing", "virtual_time": False, "cases": [], "runs": []}
    pages = {
        "study": sample_page.study(),
        "hostile": sample_page.study(seeds=2, rows=20, batch_rows=20, workers=2, hostile=HOSTILE),
        "long": sample_page.study(seeds=2, rows=20, batch_rows=20, workers=2, hostile="longname" * 40),
        "empty": empty,
        "no rows": with_tables([]),
        "nulls": with_tables([{"round": [1, 2], "metrics": {"test_loss": [None, None]}}]),
        "one point": with_tables([{"round": [5], "metrics": {"test_loss": [0.5]}}]),
        "gaps": gaps(),
        "many": sample_page.many_runs(count=60, rows=20, metrics=2),
    }
    paths = {"data": pages}
    for name, data in pages.items():
        paths[name] = folder / (name.replace(" ", "-") + ".html")
        paths[name].write_text(sample_page.page(data), encoding="utf-8")
    return paths


def with_tables(tables):
    run = {"name": "run", "case": 0, "repetition": "seed 1", "state": "running", "best_round": None, "tables": tables}
    case = {"name": "case", "algorithm": "local", "settings": {}}
    return {"version": 1, "title": "Little", "virtual_time": True, "cases": [case], "runs": [run]}


def gaps():
    """Two seeds of one case: the second has other rounds and ends earlier; one value is missing."""
    data = with_tables([{"round": [0, 10, 20, 30, 40], "metrics": {"test_loss": [5.0, 4.0, None, 2.0, 1.0]}}])
    other = dict(data["runs"][0], name="other", seed="2",
                 tables=[{"round": [0, 20], "metrics": {"test_loss": [3.0, 1.0]}}])
    data["runs"].append(other)
    return data


# What the page says


def open_study(b, pages):
    """The study, against rounds: with several algorithms the page begins with epochs."""
    b.open(pages["study"])
    b.choose(CURVES + ".control select", "round")


def legend(b, inside=CURVES):
    """name -> the text of the value, in the order of the legend."""
    return {b.find(".legend-text", item).text: b.find(".legend-value", item).text
            for item in b.find_all(inside + ".legend-list li")}


def exact_values(b):
    return {b.find(".legend-text", item).text: b.find(".legend-value", item).get_attribute("data-value")
            for item in b.find_all(CURVES + ".legend-list li")}


def labels(b, axis, inside=CURVES):
    return [node.text for node in b.find_all(inside + f".dygraph-axis-label-{axis}") if node.text]


def note(b):
    return b.find(CURVES + ".panel .note").text


def check(b, text):
    """Clicks the checkbox with this label."""
    for label in b.find_all(CURVES + "label.check"):
        if label.text.strip() == text:
            b.click(b.find("input", label))
            return
    raise AssertionError(f"no checkbox {text}")


def drawn_pixels(b):
    """Pixels of the chart that are not empty."""
    return b.script("""
        const canvas = [...document.querySelectorAll(arguments[0] + "canvas")];
        return Math.max(...canvas.map((c) => {
            const bytes = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
            let count = 0;
            for (let i = 3; i < bytes.length; i += 4) count += bytes[i] > 0;
            return count;
        }));""", CURVES)


def has_colour(b, *colour):
    """Whether a chart has pixels of a colour."""
    return b.script("""
        return [...document.querySelectorAll(arguments[0] + "canvas")].some((c) => {
            const bytes = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, wanted = arguments[1];
            for (let i = 0; i < bytes.length; i += 4)
                if (bytes[i + 3] === 255 && wanted.every((value, k) => bytes[i + k] === value))
                    return true;
            return false;
        });""", CURVES, list(colour))


def save(b, kind, inside=CURVES):
    for node in b.find_all(inside + ".save button"):
        if node.text == kind:
            return b.download(node)
    raise AssertionError(f"no button {kind}")


def saved_svg(b, inside=CURVES):
    return ElementTree.parse(save(b, "SVG", inside)).getroot()


def saved_csv(b, inside=CURVES):
    """Titles of columns, and rows of texts."""
    rows = list(csv.reader(io.StringIO(save(b, "CSV", inside).read_text(encoding="utf-8"))))
    return rows[0], rows[1:]


def svg_lines(root):
    return [p for p in root.iter(SVG + "path") if p.get("fill") == "none"]


def svg_bands(root):
    return [p for p in root.iter(SVG + "path") if p.get("fill-opacity")]


def svg_texts(root):
    return ["".join(node.itertext()) for node in root.iter(SVG + "text")]


def is_silent(b):
    """No message in the console, and nothing asked for but the page itself."""
    messages = b.messages()
    assert messages == [], messages
    others = [url for url in b.requests() if not url.startswith(("file:", "blob:", "data:"))]
    assert others == [], others


# What it should say


def seed_values(data, case, metric):
    """A list of values per seed."""
    return [table["metrics"][metric] for run in data["runs"] if run["case"] == case
            for table in run["tables"] if metric in table["metrics"]]


def mean(values):
    return sum(values) / len(values)


def half(values):
    squares = sum((value - mean(values)) ** 2 for value in values)
    return STUDENT_4 * (squares / (len(values) - 1) / len(values)) ** 0.5


def is_near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


# Tests: opening


def test_opens_in_silence(b, pages):
    b.open(pages["study"])
    assert b.find(CURVES + "select.quantity").get_property("value") == "test_accuracy"
    assert drawn_pixels(b) > 1000
    assert len(legend(b)) == 6
    assert b.script("return performance.getEntriesByName('report-ready').length") == 1
    time.sleep(0.2)
    is_silent(b)


def test_empty_data(b, pages):
    for name, sentence in (("empty", "There are no runs to draw."), ("no rows", "The runs have no measurements yet.")):
        b.open(pages[name])
        assert sentence in b.find("#curves-view").text, b.find("#curves-view").text
        is_silent(b)
    b.open(pages["nulls"])
    assert b.find(CURVES + "select.quantity").get_property("value") == "round"
    is_silent(b)


def test_one_point(b, pages):
    b.open(pages["one point"])
    assert legend(b) == {"case": "0.5000"}
    assert drawn_pixels(b) > 0
    check(b, "log x")
    check(b, "log y")
    assert legend(b) == {"case": "0.5000"}
    assert svg_texts(saved_svg(b))[0] == "Little"
    is_silent(b)


def test_virtual_seconds(b, pages):
    data = with_tables([{"round": [1, 2], "seconds": [0.5, 1.5], "metrics": {"test_loss": [2, 1]}}])
    path = pages["study"].parent / "virtual.html"
    path.write_text(sample_page.page(data), encoding="utf-8")
    b.open(path)
    options = [node.text for node in b.find_all(CURVES + ".control select option")]
    assert options == ["round", "seconds (virtual)"], options


# Tests: curves


def test_hover_shows_the_data(b, pages):
    data = pages["data"]["study"]
    open_study(b, pages)
    for share in (-0.3, 0.1, 0.35):
        b.hover(b.find(CURVES + ".chart-plot"), share)
        x = float(b.find(CURVES + ".legend-head").get_attribute("data-x"))
        row = data["runs"][0]["tables"][0]["round"].index(x)
        texts, values = legend(b), exact_values(b)
        for index, case in enumerate(data["cases"]):
            seeds = [seed[row] for seed in seed_values(data, index, "test_accuracy")]
            assert float(values[case["name"]]) == mean(seeds)
            wanted = f"{100 * mean(seeds):.2f} ± {100 * half(seeds):.2f} %"
            assert texts[case["name"]] == wanted, (texts, wanted)
        assert b.find(CURVES + ".chart-crosshair").is_displayed()
    b.hover(b.find("h1"), 0)
    assert not b.find(CURVES + ".chart-crosshair").is_displayed()
    assert "at the end, mean of 5 seeds ± 95 % interval" in b.find(CURVES + ".legend-head").text


def test_metric_and_axis(b, pages):
    data = pages["data"]["study"]
    open_study(b, pages)
    b.choose(CURVES + "select.quantity", "test_loss")
    b.choose(CURVES + ".control select", "bytes")
    assert any("MB" in text for text in labels(b, "x")), labels(b, "x")
    titles, rows = saved_csv(b)
    assert titles[0] == "bytes"
    assert float(rows[-1][0]) == 59 * 50 * 4096 * 8
    b.choose(CURVES + "select.quantity", "gradients")
    b.choose(CURVES + ".control select", "seconds")
    assert b.find(CURVES + ".y-title").text == "gradient evaluations"
    last = max(min(run["tables"][0]["seconds"][-1] for run in data["runs"] if run["case"] == case)
               for case in range(len(data["cases"])))  # where the first seed of a case ends
    assert max(float(row[0]) for row in saved_csv(b)[1]) == last
    is_silent(b)


def test_log_axes(b, pages):
    open_study(b, pages)
    b.choose(CURVES + "select.quantity", "test_loss")
    assert labels(b, "x") == ["0", "500", "1000", "1500", "2000", "2500"]
    check(b, "log x")
    assert {"100", "1000"} <= set(labels(b, "x")), labels(b, "x")
    plot = b.find(CURVES + ".chart-plot")
    b.hover(plot, 0.3)
    crosshair = b.find(CURVES + ".chart-crosshair").rect
    assert abs(crosshair["x"] - (plot.rect["x"] + 0.8 * plot.rect["width"])) < 12, (crosshair, plot.rect)
    check(b, "log y")
    assert {"0.2", "0.5", "1", "2"} <= set(labels(b, "y")), labels(b, "y")
    assert drawn_pixels(b) > 1000
    assert all(float(row[0]) > 0 for row in saved_csv(b)[1])
    is_silent(b)


def test_band_and_seeds(b, pages):
    open_study(b, pages)
    with_band = drawn_pixels(b)
    root = saved_svg(b)
    assert (len(svg_lines(root)), len(svg_bands(root))) == (6, 6)
    b.choose(CURVES + ".control:nth-last-child(2) select", "none")
    plain = drawn_pixels(b)
    assert plain < with_band
    assert svg_bands(saved_svg(b)) == []
    assert "±" not in "".join(legend(b).values())
    check(b, "each seed")
    assert drawn_pixels(b) > plain
    assert len(svg_lines(saved_svg(b))) == 36
    b.choose(CURVES + ".control:nth-last-child(2) select", "range")
    titles, rows = saved_csv(b)
    seeds = seed_values(pages["data"]["study"], 0, "test_accuracy")
    name = pages["data"]["study"]["cases"][0]["name"]
    for row, values in zip(rows, zip(*seeds)):
        assert float(row[titles.index(name + ": minimum")]) == min(values)
        assert float(row[titles.index(name + ": maximum")]) == max(values)
        assert float(row[titles.index(name + ", seed 3")]) == values[2]


def test_smoothing(b, pages):
    data = pages["data"]["gaps"]
    data = with_tables(data["runs"][0]["tables"])
    path = pages["study"].parent / "smooth.html"
    path.write_text(sample_page.page(data), encoding="utf-8")
    b.open(path)
    b.script("const s = document.querySelector('#curves-view input[type=range]');"
             "s.value = 0.5; s.dispatchEvent(new Event('input'))")
    b.settle()
    moving, rest, wanted = 0.0, 1.0, []
    for value in (5.0, 4.0, 2.0, 1.0):
        moving, rest = 0.5 * moving + 0.5 * value, rest * 0.5
        wanted.append(moving / (1 - rest))
    assert [float(row[1]) for row in saved_csv(b)[1]] == wanted
    assert "weight 0.50" in note(b)


def test_mean_where_seeds_differ(b, pages):
    b.open(pages["gaps"])
    titles, rows = saved_csv(b)
    assert titles == ["round", "case: mean", "case: low of 95 % interval", "case: high of 95 % interval", "case: seeds"]
    got = [(float(row[0]), float(row[1]), int(row[4])) for row in rows]
    assert got == [(0, 4, 2), (10, 3, 2), (20, 2, 2)], got  # one seed has ended there
    assert rows[0][2] != ""
    assert legend(b) == {"case": "1 ± 0"}  # at the end of each seed
    assert len(list(saved_svg(b).iter(SVG + "circle"))) == 3


def test_thinned_curves_keep_extremes(b, pages):
    data = pages["data"]["study"]
    open_study(b, pages)
    b.choose(CURVES + "select.quantity", "test_loss")
    b.choose(CURVES + ".control select", "seconds")
    check(b, "each seed")
    assert "250 intervals" in note(b)
    titles, rows = saved_csv(b)
    assert len(rows) == 500
    for index, case in enumerate(data["cases"]):
        for number, values in enumerate(seed_values(data, index, "test_loss"), 1):
            column = titles.index(f'{case["name"]}, seed {number}')
            kept = [float(row[column]) for row in rows if row[column]]
            assert (min(kept), max(kept)) == (min(values), max(values))
    b.drag(b.find(CURVES + ".chart-plot"), (-0.1, 0), (0.05, 0))
    assert "250 intervals" not in note(b)
    is_silent(b)


def test_every_interval_keeps_extremes(b, pages):
    rng = random.Random(3)
    rows = 60000
    values = [rng.gauss(0, 1) for _ in range(rows)]
    data = with_tables([{"round": list(range(rows)), "metrics": {"test_loss": values}}])
    path = pages["study"].parent / "rows.html"
    path.write_text(sample_page.page(data), encoding="utf-8")
    b.open(path)
    kept = [float(row[1]) for row in saved_csv(b)[1]]
    for i in range(250):  # of 240 rounds, up to the rounding of their borders
        inside = values[240 * i + 2:240 * i + 238]
        assert min(kept[2 * i:2 * i + 2]) <= min(inside) and max(kept[2 * i:2 * i + 2]) >= max(inside)
    assert set(kept) <= set(values) and (min(kept), max(kept)) == (min(values), max(values))


def test_zoom_and_reset(b, pages):
    open_study(b, pages)
    plot = b.find(CURVES + ".chart-plot")
    reset = [node for node in b.find_all(CURVES + ".panel-head > button") if "reset" in node.get_attribute("textContent")][0]
    whole = labels(b, "x")
    assert not reset.is_displayed()
    b.drag(plot, (-0.2, 0), (0.1, 0))
    zoomed = labels(b, "x")
    assert zoomed != whole and reset.is_displayed()
    rounds = [float(row[0]) for row in saved_csv(b)[1]]
    assert min(rounds) > 0 and max(rounds) < 2950
    b.actions().move_to_element(plot).double_click().perform()
    b.settle()
    assert labels(b, "x") == whole and not reset.is_displayed()
    tall = labels(b, "y")
    b.drag(plot, (0, -0.3), (0, 0))
    assert labels(b, "y") != tall and labels(b, "x") == whole
    b.click(reset)
    assert labels(b, "y") == tall
    b.drag(plot, (-0.2, 0), (0.1, 0))
    assert reset.is_displayed()
    b.choose(CURVES + ".control select", "epoch")
    assert not reset.is_displayed() and labels(b, "x")[0] == "0" and labels(b, "x")[-1] == "25", labels(b, "x")
    is_silent(b)


def test_best_validation_marks(b, pages):
    open_study(b, pages)
    assert "◆ lowest validation loss" in note(b)
    diamonds = [p for p in saved_svg(b).iter(SVG + "path") if p.get("fill") != "none" and not p.get("fill-opacity")]
    assert len(diamonds) == 6


# Tests: legend


def test_legend_switches(b, pages):
    b.open(pages["study"])
    items = b.find_all(CURVES + ".legend-list li")
    names = [b.find(".legend-name", item) for item in items]
    before = drawn_pixels(b)
    b.click(names[0])
    assert names[0].get_attribute("aria-pressed") == "false"
    assert drawn_pixels(b) < before
    assert len(svg_lines(saved_svg(b))) == 5
    b.click(names[0])
    assert names[0].get_attribute("aria-pressed") == "true" and drawn_pixels(b) == before
    b.actions().double_click(names[2]).perform()
    b.settle()
    pressed = [name.get_attribute("aria-pressed") for name in names]
    assert pressed == ["false", "false", "true", "false", "false", "false"], pressed
    b.click(b.find(".legend-only", items[4]))
    assert names[4].get_attribute("aria-pressed") == "true" and len(svg_lines(saved_svg(b))) == 1
    all_button, none_button = b.find_all(CURVES + ".legend-tools button")
    b.click(none_button)
    assert note(b) == "All lines are switched off."
    b.click(all_button)
    assert drawn_pixels(b) == before
    is_silent(b)


def test_legend_by_keyboard(b, pages):
    b.open(pages["study"])
    name = b.find(CURVES + ".legend-name")
    b.script("arguments[0].focus()", b.find_all(CURVES + ".legend-tools button")[1])
    b.actions().send_keys("\ue004").perform()  # Tab
    assert b.driver.switch_to.active_element == name
    assert b.script("return getComputedStyle(arguments[0]).outlineStyle", name) == "solid"
    b.actions().send_keys(" ").perform()
    b.settle()
    assert name.get_attribute("aria-pressed") == "false"


def test_colour_and_dash(b, pages):
    b.open(pages["study"])
    styles = [(p.get("stroke"), p.get("stroke-dasharray")) for p in svg_lines(saved_svg(b))]
    colours, dashes = [s[0] for s in styles], [s[1] for s in styles]
    assert len(set(colours)) == 3 and colours[0] == colours[1] and colours[2] == colours[3]
    assert dashes == [None, "7 4"] * 3, dashes


def test_many_cases(b, pages):
    b.open(pages["many"])
    box = b.find(CURVES + ".legend-list")
    assert box.get_property("scrollHeight") > box.get_property("clientHeight")
    search = b.find(CURVES + ".legend-tools input")
    search.send_keys("case 59")
    shown = [item for item in b.find_all(CURVES + ".legend-list li") if item.is_displayed()]
    assert len(shown) == 1
    assert float(svg_lines(saved_svg(b))[0].get("stroke-width")) == 1
    is_silent(b)


# Tests: saving


def test_csv_equals_the_data(b, pages):
    data = pages["data"]["study"]
    open_study(b, pages)
    titles, rows = saved_csv(b)
    rounds = data["runs"][0]["tables"][0]["round"]
    assert [float(row[0]) for row in rows] == rounds
    for index, case in enumerate(data["cases"]):
        column = titles.index(case["name"] + ": mean")
        for row, seeds in zip(rows, zip(*seed_values(data, index, "test_accuracy"))):
            assert float(row[column]) == mean(seeds)
            assert is_near(float(row[column + 1]), mean(seeds) - half(seeds))
            assert is_near(float(row[column + 2]), mean(seeds) + half(seeds))
            assert row[column + 3] == "5"


def test_svg_and_png(b, pages):
    open_study(b, pages)
    texts = svg_texts(saved_svg(b))
    assert texts[0] == "Made-up study"
    assert {"test accuracy, %", "round", "sync, 4 workers", "2000", "80"} <= set(texts), texts
    path = save(b, "PNG")
    assert path.name == "Made-up-study-test_accuracy-round.png"
    image = path.read_bytes()
    assert image[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">I", image[16:20])[0] == 2 * 760
    is_silent(b)


def test_saved_figure_stands_alone(b, pages):
    b.open(pages["study"], dark=True)
    root = saved_svg(b, "#f0 ")
    text = ElementTree.tostring(root, encoding="unicode")
    assert "var(" not in text and "class=" not in text
    cell = [node for node in root.iter(SVG + "rect") if node.get("fill-opacity") == "1"][1]
    assert cell.get("fill") == "rgb(8, 81, 156)", cell.attrib
    label = next(root.iter(SVG + "text"))
    assert label.get("fill") == "rgb(29, 33, 38)" and label.get("font-size") == "12px", label.attrib
    titles, rows = saved_csv(b, "#f0 ")
    assert titles == list("abcdef") and rows[1] == ["0.3", "0.8", "0.2", "0.7", "0.1", "0.6"], rows
    assert save(b, "PNG", "#f0 ").read_bytes()[:4] == b"\x89PNG"
    is_silent(b)


# Tests: the rest of the page


def test_sort(b, pages):
    b.open(pages["study"])
    heading = b.find_all("#answer thead th")[2]
    texts = lambda: [row.text for row in b.find_all("#answer tbody td:nth-child(3)")]
    first = texts()
    b.click(b.find("button", heading))
    assert heading.get_attribute("aria-sort") == "ascending"
    numbers = [float(text.split()[0]) for text in texts()]
    assert numbers == sorted(numbers)
    b.click(b.find("button", heading))
    assert heading.get_attribute("aria-sort") == "descending" and texts() == sorted(first, reverse=True)
    b.click(b.find("button", b.find_all("#answer thead th")[0]))
    names = [row.text for row in b.find_all("#answer tbody td:first-child")]
    assert names == sorted(names) and heading.get_attribute("aria-sort") is None
    assert b.find("#answer tr.best td").text == "sync, 4 workers"
    b.click(b.find("button", b.find_all("#answer thead th")[3]))
    sizes = [row.text for row in b.find_all("#answer tbody td:nth-child(4)")]
    assert sizes == ["100.0 kB", "1.0 MB", "10.0 MB", "100.0 MB", "1.0 GB", "10.0 GB"], sizes


def test_theme(b, pages):
    background = lambda: b.script("return getComputedStyle(document.body).backgroundColor")
    b.open(pages["study"])
    assert background() == "rgb(255, 255, 255)"
    assert has_colour(b, 0, 114, 178) and not has_colour(b, 74, 159, 227)
    b.click("header button.theme")
    assert background() == "rgb(21, 24, 27)"
    assert has_colour(b, 74, 159, 227) and not has_colour(b, 0, 114, 178)
    b.open(pages["study"], dark=True)
    assert background() == "rgb(21, 24, 27)"
    b.click("header button.theme")
    assert background() == "rgb(255, 255, 255)"
    # the two blocks of dark colours are the same
    blocks = re.findall(r"color-scheme: dark;(.*?)\}", (sample_page.PAGE / "report.css").read_text(), re.S)
    assert len(blocks) == 2 and blocks[0].split() == blocks[1].split()
    is_silent(b)


def test_runs_and_workers(b, pages):
    data = pages["data"]["study"]
    b.open(pages["study"])
    shown = [a.get_attribute("data-run") for a in b.find_all("article.run") if a.is_displayed()]
    assert shown == ["0"]
    assert b.script("return document.querySelectorAll('.worker-view .chart').length") == 0
    view = "article.run:not([hidden]) .worker-view "
    b.script("document.querySelector(arguments[0]).scrollIntoView()", view)
    browser.wait_for(lambda: len(b.find_all(view + ".chart")) == 3, "the charts of workers are drawn")
    quantities = [node.get_property("value") for node in b.find_all(view + "select.quantity")]
    assert quantities == ["gradients", "batch_loss", "weight_norm"]
    assert len(legend(b, view)) == 10
    b.choose("#runs > .controls select", "3")
    assert [a.get_attribute("data-run") for a in b.find_all("article.run") if a.is_displayed()] == ["3"]
    b.script("document.querySelector(arguments[0]).scrollIntoView()", view)
    browser.wait_for(lambda: len(b.find_all(view + ".chart")) == 3, "the charts of the other run are drawn")
    b.choose(view + ".control select", "round")
    titles, rows = saved_csv(b, view + ".panel:nth-child(2) ")
    table = data["runs"][3]["workers"][4]["tables"][0]
    column = titles.index("worker 4")
    assert [float(row[0]) for row in rows] == table["round"]
    assert [float(row[column]) for row in rows] == table["metrics"]["batch_loss"]
    b.script("location.hash = '#run-7'")
    b.settle()
    assert [a.get_attribute("data-run") for a in b.find_all("article.run") if a.is_displayed()] == ["7"]
    is_silent(b)


def test_hostile_names(b, pages):
    b.open(pages["hostile"])
    view = "article.run:not([hidden]) .worker-view "
    b.script("document.querySelector(arguments[0]).scrollIntoView()", view)
    browser.wait_for(lambda: b.find_all(view + ".chart"), "the charts of workers are drawn")
    assert HOSTILE in legend(b)
    b.hover(b.find(CURVES + ".chart-plot"), 0.1)
    assert b.script("return document.querySelectorAll('img, main script, header script').length") == 0
    for inside in (CURVES, view, "#f0 "):
        assert HOSTILE in " ".join(svg_texts(saved_svg(b, inside)))
        picture = save(b, "PNG", inside)
        assert picture.read_bytes()[:4] == b"\x89PNG"
        assert re.fullmatch(r"[A-Za-z0-9._-]+", picture.name), picture.name
    titles, _ = saved_csv(b)
    assert HOSTILE + ": mean" in titles
    is_silent(b)


def test_phone(b, pages):
    for name in ("study", "long", "many", "empty"):
        b.open(pages[name], width=360, height=740)
        if b.find_all(".worker-view"):
            b.script("document.querySelector('.worker-view').scrollIntoView()")
            browser.wait_for(lambda: b.find_all(".worker-view .chart"), "the charts of workers are drawn")
        widths = b.script("return [document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1] == 360, (name, widths)
    is_silent(b)


def test_print(b, pages):
    b.open(pages["hostile"], dark=True)
    b.driver.execute_cdp_cmd("Page.printToPDF", {})
    assert b.script("return document.documentElement.dataset.theme") is None
    b.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert all(article.is_displayed() for article in b.find_all("article.run"))
    assert b.script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not b.find(CURVES + ".controls").is_displayed()
    b.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    is_silent(b)


def save_screenshots(b, pages):
    """Pictures to look at: light and dark, wide and narrow."""
    folder = browser.screenshot_folder()
    for dark in (False, True):
        for width in (1280, 390):
            b.open(pages["study"], width=width, height=900, dark=dark)
            b.resize(width, min(b.script("return document.documentElement.scrollHeight") + 700, 4000))
            browser.wait_for(lambda: b.find_all(".worker-view .chart"), "the charts of workers are drawn")
            b.settle()
            b.hover(b.find(CURVES + ".chart-plot"), -0.2)
            b.screenshot(folder / f"{'dark' if dark else 'light'}-{width}.png")


if __name__ == "__main__":
    wanted = sys.argv[1:]
    tests = [value for name, value in list(globals().items())
             if name.startswith("test_") and (not wanted or name in wanted)]
    browser.run(tests + ([save_screenshots] if browser.screenshot_folder() else []), prepare)
