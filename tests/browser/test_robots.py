#!/usr/bin/env python3
"""test_robots.py - the page on which robots drive and map, in a browser. $MUSTER is the program.

MUSTER_SCREENSHOTS=FOLDER saves pictures of the page to look at.
"""

import json
import os
import struct
import subprocess

import browser as browsers

MUSTER = os.environ["MUSTER"]
KEYS = browsers.webdriver.common.keys.Keys
HOSTILE = "<img src=x onerror=alert(1)>"
TRAIN = ("train --dataset lidar --lidar.width 200 --lidar.height 160 --lidar.border 2 --lidar.robots 3 "
         "--lidar.spline-resolution 2 --lidar.test-scans 20 --lidar.split online --lidar.window 20 "
         "--batch-size 1000 --workers 3 --evaluate-rounds 15 --max-steps 45 --quiet").split()
MOVING = ["--graph", "disk", "--disk.radius", "80"]
FOURIER = ["--model", "fourier_density"]
GRID = ["--model", "grid_density", "--model.extent", "100", "--model.cells", "16", "--ramen.primal-lr", "0.01",
        "--ramen.primal-iterations", "1"]
POINTS = 20 * 25


def muster(folder, *arguments):
    subprocess.run([MUSTER, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def prepare(folder):
    muster(folder, *TRAIN, *FOURIER, "--algorithm", "dsgd", *MOVING, "--out", "moving", "--name", HOSTILE)
    muster(folder, *TRAIN, *FOURIER, "--algorithm", "sync", "--out", "common", "--name", "common")
    muster(folder, *TRAIN, *GRID, "--algorithm", "ramen", *MOVING, "--out", "seen", "--name", "seen")
    muster(folder, "report", "moving", "common", "seen")
    return folder


def open_page(browser, folder, **options):
    browser.open(folder / "robots.html", **options)
    browser.settle()


def graphs(folder):
    path = next((folder / "moving").glob("*/graph.jsonl"))
    return [json.loads(line) for line in path.read_text().splitlines()]


def shown_round(browser):
    return int(browser.find(".robots-controls output").text.split()[1])


def seek(browser, round_number):
    browser.script("""
        const data = JSON.parse(document.getElementById("data").textContent), slider = document.querySelector("input[type=range]");
        slider.value = changed(data).indexOf(arguments[0]);
        slider.dispatchEvent(new Event("input"));
        function changed(data) {
            const all = data.runs.flatMap((run) => [...run.frames, ...run.graphs, ...run.scans].map((item) => item.round));
            return [...new Set(all)].sort((a, b) => a - b);
        }""", round_number)
    browser.settle()
    assert shown_round(browser) == round_number


def dots(browser):
    """Of the first run."""
    found = browser.find(".robots-world").find_elements("css selector", ".robots-dot")
    return [(float(dot.get_attribute("cx")), float(dot.get_attribute("cy"))) for dot in found]


def pixels(browser, index, where=".robots-maps"):
    return browser.script("""
        const canvas = document.querySelectorAll(arguments[1] + " canvas")[arguments[0]];
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return [...data].filter((_, i) => i % 4 === 3)""", index, where)


def recorded(folder, record):
    """Mean of all robots and the maps of each, of a record of maps.bin."""
    data = next((folder / "moving").glob("*/maps.bin")).read_bytes()
    start = 76 + POINTS + record * (20 + 3 * POINTS) + 16
    maps = [data[start + r * POINTS:start + (r + 1) * POINTS] for r in range(3)]
    return [[(sum(m[i] for m in maps) + 1) // 3 for i in range(POINTS)], *map(list, maps)]


def recorded_certainty(folder, record):
    """Sum of all robots and the certainty of each."""
    data = next((folder / "seen").glob("*/maps.bin")).read_bytes()
    start = 76 + POINTS + record * (20 + 15 * POINTS) + 16 + 3 * POINTS
    robots = [struct.unpack(f"<{POINTS}f", data[at:at + 4 * POINTS]) for at in range(start, start + 12 * POINTS, 4 * POINTS)]
    return [[sum(values) for values in zip(*robots)], *robots]


def test_the_page_opens_without_a_message_and_without_a_request(browser, folder):
    open_page(browser, folder)
    assert browser.messages() == [], browser.messages()
    others = [url for url in browser.requests() if not url.startswith(("file:", "data:", "blob:"))]
    assert others == [], others
    assert browser.find_all("#player img") == []
    assert len(browser.find_all(".robots-run")) == 3


def test_the_report_links_to_it_and_shows_the_maps(browser, folder):
    browser.open(folder / "report.html")
    assert browser.find("#robots").get_attribute("href").endswith("/robots.html")
    assert len(browser.find_all("figure[data-name=maps]")) == 3
    assert len(browser.find_all("figure[data-name=maps] .robot-beams")) == 9
    assert len(browser.find_all("figure[data-name=certainty]")) == 1  # only ramen counts what it has seen
    assert browser.messages() == [], browser.messages()


def test_positions_and_links_are_those_of_the_round(browser, folder):
    open_page(browser, folder)
    rows = graphs(folder)
    assert len({json.dumps(row["edges"]) for row in rows}) > 1
    for row in rows:
        seek(browser, row["round"])
        for (x, y), (px, py) in zip(dots(browser), row["positions"], strict=True):
            # Every 8th pixel has a point; the first pixel is at -100, -80.
            assert abs(x - ((px + 100) / 8 + 0.5)) < 0.3 and abs(y - ((py + 80) / 8 + 0.5)) < 0.3, (x, y, px, py)
        assert (browser.find(".robots-links").get_attribute("d") or "").count("M") == len(row["edges"])


def test_beams_are_those_of_the_scan_where_the_robot_is(browser, folder):
    open_page(browser, folder)
    for number, run in enumerate(("moving", "common", "seen")):
        path = next((folder / run).glob("*/scans.jsonl"))
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert len(rows) >= 4, run
        for row in rows:
            seek(browser, row["round"])
            world = browser.find_all(".robots-world")[number]
            beams = world.find_elements("css selector", ".robots-beams")
            for path, (x, y), ends in zip(beams, row["positions"], row["ends"], strict=True):
                lines = [part.replace("L", " ").split() for part in path.get_attribute("d").split("M")[1:]]
                for line, end in zip(lines, ends, strict=True):
                    expected = [(x + 100) / 8, (y + 80) / 8, (end[0] + 100) / 8, (end[1] + 80) / 8]
                    # Tenths of a column, after tenths of a pixel; the mesh ends a little before the plan: 0.3, as above.
                    assert all(abs(float(a) - e - 0.5) < 0.3 for a, e in zip(line, expected, strict=True)), (line, expected)


def test_robots_without_a_graph_have_places_but_no_links(browser, folder):
    open_page(browser, folder)
    common = browser.find_all(".robots-world")[1]
    assert len(common.find_elements("css selector", ".robots-dot")) == 3
    assert not common.find_element("css selector", ".robots-links").get_attribute("d")


def test_the_page_is_small(browser, folder):
    assert (folder / "robots.html").stat().st_size < 500000


def test_maps_are_those_of_the_last_evaluation(browser, folder):
    open_page(browser, folder)
    for round_number, record in ((0, 0), (10, 0), (15, 1), (45, 3)):
        seek(browser, round_number)
        for i, expected in enumerate(recorded(folder, record)):
            assert pixels(browser, i) == expected, (round_number, i)
    assert len(browser.find_all(".robots-maps")[1].find_elements("css selector", "canvas")) == 1  # all have one model


def test_certainty_is_that_of_the_round_on_the_scale_of_the_last(browser, folder):
    open_page(browser, folder)
    assert len(browser.find_all(".robots-certainty")) == 1
    last = recorded_certainty(folder, 3)
    most = [max(last[0]), *[max(map(max, last[1:]))] * 3]
    note = browser.find(".robots-certainty").find_element("xpath", "preceding-sibling::p[1]").text
    assert f"{round(most[1])} for a robot, and {round(most[0])} for the sum" in note, note
    for round_number, record in ((0, 0), (15, 1), (45, 3)):
        seek(browser, round_number)
        for i, values in enumerate(recorded_certainty(folder, record)):
            shown = pixels(browser, i, ".robots-certainty")
            assert all(abs(a - 255 * c / most[i]) < 0.51 for a, c in zip(shown, values, strict=True)), (round_number, i)
            assert any(shown) == (round_number > 0)


def test_it_plays_from_the_start_and_stops(browser, folder):
    open_page(browser, folder)
    assert shown_round(browser) == 45
    browser.click(".play")
    browsers.wait_for(lambda: 0 <= shown_round(browser) < 45, "it starts again")
    assert browser.find(".play").text == "Stop"
    browsers.wait_for(lambda: shown_round(browser) > 0, "it goes on")
    browser.click(".play")
    stopped = shown_round(browser)
    assert browser.find(".play").text == "Play"
    browser.settle()
    assert shown_round(browser) == stopped


def test_keys(browser, folder):
    open_page(browser, folder)
    body = browser.find("body")
    body.send_keys(KEYS.HOME)
    assert shown_round(browser) == 0
    body.send_keys(KEYS.ARROW_RIGHT, KEYS.ARROW_RIGHT)
    second = shown_round(browser)
    assert second == 15, second  # after 0 and 10
    body.send_keys(KEYS.ARROW_LEFT)
    assert shown_round(browser) == 10
    browser.find("input[type=range]").send_keys(KEYS.ARROW_RIGHT)
    assert shown_round(browser) == 15
    body.send_keys(" ")
    assert browser.find(".play").text == "Stop"
    body.send_keys(" ")
    assert browser.find(".play").text == "Play"


def test_maps_follow_the_theme(browser, folder):
    colour = """
        const canvas = document.querySelector(".robots-maps canvas"), seen = [];
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        for (let i = 0; i < data.length; i += 4)
            if (data[i + 3] > 100)
                return data[i] + "," + data[i + 1];
        return "nothing" """
    open_page(browser, folder)
    light = browser.script(colour)
    browser.click(".theme")
    assert light != "nothing" and browser.script(colour) != light


def test_the_page_fits_a_phone(browser, folder):
    open_page(browser, folder, width=390, height=800)
    assert browser.script("return document.documentElement.scrollWidth") <= 390


def test_screenshots(browser, folder):
    where = browsers.screenshot_folder()
    if where is None:
        return
    for name, options in (("light", {}), ("dark", {"dark": True}), ("phone", {"width": 390, "height": 1200})):
        open_page(browser, folder, **options)
        browser.screenshot(where / f"robots-{name}.png")


if __name__ == "__main__":
    browsers.run([value for name, value in list(globals().items()) if name.startswith("test_")], prepare)
