#!/usr/bin/env python3
"""test_plan.py - the page in which way-points are edited, in a browser. $MUSTER is the program.

MUSTER_SCREENSHOTS=FOLDER saves pictures of the page to look at.
"""

import ast
import math
import os
import re
import struct
import subprocess
import xml.etree.ElementTree as tree

import browser as browsers

MUSTER = os.environ["MUSTER"]
WIDTH, HEIGHT = 600, 400
KEYS = browsers.webdriver.common.keys.Keys
# A closed path: the last way-point repeats the first. Parts of it are in walls.
ROUND = [(-0.6, -0.3), (-0.1, -0.5), (0.4, -0.4), (0.7, 0.1), (0.3, 0.6), (-0.2, 0.3), (-0.6, -0.3)]
HOSTILE = "<img src=x onerror=alert(1)>"


def muster(folder, *arguments):
    subprocess.run([MUSTER, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def prepare(folder):
    muster(folder, "plan", "make", "plan.png", "--size", f"{WIDTH}x{HEIGHT}", "--seed", "3")
    (folder / "round.txt").write_text("".join(f"{x} {y}\n" for x, y in ROUND))
    (folder / "open.csv").write_text("# from left to right\n-0.5,0\n0,0.25\n0.25,0\n0.5,0.5\n")
    (folder / "bad.txt").write_text("0 0\n0 1.5\n")
    (folder / (HOSTILE + ".txt")).write_text("0 0 0\n")
    muster(folder, "plan", "edit", "plan.png", "round.txt", "--out", "edit.html")
    muster(folder, "plan", "edit", "plan.png", "--out", "empty.html")
    muster(folder, "plan", "show", "plan.png", "--path", "round.txt", "--svg", "plan.svg")
    return folder


def open_page(browser, folder, name="edit", **options):
    browser.open(folder / f"{name}.html", **options)
    browser.settle()


def dots(browser):
    """Middles of the way-points on the screen."""
    return browser.script("""
        return [...document.querySelectorAll(".plan-dot")].map((dot) => {
            const box = dot.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        })""")


def view_box(browser):
    return browser.script("return document.querySelector('.plan-map').getAttribute('viewBox')")


def saved_rows(browser):
    return [tuple(map(float, line.split())) for line in browser.download(".save-text").read_text().splitlines()]


def read_npy(path):
    file = path.read_bytes()
    assert file[:8] == b"\x93NUMPY\x01\x00"
    (length,) = struct.unpack("<H", file[8:10])
    assert (10 + length) % 64 == 0
    header = ast.literal_eval(file[10:10 + length].decode())
    assert header["descr"] == "<f8" and header["fortran_order"] is False, header
    numbers = struct.unpack(f"<{2 * header['shape'][0]}d", file[10 + length:])
    return list(zip(numbers[::2], numbers[1::2]))


def press(browser, start, *moves):
    """Presses the mouse at a point of the screen, and moves it by offsets."""
    actions = browser.actions()
    actions.w3c_actions.pointer_action.move_to_location(int(start[0]), int(start[1]))
    actions.w3c_actions.pointer_action.pointer_down()
    x, y = start
    for dx, dy in moves:
        x, y = x + dx, y + dy
        actions.w3c_actions.pointer_action.move_to_location(int(x), int(y))
    actions.w3c_actions.pointer_action.pointer_up()
    actions.w3c_actions.perform()
    browser.settle()


def double_click(browser, at):
    actions = browser.actions()
    for _ in range(2):
        actions.w3c_actions.pointer_action.move_to_location(int(at[0]), int(at[1]))
        actions.w3c_actions.pointer_action.pointer_down()
        actions.w3c_actions.pointer_action.pointer_up()
    actions.w3c_actions.perform()
    browser.settle()


def test_pages_open_without_a_message_and_without_a_request(browser, folder):
    for name in ("edit", "empty"):
        open_page(browser, folder, name)
        assert browser.messages() == [], browser.messages()
        others = [url for url in browser.requests() if not url.startswith(("file:", "data:", "blob:"))]
        assert others == [], others


def test_what_was_given_is_saved_again(browser, folder):
    open_page(browser, folder)
    assert saved_rows(browser) == ROUND
    file = browser.download(".save-npy")
    assert file.name == "round.npy" and read_npy(file) == ROUND
    muster(folder, "plan", "show", "plan.png", "--path", str(file))  # the program reads it


def curve(browser):
    """The pieces of the drawn path: four points each."""
    text = browser.find(".plan-line").get_attribute("d")
    numbers = [float(v) for v in re.findall(r"-?[\d.]+", text)]
    points = list(zip(numbers[::2], numbers[1::2]))
    return [points[i:i + 4] for i in range(0, len(points) - 1, 3)]


def test_the_spline_is_that_of_the_program(browser, folder):
    open_page(browser, folder)
    pieces = curve(browser)
    line = next(e for e in tree.parse(folder / "plan.svg").iter() if e.get("class") == "line")
    expected = [tuple(float(v) * WIDTH / 1000 for v in p.split()) for p in re.split("[ML]", line.get("d"))[1:]]
    assert len(pieces) == len(ROUND) - 1 and len(expected) == 30 * len(pieces)
    for i, point in enumerate(expected):
        at = i * len(pieces) / (len(expected) - 1)
        k = min(int(at), len(pieces) - 1)
        t = at - k
        weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t ** 3)
        drawn = [sum(w * p[c] for w, p in zip(weights, pieces[k])) for c in (0, 1)]
        assert math.dist(drawn, point) < 0.03, (i, drawn, point)  # both are rounded to 1/100


def test_a_way_point_is_dragged_and_stays_in_the_plan(browser, folder):
    open_page(browser, folder)
    start = dots(browser)[1]
    press(browser, start, (10, 0), (50, 40))
    moved = dots(browser)[1]
    assert abs(moved[0] - start[0] - 60) < 2 and abs(moved[1] - start[1] - 40) < 2, (start, moved)
    rows = saved_rows(browser)
    assert rows[1] != ROUND[1] and rows[0] == ROUND[0] and rows[2:] == ROUND[2:]
    press(browser, moved, (-10, 0), (-1000 + 400, 0))
    assert saved_rows(browser)[1][0] >= -1
    browser.click("#editor .controls button:nth-of-type(1)")  # undo
    browser.click("#editor .controls button:nth-of-type(1)")
    assert saved_rows(browser) == ROUND
    browser.click("#editor .controls button:nth-of-type(2)")  # redo
    assert saved_rows(browser) == rows


def test_the_first_way_point_of_a_closed_path_is_its_last_one_too(browser, folder):
    open_page(browser, folder)
    press(browser, dots(browser)[0], (15, 0), (5, 5))
    rows = saved_rows(browser)
    assert rows[0] == rows[-1] != ROUND[0]
    browser.click("#closed")
    assert len(saved_rows(browser)) == len(ROUND) - 1


def test_a_click_on_the_line_inserts_a_way_point_there(browser, folder):
    open_page(browser, folder)
    before = dots(browser)
    p = curve(browser)[2]
    middle = [(p[0][c] + 3 * p[1][c] + 3 * p[2][c] + p[3][c]) / 8 for c in (0, 1)]
    at = browser.script("""
        const point = new DOMPoint(...arguments[0]).matrixTransform(document.querySelector(".plan-map").getScreenCTM());
        return [point.x, point.y]""", middle)
    press(browser, at)
    after = dots(browser)
    assert len(after) == len(before) + 1
    assert math.dist(after[3], at) < 2 and math.dist(after[4], before[3]) < 1
    press(browser, (at[0], at[1] + 100))  # not on the line
    assert len(dots(browser)) == len(after)


def test_a_double_click_adds_after_the_selected_one_and_delete_removes(browser, folder):
    open_page(browser, folder)
    before = dots(browser)
    press(browser, before[4])
    at = (before[4][0] + 40, before[4][1] + 60)
    double_click(browser, at)
    assert len(dots(browser)) == len(before) + 1 and math.dist(dots(browser)[5], at) < 2
    browser.find_all(".plan-dot")[5].send_keys(KEYS.DELETE)
    browser.settle()
    assert saved_rows(browser) == ROUND
    browser.click("#editor .controls button:nth-of-type(3)")  # delete the selected one
    assert len(saved_rows(browser)) == len(ROUND) - 1


def test_arrow_keys_move_by_a_pixel(browser, folder):
    open_page(browser, folder)
    browser.find_all(".plan-dot")[2].send_keys(KEYS.ARROW_RIGHT, KEYS.ARROW_DOWN, KEYS.ARROW_DOWN)
    x, y = saved_rows(browser)[2]
    assert abs(x - ROUND[2][0] - 2 / (WIDTH - 1)) < 2e-5 and abs(y - ROUND[2][1] - 4 / (HEIGHT - 1)) < 4e-5


def test_the_plan_zooms_and_moves(browser, folder):
    open_page(browser, folder)
    start = view_box(browser)
    at = dots(browser)[1]
    browser.script("""document.querySelector(".plan-map").dispatchEvent(new WheelEvent("wheel",
        { deltaY: -300, cancelable: true, clientX: arguments[0], clientY: arguments[1] }))""", *at)
    browser.settle()
    assert math.dist(dots(browser)[1], at) < 3  # what is under the pointer stays there; events have whole pixels
    zoomed = view_box(browser)
    assert float(zoomed.split()[2]) < 0.5 * WIDTH
    press(browser, (at[0] + 60, at[1] + 150), (20, 20), (20, 20))
    assert view_box(browser) != zoomed
    press(browser, dots(browser)[1], (30, 0), (0, 30))  # dragging is right in a zoomed plan, too
    rows = saved_rows(browser)
    assert rows[1][0] > ROUND[1][0] and rows[2:] == ROUND[2:]
    browser.click("#editor .controls button:nth-of-type(4)")  # the whole plan
    assert view_box(browser) == start


def test_points_in_walls_are_shown(browser, folder):
    open_page(browser, folder)
    report = subprocess.run([MUSTER, "plan", "show", "plan.png", "--path", "round.txt"], cwd=folder, check=True,
                            capture_output=True, text=True).stdout
    hits = int(re.search(r"(\d+) of 180 points in walls", report)[1])
    shown = int(re.search(r"(\d+) of 180 points", browser.find("#status").text)[1])
    assert abs(hits - shown) <= 10, (hits, shown)  # their parameters differ a little
    assert "M" in browser.find(".plan-hits").get_attribute("d")


def test_an_empty_page_is_filled_by_double_clicks(browser, folder):
    open_page(browser, folder, "empty")
    assert "0 way-points" in browser.find("#status").text
    assert browser.find(".save-text").get_attribute("disabled") is not None
    box = browser.script("const b = document.querySelector('.plan-map').getBoundingClientRect(); return [b.x, b.y, b.width, b.height]")
    for share in ((0.4, 0.3), (0.6, 0.3), (0.6, 0.6), (0.4, 0.6)):
        double_click(browser, (box[0] + share[0] * box[2], box[1] + share[1] * box[3]))
    rows = saved_rows(browser)
    assert len(rows) == 5 and rows[0] == rows[-1]
    assert rows[0][0] < rows[1][0] and rows[1][1] < rows[2][1], rows


def test_files_are_opened_and_mistakes_are_named(browser, folder):
    open_page(browser, folder, "empty")
    browser.find("#open").send_keys(str(folder / "open.csv"))
    browsers.wait_for(lambda: browser.find("#status").text.startswith("4 way-points"), "the file is read")
    assert saved_rows(browser) == [(-0.5, 0), (0, 0.25), (0.25, 0), (0.5, 0.5)]
    assert not browser.find("#closed").is_selected()
    browser.find("#open").send_keys(str(folder / "bad.txt"))
    browsers.wait_for(lambda: browser.find("#status").text.startswith("bad.txt"), "the mistake is named")
    assert browser.find("#status").text == "bad.txt: way-point 2 is not two numbers in [-1, 1]"
    browser.find("#open").send_keys(str(folder / (HOSTILE + ".txt")))
    browsers.wait_for(lambda: HOSTILE in browser.find("#status").text, "the hostile name is text")
    assert browser.find_all("#editor img") == []
    open_page(browser, folder)
    npy = browser.download(".save-npy").rename(folder / "again.npy")
    open_page(browser, folder, "empty")
    browser.find("#open").send_keys(str(npy))
    browsers.wait_for(lambda: browser.find("#status").text.startswith("6 way-points"), "the array is read")
    assert saved_rows(browser) == ROUND
    assert browser.messages() == []


def test_the_page_fits_a_phone(browser, folder):
    open_page(browser, folder, width=390, height=800)
    assert browser.script("return document.documentElement.scrollWidth") <= 390


def test_screenshots(browser, folder):
    where = browsers.screenshot_folder()
    if where is None:
        return
    for name, dark in (("light", False), ("dark", True)):
        open_page(browser, folder, dark=dark)
        browser.screenshot(where / f"plan-{name}.png")


if __name__ == "__main__":
    browsers.run([value for name, value in list(globals().items()) if name.startswith("test_")], prepare)
