#!/usr/bin/env python3
"""test_report.py - reports of real runs, in a browser. $MUSTER is the program."""

import json
import os
import subprocess
from xml.etree import ElementTree

import browser as browsers
from browser import By

MUSTER = os.environ["MUSTER"]
SMALL = ["--dataset", "figures", "--figures.train-count", "600", "--figures.test-count", "200", "--batch-size", "10", "--quiet"]
HOSTILE = "<script>alert(1)</script>"


def muster(folder, *arguments):
    subprocess.run([MUSTER, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def prepare(folder):
    """A study over seeds, a run over a graph, one with a server, and one with a hostile name."""
    muster(folder, "compare", "--vary", "algorithm=sync,local-sgd", "--vary", "seed=1,2,3", "--workers", "2",
           "--optimizer", "adam", "--epochs", "3", "--validation", "0.1", *SMALL, "--out", "study")
    muster(folder, "train", "--workers", "6", "--algorithm", "dsgt", "--graph", "wheel", "--partition", "labels",
           "--epochs", "2", *SMALL, "--out", "graph")
    muster(folder, "train", "--workers", "3", "--algorithm", "ps-async", "--delay", "1ms", "--trace", "--epochs", "2",
           *SMALL, "--out", "server")
    muster(folder, "train", "--epochs", "2", "--name", HOSTILE, *SMALL, "--out", "hostile")
    muster(folder, "report", "study", "graph", "server", "hostile", "--out", "all.html")
    return folder


def page(folder, name):
    return folder / name / "report.html"


def expect_silence(browser):
    assert browser.messages() == [], browser.messages()
    others = [url for url in browser.requests() if not url.startswith(("file:", "data:", "blob:"))]
    assert others == [], others


def test_reports_open_without_a_message_and_without_a_request(browser, folder):
    for path in [page(folder, name) for name in ("study", "graph", "server", "hostile")] + [folder / "all.html"]:
        browser.open(path)
        browser.settle()
        expect_silence(browser)


def test_the_table_shows_the_numbers_of_results_json(browser, folder):
    browser.open(page(folder, "study"))
    results = json.loads((folder / "study/results.json").read_text())
    rows = browser.find_all("#cases tbody tr")
    assert len(rows) == len(results["cases"]) == 2
    for row, case in zip(rows, results["cases"]):
        values = [cell.get_attribute("data-value") for cell in browser.find_all("td", row)]
        assert case["accuracy"] in [float(v) for v in values if v], (case["accuracy"], values)
        assert f"{100 * case['accuracy']:.2f}" in row.text, row.text


def test_the_best_case_is_marked_and_compared(browser, folder):
    browser.open(page(folder, "study"))
    results = json.loads((folder / "study/results.json").read_text())
    best = max(results["cases"], key=lambda case: case["accuracy"])
    marked = browser.find_all("#cases tr.best")
    assert len(marked) == 1 and best["values"]["algorithm"] in marked[0].text
    assert browser.find_all("#comparisons tbody tr")


def test_curves_switch_metric_and_axis(browser, folder):
    browser.open(page(folder, "study"))
    assert browser.find_all("#curves-view canvas")
    selects = browser.find_all("#curves-view select")
    assert selects
    for select in selects:
        for option in browser.find_all("option", select):
            browser.script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))",
                           select, option.get_property("value"))
            browser.settle()
    expect_silence(browser)


def test_every_figure_is_saved_as_svg_and_csv(browser, folder):
    for name in ("graph", "server"):
        browser.open(page(folder, name))
        figures = browser.find_all("figure.plot")
        assert len(figures) >= 4, len(figures)
        for figure in figures:
            buttons = {b.text.lower(): b for b in figure.find_elements(By.TAG_NAME, "button")}
            saved = browser.download(buttons["svg"])
            ElementTree.fromstring(saved.read_text())
            lines = browser.download(buttons["csv"]).read_text().splitlines()
            assert len(lines) >= 2, (figure.get_attribute("data-name"), lines)


def test_a_hostile_name_is_text_on_the_page_and_in_every_picture(browser, folder):
    for path in (page(folder, "hostile"), folder / "all.html"):
        browser.open(path)
        assert browser.script("return document.querySelectorAll('script').length") == 3
        text = browser.script("return document.body.textContent")
        assert "alert(1)" in text
        expect_silence(browser)


def test_a_phone_needs_no_sideways_scrolling(browser, folder):
    for name in ("study", "graph", "server"):
        browser.open(page(folder, name), width=390, height=844)
        browser.settle()
        wide, window = browser.script("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide <= window, (name, wide, window)


def test_screenshots_are_taken(browser, folder):
    target = browsers.screenshot_folder()
    for name in ("study", "graph", "server"):
        for dark in (False, True):
            for width in (1280, 390):
                browser.open(page(folder, name), width=width, height=1200, dark=dark)
                browser.settle()
                if target:
                    browser.screenshot(target / f"{name}-{'dark' if dark else 'light'}-{width}.png")


TESTS = [value for name, value in list(globals().items()) if name.startswith("test_")]

if __name__ == "__main__":
    browsers.run(TESTS, prepare)
